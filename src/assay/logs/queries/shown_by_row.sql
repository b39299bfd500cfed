-- Each document that a search showed, where its own row says whether it was clicked.
-- reads: impressions
SELECT impression_id, query_id, doc_id, position, ranker, swap, segment, clicked
FROM impressions
