-- The searches and clicks of each session in order, with the time until the next of them.
-- reads: rows, events
SELECT
    kind, dwell_s,
    CASE WHEN session_id IS NOT NULL THEN lead(moment) OVER (
        PARTITION BY session_id ORDER BY moment, is_search, impression_id, kind, doc_id, event_id, dwell_s
    ) - moment END AS until_next
FROM (
    SELECT kind, dwell_s, session_id, moment, 0 AS is_search, impression_id, doc_id, event_id
    FROM events
    WHERE kind = 'click' AND moment IS NOT NULL
    UNION ALL
    SELECT 'search' AS kind, CAST(NULL AS DOUBLE) AS dwell_s, session_id, min(moment) AS moment, 1 AS is_search,
        impression_id, CAST(NULL AS VARCHAR) AS doc_id, CAST(NULL AS VARCHAR) AS event_id
    FROM rows
    WHERE kind IN ('search', 'impression') AND refused IS NULL AND moment IS NOT NULL
    GROUP BY session_id, impression_id
) AS everything
