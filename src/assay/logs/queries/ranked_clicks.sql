-- Each document shown in a search, with the first and the last clicked position of its list, and the last one above it.
-- reads: shown
SELECT
    query_id, doc_id, position, ranker, segment, clicked,
    min(CASE WHEN clicked = 1 THEN position END) OVER (PARTITION BY impression_id) AS first_click,
    max(CASE WHEN clicked = 1 THEN position END) OVER (PARTITION BY impression_id) AS last_click,
    max(CASE WHEN clicked = 1 THEN position END) OVER (
        PARTITION BY impression_id ORDER BY position RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS click_above
FROM shown
WHERE query_id IS NOT NULL AND impression_id IS NOT NULL
