"""Quepid's judgements CSV of a book, one column a judge: `query,docid,Ann Lee,Bo Sand,Anonymous`.

Judges are told apart by the place of their column: two people of one name make two columns with one title.
"""

from __future__ import annotations

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Look, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered
from assay.formats.quepid import GUARD, SOURCE, Found, Guard
from assay.formats.records import header_of, read_records
from assay.tables import Judgment, Topic


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


def looks_like(look: Look) -> bool:
    """Whether the columns end as Quepid ends them; others with raters in columns are not taken for it."""
    header = header_of(look)
    return header[:2] == ("query", "docid") and len(header) > 2 and header[-1] == "anonymous"


register(
    Outside(
        "quepid-judgements", "Quepid judgements of a book, one column a judge (CSV)", (Topic, Judgment), read, None,
        looks_like, GUARD, SOURCE,
    )
)  # fmt: skip
