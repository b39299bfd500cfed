-- The sessions with more searches than people make: robots, tests, monitors.
-- reads: searches
SELECT session_id, count(*) AS searches
FROM searches
WHERE session_id IS NOT NULL
GROUP BY session_id
HAVING count(*) > $most
