-- The same as cells, faster: names are told apart by 128 bits of their hashes, which is for all purposes exact.
-- reads: shown
-- only: duckdb
SELECT
    any_value(query_id) AS query_id, any_value(doc_id) AS doc_id, position, ranker, segment,
    count(*) AS impressions, count(*) FILTER (WHERE clicked = 1) AS clicks
FROM shown
WHERE query_id IS NOT NULL
GROUP BY hash(query_id), hash(doc_id), position, ranker, segment
