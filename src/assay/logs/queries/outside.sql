-- Rows before and after the window of time.
-- reads: log
SELECT
    CAST(sum(CASE WHEN moment < $since THEN 1 ELSE 0 END) AS BIGINT) AS before,
    CAST(sum(CASE WHEN moment >= $until THEN 1 ELSE 0 END) AS BIGINT) AS after
FROM log
