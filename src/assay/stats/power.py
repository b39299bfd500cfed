"""Power of the paired t test: what a query set can show, and how many queries a difference takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from assay.stats.intervals import t_quantile

Sides = Literal["two-sided", "larger"]
MOST = 10_000_000
"""Queries beyond which no number is given."""


def power(difference: float, sd: float, n: int, alpha: float = 0.05, sides: Sides = "two-sided") -> float | None:
    """Chance that n queries show this mean difference; None where the spread is 0 or below two queries.

    Args:
        difference: the true mean difference.
        sd: standard deviation of the per-query differences.
        n: queries.
        alpha: level of the test.
        sides: "larger" tests for a gain only.
    """
    if not sd > 0 or n < 2:
        return None
    return _power(difference / sd, n, alpha, sides)


def detectable(sd: float, n: int, chance: float = 0.8, alpha: float = 0.05, sides: Sides = "two-sided") -> float | None:
    """The smallest mean difference that n queries show with this chance; None where the spread is 0 or n below two."""
    if not sd > 0 or n < 2:
        return None
    low, high = 0.0, 1.0
    while _power(high, n, alpha, sides) < chance:
        high *= 2
        if high > 1e6:
            return None
    return sd * _bisected(lambda d_z: _power(d_z, n, alpha, sides) - chance, low, high)


def queries_needed(
    difference: float, sd: float, chance: float = 0.8, alpha: float = 0.05, sides: Sides = "two-sided"
) -> int | None:
    """The smallest number of queries that show this mean difference with this chance.

    None where no number does: the difference is 0 (for "larger": not above 0), or more than ten million are needed.
    """
    if not sd > 0:
        return None
    d_z = abs(difference) / sd if sides == "two-sided" else difference / sd
    if d_z <= 0:
        return None
    high = 2
    while _power(d_z, high, alpha, sides) < chance:
        high *= 2
        if high > MOST:
            return None
    low = max(2, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(d_z, middle, alpha, sides) >= chance else (middle + 1, high)
    return low


@dataclass(frozen=True, slots=True)
class Odds:
    """How a rule with a margin comes out, when the true difference is known.

    Args:
        passes, fails, open: chances of PASS, FAIL and INCONCLUSIVE; they add up to 1.
    """

    passes: float
    fails: float
    open: float


def odds(difference: float, sd: float, n: int, margin: float = 0.0, alpha: float = 0.05) -> Odds | None:
    """Chances of a rule that passes when the one-sided interval lies above -margin and fails when it lies below.

    Args:
        difference: the true mean difference.
        sd: standard deviation of the per-query differences.
        n: queries.
        margin: what may be lost, 0 or more.
        alpha: of each side.
    """
    if not sd > 0 or n < 2:
        return None
    d_z = (difference + margin) / sd
    passes, fails = _power(d_z, n, alpha, "larger"), _power(-d_z, n, alpha, "larger")
    return Odds(passes, fails, max(0.0, 1 - passes - fails))


def queries_to_pass(
    difference: float, sd: float, margin: float = 0.0, chance: float = 0.8, alpha: float = 0.05
) -> int | None:
    """Queries with which such a rule passes with this chance; None where no number is enough.

    Args:
        difference: the planned one: 0 for non-inferiority, the smallest gain that is worth it for an improvement;
            never the observed one, which is noise where the verdict is open.
        sd: standard deviation of the per-query differences.
        margin: what may be lost, 0 or more.
        chance: that it passes.
        alpha: of each side.
    """
    return queries_needed(difference + margin, sd, chance, alpha, "larger")


def noncentral_tail(t: float, df: float, ncp: float) -> float:
    """Probability that the noncentral t lies above `t`."""
    from scipy.special import nctdtr

    # the lower tail of the mirror image keeps its digits where the upper one would be 1 less nearly 1
    return float(nctdtr(df, -ncp, -t))


def noncentrality(t: float, df: float, p: float) -> float:
    """The noncentrality under which the noncentral t lies below `t` with probability p."""
    from scipy.special import nctdtr

    reach = 1.0
    while float(nctdtr(df, t - reach, t)) < p or float(nctdtr(df, t + reach, t)) > p:
        reach *= 2
        if reach > 1e6:
            raise ArithmeticError(f"no noncentrality for t={t}, df={df}, p={p}")
    return _bisected(lambda ncp: p - float(nctdtr(df, ncp, t)), t - reach, t + reach)


def _power(d_z: float, n: int, alpha: float, sides: Sides) -> float:
    ncp = d_z * math.sqrt(n)
    if sides == "larger":
        return noncentral_tail(t_quantile(1 - alpha, n - 1), n - 1, ncp)
    t = t_quantile(1 - alpha / 2, n - 1)
    return noncentral_tail(t, n - 1, ncp) + noncentral_tail(t, n - 1, -ncp)


def _bisected(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function crosses 0, to the last digit."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
