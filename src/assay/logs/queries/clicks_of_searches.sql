-- Clicked documents of each search, those of them that it showed, the highest of them, and when the first was clicked.
-- reads: clicked_documents
SELECT
    impression_id, count(*) AS clicks, count(position) AS shown_clicks, min(position) AS first_position,
    min(moment) AS first_moment
FROM clicked_documents
GROUP BY impression_id
