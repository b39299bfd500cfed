-- Where the first rows stand that are refused for each reason, when the id of an event is laid as the place of its row.
-- reads: rows
SELECT refused AS reason, event_id AS place
FROM (
    SELECT refused, event_id, row_number() OVER (PARTITION BY refused ORDER BY event_id) AS n
    FROM rows
    WHERE refused IS NOT NULL AND event_id IS NOT NULL
) AS found
WHERE n <= 3
