"""Quepid's general CSV: the queries of a case with what Quepid last scored them, a row a query."""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses, gathered, table, unheld, untaken
from assay.formats.outgoing import by_text, of_topics
from assay.formats.quepid import GUARD, SOURCE, Found, Guard, guarded, unknown_columns
from assay.formats.records import folded, header_of, read_records, written
from assay.tables import Topic

TITLE = "Quepid general CSV"
HEADER = ("Team Name", "Case Name", "Case ID", "Query Text", "Score", "Date Last Scored", "Count", "Information Need",
          "Notes", "Options")  # fmt: skip
CASE = ("team", "name", "case")
"""The options that say what the first three columns are, on writing."""
_FOLDED = tuple(folded(title) for title in HEADER)


def read(source: Source, wishes: Wishes) -> Carried:
    """The queries with their needs and notes. Quepid's scores are no judgments, and are counted as lost."""
    name = name_of(source)
    records = read_records(source)
    at = [records.at(title) for title in HEADER]
    query_at, need_at, notes_at = at[3], at[7], at[8]
    found, losses, typed = Found(name, "information_need", "notes"), Losses(name), Guard(wishes)
    unknown_columns(records, (at[0], at[1], at[2], query_at, need_at, notes_at), losses)
    for line, cells in records.rows:
        query = typed(cells[query_at])
        if not query:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        if found.has(query):
            raise InputError(f"the query {query!r} is there twice", f"{name}:{line}", "keep one of the two rows")
        need, notes = (" ".join(cells[place].split()) or None for place in (need_at, notes_at))
        found.query(line, query, need, notes)
    case = dict(zip(CASE, (records.rows[0][1][place].strip() for place in at[:3]), strict=True))
    return Carried(name, gathered(found.topics), lost=losses.all(), facts=(*records.facts, *typed.facts(name)),
                   more={key: value for key, value in case.items() if value})  # fmt: skip


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A row a query. What Quepid computes itself (score, date, count) stays blank."""
    losses = Losses(carried.name)
    topics = by_text(carried, list(table(carried, Topic, TITLE)["query_id"]), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text", "information_need", "notes"), TITLE, losses)
    untaken(carried, (Topic,), TITLE, losses)
    needs, notes = of_topics(carried, "information_need"), of_topics(carried, "notes")
    usual = {"team": "", "name": carried.name, "case": "1"}
    case = [str(wishes.options.get(key) or carried.more.get(key) or usual[key]) for key in CASE]
    rows: list[tuple[str, ...]] = [HEADER]
    for query, text in topics.items():
        rows.append((*case, guarded(text, wishes), "", "", "", needs.get(query, ""), notes.get(query, ""), ""))
    with replacing(target) as file:
        file.write(written(rows))
    return losses.all()


def looks_like(look: Look) -> bool:
    """Whether the columns are those of a general export."""
    return header_of(look)[: len(_FOLDED)] == _FOLDED


register(
    Outside(
        "quepid-general", "Quepid general export of a case (CSV)", (Topic,), read, write, looks_like,
        {**GUARD, "team": "name of the team that is written", "name": "of the case that is written",
         "case": "id of the case that is written: 1 unless given"}, SOURCE,
    )
)  # fmt: skip
