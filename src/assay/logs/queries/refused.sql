-- How many rows are refused for each reason, the most frequent first.
-- reads: rows
SELECT refused AS reason, count(*) AS n
FROM rows
WHERE refused IS NOT NULL
GROUP BY refused
ORDER BY n DESC, reason
