-- Every row of the log, and why it is a bot's, when it is: what the row of a search says holds for all that followed it.
-- reads: log, bot_units, bot_agents, bot_searches
SELECT
    log.app, log.kind, log.event_id, log.impression_id, log.unit_id, log.session_id, log.query_id, log.query_text,
    log.doc_id, log.position, log.position_is_bad, log.moment, log.moment_is_bad, log.clicked, log.clicked_is_bad,
    log.dwell_s, log.value, log.results, log.ranker, log.swap, log.propensity, log.segment, log.unread,
    log.is_plain, log.line_is_bad,
    CASE
        WHEN log.is_bot = 1 THEN 'a row of a bot: its column says so'
        WHEN bot_units.unit_id IS NOT NULL THEN 'a row of a bot: the list has its unit'
        WHEN bot_agents.bot IS NOT NULL THEN bot_agents.bot
        WHEN bot_searches.bot IS NOT NULL THEN bot_searches.bot
    END AS bot
FROM log
LEFT JOIN bot_units ON bot_units.unit_id = log.unit_id
LEFT JOIN bot_agents ON bot_agents.user_agent = log.user_agent
LEFT JOIN bot_searches ON bot_searches.impression_id = log.impression_id
