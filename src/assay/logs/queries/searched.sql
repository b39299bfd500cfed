-- Each search with what came of it, one number a measure; the day is that of the time zone.
-- reads: session_searches, clicks_of_searches, gains_of_searches, alike, offsets
SELECT
    searches.impression_id,
    COALESCE(searches.unit_id, searches.session_id, searches.impression_id) AS unit_id,
    searches.app, searches.query_id, searches.ranker, searches.segment,
    CAST(FLOOR((searches.moment + offsets.ahead) / 86400000000e0) AS BIGINT) AS day,
    searches.shown,
    COALESCE(clicks.clicks, 0) AS clicks, COALESCE(clicks.shown_clicks, 0) AS shown_clicks,
    CASE WHEN clicks.clicks > 0 THEN 1 ELSE 0 END AS is_clicked,
    CASE WHEN clicks.first_position IS NULL THEN 0e0 ELSE 1e0 / clicks.first_position END AS first_click_rr,
    CASE
        WHEN clicks.first_moment >= searches.moment THEN (clicks.first_moment - searches.moment) / 1000000e0
    END AS to_click_s,
    CASE
        WHEN searches.results IS NOT NULL THEN CASE WHEN searches.results = 0 THEN 1 ELSE 0 END
        WHEN $empty_are_zero THEN CASE WHEN searches.shown = 0 THEN 1 ELSE 0 END
    END AS is_zero,
    CASE WHEN clicks.clicks IS NULL AND COALESCE(gains.is_satisfied, 0) = 0 THEN 1 ELSE 0 END AS is_abandoned,
    CASE WHEN clicks.clicks IS NULL AND gains.is_satisfied = 1 THEN 1 ELSE 0 END AS is_answered,
    CASE
        WHEN searches.session_id IS NULL OR searches.moment IS NULL THEN NULL
        WHEN searches.next_moment - searches.moment <= $within AND alike.next_text IS NOT NULL THEN 1
        ELSE 0
    END AS is_reformulated,
    COALESCE(gains.carts, 0) AS carts, COALESCE(gains.purchases, 0) AS purchases, COALESCE(gains.value, 0e0) AS value
FROM session_searches AS searches
LEFT JOIN clicks_of_searches AS clicks ON clicks.impression_id = searches.impression_id
LEFT JOIN gains_of_searches AS gains ON gains.impression_id = searches.impression_id
LEFT JOIN alike ON alike.query_text = searches.query_text AND alike.next_text = searches.next_text
LEFT JOIN offsets ON searches.moment >= offsets.since AND searches.moment < offsets.until
