-- Each clicked document of a search, where it stood (null when the search never showed it) and when it was clicked.
-- reads: impressions, clicked
SELECT
    CASE WHEN impressions.impression_id IS NULL THEN clicked.impression_id ELSE impressions.impression_id END
        AS impression_id,
    CASE WHEN impressions.doc_id IS NULL THEN clicked.doc_id ELSE impressions.doc_id END AS doc_id,
    impressions.position, clicked.moment
FROM (SELECT * FROM impressions WHERE impression_id IS NOT NULL) AS impressions
FULL JOIN clicked ON clicked.impression_id = impressions.impression_id AND clicked.doc_id = impressions.doc_id
WHERE impressions.clicked = 1 OR clicked.doc_id IS NOT NULL
