-- Each document that a search showed, once: a row that comes again is left out.
-- reads: rows
SELECT *
FROM rows
WHERE kind = 'impression' AND refused IS NULL
QUALIFY row_number() OVER (PARTITION BY impression_id, doc_id ORDER BY position, event_id, clicked DESC) = 1
