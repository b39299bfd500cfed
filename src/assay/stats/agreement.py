"""Agreement of raters: percent, Cohen's kappas, Fleiss' kappa, Krippendorff's alpha, Gwet's AC1 and AC2.

Every coefficient is a function of sums over items. `Ratings` holds who said what, once; its sums are kept for each
query, so that a bootstrap over queries is one matrix product and every coefficient is computed for all resamples at
once. The rubric's list of grades counts, not the grades that happen to be seen: a missing grade changes weights.

Sources: Cohen, Educ. Psychol. Meas. 20, 1960; Cohen, Psychol. Bull. 70, 1968 (weights); Fleiss, Psychol. Bull. 76,
1971; Krippendorff, Content Analysis, 4th ed. 2018, ch. 12; Gwet, Br. J. Math. Stat. Psychol. 61, 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

Weights = Literal["plain", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]

SAME = 1e-12
"""Expected disagreement below this is none: the coefficient is undefined."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who said what of which item, one element a rating.

    Args:
        item: i64[n], from 0 to n_items - 1.
        rater: i64[n], from 0; ratings of nobody in particular may each have a rater of their own.
        code: i64[n], place in the list of grades.
        query: i64[n_items], the query of each item, from 0 to n_queries - 1.
        grades: f64[k], the rubric's grades, rising.
    """

    item: I64
    rater: I64
    code: I64
    query: I64
    grades: F64

    @property
    def k(self) -> int:
        """How many grades there are."""
        return len(self.grades)

    @cached_property
    def n_queries(self) -> int:
        """How many queries the items belong to."""
        return int(self.query.max()) + 1 if len(self.query) else 0

    @cached_property
    def counts(self) -> I64:
        """How many ratings give each item each grade, i64[n_items, k]."""
        flat = np.bincount(self.item * self.k + self.code, minlength=len(self.query) * self.k)
        return flat.reshape(-1, self.k).astype(np.int64)

    def at_least(self, boundary: int) -> Ratings:
        """The same ratings as two grades: below the grade at that place of the list, or not."""
        code = (self.code >= boundary).astype(np.int64)
        return Ratings(self.item, self.rater, code, self.query, np.array([0.0, 1.0]))

    def by_query(self, per_item: F64) -> F64:
        """Sums of a figure of every item by query, f64[n_queries, ...]."""
        out = np.zeros((self.n_queries, *per_item.shape[1:]))
        np.add.at(out, self.query, per_item)
        return out

    @cached_property
    def coincidences(self) -> F64:
        """Krippendorff's coincidences of each query, f64[n_queries, k, k]; items with one rating are left out."""
        r = self.counts.astype(np.float64)
        m = r.sum(axis=1)
        share = np.divide(1.0, m - 1, out=np.zeros_like(m), where=m > 1)
        out = np.zeros((self.n_queries, self.k, self.k))
        for c in range(self.k):
            together = r[:, c, None] * r
            together[:, c] -= r[:, c]
            out[:, c, :] = self.by_query(together * share[:, None])
        return out

    def table(self, a: int, b: int) -> F64:
        """What rater a said against what rater b said of the same item, f64[n_queries, k, k]."""
        said = np.full((2, len(self.query)), -1, dtype=np.int64)
        for row, rater in enumerate((a, b)):
            own = self.rater == rater
            said[row, self.item[own]] = self.code[own]
        both = (said >= 0).all(axis=0)
        key = (self.query[both] * self.k + said[0, both]) * self.k + said[1, both]
        flat = np.bincount(key, minlength=self.n_queries * self.k * self.k)
        return flat.reshape(self.n_queries, self.k, self.k).astype(np.float64)


def disagreement(k: int, weights: Weights) -> F64:
    """What each pair of places in a list of k grades costs, f64[k, k]: 0 on the diagonal."""
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    if weights == "plain":
        return np.asarray(apart > 0, dtype=np.float64)
    return apart if weights == "linear" else apart**2


def percent(tables: F64) -> F64:
    """Share of pairs of ratings that are equal, from tables or coincidences f64[..., k, k]; f64[...]."""
    total = tables.sum(axis=(-2, -1))
    return _quotient(np.trace(tables, axis1=-2, axis2=-1), total)


def kappa(tables: F64, weights: Weights = "plain") -> F64:
    """Cohen's kappa of two raters: 1 - observed / expected disagreement.

    Args:
        tables: f64[..., k, k], counts of what one said against what the other said.
        weights: of the disagreement: "plain" (any is 1), "linear" or "quadratic" in the places of the list.

    Returns:
        f64[...], at most 1; NaN where both raters gave one and the same grade to everything. Exactly 0 where one of
        them gave one grade to everything and the other did not: it could not be otherwise.
    """
    cost = disagreement(tables.shape[-1], weights)
    total = tables.sum(axis=(-2, -1))
    expected = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    observed = (tables * cost).sum(axis=(-2, -1))
    chance = _quotient((expected * cost).sum(axis=(-2, -1)), total)
    return _one_minus(observed, chance)


