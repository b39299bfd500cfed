-- What followed the clicks on each document of each query: purchases, and dwell of $long seconds or more where it is known.
-- reads: shown, impressions, events
SELECT
    visits.query_id, visits.doc_id,
    count(*) AS clicks,
    CAST(sum(CASE WHEN after.is_bought = 1 THEN 1 ELSE 0 END) AS BIGINT) AS bought,
    CAST(sum(CASE WHEN after.dwell_s IS NULL THEN 0 ELSE 1 END) AS BIGINT) AS timed,
    CAST(sum(
        CASE WHEN after.dwell_s IS NOT NULL AND (after.dwell_s >= $long OR after.is_bought = 1) THEN 1 ELSE 0 END
    ) AS BIGINT) AS satisfied
FROM (
    SELECT impression_id, query_id, doc_id
    FROM shown
    WHERE clicked = 1 AND query_id IS NOT NULL AND impression_id IS NOT NULL
    GROUP BY impression_id, query_id, doc_id
) AS visits
LEFT JOIN (
    SELECT impression_id, doc_id, max(dwell_s) AS dwell_s, max(is_bought) AS is_bought
    FROM (
        SELECT impression_id, doc_id, CASE WHEN dwell_s >= 0e0 THEN dwell_s END AS dwell_s, 0 AS is_bought
        FROM impressions
        WHERE clicked = 1
        UNION ALL
        SELECT
            impression_id, doc_id, CASE WHEN kind = 'click' AND dwell_s >= 0e0 THEN dwell_s END AS dwell_s,
            CASE WHEN kind = 'purchase' THEN 1 ELSE 0 END AS is_bought
        FROM events
    ) AS everything
    GROUP BY impression_id, doc_id
) AS after ON after.impression_id = visits.impression_id AND after.doc_id = visits.doc_id
GROUP BY visits.query_id, visits.doc_id
