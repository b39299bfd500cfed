-- What happened in the window, and how often, by application.
-- reads: rows
SELECT app, kind, count(*) AS n, min(moment) AS first, max(moment) AS last
FROM rows
WHERE refused IS NULL
GROUP BY app, kind
ORDER BY app, n DESC, kind
