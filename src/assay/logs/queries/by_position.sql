-- Impressions and clicks by position alone.
-- reads: shown
SELECT position, ranker, segment, count(*) AS impressions, CAST(sum(clicked) AS BIGINT) AS clicks
FROM shown
GROUP BY position, ranker, segment
