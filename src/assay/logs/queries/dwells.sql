-- How long clicks were dwelt on, in tenths of a second: as recorded, or until the next search or click where that is absent.
-- reads: moments_of_sessions
SELECT
    CASE WHEN dwell_s IS NULL THEN 1 ELSE 0 END AS is_derived,
    CAST(FLOOR(CASE WHEN dwell_s IS NULL THEN until_next / 100000e0 ELSE dwell_s * 10e0 END) AS BIGINT) AS tenths,
    count(*) AS n
FROM moments_of_sessions
WHERE kind = 'click' AND (dwell_s >= 0 OR (dwell_s IS NULL AND until_next IS NOT NULL))
GROUP BY
    CASE WHEN dwell_s IS NULL THEN 1 ELSE 0 END,
    CAST(FLOOR(CASE WHEN dwell_s IS NULL THEN until_next / 100000e0 ELSE dwell_s * 10e0 END) AS BIGINT)
