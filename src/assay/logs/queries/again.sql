-- Searches with two rows at one position: without any nothing comes again. Rows that are refused are looked at, too.
-- reads: rows
-- only: duckdb
SELECT count(*) AS searches
FROM (
    SELECT hash(impression_id) AS search
    FROM rows
    WHERE kind = 'impression' AND impression_id IS NOT NULL AND position IS NOT NULL
    GROUP BY hash(impression_id)
    HAVING count(*) <> bit_count(bit_or(CAST(1 AS BIGINT) << greatest(0, least(position, 60))))
) AS found
