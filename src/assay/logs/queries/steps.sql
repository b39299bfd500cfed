-- The pairs of different queries that followed each other in a session within the time given.
-- reads: session_searches
SELECT query_text, next_text, count(*) AS n
FROM session_searches
WHERE next_moment - moment <= $within AND query_text <> next_text
GROUP BY query_text, next_text
