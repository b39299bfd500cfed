-- The searches of bots where only events say who is one, and why; also outside of the window of time.
-- reads: all_rows, bot_units, bot_agents
SELECT all_rows.impression_id, min(CASE
    WHEN all_rows.is_bot = 1 THEN 'a row of a bot: its column says so'
    WHEN bot_units.unit_id IS NOT NULL THEN 'a row of a bot: the list has its unit'
    ELSE bot_agents.bot
END) AS bot
FROM all_rows
LEFT JOIN bot_units ON bot_units.unit_id = all_rows.unit_id
LEFT JOIN bot_agents ON bot_agents.user_agent = all_rows.user_agent
WHERE all_rows.impression_id IS NOT NULL
    AND (all_rows.is_bot = 1 OR bot_units.unit_id IS NOT NULL OR bot_agents.bot IS NOT NULL)
GROUP BY all_rows.impression_id
