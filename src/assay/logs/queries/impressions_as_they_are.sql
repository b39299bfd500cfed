-- Each document that a search showed, where no search has an id or rows are known to come once.
-- reads: rows
SELECT *
FROM rows
WHERE kind = 'impression' AND refused IS NULL
