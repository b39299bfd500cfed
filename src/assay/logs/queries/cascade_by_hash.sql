-- The same as cascade, faster: the clicks of a search are joined by 64 bits of its name. Among 100 million searches two
-- are taken for one in one log of 3,700.
-- reads: shown
-- only: duckdb
SELECT
    any_value(shown.query_id) AS query_id, any_value(shown.doc_id) AS doc_id, shown.position,
    count(*) AS impressions,
    count(*) FILTER (WHERE shown.clicked = 1) AS clicks,
    count(*) FILTER (WHERE shown.position <= clicks.first) AS to_first,
    count(*) FILTER (WHERE shown.position <= clicks.last) AS to_last,
    count(*) FILTER (WHERE shown.position = clicks.first) AS first_clicks,
    count(*) FILTER (WHERE shown.position = clicks.last) AS last_clicks,
    count(*) - count(clicks.last) AS without_click
FROM shown
LEFT JOIN (
    SELECT hash(impression_id) AS search, min(position) AS first, max(position) AS last
    FROM shown
    WHERE clicked = 1 AND query_id IS NOT NULL AND impression_id IS NOT NULL
    GROUP BY hash(impression_id)
) AS clicks ON clicks.search = hash(shown.impression_id)
WHERE shown.query_id IS NOT NULL AND shown.impression_id IS NOT NULL
GROUP BY hash(shown.query_id), hash(shown.doc_id), shown.position
