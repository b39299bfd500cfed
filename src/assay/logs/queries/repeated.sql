-- Rows that come again: impressions of one document in one search, events with one id, and searches.
-- reads: rows, impressions, events
SELECT
    (SELECT count(*) FROM rows WHERE refused IS NULL AND kind = 'impression')
        - (SELECT count(*) FROM impressions) AS impressions,
    (SELECT count(*) FROM rows WHERE refused IS NULL AND kind NOT IN ('search', 'impression'))
        - (SELECT count(*) FROM events) AS events,
    (SELECT count(*) - count(DISTINCT impression_id) FROM rows WHERE refused IS NULL AND kind = 'search') AS searches
