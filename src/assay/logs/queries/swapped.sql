-- Impressions and clicks by position and by the position that changed places with the first one; 0 is none.
-- reads: shown
SELECT
    query_id, doc_id, position, CASE WHEN swap IS NULL THEN 0 ELSE swap END AS swap,
    count(*) AS impressions, CAST(sum(clicked) AS BIGINT) AS clicks
FROM shown
WHERE query_id IS NOT NULL
GROUP BY query_id, doc_id, position, CASE WHEN swap IS NULL THEN 0 ELSE swap END
