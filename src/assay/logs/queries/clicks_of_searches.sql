-- Clicked documents of each search, the highest of them, and when the first was clicked.
-- reads: clicked_documents
SELECT impression_id, count(*) AS clicks, min(position) AS first_position, min(moment) AS first_moment
FROM clicked_documents
GROUP BY impression_id
