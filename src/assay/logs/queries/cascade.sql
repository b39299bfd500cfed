-- What models need that read a list from the top: how far a list was read by its first and by its last click.
-- reads: ranked_clicks
SELECT
    query_id, doc_id, position,
    count(*) AS impressions,
    CAST(sum(clicked) AS BIGINT) AS clicks,
    CAST(sum(CASE WHEN position <= first_click THEN 1 ELSE 0 END) AS BIGINT) AS to_first,
    CAST(sum(CASE WHEN position <= last_click THEN 1 ELSE 0 END) AS BIGINT) AS to_last,
    CAST(sum(CASE WHEN position = first_click THEN 1 ELSE 0 END) AS BIGINT) AS first_clicks,
    CAST(sum(CASE WHEN position = last_click THEN 1 ELSE 0 END) AS BIGINT) AS last_clicks,
    CAST(sum(CASE WHEN last_click IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS without_click
FROM ranked_clicks
GROUP BY query_id, doc_id, position
