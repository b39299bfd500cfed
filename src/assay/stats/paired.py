"""Paired tests of one column of differences: randomisation, t, Wilcoxon, sign, and the effect size.

Every difference is candidate minus baseline of one query. A difference up to 1e-9 is a tie for every test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.results import kept
from assay.stats.intervals import EQUAL, t_tail, why_undefined
from assay.stats.randomisation import AT, Counted, Randomisation, Unclear, randomisation
from assay.stats.randomisation import NULL as RANDOMISATION_NULL
from assay.stats.signs import TIE

F64 = NDArray[np.float64]
Zeros = Literal["wilcox", "pratt"]

WILCOXON_EXACT = 25
"""Nonzero differences up to which the distribution of the rank sum is exact."""


@dataclass(frozen=True, eq=False, slots=True)
class Pairs:
    """Two systems' values of the same queries, as differences.

    Args:
        differences: float64 of shape (queries,), candidate minus baseline; NaN where there is no pair.
        both: queries whose value is defined in both.
        only_baseline, only_candidate: defined on one side only: left out, and not at random.
        neither: undefined on both sides.
    """

    differences: F64
    both: int
    only_baseline: int
    only_candidate: int
    neither: int


@kept("t-test")
@dataclass(frozen=True, slots=True)
class TTest:
    """Paired t test. Its null: the mean difference is 0 (differences near normal, or many).

    Args:
        t: mean / (sd / sqrt(n)).
        df: n - 1.
        p: two-sided.
        p_greater: one-sided: the candidate is better.
    """

    t: float
    df: int
    p: float
    p_greater: float

    @property
    def null(self) -> str:
        """What is supposed and may be rejected."""
        return NULLS["t"]


@kept("wilcoxon")
@dataclass(frozen=True, slots=True)
class Wilcoxon:
    """Wilcoxon's signed rank test. Its null: the differences are symmetric about 0; not: their mean is 0.

    Args:
        plus, minus: sums of the mid-ranks of |d| of wins and of losses.
        p: two-sided.
        method: "exact" up to 25 nonzero differences, then "normal", without continuity correction.
        zeros: "wilcox" drops ties before ranking, "pratt" after it.
        z: of the normal method; None for the exact one.
    """

    plus: float
    minus: float
    p: float
    method: Literal["exact", "normal"]
    zeros: Zeros
    z: float | None = None

    @property
    def null(self) -> str:
        """What is supposed and may be rejected."""
        return NULLS["wilcoxon"]


@kept("effect")
@dataclass(frozen=True, slots=True)
class Effect:
    """d_z: the mean difference in standard deviations of the differences. It depends on the query set.

    Args:
        d_z: mean / sd.
        low, high: 95 % interval from the noncentral t distribution; None below three pairs.
        corrected: d_z times the small-sample factor; None below three pairs.
    """

    d_z: float
    low: float | None
    high: float | None
    corrected: float | None


@kept("tests")
@dataclass(frozen=True, slots=True)
class Tests:
    """Everything that is tested of one column of differences.

    Args:
        n: pairs.
        nonzero: pairs that differ by more than 1e-9.
        wins, losses, ties: of the candidate; they add up to n.
        mean: of the differences; None without a pair.
        sd: their standard deviation, n - 1 in the denominator; None below two pairs.
        randomisation: the main test; None without a pair.
        t: None where it is undefined, see `undefined_because`.
        wilcoxon: None when no difference is nonzero.
        sign_p: exact binomial test of wins against losses, ties dropped; its null: a win is as likely as a loss. 1 when
            all are tied; None without a pair.
        effect: None where it is undefined, for the same reason as t.
        undefined_because: why t and the effect are; empty when they are not.
    """

    n: int
    nonzero: int
    wins: int
    losses: int
    ties: int
    mean: float | None
    sd: float | None
    randomisation: Randomisation | None
    t: TTest | None
    wilcoxon: Wilcoxon | None
    sign_p: float | None
    effect: Effect | None
    undefined_because: str = ""

    @property
    def p(self) -> float | None:
        """Of the randomisation test, two-sided."""
        return None if self.randomisation is None else self.randomisation.p

    @property
    def nulls(self) -> dict[str, str]:
        """What each test supposes and may reject, by its name: randomisation, t, wilcoxon, sign."""
        return dict(NULLS)


NULLS = {
    "randomisation": RANDOMISATION_NULL,
    "t": "the mean difference is 0",
    "wilcoxon": "the differences are symmetric about 0",
    "sign": "a win is as likely as a loss",
}
"""What each test supposes, in words."""


def pair(baseline: F64, candidate: F64) -> Pairs:
    """Differences of the queries whose value is defined in both, and how many are not."""
    a, b = ~np.isnan(baseline), ~np.isnan(candidate)
    return Pairs(
        candidate - baseline, int((a & b).sum()), int((a & ~b).sum()), int((b & ~a).sum()), int((~a & ~b).sum())
    )


def paired_tests(
    columns: F64,
    queries: Sequence[str],
    seed: int,
    flips: int = 100_000,
    *,
    at: Sequence[float] | Unclear = AT,
    zeros: Zeros = "wilcox",
    counted: Counted | None = None,
) -> tuple[Tests, ...]:
    """All tests of every column of differences.

    Args:
        columns: float64 of shape (columns, queries); NaN where a query has no pair.
        queries: their ids: a query's random signs belong to its id.
        seed: of the random signs.
        flips: patterns drawn for columns that have no exact p.
        at: as in `randomisation`.
        zeros: how Wilcoxon's test treats ties.
        counted: as in `randomisation`.

    Returns:
        One for each column, in their order.
    """
    columns = np.atleast_2d(np.asarray(columns, dtype=np.float64))
    flipped = randomisation(columns, queries, seed, flips, at=at, counted=counted)
    return tuple(_tests(row[~np.isnan(row)], p, zeros) for row, p in zip(columns, flipped, strict=True))


def _tests(d: F64, flipped: Randomisation | None, zeros: Zeros) -> Tests:
    n, wins, losses = len(d), int((d > TIE).sum()), int((d < -TIE).sum())
    return Tests(
        n=n,
        nonzero=wins + losses,
        wins=wins,
        losses=losses,
        ties=n - wins - losses,
        mean=float(d.mean()) if n else None,
        sd=None if n < 2 else 0.0 if d.max() - d.min() <= EQUAL else float(d.std(ddof=1)),
        randomisation=flipped,
        t=t_test(d),
        wilcoxon=wilcoxon(d, zeros),
        sign_p=sign_test(wins, losses) if n else None,
        effect=effect(d),
        undefined_because=why_undefined(d),
    )


def t_test(d: F64) -> TTest | None:
    """Paired t test of differences, all defined; None below two pairs or when all are equal."""
    if why_undefined(d):
        return None
    n = len(d)
    t = float(d.mean()) / (float(d.std(ddof=1)) / math.sqrt(n))
    return TTest(t, n - 1, 2 * t_tail(abs(t), n - 1), t_tail(t, n - 1))


def sign_test(wins: int, losses: int) -> float:
    """Exact two-sided binomial test of wins against losses, 1 when there is neither."""
    n, fewer = wins + losses, min(wins, losses)
    if n == 0 or 2 * fewer == n:
        return 1.0
    if n <= 1000:  # whole numbers: exact
        total, ways = 0, 1
        for k in range(fewer + 1):
            total, ways = total + ways, ways * (n - k) // (k + 1)
        return min(1.0, float(2 * total / 2**n))
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(fewer, n, 0.5)))


def wilcoxon(d: F64, zeros: Zeros = "wilcox") -> Wilcoxon | None:
    """Wilcoxon's signed rank test of differences, all defined; None when no difference is nonzero.

    Mid-ranks where |d|, rounded to 1e-9, is equal. R's coin agrees (`wilcoxsign_test`); `scipy.stats.wilcoxon` has no
    exact p with ties.
    """
    is_zero = np.abs(d) <= TIE
    if is_zero.all():
        return None
    if zeros == "wilcox":
        d, is_zero = d[~is_zero], is_zero[~is_zero]
    doubled = _doubled_mid_ranks(np.where(is_zero, 0.0, np.abs(d)))
    doubled, positive = doubled[~is_zero], d[~is_zero] > 0
    plus, total = int(doubled[positive].sum()), int(doubled.sum())
    if len(doubled) <= WILCOXON_EXACT:
        ways = np.zeros(total + 1, dtype=np.int64)
        ways[0] = 1
        for rank in doubled:
            ways[rank:] += ways[: total + 1 - rank].copy()
        far = np.abs(2 * np.arange(total + 1) - total) >= abs(2 * plus - total)
        p = int(ways[far].sum()) / 2 ** len(doubled)
        return Wilcoxon(plus / 2, (total - plus) / 2, p, "exact", zeros)
    # the sum of the squared mid-ranks over 4 is n(n+1)(2n+1)/24 less the correction for ties
    z = (plus - total / 2) / 2 / math.sqrt(float((doubled.astype(np.float64) ** 2).sum()) / 16)
    return Wilcoxon(plus / 2, (total - plus) / 2, math.erfc(abs(z) / math.sqrt(2)), "normal", zeros, z)


def _doubled_mid_ranks(sizes: F64) -> NDArray[np.int64]:
    """Twice the mean of the ranks that equal sizes share: whole numbers."""
    _, which, counts = np.unique(np.rint(sizes * 1e9), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    doubled: NDArray[np.int64] = (2 * last - counts + 1)[which]
    return doubled


def effect(d: F64, level: float = 0.95) -> Effect | None:
    """d_z with its interval; None below two pairs or when all are equal.

    The small-sample factor is Gamma((n-1)/2) / (Gamma((n-2)/2) sqrt((n-1)/2)).
    """
    if why_undefined(d):
        return None
    n = len(d)
    d_z = float(d.mean()) / float(d.std(ddof=1))
    if n < 3:
        return Effect(d_z, None, None, None)
    from assay.stats.power import noncentrality

    t = d_z * math.sqrt(n)
    low, high = (noncentrality(t, n - 1, p) / math.sqrt(n) for p in ((1 + level) / 2, (1 - level) / 2))
    factor = math.exp(math.lgamma((n - 1) / 2) - math.lgamma((n - 2) / 2)) / math.sqrt((n - 1) / 2)
    return Effect(d_z, low, high, d_z * factor)
