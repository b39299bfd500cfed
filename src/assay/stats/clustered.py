"""A share of things that come in groups, such as documents of queries: how many independent ones they are worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats.intervals import t_quantile

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClusteredShare:
    """A share with its interval.

    Args:
        share: of all things.
        low, high: the ends.
        n: how many things.
        groups: how many groups have any.
        effective_n: how many independent things they are worth, at most n.
    """

    share: float
    low: float
    high: float
    n: int
    groups: int
    effective_n: float


def clustered_share(counts: F64, sizes: F64, level: float = 0.95) -> ClusteredShare | None:
    """The Clopper-Pearson interval of a share with as many things as the grouped ones are worth.

    The variance of the share over groups (a ratio of sums), against that of independent things, is the design effect;
    n / design effect, corrected for the degrees of freedom, takes the place of n. Where all or none count there is no
    variance to see: each group is then worth one thing, which is cautious. Groups of one thing give Clopper-Pearson.

    Args:
        counts: float64 of shape (groups,), how many of each group count.
        sizes: float64 of shape (groups,), how many there are; groups of none are left out.
        level: of the interval.

    Returns:
        None where there is nothing.

    Source: Korn & Graubard, Survey Methodology 24(2), 1998; the design effect against p (1 - p) / (n - 1).
    """
    counts, sizes = counts[sizes > 0], sizes[sizes > 0]
    n, m = int(sizes.sum()), len(sizes)
    if n == 0:
        return None
    share = float(counts.sum()) / n
    variance = m / (m - 1) * float((((counts - share * sizes) / n) ** 2).sum()) if m > 1 else 0.0
    return share_with_variance(share, variance, n, m, level)


def share_with_variance(share: float, variance: float, n: int, m: int, level: float = 0.95) -> ClusteredShare:
    """As `clustered_share`, from the variance of the share over `m` groups that hold `n` things, one at least."""
    worth = 1.0 if m == 1 else float(m)
    if m > 1 and 0 < share < 1:
        independent = share * (1 - share) / (n - 1)
        worth = float(n) if variance <= 0 else n * independent / variance
        tail = (1 + level) / 2
        worth *= (t_quantile(tail, n - 1) / t_quantile(tail, m - 1)) ** 2
    worth = min(worth, float(n))
    low, high = _ends(share * worth, worth, level)
    return ClusteredShare(share, low, high, n, m, worth)


def _ends(count: float, n: float, level: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if count <= 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count >= n else float(betaincinv(count + 1, n - count, 1 - tail))
    return low, high
