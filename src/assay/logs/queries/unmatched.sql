-- Clicked documents that their search never showed, and clicks that came long after it.
-- reads: clicked, impressions, searches
SELECT
    CAST(sum(CASE WHEN impressions.doc_id IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS without_impression,
    CAST(sum(CASE WHEN clicked.moment < searches.moment THEN 1 ELSE 0 END) AS BIGINT) AS before_search,
    CAST(sum(CASE WHEN clicked.moment - searches.moment > $late THEN 1 ELSE 0 END) AS BIGINT) AS late
FROM clicked
LEFT JOIN (SELECT DISTINCT impression_id, doc_id FROM impressions) AS impressions
    ON impressions.impression_id = clicked.impression_id AND impressions.doc_id = clicked.doc_id
LEFT JOIN searches ON searches.impression_id = clicked.impression_id
