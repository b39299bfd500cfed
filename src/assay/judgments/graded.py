"""The grade that follows from dimensions judged apart, by the rule of a rubric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.results import Note, Result, kept
from assay.rubric import RELEVANCE, Rubric
from assay.tables import Block


@kept("graded")
@dataclass(frozen=True, kw_only=True)
class Graded(Result):
    """Judgments with the grade that follows from their dimensions.

    Args:
        rubric: name of the rubric.
        version: of it.
        rows: (query_id, doc_id, rater, dimension, value), the rows that were read and one of relevance for each
            judgment; a rater without a name is empty.
        judgments: how many have a grade now.
        changed: (cap, how many grades it held down).
        without: judgments in which the base was not judged: they have no grade.
    """

    rubric: str
    version: str
    rows: tuple[tuple[str, str, str, str, float], ...]
    judgments: int
    changed: tuple[tuple[str, int], ...]
    without: int


def graded(block: Block, rubric: Rubric) -> Graded:
    """Works out the grade of each judgment, by query, document and rater.

    Args:
        block: rows of `Judgment` with a column dimension; rows of relevance are worked out anew.
        rubric: what says how the grade follows.

    Raises:
        InputError: the rubric has no dimensions, or the judgments have one that it does not know, or the same twice.
    """
    if not rubric.base:
        raise InputError(f"the rubric {rubric.name} has no dimensions", remedy="the grades are what they are")
    if "dimension" not in block.columns:
        raise InputError("the judgments have no column dimension", block.name, "pass one row for each dimension")
    known = [one.name for one in rubric.dimensions]
    lawful = {one.name: [value for value, _ in one.means] for one in rubric.dimensions}
    lawful[rubric.base] = list(rubric.scale)
    frame: Any = block.frame
    raters = frame["rater"] if "rater" in block.columns else [None] * len(block)
    given: dict[tuple[str, str, str], dict[str, float]] = {}
    rows: list[tuple[str, str, str, str, float]] = []
    columns = zip(frame["query_id"], frame["doc_id"], raters, frame["dimension"], frame["grade"], strict=True)
    for at, (query, doc, rater, dimension, value) in enumerate(columns):
        name = str(dimension or RELEVANCE)
        if name == RELEVANCE:
            continue
        if name not in known:
            raise InputError(
                f"the rubric knows no dimension {name}{did_you_mean(name, known)}", block.place(at),
                f"its dimensions are {', '.join(known)}",
            )  # fmt: skip
        if lawful[name] and float(value) not in lawful[name]:
            raise InputError(
                f"{value:g} is no value of {name}", block.place(at),
                f"the rubric has {', '.join(f'{one:g}' for one in lawful[name])}",
            )  # fmt: skip
        key = (str(query), str(doc), str(rater or ""))
        values = given.setdefault(key, {})
        if values.setdefault(name, float(value)) != float(value):
            raise InputError(
                f"{key[2] or 'a rater without a name'} judges {name} of document {key[1]} for query {key[0]} twice",
                block.place(at), "keep one row a rater, pair and dimension",
            )  # fmt: skip
        rows.append((*key, name, float(value)))
    held = dict.fromkeys((cap.name for cap in rubric.caps), 0)
    without = 0
    for key, values in given.items():
        grade = rubric.grade_of(values)
        if grade is None:
            without += 1
            continue
        for cap in rubric.caps:
            value = values.get(cap.dimension)
            held[cap.name] += value is not None and value <= cap.at_most and values[rubric.base] > cap.grade
        rows.append((*key, RELEVANCE, grade))
    text = f"{without:,} judgments say nothing of {rubric.base} and have no grade"
    notes = [Note("no-base", text, count=without)] if without else []
    return Graded(
        rubric=rubric.name, version=rubric.version, rows=tuple(rows), judgments=len(given) - without,
        changed=tuple(held.items()), without=without, notes=tuple(notes),
    )  # fmt: skip
