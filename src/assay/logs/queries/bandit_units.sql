-- Weights of a policy, and clicks under them, of each person (or session, or row, where nobody is named).
-- reads: log, target
SELECT
    COALESCE(log.unit_id, log.session_id, log.impression_id) AS unit_id,
    CAST(count(*) AS DOUBLE) AS shown,
    sum(COALESCE(target.chance, 0e0) / log.propensity) AS weight,
    sum(COALESCE(target.chance, 0e0) / log.propensity * COALESCE(log.clicked, 0)) AS adds
FROM log
LEFT JOIN target ON target.doc_id = log.doc_id AND target.position = log.position
WHERE log.kind = 'impression' AND NOT log.line_is_bad AND NOT log.position_is_bad AND NOT log.clicked_is_bad
    AND NOT log.moment_is_bad AND (log.moment IS NULL OR (log.moment >= $since AND log.moment < $until))
    AND log.doc_id IS NOT NULL AND log.position >= 1 AND log.propensity > 0
GROUP BY COALESCE(log.unit_id, log.session_id, log.impression_id)
