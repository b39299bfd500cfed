"""Where clicks and what followed them differ: documents that attract more than they satisfy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.clicks.attraction import Attractions, Z
from assay.clicks.pairs import F64, I64
from assay.results import kept

LONG_S = 30.0
"""Seconds from which on a visit counts as satisfied."""


@kept("promise of a snippet")
@dataclass(frozen=True, slots=True)
class Promise:
    """A pair whose snippet promises more than the document holds.

    Args:
        query_id, doc_id: the pair.
        attraction, low, high: the chance of a click when seen, with its 95 % interval.
        satisfaction, satisfied_low, satisfied_high: the share of its clicks that satisfied, likewise.
        visits: clicks of which it is known whether they did.
    """

    query_id: str
    doc_id: str
    attraction: float
    low: float
    high: float
    satisfaction: float
    satisfied_low: float
    satisfied_high: float
    visits: int


@dataclass(frozen=True, slots=True, eq=False)
class Satisfactions:
    """Satisfaction by pair.

    Args:
        visits, satisfied: f64[n_pairs], clicks whose end is known, and how many of these satisfied.
        by: what counts as satisfied, in words.
    """

    visits: F64
    satisfied: F64
    by: str

    @property
    def share(self) -> F64:
        """f64[n_pairs], satisfied of visits; NaN without a visit."""
        found: F64 = np.divide(self.satisfied, self.visits, out=np.full(len(self.visits), np.nan),
                               where=self.visits > 0)  # fmt: skip
        return found

    def interval(self) -> tuple[F64, F64]:
        """Low and high ends f64[n_pairs] of the 95 % interval of the share (Wilson, JASA 22(158), 1927)."""
        n, known = self.visits, self.visits > 0
        with_z = np.where(known, n + Z**2, np.nan)
        middle = (self.satisfied + Z**2 / 2) / with_z
        spread = np.where(known, self.satisfied * (n - self.satisfied) / np.maximum(n, 1) + Z**2 / 4, np.nan)
        reach = Z * np.sqrt(spread) / with_z
        return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)

    @property
    def mean(self) -> float:
        """Of all visits together; NaN without one."""
        return float(self.satisfied.sum() / self.visits.sum()) if self.visits.sum() else float("nan")


def promising(found: Attractions, satisfied: Satisfactions) -> I64:
    """Pairs that attract clearly more than the mean of the log, and satisfy clearly less.

    Clearly: the 95 % interval lies on that side of the mean. The pair with the most visits that did not satisfy first.
    """
    mean = float(np.nansum(found.clicks)) / float(found.examined.sum()) if found.examined.sum() else float("nan")
    _, high = satisfied.interval()
    differs = np.flatnonzero((np.nan_to_num(found.low) > mean) & (high < satisfied.mean))
    lost = (satisfied.visits - satisfied.satisfied)[differs]
    chosen: I64 = differs[np.argsort(-lost, kind="stable")].astype(np.int64)
    return chosen
