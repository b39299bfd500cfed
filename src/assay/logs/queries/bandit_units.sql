-- Weights of a policy, and clicks under them, of each person (or session, or row, where nobody is named).
-- reads: known, target
SELECT
    COALESCE(known.unit_id, known.session_id, known.impression_id) AS unit_id,
    CAST(count(*) AS DOUBLE) AS shown,
    sum(COALESCE(target.chance, 0e0) / known.propensity) AS weight,
    sum(COALESCE(target.chance, 0e0) / known.propensity * COALESCE(known.clicked, 0)) AS adds
FROM known
LEFT JOIN target ON target.doc_id = known.doc_id AND target.position = known.position
WHERE known.kind = 'impression' AND known.bot IS NULL AND NOT known.line_is_bad AND NOT known.position_is_bad
    AND NOT known.clicked_is_bad AND NOT known.moment_is_bad AND (known.moment IS NULL OR (known.moment >= $since AND known.moment < $until))
    AND known.doc_id IS NOT NULL AND known.position >= 1 AND known.position <= 10000 AND known.propensity > 0
GROUP BY COALESCE(known.unit_id, known.session_id, known.impression_id)