def never_varied(table: F64) -> tuple[bool, bool]:
    """Whether the first and whether the second rater of a table f64[k, k] gave one grade to everything."""
    return int((table.sum(axis=1) > 0).sum()) == 1, int((table.sum(axis=0) > 0).sum()) == 1


def alpha(coincidences: F64, grades: Sequence[float] | F64, level: Level = "ordinal") -> F64:
    """Krippendorff's alpha, for any number of raters and missing ratings.

    Args:
        coincidences: f64[..., k, k], see `Ratings.coincidences`.
        grades: f64[k], their values, for "interval".
        level: of measurement.

    Returns:
        f64[...], at most 1; NaN where only one grade occurs.
    """
    n_c = coincidences.sum(axis=-1)
    total = n_c.sum(axis=-1)
    value = np.asarray(grades, dtype=np.float64)
    if level == "nominal":
        cost = np.broadcast_to(disagreement(len(value), "plain"), coincidences.shape)
    elif level == "interval":
        cost = np.broadcast_to(np.subtract.outer(value, value) ** 2, coincidences.shape)
    else:  # the sum of n_g from c to k, less half of both ends: a difference of mid-ranks
        middle = np.cumsum(n_c, axis=-1) - n_c / 2
        cost = (middle[..., :, None] - middle[..., None, :]) ** 2
    observed = (coincidences * cost).sum(axis=(-2, -1))
    expected = (n_c[..., :, None] * n_c[..., None, :] * cost).sum(axis=(-2, -1))
    return _one_minus(observed, _quotient(expected, total - 1))


@dataclass(frozen=True, eq=False)
class FleissSums:
    """What Fleiss' kappa is made of, by query: f64[n_queries, k + 2], and how many ratings every item has."""

    sums: F64
    ratings: int


def fleiss_sums(ratings: Ratings) -> FleissSums | None:
    """The sums of Fleiss' kappa; None where the items do not all have the same number of ratings, two or more."""
    counts = ratings.counts.astype(np.float64)
    m = counts.sum(axis=1)
    if not len(m) or m.min() != m.max() or m.min() < 2:
        return None
    n = m[0]
    agree = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
    per_item = np.column_stack([agree, np.ones(len(m)), counts])
    return FleissSums(ratings.by_query(per_item), int(n))


def fleiss(sums: F64) -> F64:
    """Fleiss' kappa from sums f64[..., k + 2] of `fleiss_sums`; f64[...], NaN where only one grade occurs."""
    agree = _quotient(sums[..., 0], sums[..., 1])
    shares = sums[..., 2:] / np.maximum(sums[..., 2:].sum(axis=-1, keepdims=True), 1)
    return _one_minus(1 - agree, 1 - (shares**2).sum(axis=-1))


def gwet_sums(ratings: Ratings, weights: Weights) -> F64:
    """What Gwet's coefficient is made of, by query: f64[n_queries, k + 3]."""
    counts = ratings.counts.astype(np.float64)
    m = counts.sum(axis=1)
    several = m > 1
    with_near = counts @ agreement_weights(ratings.k, weights)
    pairs = (counts * (with_near - 1)).sum(axis=1)
    agree = np.divide(pairs, m * (m - 1), out=np.zeros_like(m), where=several)
    shares = np.divide(counts, m[:, None], out=np.zeros_like(counts), where=m[:, None] > 0)
    return ratings.by_query(np.column_stack([agree, several, m > 0, shares]))


def gwet(sums: F64, weights: Weights = "plain") -> F64:
    """Gwet's AC1 ("plain") or AC2 ("linear", "quadratic") from sums f64[..., k + 3] of `gwet_sums`.

    Returns:
        f64[...], at most 1; NaN where only one grade occurs: nothing was told apart, by chance or otherwise.
    """
    k = sums.shape[-1] - 3
    agree = _quotient(sums[..., 0], sums[..., 1])
    pi = sums[..., 3:] / np.maximum(sums[..., 2:3], 1)
    total = agreement_weights(k, weights).sum() / (k * (k - 1))
    found = _one_minus(1 - agree, 1 - total * (pi * (1 - pi)).sum(axis=-1))
    return np.where(pi.max(axis=-1) >= 1 - SAME, np.nan, found)


def agreement_weights(k: int, weights: Weights) -> F64:
    """How much two places in a list of k grades agree, f64[k, k]: 1 on the diagonal, 0 at the far corners."""
    cost = disagreement(k, weights)
    return np.asarray(1 - cost / cost.max())


def _quotient(top: F64, bottom: F64) -> F64:
    top, bottom = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    out: F64 = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom > 0)
    return out


def _one_minus(observed: F64, expected: F64) -> F64:
    """1 - observed / expected; NaN where chance alone leaves nothing to disagree about."""
    observed, expected = np.asarray(observed, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    out: F64 = np.full(observed.shape, np.nan)
    np.divide(observed, expected, out=out, where=expected > SAME)
    return np.asarray(1 - out)
