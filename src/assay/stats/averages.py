"""Averages that are no mean, with the interval that fits each: geometric mean and median."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.stats.intervals import Interval, t_interval, why_undefined

F64 = NDArray[np.float64]
Average = Literal["geometric", "median"]

FLOOR = 1e-5
"""What a smaller value counts as in a geometric mean, which a single 0 would make 0 (Robertson, CIKM 2006)."""


def logarithms(values: F64) -> F64:
    """Logarithms of the values, those below the floor lifted to it; NaN stays."""
    return np.log(np.where(values < FLOOR, FLOOR, values))


def average(values: F64, kind: Average, weights: F64 | None = None) -> float:
    """The geometric mean or the median of the values.

    Args:
        values: float64 of shape (n,); NaN is left out.
        kind: "geometric" or "median" (the mean of the two in the middle where their number is even).
        weights: of that shape, not negative; NaN is left out. The weighted median is the smallest value with at least
            half of the weight at or below it.

    Returns:
        NaN where no value is left.
    """
    use = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    known = values[use]
    if not len(known):
        return math.nan
    if weights is None:
        if kind == "geometric":
            return math.exp(float(logarithms(known).mean()))
        ordered = np.sort(known)
        return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    share = weights[use] / weights[use].sum()
    if kind == "geometric":
        return math.exp(float((share * logarithms(known)).sum()))
    order = np.argsort(known, kind="stable")
    at = int(np.searchsorted(np.cumsum(share[order]), 0.5 - 1e-12))
    return float(known[order][min(at, len(order) - 1)])


def interval(values: F64, kind: Average, level: float = 0.95) -> Interval | None:
    """The interval of a geometric mean or a median over queries like these.

    Args:
        values: float64 of shape (n,); NaN is left out.
        kind: a geometric mean has the t interval of the logarithms, raised again; a median the one between order
            statistics, which is exact for any distribution and may cover more than it says.
        level: the confidence, between 0 and 1.

    Returns:
        None where the interval is undefined, see `why_no_interval`.
    """
    if kind == "geometric":
        found = t_interval(logarithms(values), level)
        return None if found is None else replace(found, low=math.exp(found.low), high=math.exp(found.high),
                                                  method="log-t")  # fmt: skip
    if why_undefined(values):
        return None
    from assay.stats.quantiles import quantile_bounds

    known = np.sort(values[~np.isnan(values)])
    _, low, high = quantile_bounds(known, 0.5, level)
    return None if low is None or high is None else Interval(low, high, level, "order", len(known))


def why_no_interval(values: F64, kind: Average) -> str:
    """Why these values allow no interval at 95 %; empty when they do."""
    why = why_undefined(logarithms(values) if kind == "geometric" else values)
    if why or interval(values, kind) is not None:
        return why
    return "too few queries to bound a median"
