"""Judgments as ratings: who said what of which pair, on which list of grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import SHOWN, InputError
from assay.judgments.rows import PAIR
from assay.stats.agreement import F64, Ratings
from assay.tables import Block

MOST_GRADES = 101
"""A scale of per cents; more different grades than these are no scale."""


@dataclass(frozen=True, eq=False, slots=True)
class Coded:
    """Judgments as numbers.

    Args:
        ratings: who said what.
        raters: the name of each rater; empty where the judgments name none.
        pairs: (query, document) of each item.
    """

    ratings: Ratings
    raters: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


def grades_of(judgments: Block, grades: Sequence[float] | None) -> tuple[F64, str]:
    """The list of grades, rising, and whether it was "given" or is what was "seen"."""
    if grades is not None:
        listed = np.unique(np.asarray(grades, dtype=np.float64))
        if not np.isfinite(listed).all():
            raise InputError("a grade is a finite number", "--grades", "write --grades 0,1,2,3")
        if len(listed) < 2:
            raise InputError("a scale needs two grades at least", "--grades", "write --grades 0,1,2,3")
        return listed, "given"
    seen = np.unique(np.asarray(list(judgments.frame["grade"]), dtype=np.float64))
    if (seen % 1 == 0).all() and seen[-1] - min(seen[0], 0) < MOST_GRADES:
        return np.arange(min(seen[0], 0), max(seen[-1], 1) + 1), "seen"
    if len(seen) > MOST_GRADES:
        raise InputError(
            f"{len(seen):,} different grades are no scale", judgments.name,
            "pass --grades, or map the labels to grades by --labels",
        )  # fmt: skip
    return seen, "seen"


def coded(judgments: Block, grades: F64) -> Coded:
    """Ratings as codes, with the names of raters and of items.

    Rows without a rater get raters without a name: the first such row of a pair the first, and so on.
    """
    frame: Mapping[str, Sequence[object]] = judgments.frame  # type: ignore[assignment] # columns by name, either way
    query_ids, doc_ids = (list(map(str, frame[name])) for name in PAIR)
    said = list(frame["rater"]) if "rater" in judgments.columns else [None] * len(judgments)
    code_of = {grade: i for i, grade in enumerate(grades.tolist())}
    raters: dict[tuple[str, int], int] = {}
    items: dict[tuple[str, str], int] = {}
    queries: dict[str, int] = {}
    given: dict[tuple[int, int], int] = {}
    nameless: dict[int, int] = {}
    wrong: list[tuple[int, str]] = []
    for row, (query, doc, who, grade) in enumerate(zip(query_ids, doc_ids, said, frame["grade"], strict=True)):
        code = code_of.get(float(grade))  # type: ignore[arg-type] # checked at the door
        if code is None:
            listed = ", ".join(f"{g:g}" for g in grades)
            raise InputError(
                f"grade {grade:g} is not on the scale {listed}", judgments.place(row),
                "mend the grade, or pass the whole scale by --grades",
            )  # fmt: skip
        queries.setdefault(query, len(queries))
        item = items.setdefault((query, doc), len(items))
        at = 0
        if not who:
            at = nameless[item] = nameless.get(item, 0) + 1
        rater = raters.setdefault((str(who or ""), at), len(raters))
        if given.setdefault((item, rater), code) != code:
            wrong.append((row, f"rater {who} gives document {doc} for query {query} a second, different grade"))
    if wrong:
        (row, text), *others = wrong
        raise InputError(
            text, judgments.place(row), "keep one grade for each rater and pair",
            more=[f"{judgments.place(i)}: {what}" for i, what in others[:SHOWN]], count=len(wrong),
        )  # fmt: skip
    item_of, rater_of = np.array(list(given), dtype=np.int64).reshape(-1, 2).T
    of_query = np.array([queries[query] for query, _ in items], dtype=np.int64)
    made = Ratings(item_of, rater_of, np.array(list(given.values()), dtype=np.int64), of_query, grades)
    return Coded(made, tuple(name for name, _ in raters), tuple(items))
