"""Quaerite's judgments CSV: `relevance` and `id`, and the query in a column of its own."""

from __future__ import annotations

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Look, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered
from assay.formats.quepid import unknown_columns
from assay.formats.records import header_of, read_records
from assay.tables import Judgment, Topic

_OTHERS = {"queryset", "queryid", "count", "query"}


def read(source: Source, wishes: Wishes) -> Carried:
    """Queries with their weight (`count`) and set, and their judgments; a query's id is `queryId` or its text."""
    name = name_of(source)
    records = read_records(source)
    relevance, doc_at = records.at("relevance"), records.at("id")
    query_at, id_at = records.at("query"), records.find("queryId")
    count_at, set_at = records.find("count"), records.find("querySet")
    losses, grades = Losses(name), Grades(wishes.labels)
    unknown_columns(records, (relevance, doc_at, query_at, id_at, count_at, set_at), losses)
    topics = Gathered(Topic, name, "query_id", "text", "weight", "query_set")
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    known: dict[str, tuple[str, str | None]] = {}
    for line, cells in records.rows:
        text = cells[query_at].strip()
        query = cells[id_at].strip() if id_at is not None else text
        if not query:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        weight = cells[count_at].strip() or None if count_at is not None else None
        if known.setdefault(query, (text, weight)) != (text, weight):
            raise InputError(f"query {query} has another text or count than before", f"{name}:{line}",
                             "give every row of a query the same")  # fmt: skip
        if len(topics) < len(known):
            topics.add(line, query, text, weight, cells[set_at].strip() if set_at is not None else None)
        if not cells[relevance].strip():
            losses.add("documents without relevance", "a document that nobody rated is unjudged", line)
        else:
            judged.add(line, query, cells[doc_at], grades(cells[relevance].strip(), line, name))
    return Carried(name, gathered(topics, judged), lost=losses.all(), facts=records.facts)


def looks_like(look: Look) -> bool:
    """Whether the columns are Quaerite's, and none else."""
    header = {title.replace("_", "") for title in header_of(look)}
    return {"relevance", "id", "query"} <= header <= {"relevance", "id"} | _OTHERS


register(
    Outside(
        "quaerite", "Quaerite judgments (CSV)", (Topic, Judgment), read, None, looks_like, {},
        "https://github.com/mitre/quaerite (example judgments)",
    )
)  # fmt: skip
