-- What followed each search: carts, purchases, their value, and whether it was answered without a click.
-- reads: events
SELECT
    impression_id,
    CAST(sum(CASE WHEN kind = 'cart' THEN 1 ELSE 0 END) AS BIGINT) AS carts,
    CAST(sum(CASE WHEN kind = 'purchase' THEN 1 ELSE 0 END) AS BIGINT) AS purchases,
    sum(CASE WHEN kind = 'purchase' THEN COALESCE(value, 0e0) ELSE 0e0 END) AS value,
    max(CASE WHEN kind = 'satisfied' THEN 1 ELSE 0 END) AS is_satisfied
FROM events
GROUP BY impression_id
