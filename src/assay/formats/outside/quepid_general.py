"""Quepid's general CSV: the queries of a case with what Quepid last scored them, a row a query."""

from __future__ import annotations

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Look, Outside, Wishes, register
from assay.formats.gathered import Losses, gathered
from assay.formats.quepid import GUARD, SOURCE, Found, Guard, unknown_columns
from assay.formats.records import folded, header_of, read_records
from assay.tables import Topic

HEADER = ("Team Name", "Case Name", "Case ID", "Query Text", "Score", "Date Last Scored", "Count", "Information Need",
          "Notes", "Options")  # fmt: skip
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
    return Carried(name, gathered(found.topics), lost=losses.all(), facts=(*records.facts, *typed.facts(name)))


def looks_like(look: Look) -> bool:
    """Whether the columns are those of a general export."""
    return header_of(look)[: len(_FOLDED)] == _FOLDED


register(
    Outside(
        "quepid-general", "Quepid general export of a case (CSV)", (Topic,), read, None, looks_like, GUARD, SOURCE,
    )
)  # fmt: skip
