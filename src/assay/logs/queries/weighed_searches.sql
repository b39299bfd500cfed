-- What each search of a weighed query adds to an estimate, and to the mean of its weights. Weights that name a segment
-- are of what that segment shows; a search that shows documents in two segments is a search of each.
-- reads: shown, searches, click_weights, search_weights
SELECT
    COALESCE(min(searches.unit_id), min(searches.session_id), shown.impression_id) AS unit_id,
    sum(COALESCE(shown.clicked * click_weights.of_click + click_weights.of_showing, 0e0))
        + min(search_weights.of_search) AS adds,
    sum(COALESCE(click_weights.mass, 0e0)) AS mass,
    min(search_weights.mass) AS expected
FROM shown
JOIN search_weights ON search_weights.query_id = shown.query_id
    AND (search_weights.segment IS NULL OR search_weights.segment = COALESCE(shown.segment, 'not named'))
LEFT JOIN click_weights ON click_weights.query_id = shown.query_id AND click_weights.doc_id = shown.doc_id
    AND click_weights.position = shown.position
    AND (click_weights.segment IS NULL OR click_weights.segment = COALESCE(shown.segment, 'not named'))
LEFT JOIN searches ON searches.impression_id = shown.impression_id
WHERE shown.impression_id IS NOT NULL
GROUP BY shown.impression_id, shown.query_id, search_weights.segment
