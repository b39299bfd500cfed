-- How often each document was shown at each position with each chance, and clicked; rows whose position or click is none
-- apart; bots are left out.
-- reads: known
SELECT
    doc_id, position, propensity,
    CASE WHEN position_is_bad OR clicked_is_bad OR position < 1 OR position > 10000 THEN 1 ELSE 0 END AS is_bad,
    count(*) AS impressions,
    CAST(sum(CASE WHEN clicked IS NULL THEN 0 ELSE clicked END) AS BIGINT) AS clicks
FROM known
WHERE kind = 'impression' AND bot IS NULL AND NOT line_is_bad AND NOT moment_is_bad
    AND (moment IS NULL OR (moment >= $since AND moment < $until))
GROUP BY
    doc_id, position, propensity,
    CASE WHEN position_is_bad OR clicked_is_bad OR position < 1 OR position > 10000 THEN 1 ELSE 0 END
