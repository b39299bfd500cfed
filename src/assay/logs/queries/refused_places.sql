-- Where the first rows stand that are refused for each reason, those of some searches that name no query, those that count
-- without what cannot be read in them, and those of other applications, when the id of an event is laid as the place of
-- its row.
-- reads: rows, nameless, others
SELECT reason, place
FROM (
    SELECT reason, place, row_number() OVER (PARTITION BY reason ORDER BY place) AS n
    FROM (
        SELECT
            CASE WHEN refused IS NULL THEN 'impressions whose search names no query' ELSE refused END AS reason,
            event_id AS place
        FROM rows
        LEFT JOIN nameless ON nameless.impression_id = rows.impression_id AND rows.kind = 'impression'
        WHERE event_id IS NOT NULL AND (refused IS NOT NULL OR nameless.impression_id IS NOT NULL)
        UNION ALL
        SELECT unread AS reason, event_id AS place
        FROM rows
        WHERE event_id IS NOT NULL AND refused IS NULL AND unread IS NOT NULL
        UNION ALL
        SELECT 'rows of other applications' AS reason, place
        FROM others
        WHERE place IS NOT NULL
    ) AS found
) AS numbered
WHERE n <= 3
