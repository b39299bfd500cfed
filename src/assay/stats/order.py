"""How far two orders of the same things agree: Kendall's tau, alone, at the top, and weighted to the top (tau_AP)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

FEWEST = 3
"""Things that a tau of the top needs."""


def tau(a: Sequence[float] | F64, b: Sequence[float] | F64) -> float | None:
    """Kendall's tau-b of two lists of values for the same things; None where one side is constant.

    Source: Kendall, Rank Correlation Methods, 1948; agrees with scipy.stats.kendalltau.

    >>> tau([3, 2, 1], [30, 10, 20])   # doctest: +ELLIPSIS
    0.333...
    """
    one, other = _signs(a), _signs(b)
    pairs = float((one != 0).sum()) * float((other != 0).sum())
    return float((one * other).sum()) / math.sqrt(pairs) if pairs > 0 else None


def top_tau(a: Sequence[float] | F64, b: Sequence[float] | F64, k: int) -> float | None:
    """tau-b over the k things with the highest a; None below three of them, or where one side is constant."""
    values, others = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    top = np.argsort(-values, kind="stable")[:k]
    return tau(values[top], others[top]) if len(top) >= FEWEST else None


def tau_ap(estimate: Sequence[float] | F64, truth: Sequence[float] | F64) -> float | None:
    """tau_AP of an estimate given the truth: disagreement at the top counts more; None below two things.

    Ties in the truth count one half; ties in the estimate are averaged over their orders. It is not symmetric.

    Source: Yilmaz, Aslam & Robertson, SIGIR 2008.
    """
    guess, true = np.asarray(estimate, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    n = len(guess)
    if n < 2 or guess.max() == guess.min() or true.max() == true.min():
        return None
    agrees = np.where(true[None, :] > true[:, None], 1.0, np.where(true[None, :] == true[:, None], 0.5, 0.0))
    total = 0.0
    for value in np.unique(guess)[::-1]:
        group, above = np.flatnonzero(guess == value), guess > value
        p = int(above.sum())
        concordant = float(agrees[np.ix_(group, above)].sum()) / len(group)
        for r in range(len(group)):
            if p + r:
                total += (concordant + r / 2) / (p + r)
    return 2 / (n - 1) * total - 1


def _signs(values: Sequence[float] | F64) -> F64:
    x = np.asarray(values, dtype=np.float64)
    return np.sign(x[:, None] - x[None, :])
