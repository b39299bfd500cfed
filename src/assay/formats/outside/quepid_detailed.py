"""Quepid's detailed CSV: what a case returned for every query, with the ratings, a row a document."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, pairs, ranked, unheld, untaken
from assay.formats.outgoing import by_text, hits_unheld, queries_of, unused
from assay.formats.quepid import GUARD, SOURCE, Found, Guard, fields_of, grade_text, guarded, unreturned
from assay.formats.records import folded, header_of, read_records, written
from assay.tables import Document, Hit, Judgment, Topic

TITLE = "Quepid detailed CSV"
HEADER = ("Team Name", "Case Name", "Case ID", "Query Text", "Doc ID", "Position", "Title", "Rating")
_FOLDED = tuple(folded(title) for title in HEADER)


def read(source: Source, wishes: Wishes) -> Carried:
    """A run for every case, and the ratings as judgments; other columns become the text of the documents."""
    name = name_of(source)
    records = read_records(source)
    at = [records.at(title) for title in HEADER]
    fields = [(place, title) for place, title in enumerate(records.header) if place not in at or place == at[6]]
    cases = {(case, number): team for _, cells in records.rows
             for team, case, number in [[cells[place].strip() for place in at[:3]]]}  # fmt: skip
    names = [case for case, _ in cases]
    systems = {one: (one[0] or "case") if names.count(one[0]) == 1 else " ".join(one).strip() for one in cases}
    found, losses, grades, typed = Found(name), Losses(name), Grades(wishes.labels), Guard(wishes)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    runs: dict[str, Gathered] = {}
    rated: dict[tuple[str, str], str] = {}
    for line, cells in records.rows:
        case, number, _, doc, position, _, rating = (cells[place].strip() for place in at[1:])
        query = typed(cells[at[3]])
        if not query:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        found.query(line, query)
        run = runs.setdefault(systems[case, number], Gathered(Hit, name, "query_id", "doc_id", "rank"))
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
            if rated.get((query, doc)) != rating:  # two cases say the same of a pair, each in its own rows
                judged.add(line, query, doc, grades(rating, line, name))
            rated[query, doc] = rating
        else:
            losses.add("documents without a rating", "a pair that nobody rated is unjudged", line)
        found.document(line, doc, {title: cells[place] for place, title in fields}, losses)
    blocks = {system: run.block() for system, run in runs.items() if len(run) or run.empty}
    more = {"cases": {systems[one]: (team, *one) for one, team in cases.items()}}
    return Carried(name, gathered(found.topics, judged, found.documents), blocks, losses.all(),
                   (*records.facts, *typed.facts(name)), more=more)  # fmt: skip


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A case a run; what was rated and not returned has no position."""
    if not carried.runs:
        raise InputError(f"{TITLE} needs runs, and there are none", carried.name, "give a run by --run")
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses) if Judgment in carried.tables else {}
    lists = {system: {query: [doc for doc, _, _ in hits] for query, hits in ranked(run).items()}
             for system, run in carried.runs.items()}  # fmt: skip
    named = [*judged, *(query for lists_of in lists.values() for query in lists_of)]
    topics = by_text(carried, queries_of(carried, named), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    hits_unheld(carried.runs.values(), ("rank",), TITLE, losses)
    untaken(carried, (Topic, Hit, Judgment, Document), TITLE, losses)
    unused(topics, named, "hits and judgments", TITLE, losses)
    fields = fields_of(carried, HEADER)
    titles = list(dict.fromkeys(title for one in fields.values() for title in one if title != "title"))
    rows: list[Sequence[str]] = [(*HEADER, *titles)]
    shown_docs: set[str] = set()
    for at, (system, hits) in enumerate(lists.items(), 1):
        case = _case(carried, wishes, system, str(at))
        for query in topics:
            for doc, position, rating in _rows_of(query, hits, judged):
                said = fields.get(doc, {})
                rows.append((*case, guarded(topics[query], wishes), doc, position, said.get("title", ""), rating,
                             *(said.get(title, "") for title in titles)))  # fmt: skip
                shown_docs.add(doc)
    unreturned(carried, shown_docs, TITLE, losses)
    with replacing(target) as file:
        file.write(written(rows))
    return losses.all()


def _case(carried: Carried, wishes: Wishes, system: str, number: str) -> tuple[str, str, str]:
    """Team, case and number of a run: those that were read, or the name of the run."""
    team, name, case = (carried.more.get("cases") or {}).get(system, ("", system, number))
    return wishes.options.get("team", team), name, case


def _rows_of(
    query: str, hits: Mapping[str, Sequence[str]], judged: Mapping[str, Mapping[str, float]]
) -> list[tuple[str, str, str]]:
    """Document, position and rating: first what was returned, then what was rated only; a blank row for nothing."""
    returned, grades = hits.get(query, ()), judged.get(query, {})
    rating = {doc: grade_text(grade) for doc, grade in grades.items()}
    made = [(doc, str(at), rating.get(doc, "")) for at, doc in enumerate(returned, 1)]
    if query in hits and not returned:
        made.append(("", "", ""))
    return made + [(doc, "", rating[doc]) for doc in rating if doc not in set(returned)]


def looks_like(look: Look) -> bool:
    """Whether the first eight columns are those of a detailed export."""
    return header_of(look)[: len(_FOLDED)] == _FOLDED


register(
    Outside(
        "quepid-detailed", "Quepid detailed export of a case (CSV)", (Topic, Hit, Judgment, Document), read, write,
        looks_like,
        {**GUARD, "team": "name of the team that is written"}, SOURCE,
    )
)  # fmt: skip
