-- Each event once: by its id, or, where it has none, by what happened to which document, and when.
-- reads: rows
SELECT
    app, kind, event_id, impression_id, unit_id, session_id, query_id, query_text, doc_id, position, moment, clicked,
    dwell_s, value, results, ranker, swap, segment, unread, refused
FROM rows
WHERE kind NOT IN ('search', 'impression') AND refused IS NULL
QUALIFY row_number() OVER (
    PARTITION BY
        event_id,
        CASE WHEN event_id IS NULL THEN impression_id END,
        CASE WHEN event_id IS NULL THEN kind END,
        CASE WHEN event_id IS NULL THEN doc_id END,
        CASE WHEN event_id IS NULL THEN moment END
    ORDER BY moment, impression_id, kind, doc_id, value, dwell_s
) = 1
