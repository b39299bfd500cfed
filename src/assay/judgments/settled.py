"""Raters against who settled what they dispute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from assay.judgments.rows import PAIR
from assay.results import kept
from assay.tables import Block


@kept("settled")
@dataclass(frozen=True, slots=True)
class Settled:
    """One rater on the pairs that an adjudicator settled; these are the hard ones, and no sample of all.

    Args:
        name: of the rater.
        shared: pairs that the rater graded and an adjudicator settled.
        same: share of these with the adjudicator's grade.
        lean: mean of the own grade less the adjudicator's: above 0 is milder.
    """

    name: str
    shared: int
    same: float
    lean: float


def settled(raters: Block, adjudicators: Block) -> tuple[Settled, ...]:
    """Each named rater against the adjudicators' grades, whose mean counts where there are several; by name.

    Args:
        raters: rows of `Judgment` with a column rater.
        adjudicators: likewise.
    """
    given: dict[tuple[str, str], list[float]] = {}
    for pair, _, grade in _rows(adjudicators):
        given.setdefault(pair, []).append(grade)
    apart: dict[str, list[float]] = {}
    for pair, rater, grade in _rows(raters):
        if rater and pair in given:
            apart.setdefault(rater, []).append(grade - fmean(given[pair]))
    return tuple(
        Settled(name, len(leans), sum(lean == 0 for lean in leans) / len(leans), fmean(leans))
        for name, leans in sorted(apart.items())
    )


def _rows(block: Block) -> list[tuple[tuple[str, str], str, float]]:
    frame: Mapping[str, Sequence[Any]] = block.frame  # type: ignore[assignment] # columns by name, either way
    raters = frame["rater"] if "rater" in block.columns else [None] * len(block)
    rows = zip(frame[PAIR[0]], frame[PAIR[1]], raters, frame["grade"], strict=True)
    return [((str(query), str(doc)), str(rater or ""), float(grade)) for query, doc, rater, grade in rows]
