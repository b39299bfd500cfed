"""The model of Dawid and Skene: what the grade of each item probably is, when raters differ in how they err.

Source: Dawid and Skene, Applied Statistics 28(1), 1979: expectation and maximisation from the shares of the votes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

ROUNDS = 2_000
STILL = 1e-12
"""The rounds end when no posterior moves by more. The likelihood is no guide: it is flat long before that."""

FEWEST_RATERS = 3
FEWEST_ITEMS = 30
"""A rater's habits cannot be told from fewer items."""


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """What the model says.

    Args:
        posterior: f64[n_items, k], the probability of each grade for each item.
        prior: f64[k], the share of each grade.
        confusion: f64[n_raters, k, k], how often a rater says each grade (last axis) of items of each true grade.
        rounds: how many it took.
        converged: whether it came to rest within `ROUNDS`.
    """

    posterior: F64
    prior: F64
    confusion: F64
    rounds: int
    converged: bool

    @property
    def swapped(self) -> list[int]:
        """Raters who, of some true grade, most often say another: their labels may be swapped."""
        best = self.confusion.argmax(axis=2)
        said = self.confusion.sum(axis=2) > 0
        return [r for r in range(len(best)) if (said[r] & (best[r] != np.arange(best.shape[1]))).any()]


def dawid_skene(item: I64, rater: I64, code: I64, n_items: int, k: int) -> DawidSkene:
    """Fits the model.

    Args:
        item: i64[n], one element a rating: which item; every item has at least one.
        rater: i64[n], who.
        code: i64[n], the place in the list of grades.
        n_items: how many items there are.
        k: how many grades.
    """
    n_raters = int(rater.max()) + 1
    votes = np.zeros((n_items, k))
    np.add.at(votes, (item, code), 1.0)
    posterior = votes / votes.sum(axis=1, keepdims=True)
    prior, confusion = _maximised(posterior, item, rater, code, n_raters)
    for rounds in range(1, ROUNDS + 1):
        moved = _expected(prior, confusion, item, rater, code, n_items)
        still = float(np.abs(moved - posterior).max()) <= STILL
        posterior = moved
        prior, confusion = _maximised(posterior, item, rater, code, n_raters)
        if still:
            return DawidSkene(posterior, prior, confusion, rounds, True)
    return DawidSkene(posterior, prior, confusion, ROUNDS, False)


def _maximised(posterior: F64, item: I64, rater: I64, code: I64, n_raters: int) -> tuple[F64, F64]:
    k = posterior.shape[1]
    key = rater * k + code
    said = np.empty((k, n_raters * k))
    for true in range(k):
        said[true] = np.bincount(key, weights=posterior[item, true], minlength=n_raters * k)
    counts = said.reshape(k, n_raters, k).transpose(1, 0, 2)
    total = counts.sum(axis=2, keepdims=True)
    return posterior.mean(axis=0), np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


def _expected(prior: F64, confusion: F64, item: I64, rater: I64, code: I64, n_items: int) -> F64:
    k = len(prior)
    with np.errstate(divide="ignore"):  # log 0 is minus infinity, and that grade is out of the question
        log_prior, log_confusion = np.log(prior), np.log(confusion)
    out = np.empty((n_items, k))
    for true in range(k):
        out[:, true] = log_prior[true] + np.bincount(item, weights=log_confusion[rater, true, code], minlength=n_items)
    out -= out.max(axis=1, keepdims=True)
    likely: F64 = np.exp(out)
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))
