-- Impressions of the sessions that were set aside.
-- reads: impressions, searches, aside
SELECT count(*) AS impressions
FROM impressions
JOIN searches ON searches.impression_id = impressions.impression_id
JOIN aside ON aside.session_id = searches.session_id
