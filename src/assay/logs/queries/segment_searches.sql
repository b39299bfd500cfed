-- How many searches of each query showed something in each segment; rows that name none are of one of their own.
-- reads: shown
SELECT query_id, COALESCE(segment, 'not named') AS segment, count(DISTINCT impression_id) AS searches
FROM shown
WHERE query_id IS NOT NULL AND impression_id IS NOT NULL
GROUP BY query_id, COALESCE(segment, 'not named')
