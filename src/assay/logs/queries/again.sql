-- Searches that show two documents at one position: rows that come again do, so without any the others need no look.
-- reads: rows
-- only: duckdb
SELECT count(*) AS searches
FROM (
    SELECT hash(impression_id) AS search
    FROM rows
    WHERE kind = 'impression' AND refused IS NULL AND impression_id IS NOT NULL
    GROUP BY hash(impression_id)
    HAVING sum(CAST(1 AS BIGINT) << least(position, 60)) <> bit_or(CAST(1 AS BIGINT) << least(position, 60))
) AS found
