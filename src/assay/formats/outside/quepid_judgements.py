"""Quepid's judgements CSV of a book, one column a judge: `query,docid,Ann Lee,Bo Sand,Anonymous`.

Judges are told apart by the place of their column: two people of one name make two columns with one title.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, table, unheld, untaken
from assay.formats.outgoing import by_text, queries_of, unused
from assay.formats.quepid import GUARD, SOURCE, Found, Guard, grade_text, guarded
from assay.formats.records import folded, header_of, read_records, written
from assay.tables import Judgment, Topic
from assay.tables.values import shown

TITLE = "Quepid judgements CSV"
_ANONYMOUS = "Anonymous"
"""What Quepid calls the last column: judgements of nobody it knows."""


def read(source: Source, wishes: Wishes) -> Carried:
    """Every judge's rating, the judge as its rater."""
    name = name_of(source)
    records = read_records(source)
    at = records.at("query"), records.at("docid", "doc_id")
    judges = [(place, title) for place, title in enumerate(records.header) if place not in at]
    if not judges:
        raise InputError("no column of a judge", f"{name}:{records.line}", "export the book's judgements again")
    raters, twice = _named(judges)
    found, losses, grades, typed = Found(name), Losses(name), Grades(wishes.labels), Guard(wishes)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade", "rater")
    for line, cells in records.rows:
        query, doc = typed(cells[at[0]]), cells[at[1]].strip()
        if not query:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        found.query(line, query)
        said = [(raters[place], cells[place].strip()) for place, _ in judges if cells[place].strip()]
        if said and not doc:
            raise InputError("ratings without a docid", f"{name}:{line}", "write the docid, or take the row out")
        if doc and not said:
            losses.add("pairs that no judge rated", "a pair that nobody rated is unjudged", line)
        for rater, rating in said:
            judged.add(line, query, doc, grades(rating, line, name), rater)
    facts = (*records.facts, *typed.facts(name), *twice_said(name, twice))
    return Carried(name, gathered(found.topics, judged), lost=losses.all(), facts=facts)


def _named(judges: list[tuple[int, str]]) -> tuple[dict[int, str], list[str]]:
    """A name for each column, and the titles that several columns have."""
    made: dict[int, str] = {}
    seen: dict[str, int] = {}
    for place, title in judges:
        title = title or f"column {place + 1}"
        seen[title] = seen.get(title, 0) + 1
        made[place] = title if seen[title] == 1 else f"{title} ({seen[title]})"
    return made, [title for title, number in seen.items() if number > 1]


def twice_said(name: str, twice: list[str]) -> tuple[str, ...]:
    """What is said of judges with one name."""
    return tuple(f"{name}: several judges are called {title}; the second is named '{title} (2)'" for title in twice)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A row a pair, a column a judge; judgments without a rater stand under Anonymous."""
    losses = Losses(carried.name)
    held, block = table(carried, Judgment, TITLE), carried.tables[Judgment]
    topics = by_text(carried, queries_of(carried, held["query_id"]), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    unheld(carried, Judgment, ("query_id", "doc_id", "grade", "rater"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    unused(topics, held["query_id"], "judgments", TITLE, losses)
    said = held.get("rater", [None] * len(block))
    raters = [rater or _ANONYMOUS for rater in said]
    if nobody := sum(not rater for rater in said):
        losses.add("judgments without a rater", f"{TITLE} calls nobody {_ANONYMOUS}", count=nobody)
    judges = [*(one for one in dict.fromkeys(raters) if one != _ANONYMOUS), _ANONYMOUS]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for at, (query, doc, grade) in enumerate(zip(held["query_id"], held["doc_id"], held["grade"], strict=True)):
        own, text = cells.setdefault((query, doc), {}), grade_text(grade)
        if own.setdefault(raters[at], text) != text:
            pair = f"document {shown(doc)} of query {shown(query)}"
            what = f"{shown(raters[at])} gave {pair} {own[raters[at]]} and {text}"
            raise InputError(what, block.place(at), f"{TITLE} holds one grade of each judge: keep one of the two")
    rows: list[Sequence[str]] = [("query", "docid", *_titles(judges, carried.name))]
    for (query, doc), own in cells.items():
        rows.append((guarded(topics[query], wishes), doc, *(own.get(judge, "") for judge in judges)))
    with replacing(target) as file:
        file.write(written(rows))
    return losses.all()


def _titles(judges: Sequence[str], name: str) -> list[str]:
    """The titles of the columns; two people of one name share a title, as in Quepid's own export."""
    for judge in judges:
        if folded(judge) in ("query", "docid", "doc_id"):
            raise InputError(f"a rater is called {shown(judge)}, as a column is", name, "give the rater another name")
    plain = [judge.rpartition(" (")[0] if judge.endswith(")") else judge for judge in judges]
    shared = [title if title in judges else judge for title, judge in zip(plain, judges, strict=True)]
    again, _ = _named(list(enumerate(shared)))
    return shared if list(again.values()) == list(judges) else list(judges)


def looks_like(look: Look) -> bool:
    """Whether the columns end as Quepid ends them; others with raters in columns are not taken for it."""
    header = header_of(look)
    return header[:2] == ("query", "docid") and len(header) > 2 and header[-1] == "anonymous"


register(
    Outside(
        "quepid-judgements", "Quepid judgements of a book, one column a judge (CSV)", (Topic, Judgment), read, write,
        looks_like, GUARD, SOURCE,
    )
)  # fmt: skip
