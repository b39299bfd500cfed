"""Quepid's ratings CSV (the export called "Basic"): `query,docid,rating`.

A query without any rating is one row with nothing behind it; a document without a rating has an empty one.
"""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, pairs, spelled_out, unheld, untaken
from assay.formats.outgoing import queries_of
from assay.formats.quepid import GUARD, SOURCE, Guard, grade_text, guarded, unknown_columns
from assay.formats.records import header_of, read_records, written
from assay.tables import Judgment, Topic

TITLE = "Quepid ratings CSV"
HEADER = ("query", "docid", "rating")


def read(source: Source, wishes: Wishes) -> Carried:
    """Queries and their ratings; a query's text is its id."""
    name = name_of(source)
    records = read_records(source)
    at = records.at("query"), records.at("docid", "doc_id"), records.at("rating")
    topics = Gathered(Topic, name, "query_id", "text")
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    losses, grades, typed = Losses(name), Grades(wishes.labels), Guard(wishes)
    unknown_columns(records, at, losses)
    known: set[str] = set()
    for line, cells in records.rows:
        query, doc, rating = typed(cells[at[0]]), cells[at[1]].strip(), cells[at[2]].strip()
        if not query:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        if query not in known:
            known.add(query)
            topics.add(line, query, query)
        if not doc and rating:
            raise InputError(f"a rating {rating} without a docid", f"{name}:{line}", "write the docid, or take it out")
        if doc and not rating:
            losses.add("documents without a rating", "a document that nobody rated is unjudged", line)
        elif doc:
            judged.add(line, query, doc, grades(rating, line, name))
    facts = (*records.facts, *typed.facts(name))
    return Carried(name, gathered(topics, judged), lost=losses.all(), facts=facts)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """The file as Quepid's "Import ratings" takes it: no line end after the last row, as in its own export."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    topics = spelled_out(carried, queries_of(carried, judged), TITLE)
    if any(query != text for query, text in topics.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(topics))
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    rows: list[tuple[str, ...]] = [HEADER]
    for query, text in topics.items():
        own = judged.get(query, {})
        rows += [(guarded(text, wishes), doc, grade_text(grade)) for doc, grade in own.items()]
        if not own:
            rows.append((guarded(text, wishes), "", ""))
    with replacing(target) as file:
        file.write(written(rows, last_line_end=False))
    return losses.all()


def looks_like(look: Look) -> bool:
    """Whether the columns are Quepid's three, and no other."""
    return header_of(look) == HEADER


register(
    Outside("quepid-ratings", "Quepid ratings (CSV)", (Topic, Judgment), read, write, looks_like, GUARD, SOURCE)
)  # fmt: skip
