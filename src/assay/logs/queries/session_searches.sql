-- Each search with the next one of its session; sessions that were set aside are left out.
-- reads: searches, aside
SELECT
    searches.impression_id, searches.app, searches.unit_id, searches.session_id, searches.query_id,
    CASE WHEN searches.query_text IS NULL THEN searches.query_id ELSE searches.query_text END AS query_text,
    searches.moment, searches.ranker, searches.segment, searches.results, searches.shown,
    CASE WHEN searches.session_id IS NOT NULL THEN lead(searches.moment) OVER (
        PARTITION BY searches.session_id ORDER BY searches.moment, searches.impression_id
    ) END AS next_moment,
    CASE WHEN searches.session_id IS NOT NULL THEN lead(
        CASE WHEN searches.query_text IS NULL THEN searches.query_id ELSE searches.query_text END
    ) OVER (PARTITION BY searches.session_id ORDER BY searches.moment, searches.impression_id) END AS next_text
FROM searches
LEFT JOIN aside ON aside.session_id = searches.session_id
WHERE aside.session_id IS NULL
