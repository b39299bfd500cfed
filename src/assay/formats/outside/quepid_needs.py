"""Quepid's information needs CSV: `query,information_need`."""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses, gathered, spelled_out, table, unheld, untaken
from assay.formats.outgoing import of_topics
from assay.formats.quepid import GUARD, SOURCE, Found, Guard, guarded, unknown_columns
from assay.formats.records import header_of, read_records, written
from assay.tables import Topic

TITLE = "Quepid information needs CSV"
HEADER = ("query", "information_need")


def read(source: Source, wishes: Wishes) -> Carried:
    """Queries with what somebody wants to know, as a further column of the topics."""
    name = name_of(source)
    records = read_records(source)
    at = records.at("query"), records.at("information_need")
    found, losses, typed = Found(name, "information_need"), Losses(name), Guard(wishes)
    unknown_columns(records, at, losses)
    for line, cells in records.rows:
        query, need = typed(cells[at[0]]), " ".join(cells[at[1]].split())
        if not query:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        if found.has(query):
            raise InputError(f"the query '{query}' is there twice", f"{name}:{line}", "keep one of the two rows")
        found.query(line, query, need or None)
    return Carried(name, gathered(found.topics), lost=losses.all(), facts=(*records.facts, *typed.facts(name)))


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A row for every query; the need is empty where the topics have none."""
    losses = Losses(carried.name)
    queries = list(table(carried, Topic, TITLE)["query_id"])
    topics = spelled_out(carried, queries, TITLE)
    if any(query != text for query, text in topics.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(topics))
    unheld(carried, Topic, ("query_id", "text", "information_need"), TITLE, losses)
    untaken(carried, (Topic,), TITLE, losses)
    needs = of_topics(carried, "information_need")
    rows = [HEADER, *((guarded(text, wishes), needs.get(query, "")) for query, text in topics.items())]
    with replacing(target) as file:
        file.write(written(rows))
    return losses.all()


register(
    Outside(
        "quepid-needs", "Quepid information needs (CSV)", (Topic,), read, write,
        lambda look: header_of(look) == HEADER, GUARD, SOURCE,
    )
)  # fmt: skip
