"""Quepid's detailed CSV: what a case returned for every query, with the ratings, a row a document."""

from __future__ import annotations

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Look, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered
from assay.formats.quepid import GUARD, SOURCE, Found, Guard
from assay.formats.records import folded, header_of, read_records
from assay.tables import Document, Hit, Judgment, Topic

HEADER = ("Team Name", "Case Name", "Case ID", "Query Text", "Doc ID", "Position", "Title", "Rating")
_FOLDED = tuple(folded(title) for title in HEADER)


def read(source: Source, wishes: Wishes) -> Carried:
    """A run for every case, and the ratings as judgments; other columns become the text of the documents."""
    name = name_of(source)
    records = read_records(source)
    at = [records.at(title) for title in HEADER]
    fields = [(place, title) for place, title in enumerate(records.header) if place not in at or place == at[6]]
    cases = dict.fromkeys((cells[at[1]].strip(), cells[at[2]].strip()) for _, cells in records.rows)
    names = [case for case, _ in cases]
    found, losses, grades, typed = Found(name), Losses(name), Grades(wishes.labels), Guard(wishes)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    runs: dict[str, Gathered] = {}
    for line, cells in records.rows:
        case, number, _, doc, position, _, rating = (cells[place].strip() for place in at[1:])
        query = typed(cells[at[3]])
        if not query:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        found.query(line, query)
        system = (case or "case") if names.count(case) == 1 else f"{case} {number}".strip()
        run = runs.setdefault(system, Gathered(Hit, name, "query_id", "doc_id", "rank"))
        if not doc:
            if rating:
                raise InputError("a rating without a Doc ID", f"{name}:{line}", "write the Doc ID, or take the row out")
            run.empty[query] = None
            continue
        if not position and not rating:
            raise InputError(f"document {doc} has no position", f"{name}:{line}", "write its position, from 1")
        if position:
            run.add(line, query, doc, position)
        if rating:
            judged.add(line, query, doc, grades(rating, line, name))
        else:
            losses.add("documents without a rating", "a pair that nobody rated is unjudged", line)
        found.document(line, doc, {title: cells[place] for place, title in fields}, losses)
    blocks = {system: run.block() for system, run in runs.items()}
    return Carried(name, gathered(found.topics, judged, found.documents), blocks, losses.all(),
                   (*records.facts, *typed.facts(name)))  # fmt: skip


def looks_like(look: Look) -> bool:
    """Whether the first eight columns are those of a detailed export."""
    return header_of(look)[: len(_FOLDED)] == _FOLDED


register(
    Outside(
        "quepid-detailed", "Quepid detailed export of a case (CSV)", (Topic, Hit, Judgment, Document), read, None,
        looks_like, GUARD, SOURCE,
    )
)  # fmt: skip
