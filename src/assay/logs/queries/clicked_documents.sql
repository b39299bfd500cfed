-- Each clicked document of a search, its highest position (null when never shown) and when it was first clicked.
-- reads: impressions, clicked
SELECT
    CASE WHEN shown.impression_id IS NULL THEN clicked.impression_id ELSE shown.impression_id END AS impression_id,
    CASE WHEN shown.doc_id IS NULL THEN clicked.doc_id ELSE shown.doc_id END AS doc_id,
    shown.position, clicked.moment
FROM (
    SELECT impression_id, doc_id, min(position) AS position, max(clicked) AS clicked
    FROM impressions
    WHERE impression_id IS NOT NULL
    GROUP BY impression_id, doc_id
) AS shown
FULL JOIN clicked ON clicked.impression_id = shown.impression_id AND clicked.doc_id = shown.doc_id
WHERE shown.clicked = 1 OR clicked.doc_id IS NOT NULL
