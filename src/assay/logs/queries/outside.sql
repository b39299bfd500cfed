-- Rows before and after the window of time, and from when to when they are.
-- reads: log
SELECT
    CAST(sum(CASE WHEN moment < $since THEN 1 ELSE 0 END) AS BIGINT) AS before,
    CAST(sum(CASE WHEN moment >= $until THEN 1 ELSE 0 END) AS BIGINT) AS after,
    min(CASE WHEN moment < $since THEN moment END) AS before_first,
    max(CASE WHEN moment < $since THEN moment END) AS before_last,
    min(CASE WHEN moment >= $until THEN moment END) AS after_first,
    max(CASE WHEN moment >= $until THEN moment END) AS after_last
FROM log
