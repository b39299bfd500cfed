-- Each document that a search showed, with whether it was clicked; sessions that were set aside are left out.
-- reads: impressions, searches, clicked, aside
SELECT
    impressions.impression_id,
    CASE WHEN impressions.query_id IS NULL THEN searches.query_id ELSE impressions.query_id END AS query_id,
    impressions.doc_id, impressions.position,
    CASE WHEN impressions.ranker IS NULL THEN searches.ranker ELSE impressions.ranker END AS ranker,
    impressions.swap, impressions.segment,
    CASE WHEN impressions.clicked = 1 OR clicked.doc_id IS NOT NULL THEN 1 ELSE 0 END AS clicked
FROM impressions
LEFT JOIN searches ON searches.impression_id = impressions.impression_id
LEFT JOIN clicked ON clicked.impression_id = impressions.impression_id AND clicked.doc_id = impressions.doc_id
LEFT JOIN aside ON aside.session_id = searches.session_id
WHERE aside.session_id IS NULL
