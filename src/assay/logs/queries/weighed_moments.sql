-- Sums over people of what their searches add to an estimate, with the squares and products that its error needs.
-- reads: weighed_units
SELECT
    count(*) AS units,
    sum(searches) AS searches, sum(searches * searches) AS searches_searches,
    sum(adds) AS adds, sum(adds * adds) AS adds_adds,
    sum(mass) AS mass, sum(mass * mass) AS mass_mass,
    sum(expected) AS expected, sum(expected * expected) AS expected_expected,
    sum(adds * searches) AS adds_searches,
    sum(adds * mass) AS adds_mass,
    sum(mass * expected) AS mass_expected
FROM weighed_units
