-- Every row of the log, where no bots are looked for.
-- reads: log
SELECT
    app, kind, event_id, impression_id, unit_id, session_id, query_id, query_text, doc_id, position, position_is_bad,
    moment, moment_is_bad, clicked, clicked_is_bad, dwell_s, value, results, ranker, swap, propensity, segment, unread,
    is_plain, line_is_bad, CAST(NULL AS VARCHAR) AS bot
FROM log
