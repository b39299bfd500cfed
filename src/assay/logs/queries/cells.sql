-- How often each document was shown for each query at each position, and clicked there. Counts of days add up.
-- reads: shown
SELECT
    query_id, doc_id, position, ranker, segment,
    count(*) AS impressions, CAST(sum(clicked) AS BIGINT) AS clicks
FROM shown
WHERE query_id IS NOT NULL
GROUP BY query_id, doc_id, position, ranker, segment
