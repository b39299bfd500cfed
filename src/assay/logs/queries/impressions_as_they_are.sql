-- Each document that a search showed, where no search has an id or rows are known to come once.
-- reads: rows
SELECT
    app, kind, event_id, impression_id, unit_id, session_id, query_id, query_text, doc_id, position, moment, clicked,
    dwell_s, value, results, ranker, swap, segment, unread, refused
FROM rows
WHERE kind = 'impression' AND refused IS NULL
