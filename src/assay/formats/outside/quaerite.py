"""Quaerite's judgments CSV: `relevance` and `id`, and the query in a column of its own."""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, columns_of, gathered, pairs, texts, unheld, untaken
from assay.formats.outgoing import of_topics, queries_of, unused
from assay.formats.quepid import grade_text, unknown_columns
from assay.formats.records import header_of, read_records, written
from assay.tables import Judgment, Topic

TITLE = "Quaerite judgments CSV"
HEADER = ("querySet", "queryId", "query", "count", "relevance", "id")
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


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A row a judgment, with the set and the count of its query."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    unheld(carried, Topic, ("query_id", "text", "weight", "query_set"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    unused(queries_of(carried), judged, "judgments", TITLE, losses)
    known, sets, counts = texts(carried), of_topics(carried, "query_set"), _counts(carried)
    rows: list[tuple[str, ...]] = [HEADER]
    for query, docs in judged.items():
        head = sets.get(query, ""), query, known.get(query, query), counts.get(query, "")
        rows += [(*head, grade_text(grade), doc) for doc, grade in docs.items()]
    with replacing(target) as file:
        file.write(written(rows))
    return losses.all()


def _counts(carried: Carried) -> dict[str, str]:
    if Topic not in carried.tables:
        return {}
    held = columns_of(carried.tables[Topic])
    weights = zip(held["query_id"], held.get("weight", ()), strict=False)
    return {query: grade_text(weight) for query, weight in weights if weight is not None}


def looks_like(look: Look) -> bool:
    """Whether the columns are Quaerite's, and none else."""
    header = {title.replace("_", "") for title in header_of(look)}
    return {"relevance", "id", "query"} <= header <= {"relevance", "id"} | _OTHERS


register(
    Outside(
        "quaerite", "Quaerite judgments (CSV)", (Topic, Judgment), read, write, looks_like, {},
        "https://github.com/mitre/quaerite (example judgments)",
    )
)  # fmt: skip
