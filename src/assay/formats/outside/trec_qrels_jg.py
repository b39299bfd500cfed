"""Qrels of several judgment groups (trec_eval `-R qrels_jg`): the second field says who judged."""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, table, unheld, untaken
from assay.formats.trec_lines import Lines, write_lines
from assay.tables import Judgment

TITLE = "a qrels_jg file"
_FIELDS = ("query_id", "group", "doc_id", "grade")


def read(source: Source, wishes: Wishes) -> Carried:
    """A judgment a line; each group is a rater."""
    name = name_of(source)
    lines, grades = Lines(source, _FIELDS), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "rater", "doc_id", "grade")
    for at, (query, rater, doc, grade) in lines:
        judged.add(at, query, rater, doc, grades(grade, at, name))
    return Carried(name, gathered(judged), facts=lines.facts)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A line a judgment; the group of judgments without a rater is 0."""
    losses = Losses(carried.name)
    held, block = table(carried, Judgment, TITLE), carried.tables[Judgment]
    lines = []
    for at, (query, doc, grade) in enumerate(zip(held["query_id"], held["doc_id"], held["grade"], strict=True)):
        if not float(grade).is_integer() or not -127 <= grade <= 127:
            what = f"document {doc} of query {query} has the grade {grade:g}"
            raise InputError(what, block.place(at), "trec_eval takes whole grades from -127 to 127")
        rater = held["rater"][at] if "rater" in held else None
        lines.append((query, rater or "0", doc, str(int(grade))))
    unheld(carried, Judgment, ("query_id", "rater", "doc_id", "grade"), TITLE, losses)
    untaken(carried, (Judgment,), TITLE, losses)
    write_lines(target, carried, lines)
    return losses.all()


register(
    Outside(
        "trec-qrels-jg", "trec_eval qrels of several judgment groups (qrels_jg)", (Judgment,), read, write,
        source="https://github.com/usnistgov/trec_eval/blob/main/get_qrels_jg.c",
    )
)  # fmt: skip
