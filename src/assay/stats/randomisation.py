"""The randomisation test of paired differences: exact where it can be, seeded sign flips where not.

The statistic is |sum s d|; p is the share of sign patterns whose statistic reaches the observed one, itself included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.results import kept
from assay.stats.intervals import clopper_pearson
from assay.stats.signs import TIE, lattice_steps, query_keys, random_signs, signed_sums, whole

F64 = NDArray[np.float64]

FLIPS = 100_000
MOST_FLIPS = 1_000_000
"""Drawn where the interval of a p holds a level that it must be told apart from."""
AT = (0.05,)
EXACT = 20
"""Nonzero differences up to which every pattern is counted."""
LATTICE_WORK = 3e8
"""Multiplications up to which the sums of a lattice are added up exactly; beyond it, patterns are drawn."""
NULL = "each difference is as likely positive as negative (symmetric about 0)"
"""What the test supposes, in words."""

Unclear = Callable[[F64, F64], NDArray[np.bool_]]
"""Which columns more patterns are drawn for: of the ends of the 99 % intervals of all p, NaN where there is none."""


@dataclass(frozen=True, eq=False, slots=True)
class Counted:
    """What patterns that were drawn already say of some columns, so that nothing is drawn twice.

    Args:
        p: float64 of shape (columns,), (b + 1) / (patterns + 1); NaN where the column has still to be drawn.
        patterns: how many were drawn, with the seed and the ids of the same queries.
    """

    p: F64
    patterns: int


@kept("randomisation")
@dataclass(frozen=True, slots=True)
class Randomisation:
    """Randomisation test. Its null: each difference is as likely positive as negative (symmetric about 0).

    Args:
        p: two-sided; twice the one-sided p, at most 1.
        p_greater: one-sided: the candidate is better. Where the mean is below 0 it is at least what is given.
        method: "exact" counts every pattern, "lattice" adds up whole numbers exactly, "monte-carlo" draws patterns.
        n: pairs.
        nonzero: differences beyond a tie; the others change nothing.
        patterns: how many there are ("exact"), or were drawn ("monte-carlo"); 0 for "lattice".
        count: how many of them reach the observed statistic; None for "lattice".
        low, high: 99 % Clopper-Pearson interval of a drawn p; both p where it is exact.
        resolution: the smallest p that could have come out.
        at: the level that even 1,000,000 patterns could not tell p apart from; None when there is none.
        seed: of the patterns; None where none were drawn.
    """

    p: float
    p_greater: float
    method: Literal["exact", "lattice", "monte-carlo"]
    n: int
    nonzero: int
    patterns: int
    count: int | None
    low: float
    high: float
    resolution: float
    at: float | None = None
    seed: int | None = None

    @property
    def null(self) -> str:
        """What is supposed and may be rejected."""
        return NULL


def randomisation(
    columns: F64, queries: Sequence[str], seed: int, flips: int = FLIPS, *, at: Sequence[float] | Unclear = AT,
    counted: Counted | None = None,
) -> tuple[Randomisation | None, ...]:  # fmt: skip
    """The test of every column of differences, the drawn patterns shared by all of them.

    Args:
        columns: float64 of shape (columns, queries); NaN where a query has no pair.
        queries: their ids: a query's random signs belong to its id.
        seed: of the random signs.
        flips: patterns drawn for columns that have no exact p.
        at: levels that a p must be told apart from, or what says which columns are unclear: up to 1,000,000 patterns
            are drawn for these.
        counted: patterns that were drawn already.

    Returns:
        One for each column; None where no pair is defined.
    """
    columns = np.where(np.abs(columns) <= TIE, 0.0, columns)
    out = [_exact(column[~np.isnan(column)]) for column in columns]
    missing = np.array([p is None and _has_pairs(column) for p, column in zip(out, columns, strict=True)], np.bool_)
    counts, drawn = np.zeros(len(columns), np.int64), np.zeros(len(columns), np.int64)
    if counted is not None:
        known = missing & ~np.isnan(counted.p)
        counts[known] = np.rint(counted.p[known] * (counted.patterns + 1)).astype(np.int64) - 1
        drawn[known] = counted.patterns
    left = missing & (drawn == 0)
    if left.any():
        counts[left], drawn[left] = _counts(columns[left], queries, seed, flips), flips
    levels = () if callable(at) else at
    unclear = missing & (drawn < MOST_FLIPS)
    if unclear.any() and at:
        unclear &= _unclear(out, counts, drawn, at)
        for fewer in np.unique(drawn[unclear]).tolist():
            these = unclear & (drawn == fewer)
            counts[these] += _counts(columns[these], queries, seed, MOST_FLIPS, start=fewer)
            drawn[these] = MOST_FLIPS
    for place in np.flatnonzero(missing).tolist():
        column = columns[place]
        known_d = column[~np.isnan(column)]
        out[place] = _drawn_result(known_d, int(counts[place]), int(drawn[place]), seed, levels)
    return tuple(out)


def _unclear(
    exact: Sequence[Randomisation | None], counts: NDArray[np.int64], drawn: NDArray[np.int64],
    at: Sequence[float] | Unclear,
) -> NDArray[np.bool_]:  # fmt: skip
    """Which drawn columns need more patterns."""
    if not callable(at):
        return np.array([total > 0 and _undecided(int(count), int(total), at) is not None
                         for count, total in zip(counts, drawn, strict=True)], np.bool_)  # fmt: skip
    ends = np.full((2, len(counts)), np.nan)
    for place, (p, count, total) in enumerate(zip(exact, counts.tolist(), drawn.tolist(), strict=True)):
        if p is not None:
            ends[:, place] = p.p
        elif total:
            ends[:, place] = clopper_pearson(count, total, 0.99)
    return at(ends[0], ends[1])


def _has_pairs(column: F64) -> bool:
    return not bool(np.isnan(column).all())


def _exact(d: F64) -> Randomisation | None:
    """The test without drawing; None where that is too much work, or there is no pair."""
    n, d = len(d), d[d != 0]
    if n == 0:
        return None
    if len(d) <= EXACT:
        count = _reaching(d)
        return _result(count / 2 ** len(d), d, n, "exact", 2 ** len(d), count)
    steps = lattice_steps(d)
    if steps is None:
        return None
    p = _lattice_p(np.rint(d * steps).astype(np.int64))
    return None if p is None else _result(p, d, n, "lattice", 0, None)


def _result(
    p: float, d: F64, n: int, method: Literal["exact", "lattice"], patterns: int, count: int | None
) -> Randomisation:
    return Randomisation(
        p=p, p_greater=_greater(p, d), method=method, n=n, nonzero=len(d), patterns=patterns, count=count,
        low=p, high=p, resolution=min(1.0, 2.0 ** (1 - len(d))),
    )  # fmt: skip


def _greater(p: float, d: F64) -> float:
    """One-sided from two-sided: the patterns come in pairs of opposite signs."""
    return p / 2 if d.sum() > 0 else 1 - p / 2


def _reaching(d: F64) -> int:
    """How many of all sign patterns reach the observed |sum|: every sum of one half against every sum of the other."""
    wanted = abs(float(d.sum())) - TIE * float(np.abs(d).sum())
    if wanted <= 0:
        return int(2 ** len(d))
    half = len(d) // 2
    one, other = _all_sums(d[:half]), np.sort(_all_sums(d[half:]))
    return 2 * int((len(other) - np.searchsorted(other, wanted - one)).sum())


def _all_sums(d: F64) -> F64:
    sums = np.zeros(1)
    for size in d:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _lattice_p(d: NDArray[np.int64]) -> float | None:
    """The p of whole differences by adding up the distribution of their signed sum; None if that is too much work.

    Equal sizes are added at once: how many of them are positive is binomial. Of a binomial of more than 144 what lies
    12 standard deviations out is left out, less than 1e-30 in all, and counted as reaching.
    """
    sizes, counts = np.unique(np.abs(d), return_counts=True)
    total = int(np.abs(d).sum())
    parts = [_binomial(int(count)) for count in counts]
    width, work = 1, 0
    for size, (_, shares) in zip(sizes.tolist(), parts, strict=True):
        work += len(shares) * width
        width += size * (len(shares) - 1)
    if work > LATTICE_WORK:
        return None
    positive, first = np.ones(1), 0  # chance of each sum of the positive ones, from `first` on
    for size, (fewest, shares) in zip(sizes.tolist(), parts, strict=True):
        wider = np.zeros(len(positive) + size * (len(shares) - 1))
        for step, share in enumerate(shares.tolist()):
            wider[size * step : size * step + len(positive)] += share * positive
        positive, first = wider, first + size * fewest
    sums = 2 * (first + np.arange(len(positive))) - total
    reached = float(positive[np.abs(sums) >= abs(int(d.sum()))].sum())
    left_out = sum(_LEFT_OUT for fewest, _ in parts if fewest > 0)
    return min(1.0, reached + left_out)


_LEFT_OUT = 2 * math.exp(-72)


def _binomial(n: int) -> tuple[int, F64]:
    """The fewest successes that count, and the chances of that many and more in n fair coins."""
    reach = 6 * math.sqrt(n)
    fewest, most = max(0, math.floor(n / 2 - reach)), min(n, math.ceil(n / 2 + reach))
    middle = n // 2
    shares = np.empty(most - fewest + 1)
    up = down = math.comb(n, middle) / 2**n
    shares[middle - fewest] = up
    for k in range(middle + 1, most + 1):
        up *= (n - k + 1) / k
        shares[k - fewest] = up
    for k in range(middle - 1, fewest - 1, -1):
        down *= (k + 1) / (n - k)
        shares[k - fewest] = down
    return fewest, shares


def _drawn_result(d: F64, count: int, drawn: int, seed: int, levels: Sequence[float]) -> Randomisation:
    low, high = clopper_pearson(count, drawn, 0.99)
    p = (count + 1) / (drawn + 1)
    return Randomisation(
        p=p, p_greater=_greater(p, d), method="monte-carlo", n=len(d), nonzero=int((d != 0).sum()), patterns=drawn,
        count=count, low=low, high=high, resolution=1 / (drawn + 1), at=_undecided(count, drawn, levels), seed=seed,
    )  # fmt: skip


def _undecided(count: int, drawn: int, levels: Sequence[float]) -> float | None:
    """The level that the 99 % interval of a drawn p holds."""
    low, high = clopper_pearson(count, drawn, 0.99)
    return next((level for level in levels if low <= level <= high), None)


def _counts(columns: F64, queries: Sequence[str], seed: int, flips: int, start: int = 0) -> NDArray[np.int64]:
    """How many patterns from `start` up to `flips` reach each column's observed |sum|."""
    used = ~np.isnan(columns).all(axis=0)
    signs = random_signs(query_keys([queries[at] for at in np.flatnonzero(used).tolist()], seed), flips)
    numbers, _ = whole(np.nan_to_num(columns[:, used]))
    wanted = np.abs(numbers.sum(axis=1)) - TIE * np.abs(numbers).sum(axis=1)
    counts = np.zeros(len(columns), dtype=np.int64)
    for sums in signed_sums(numbers, signs, start):
        counts += (np.abs(sums, out=sums) >= wanted[:, None]).sum(axis=1)
    return counts
