-- Each document that a search showed, once: a row that comes again is left out.
-- reads: rows
SELECT
    app, kind, event_id, impression_id, unit_id, session_id, query_id, query_text, doc_id, position, moment, clicked,
    dwell_s, value, results, ranker, swap, segment, unread, refused
FROM rows
WHERE kind = 'impression' AND refused IS NULL
QUALIFY impression_id IS NULL OR row_number() OVER (
    PARTITION BY impression_id, doc_id, position ORDER BY event_id, clicked DESC
) = 1
