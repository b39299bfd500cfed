-- The documents of at most so many searches of each segment, evenly over time, row by row, with the place of the search
-- in the order of time of its segment. Rows of another segment than their search has are left out. Searches of one
-- moment, or of none, follow by chance: ids may go by query, and no model predicts a query it never saw.
-- reads: shown, searches
SELECT ordered.segment, ordered.place, shown.query_id, shown.doc_id, shown.position, shown.clicked
FROM shown
JOIN (
    SELECT
        impression_id, COALESCE(segment, 'not named') AS segment,
        CAST(row_number() OVER (
            PARTITION BY COALESCE(segment, 'not named') ORDER BY moment, md5(impression_id), impression_id
        ) AS BIGINT) AS place,
        count(*) OVER (PARTITION BY COALESCE(segment, 'not named')) AS searches
    FROM searches
) AS ordered ON ordered.impression_id = shown.impression_id
WHERE (ordered.place * $most) % ordered.searches < $most AND shown.query_id IS NOT NULL
    AND COALESCE(shown.segment, 'not named') = ordered.segment
