-- The first searches of which no row names the query, in the order of their ids.
-- reads: shown
SELECT impression_id
FROM shown
WHERE query_id IS NULL AND impression_id IS NOT NULL
GROUP BY impression_id
ORDER BY impression_id
LIMIT 3
