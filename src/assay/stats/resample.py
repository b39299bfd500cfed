"""Resampling of queries with replacement: percentile and BCa intervals of a mean."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from assay.keys import stream
from assay.stats.intervals import Interval, why_undefined
from assay.stats.products import TILE, Products
from assay.stats.signs import TIE, whole

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


def resampled_means(
    columns: F64, queries: Sequence[str], seed: int, resamples: int = RESAMPLES, weights: F64 | None = None
) -> F64:
    """Means of every column over queries drawn with replacement: how often each was drawn, times the columns.

    A column that lacks some queries is resampled within those that it has. The draws belong to the set of queries:
    neither their order nor that of the columns changes a mean, nor do other columns.

    Args:
        columns: float64 of shape (columns, queries); NaN where a query is absent from the column.
        queries: their ids.
        seed: of the draws.
        resamples: how many.
        weights: float64 of shape (queries,), one a query; the means are then weighted.

    Returns:
        float64 of shape (columns, resamples); NaN where a column has no query.
    """
    order = np.array(sorted(range(len(queries)), key=queries.__getitem__), dtype=np.intp)
    columns = columns[:, order]
    present = ~np.isnan(columns)
    if weights is not None:
        weights = weights[order]
        present &= weights > 0
    out = np.full((len(columns), resamples), np.nan)
    groups: dict[bytes, list[int]] = {}
    for at, mask in enumerate(present):
        groups.setdefault(mask.tobytes(), []).append(at)
    for members in groups.values():
        mask = present[members[0]]
        if mask.any():
            w = None if weights is None else weights[mask]
            out[members] = _means(columns[members][:, mask], stream(seed, "bootstrap"), resamples, w)
    return out


def _means(columns: F64, rng: Generator, resamples: int, weights: F64 | None) -> F64:
    size, n = columns.shape
    numbers, scale = whole(columns if weights is None else np.vstack([columns * weights, weights]))
    out = np.empty((len(numbers), resamples))
    products = Products(numbers, largest=n)
    places = np.empty((TILE, n), dtype=np.intp)
    rows = (np.arange(TILE) * n)[:, None]
    for start in range(0, resamples, TILE):
        part = out[:, start : start + TILE]
        width = part.shape[1]
        at = np.add(rng.integers(0, n, (width, n), dtype=np.int32), rows[:width], out=places[:width])
        products.times(np.bincount(at.ravel(), minlength=width * n).reshape(width, n).T, part)
    out /= scale
    return out / n if weights is None else out[:size] / out[size]


def resampled_intervals(
    columns: F64,
    queries: Sequence[str],
    seed: int,
    level: float = 0.95,
    method: Literal["bootstrap", "bca"] = "bootstrap",
    resamples: int = RESAMPLES,
) -> tuple[Interval | None, ...]:
    """The percentile or BCa interval of every column's mean; None where all values are equal, or fewer than two.

    Args:
        columns: float64 of shape (columns, queries); NaN where a query is absent from the column.
        queries: their ids.
        seed: of the draws.
        level: the confidence.
        method: "bootstrap" is the percentile interval.
        resamples: how many samples are drawn.
    """
    found: list[Interval | None] = []
    for column, means in zip(columns, resampled_means(columns, queries, seed, resamples), strict=True):
        known = column[~np.isnan(column)]
        if why_undefined(known):
            found.append(None)
            continue
        low, high = percentile_ends(means, level) if method == "bootstrap" else bca_ends(means, known, level)
        found.append(Interval(low, high, level, method, len(known), seed))
    return tuple(found)


def percentile_ends(means: F64, level: float = 0.95) -> tuple[float, float]:
    """Where the middle `level` of the resampled means lies; nothing is interpolated."""
    tail, ordered = (1 - level) / 2, np.sort(means)
    return _reaching(ordered, tail), _reaching(ordered, 1 - tail)


def bca_ends(means: F64, values: F64, level: float = 0.95) -> tuple[float, float]:
    """The ends of the bias-corrected and accelerated interval (Efron, JASA 82, 1987), the jackknife in closed form.

    Args:
        means: of the samples.
        values: the original ones, not all equal.
        level: the confidence.
    """
    normal, mean, size = NormalDist(), float(values.mean()), len(means)
    slack = TIE * float(np.abs(values).sum()) / len(values)
    share = float((means < mean - slack).sum() + (means <= mean + slack).sum()) / (2 * size)
    shift = normal.inv_cdf(min(max(share, 1 / size), 1 - 1 / size))
    error = values - mean
    acceleration = float((error**3).sum()) / (6 * float((error**2).sum()) ** 1.5)
    ordered = np.sort(means)

    def end(p: float) -> float:
        z = shift + normal.inv_cdf(p)
        return _reaching(ordered, normal.cdf(shift + z / (1 - acceleration * z)))

    return end((1 - level) / 2), end((1 + level) / 2)
