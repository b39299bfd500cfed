-- How many searches there are.
-- reads: searches
SELECT count(*) AS searches
FROM searches
