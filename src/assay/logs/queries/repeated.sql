-- Rows that come again: impressions of one document in one search, events with one id, and searches; the row of a search
-- and an event that says it was made tell of one search, each once.
-- reads: rows, impressions, events
SELECT
    (SELECT count(*) FROM rows WHERE refused IS NULL AND kind = 'impression')
        - (SELECT count(*) FROM impressions) AS impressions,
    (SELECT count(*) FROM rows WHERE refused IS NULL AND kind NOT IN ('search', 'impression'))
        - (SELECT count(*) FROM events) AS events,
    (SELECT count(*) - count(DISTINCT CASE WHEN is_plain THEN impression_id END)
            - count(DISTINCT CASE WHEN NOT is_plain THEN impression_id END)
        FROM rows WHERE refused IS NULL AND kind = 'search') AS searches
