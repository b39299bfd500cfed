-- How many searches of each query showed something.
-- reads: shown
SELECT query_id, count(DISTINCT impression_id) AS searches
FROM shown
WHERE query_id IS NOT NULL AND impression_id IS NOT NULL
GROUP BY query_id
