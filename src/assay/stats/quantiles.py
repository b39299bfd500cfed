"""A percentile with its interval from order statistics: exact for any distribution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def quantile_bounds(ordered: F64, p: float, level: float = 0.90) -> tuple[float, float | None, float | None]:
    """The p-quantile (the smallest value with a share of at least p at or below it) and its interval.

    How many of n values lie below the true quantile is binomial, so the ends are order statistics; each is wrong in at
    most (1 - level)/2 of cases. None where no value is far enough out.

    Args:
        ordered: float64, ascending, at least one.
        p: between 0 and 1.
        level: of the interval.
    """
    from scipy.special import bdtr

    n, tail = len(ordered), (1 - level) / 2
    value = float(ordered[max(0, math.ceil(p * n - 1e-9) - 1)])
    # P(X <= i) for i = 0..n, X binomial(n, p)
    below = np.asarray(bdtr(np.arange(n + 1), n, p), dtype=np.float64)
    below[n] = 1.0
    # the quantile lies below the l-th value with probability P(X < l) at most
    place = int(np.searchsorted(below, tail + 1e-12, side="right"))  # how many i have P(X <= i) <= tail
    low = float(ordered[place - 1]) if place >= 1 else None
    # and above the u-th with P(X >= u) = 1 - P(X <= u - 1)
    fits = np.flatnonzero(1 - below[:n] <= tail + 1e-12)
    high = float(ordered[fits[0]]) if len(fits) else None
    return value, low, high
