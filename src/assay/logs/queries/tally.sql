-- What happened in the window, how often and from when to when, by application; what is refused, by why it is; what
-- could not be read in rows that count.
-- reads: rows
SELECT app, kind, refused, unread, count(*) AS n, min(moment) AS first, max(moment) AS last
FROM rows
GROUP BY app, kind, refused, unread
