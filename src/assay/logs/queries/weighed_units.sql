-- What the searches of each person (or session, or search, where nobody is named) add to an estimate.
-- reads: weighed_searches
SELECT
    unit_id, CAST(count(*) AS DOUBLE) AS searches, sum(adds) AS adds, sum(mass) AS mass, sum(expected) AS expected
FROM weighed_searches
GROUP BY unit_id
