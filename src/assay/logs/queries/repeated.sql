-- Rows that come again: impressions of one document in one search, and events with one id.
-- reads: rows, impressions, events
SELECT
    (SELECT count(*) FROM rows WHERE refused IS NULL AND kind = 'impression')
        - (SELECT count(*) FROM impressions) AS impressions,
    (SELECT count(*) FROM rows WHERE refused IS NULL AND kind NOT IN ('search', 'impression'))
        - (SELECT count(*) FROM events) AS events
