-- The documents of every n-th search in the order of time, row by row, with the place of the search in that order.
-- Searches of one moment, or of none, follow by chance: ids may go by query, and no model predicts a query it never saw.
-- reads: shown, searches
SELECT ordered.place, shown.query_id, shown.doc_id, shown.position, shown.clicked
FROM shown
JOIN (
    SELECT impression_id, row_number() OVER (ORDER BY moment, md5(impression_id), impression_id) AS place
    FROM searches
) AS ordered ON ordered.impression_id = shown.impression_id
WHERE ordered.place % $step = 0 AND shown.query_id IS NOT NULL
