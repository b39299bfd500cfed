"""Facts of a change whose differences were typed in or drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.compare.asked import Asked
from assay.compare.rule import Facts
from assay.flows.compare import compared
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Scores

NDCG = Measure("nDCG") @ 10


def facts_of(d: Any, segments: dict[str, Any] | None = None, measure: Measure = NDCG, **more: Any) -> Facts:
    """A candidate that differs from its baseline by `d`; NaN stands for a query without a value in the candidate."""
    d = np.asarray(d, np.float64)
    before = np.full(len(d), 0.5)
    values = np.array([before, before + d])[:, None, :]
    scores = Scores(
        runs=("old", "new"), measures=(measure,), queries=tuple(f"q{i:04d}" for i in range(len(d))), values=values,
        judged=np.full(values.shape, np.nan), coverage=(Coverage(len(d), len(d)),) * 2,
    )  # fmt: skip
    made = compared(scores, "old", False, Asked(flips=more.get("flips", 2000)))
    sets = {("segment", name): np.asarray(which, np.bool_) for name, which in (segments or {}).items()}
    fields: dict[str, Any] = {"comparison": made, "measures": {str(measure): measure}, "sets": sets, "flips": 2000}
    return Facts(**(fields | more))


def alternating(n: int, mean: float, spread: float) -> np.ndarray:
    """n differences (n even) of this mean, half above and half below it by `spread`."""
    return mean + spread * np.tile([1.0, -1.0], n // 2)
