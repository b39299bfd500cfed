-- Impressions of a search that do not say its query, and its ranker, as other rows of it may; refused ones, too.
-- reads: rows
SELECT
    CAST(sum(CASE WHEN query_id IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS query_id,
    CAST(sum(CASE WHEN ranker IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS ranker
FROM rows
WHERE kind = 'impression' AND impression_id IS NOT NULL
