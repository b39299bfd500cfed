-- The user agents of the log, once each.
-- reads: log
SELECT user_agent
FROM log
WHERE user_agent IS NOT NULL
GROUP BY user_agent
