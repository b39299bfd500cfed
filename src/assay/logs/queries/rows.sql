-- Every row of the log in the window of time, and why it is refused, when it is. What is mostly true is asked first.
-- reads: known
SELECT
    app, kind, event_id, impression_id, unit_id, session_id, query_id, query_text, doc_id, position, moment,
    CASE WHEN clicked IS NULL THEN 0 ELSE clicked END AS clicked,
    dwell_s, value, results, ranker, swap, segment, unread, is_plain,
    CASE
        WHEN bot IS NOT NULL THEN bot
        WHEN kind = 'impression' AND NOT line_is_bad AND NOT moment_is_bad AND doc_id IS NOT NULL
            AND (impression_id IS NOT NULL OR query_id IS NOT NULL)
            AND NOT position_is_bad AND position >= 1 AND position <= 10000 AND NOT clicked_is_bad THEN NULL
        WHEN line_is_bad THEN 'a line that is no JSON object'
        WHEN kind IS NULL THEN 'a row that does not say what happened'
        WHEN moment_is_bad THEN 'a time that cannot be read or names no time zone'
        WHEN kind <> 'impression' AND impression_id IS NULL THEN 'an event that names no search'
        WHEN kind = 'click' AND doc_id IS NULL THEN 'a click that names no document'
        WHEN kind <> 'impression' THEN NULL
        WHEN doc_id IS NULL THEN 'an impression that names no document'
        WHEN impression_id IS NULL AND query_id IS NULL THEN 'an impression that names neither query nor search'
        WHEN position_is_bad THEN 'an impression whose position is no whole number'
        WHEN position IS NULL THEN 'an impression without a position'
        WHEN position < 1 THEN 'an impression before the first position'
        WHEN position > 10000 THEN 'an impression below position 10,000'
        WHEN clicked_is_bad THEN 'an impression whose click is neither 0 nor 1'
    END AS refused
FROM known
WHERE moment IS NULL OR (moment >= $since AND moment < $until)
