-- Impressions and clicks at each position, with the sums over people that their intervals need.
-- reads: unit_positions
SELECT
    position, ranker, segment, count(*) AS units,
    sum(impressions) AS impressions, sum(impressions * impressions) AS impressions_impressions,
    sum(clicks) AS clicks, sum(clicks * clicks) AS clicks_clicks,
    sum(clicks * impressions) AS clicks_impressions
FROM unit_positions
GROUP BY position, ranker, segment
