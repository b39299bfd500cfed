-- How often each document was shown at each position with each chance, and clicked.
-- reads: log
SELECT
    doc_id, position, propensity,
    count(*) AS impressions,
    CAST(sum(CASE WHEN clicked IS NULL THEN 0 ELSE clicked END) AS BIGINT) AS clicks
FROM log
WHERE kind = 'impression' AND NOT line_is_bad AND NOT position_is_bad AND NOT clicked_is_bad AND NOT moment_is_bad
    AND (moment IS NULL OR (moment >= $since AND moment < $until))
GROUP BY doc_id, position, propensity
