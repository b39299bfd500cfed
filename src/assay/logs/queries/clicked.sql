-- The documents that were clicked in each search, once however often they were clicked.
-- reads: events
SELECT impression_id, doc_id, min(moment) AS moment
FROM events
WHERE kind = 'click'
GROUP BY impression_id, doc_id
