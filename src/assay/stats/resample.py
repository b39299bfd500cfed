"""Resampling of queries: the percentile bootstrap of a mean."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from assay.stats.intervals import Interval, why_undefined

F64 = NDArray[np.float64]

RESAMPLES = 10_000
_CHUNK = 1 << 20
"""Drawn numbers held at a time."""


def bootstrap_means(values: F64, rng: Generator, resamples: int = RESAMPLES, weights: F64 | None = None) -> F64:
    """Means of samples drawn with replacement, each as large as the original.

    Args:
        values: float64 of shape (n,), all defined.
        rng: where the draws come from.
        resamples: how many samples.
        weights: one a value; each sample's mean is then weighted.

    Returns:
        float64 of shape (resamples,).
    """
    n = len(values)
    rows = max(1, _CHUNK // n)
    out = np.empty(resamples)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = rng.integers(0, n, (count, n), dtype=np.int32)
        if weights is None:
            out[start : start + count] = values[drawn].mean(axis=1)
        else:
            w = weights[drawn]
            out[start : start + count] = (w * values[drawn]).sum(axis=1) / w.sum(axis=1)
    return out


def bootstrap_interval(
    values: F64, rng: Generator, level: float = 0.95, resamples: int = RESAMPLES, weights: F64 | None = None
) -> Interval | None:
    """The percentile bootstrap interval of the mean.

    An end is the smallest bootstrap mean whose cumulative share reaches its level; nothing is interpolated. NaN is left
    out (and, with weights, weight 0). None where the interval is undefined; below 50 values it covers less than said.
    """
    use = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    known = values[use]
    if why_undefined(known):
        return None
    means = np.sort(bootstrap_means(known, rng, resamples, None if weights is None else weights[use]))
    tail = (1 - level) / 2
    return Interval(_reaching(means, tail), _reaching(means, 1 - tail), level, "bootstrap", len(known))


def _reaching(ordered: F64, share: float) -> float:
    """The smallest value whose cumulative share is at least `share`."""
    place = int(np.ceil(share * len(ordered) - 1e-9)) - 1
    return float(ordered[min(max(place, 0), len(ordered) - 1)])
