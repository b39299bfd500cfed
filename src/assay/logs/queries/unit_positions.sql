-- Impressions and clicks of each person at each position.
-- reads: shown, searches
SELECT
    COALESCE(searches.unit_id, searches.session_id, shown.impression_id) AS unit_id, shown.position,
    CASE WHEN $by_ranker THEN shown.ranker END AS ranker, CASE WHEN $by_segment THEN shown.segment END AS segment,
    CAST(count(*) AS DOUBLE) AS impressions, CAST(sum(shown.clicked) AS DOUBLE) AS clicks
FROM shown
LEFT JOIN searches ON searches.impression_id = shown.impression_id
GROUP BY
    COALESCE(searches.unit_id, searches.session_id, shown.impression_id), shown.position,
    CASE WHEN $by_ranker THEN shown.ranker END, CASE WHEN $by_segment THEN shown.segment END
