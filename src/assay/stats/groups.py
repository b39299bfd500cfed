"""Whether the mean differs between disjoint groups of queries: Welch's one-way test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats.intervals import why_undefined

F64 = NDArray[np.float64]

FEWEST = 5
"""Values below which a group takes no part."""


@dataclass(frozen=True, slots=True)
class Welch:
    """Welch's test of equal means under unequal variances.

    Args:
        f: the statistic.
        df1, df2: its degrees of freedom.
        p: of the F distribution.
        groups: which of the given groups took part.
    """

    f: float
    df1: int
    df2: float
    p: float
    groups: tuple[int, ...]


def welch(groups: Sequence[F64]) -> Welch | None:
    """Welch's one-way test (Biometrika 38, 1951); None where fewer than two groups have five values and a spread.

    Agrees with R's `oneway.test` and statsmodels' `anova_oneway(use_var="unequal")`.

    Args:
        groups: the values of each, disjoint; NaN is left out.
    """
    known = [group[~np.isnan(group)] for group in groups]
    used = [at for at, values in enumerate(known) if len(values) >= FEWEST and not why_undefined(values)]
    k = len(used)
    if k < 2:
        return None
    n = np.array([len(known[at]) for at in used], dtype=np.float64)
    means = np.array([known[at].mean() for at in used])
    weights = n / np.array([known[at].var(ddof=1) for at in used])
    share = weights / weights.sum()
    spread = float((weights * (means - (share * means).sum()) ** 2).sum())
    unlike = float(((1 - share) ** 2 / (n - 1)).sum())
    f = spread / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * unlike)
    df2 = (k * k - 1) / (3 * unlike)
    from scipy.special import fdtrc

    return Welch(f, k - 1, df2, float(fdtrc(k - 1, df2, f)), tuple(used))
