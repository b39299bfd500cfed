-- How many rows are of each of the applications that were not asked for.
-- reads: others
SELECT app, count(*) AS n
FROM others
GROUP BY app
