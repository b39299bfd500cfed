"""Diversity qrels of the TREC web tracks: the second field is the subtopic, and a pair has a line for each of them."""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, table, unheld, untaken
from assay.formats.nested import number
from assay.formats.trec_lines import Lines, write_lines
from assay.tables import Judgment

TITLE = "a diversity qrels file"
_FIELDS = ("query_id", "subtopic", "doc_id", "grade")


def read(source: Source, wishes: Wishes) -> Carried:
    """A judgment a line, with its subtopic, even where there is one subtopic alone."""
    name = name_of(source)
    lines, grades = Lines(source, _FIELDS), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "subtopic", "doc_id", "grade")
    subtopics: set[str] = set()
    for at, (query, subtopic, doc, grade) in lines:
        subtopics.add(subtopic)
        judged.add(at, query, subtopic, doc, grades(grade, at, name))
    facts = list(lines.facts)
    if len(subtopics) == 1:
        only = subtopics.pop()
        facts.append(
            f"{name}: every line has the subtopic {only}; plain qrels look like this, and are read as TREC lines"
        )
    return Carried(name, gathered(judged), facts=tuple(facts))


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A line a judgment; judgments without a subtopic are refused."""
    losses = Losses(carried.name)
    held, block = table(carried, Judgment, TITLE), carried.tables[Judgment]
    subtopics = held.get("subtopic", [None] * len(block))
    if None in subtopics:
        where = block.place(list(subtopics).index(None))
        raise InputError("a judgment has no subtopic", where, "write plain qrels, or give each its subtopic")
    rows = zip(held["query_id"], subtopics, held["doc_id"], held["grade"], strict=True)
    unheld(carried, Judgment, _FIELDS, TITLE, losses)
    untaken(carried, (Judgment,), TITLE, losses)
    write_lines(target, carried, ((q, s, d, str(number(g))) for q, s, d, g in rows))
    return losses.all()


register(
    Outside(
        "trec-diversity", "TREC diversity qrels (query, subtopic, document, grade)", (Judgment,), read, write,
        source="https://trec.nist.gov/data/webmain.html",
    )
)  # fmt: skip
