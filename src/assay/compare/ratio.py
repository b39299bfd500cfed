"""The highest ratio of a sum of gains to the best possible sum, for many queries at once.

With gains 0 = g_0 < g_1 < ... and steps e_v = g_v - g_(v-1), let m_v be how many unjudged documents get at least g_v.
The best possible sum depends on the m_v alone, and for given m_v the sum of gains is highest when the high gains go to
the places that add most. So the ratio is a maximum over falling m_v, found by Dinkelbach's method (Management Science
13(7), 1967) with a dynamic programme inside.
"""

from __future__ import annotations

import numpy as np

from assay.ranking.ranking import F64, I64

_ROOM = 1 << 17
"""Numbers in one table of queries by documents: what fits the processor's cache."""

_STEPS = 100
"""Steps of Dinkelbach's method at most; it takes under ten."""


def highest_ratio(judged: F64, query: I64, gained: F64, steps: F64, above: I64, best: F64) -> F64:
    """Highest (judged + sum of e_v W(m_v)) / (sum of e_v S(J_v + m_v)) of each query, over falling m_v.

    Args:
        judged: what the judged documents sum to.
        query: the query of each unjudged document, ascending.
        gained: W(1), W(2), ... of each query: the sums of the largest weights.
        steps: e_v.
        above: J_v, judged documents with at least the gain g_v, of shape (n, steps).
        best: S(0), S(1), ...: sums of the first discounts.

    Returns:
        float64 of shape (n,); NaN where no ideal is above 0.
    """
    n = len(judged)
    out = np.empty(n)
    many = np.bincount(query, minlength=n)
    start = np.cumsum(many) - many
    by_size = np.argsort(many, kind="stable")
    at = 0
    while at < n:
        widest = int(many[by_size[min(n, at + max(1, _ROOM // (int(many[by_size[at]]) + 1))) - 1]]) + 1
        some = by_size[at : at + max(1, _ROOM // widest)]
        widest = int(many[some].max()) + 1
        column = np.arange(1, widest)
        there = column <= many[some, None]
        table = np.full((len(some), widest), -np.inf)  # a number of documents that a query has not
        table[:, 0] = 0.0
        table[:, 1:][there] = gained[(start[some, None] + column - 1)[there]]
        out[some] = _dinkelbach(judged[some], table, steps, above[some], best)
        at += len(some)
    return out


def _dinkelbach(judged: F64, gained: F64, steps: F64, above: I64, best: F64) -> F64:
    n, width = gained.shape
    deepest = len(best) - 1
    column = np.arange(width)
    ideals = [step * best[np.minimum(above[:, [v]] + column, deepest)] for v, step in enumerate(steps)]
    gains = [step * gained for step in steps]
    with np.errstate(divide="ignore", invalid="ignore"):
        below = sum(ideal[:, 0] for ideal in ideals)
        t = np.where(below > 0, judged / below, -1e9)
    left = np.arange(n)
    for _ in range(_STEPS):
        value: F64 | None = None
        picked = []
        for gain, ideal in zip(reversed(gains), reversed(ideals), strict=True):  # from the top gain down, m grows
            worth = gain - t[left, None] * ideal
            if value is not None:
                worth += value
            value = np.maximum.accumulate(worth, axis=1)
            picked.append(_last_rise(worth, value))
        at = np.full(len(left), width - 1)
        above_t, below_t = judged[left].copy(), np.zeros(len(left))
        rows = np.arange(len(left))
        for where, gain, ideal in zip(reversed(picked), gains, ideals, strict=True):
            at = where[rows, at]
            above_t += gain[rows, at]
            below_t += ideal[rows, at]
        with np.errstate(divide="ignore", invalid="ignore"):
            new = np.where(below_t > 0, above_t / below_t, -1e9)
        grows = new > t[left] + 1e-15
        t[left] = np.maximum(t[left], new)
        left = left[grows]
        if not len(left):
            break
        gains = [gain[grows] for gain in gains]
        ideals = [ideal[grows] for ideal in ideals]
    return np.where(t <= -1e9, np.nan, t)


def _last_rise(worth: F64, highest: F64) -> I64:
    """For each place, where the largest element up to there stands."""
    rises = np.empty(worth.shape, np.bool_)
    rises[:, 0] = True
    np.greater(worth[:, 1:], highest[:, :-1], out=rises[:, 1:])
    index = np.where(rises, np.arange(worth.shape[1]), 0)
    return np.maximum.accumulate(index, axis=1)
