"""The columns of differences that a comparison is made of: one for each pair of runs, measure and set of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.compare.comparison import CLAIM, FEW_NONZERO, TIE
from assay.measures.measure import Measure
from assay.measures.scores import Scores

F64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

NO_VALUE = "no query has a value in both runs, as when no judged document is relevant"
"""Why a comparison is empty."""


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """Candidate minus baseline on one measure over one set of queries.

    Args:
        baseline, candidate: the runs.
        measure: the measure.
        kind, name: the column and value of a segment; ("", "all") for all queries.
        which: the queries of the set, bool of shape (queries,).
        before, after: the two runs' values, float64 of shape (queries,); NaN is undefined.
        d: after - before where both are defined and in the set, NaN elsewhere; differences that are ties are 0.
    """

    baseline: str
    candidate: str
    measure: Measure
    kind: str
    name: str
    which: Bool
    before: F64
    after: F64
    d: F64 = field(init=False)

    def __post_init__(self) -> None:
        d = np.where(self.which, self.after - self.before, np.nan)
        d[np.abs(d) <= TIE] = 0.0
        object.__setattr__(self, "d", d)

    @property
    def pairs(self) -> Bool:
        """The queries with a value on both sides."""
        return ~np.isnan(self.d)

    @property
    def known(self) -> F64:
        """The differences of the pairs, float64 of shape (n,)."""
        found: F64 = self.d[self.pairs]
        return found

    @property
    def direction(self) -> int:
        """1 where a higher value is better, -1 where a lower one is, 0 where neither is."""
        return {"high": 1, "low": -1, "neither": 0}[self.measure.about.best]

    @property
    def label(self) -> str:
        """What the column is called where it stands alone."""
        where = "" if self.name == "all" and not self.kind else f", {self.name}"
        return f"{self.candidate} - {self.baseline}, {self.measure}{where}"

    def left_out_because(self) -> str:
        """Why the column takes no part in the family; empty when it does."""
        known = self.known
        if not len(known):
            return NO_VALUE
        if len(known) < CLAIM:
            return f"{len(known)} {'query' if len(known) == 1 else 'queries'}; a claim needs {CLAIM}"
        nonzero = int(np.count_nonzero(known))
        if nonzero == 0:
            return "no query differs"
        if nonzero < FEW_NONZERO:
            differ = "query differs" if nonzero == 1 else "queries differ"
            return f"{nonzero} {differ}; a claim needs {FEW_NONZERO}"
        if not self.direction:
            return "neither high nor low values are good"
        return ""


def pairs_of(runs: Sequence[str], baseline: str, all_pairs: bool) -> list[tuple[str, str]]:
    """(baseline, candidate) of every pair of runs that is compared."""
    others = [run for run in runs if run != baseline]
    if not all_pairs:
        return [(baseline, other) for other in others]
    ordered = [baseline, *others]
    return [(first, second) for i, first in enumerate(ordered) for second in ordered[i + 1 :]]


def columns_of(scores: Scores, pairs: Sequence[tuple[str, str]], sets: Sequence[tuple[str, str, Bool]]) -> list[Column]:
    """The columns by set of queries, then by measure, then by pair of runs."""
    return [
        Column(
            baseline, candidate, measure, kind, name, which,
            scores.value(measure, baseline), scores.value(measure, candidate),
        )
        for kind, name, which in sets
        for measure in scores.measures
        for baseline, candidate in pairs
    ]  # fmt: skip
