-- What each search of a weighed query adds to an estimate, and to the mean of its weights.
-- reads: shown, searches, click_weights, search_weights
SELECT
    COALESCE(min(searches.unit_id), min(searches.session_id), shown.impression_id) AS unit_id,
    sum(COALESCE(shown.clicked * click_weights.of_click + click_weights.of_showing, 0e0))
        + min(search_weights.of_search) AS adds,
    sum(COALESCE(click_weights.mass, 0e0)) AS mass,
    min(search_weights.mass) AS expected
FROM shown
JOIN search_weights ON search_weights.query_id = shown.query_id
LEFT JOIN click_weights ON click_weights.query_id = shown.query_id AND click_weights.doc_id = shown.doc_id
    AND click_weights.position = shown.position
LEFT JOIN searches ON searches.impression_id = shown.impression_id
WHERE shown.impression_id IS NOT NULL
GROUP BY shown.impression_id, shown.query_id
