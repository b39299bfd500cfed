-- Each search once: who asked what and when, and how many documents it showed.
-- reads: rows
SELECT
    impression_id,
    min(app) AS app, min(unit_id) AS unit_id, min(session_id) AS session_id, min(query_id) AS query_id,
    min(query_text) AS query_text, min(moment) AS moment, min(ranker) AS ranker, min(segment) AS segment,
    max(results) AS results,
    count(DISTINCT CASE WHEN kind = 'impression' THEN doc_id END) AS shown
FROM rows
WHERE refused IS NULL AND impression_id IS NOT NULL AND kind IN ('search', 'impression')
GROUP BY impression_id
