-- Impressions whose query no row of their search names: they are in no cell.
-- reads: shown
SELECT count(*) AS impressions
FROM shown
WHERE query_id IS NULL
