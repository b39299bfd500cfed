-- Impressions and clicks by position and by the last clicked position above it; 0 is none.
-- reads: ranked_clicks
SELECT
    query_id, doc_id, position,
    CASE WHEN click_above IS NULL THEN 0 ELSE click_above END AS click_above,
    count(*) AS impressions, CAST(sum(clicked) AS BIGINT) AS clicks
FROM ranked_clicks
GROUP BY query_id, doc_id, position, CASE WHEN click_above IS NULL THEN 0 ELSE click_above END
