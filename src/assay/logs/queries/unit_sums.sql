-- Sums of each person (or session, or search, where nobody is named) in each group that was asked for.
-- reads: searched
SELECT
    unit_id,
    CASE WHEN $by_app THEN app END AS app,
    CASE WHEN $by_day THEN day END AS day,
    CASE WHEN $by_ranker THEN ranker END AS ranker,
    CASE WHEN $by_segment THEN segment END AS segment,
    CASE WHEN $by_query THEN query_id END AS query_id,
    CAST(count(*) AS DOUBLE) AS searches,
    CAST(sum(shown) AS DOUBLE) AS shown,
    CAST(sum(clicks) AS DOUBLE) AS clicks,
    CAST(sum(shown_clicks) AS DOUBLE) AS shown_clicks,
    CAST(sum(is_clicked) AS DOUBLE) AS clicked,
    sum(first_click_rr) AS first_click_rr,
    COALESCE(sum(to_click_s), 0e0) AS to_click_s,
    CAST(count(to_click_s) AS DOUBLE) AS to_click_n,
    CAST(COALESCE(sum(is_zero), 0) AS DOUBLE) AS zero,
    CAST(count(is_zero) AS DOUBLE) AS zero_n,
    CAST(sum(is_abandoned) AS DOUBLE) AS abandoned,
    CAST(sum(is_answered) AS DOUBLE) AS answered,
    CAST(COALESCE(sum(is_reformulated), 0) AS DOUBLE) AS reformulated,
    CAST(count(is_reformulated) AS DOUBLE) AS reformulated_n,
    CAST(sum(carts) AS DOUBLE) AS carts,
    CAST(sum(purchases) AS DOUBLE) AS purchases,
    sum(value) AS value
FROM searched
GROUP BY
    unit_id,
    CASE WHEN $by_app THEN app END,
    CASE WHEN $by_day THEN day END,
    CASE WHEN $by_ranker THEN ranker END,
    CASE WHEN $by_segment THEN segment END,
    CASE WHEN $by_query THEN query_id END
