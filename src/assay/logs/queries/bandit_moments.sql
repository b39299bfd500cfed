-- Sums over people of their weights under a policy, with squares and products.
-- reads: bandit_units
SELECT
    count(*) AS units,
    sum(shown) AS shown, sum(shown * shown) AS shown_shown,
    sum(weight) AS weight, sum(weight * weight) AS weight_weight,
    sum(adds) AS adds, sum(adds * adds) AS adds_adds,
    sum(adds * shown) AS adds_shown, sum(weight * shown) AS weight_shown, sum(adds * weight) AS adds_weight
FROM bandit_units
WHERE unit_id IS NOT NULL
