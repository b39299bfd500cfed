"""Many differences at once: Westfall and Young's step-down max-T with sign flips that all columns share.

One sign a query keeps what columns have in common, so the correction is no harsher than the family needs. The
columns are studentised, so that a noisy one does not rule the maximum. Strong control of the family-wise error when
the columns whose null holds are jointly sign-symmetric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.stats.intervals import why_undefined
from assay.stats.randomisation import EXACT
from assay.stats.signs import TIE, Signs, every_sign, lattice_steps, query_keys, random_signs, signed_sums, whole

F64 = NDArray[np.float64]
NULL = "each query's differences are as likely all turned over together (jointly symmetric about 0)"
"""What max-T supposes of the columns whose null holds, in words."""
Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, eq=False, slots=True)
class MaxT:
    """Adjusted p of every column.

    Args:
        statistic: float64 of shape (columns,): t of each column with its own n, or its mean when not studentised; inf
            where all differences are equal; NaN where there are fewer than two pairs.
        p: not adjusted, from the same patterns.
        adjusted: step-down.
        single_step: adjusted by the maximum over all columns.
        patterns: how many.
        exact: whether these are all there are.
        seed: of the patterns; None where every one was counted.
    """

    statistic: F64
    p: F64
    adjusted: F64
    single_step: F64
    patterns: int
    exact: bool
    seed: int | None


@dataclass(frozen=True, eq=False, slots=True)
class AllPairs:
    """Every pair of systems.

    Args:
        first, second: int64 of shape (pairs,): the systems of each pair; differences are second minus first.
        tests: max-T over the pairs.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    tests: MaxT


@dataclass(frozen=True, eq=False, slots=True)
class _Scale:
    """How a signed sum becomes what is compared between columns.

    Args:
        factor: float64 of shape (columns,), what a sum is multiplied by: it becomes r = sum / sqrt(n sum d^2), of which
            t is a rising function; or the mean.
        df: n - 1 of each column where r must be made t, because the columns have different n; None elsewhere.
        slack: float64 of shape (columns,), how far below the observed value still reaches it.
    """

    factor: F64
    df: F64 | None
    slack: F64

    def of(self, sums: F64, at: int) -> None:
        """Scales the sums of one column in place."""
        np.multiply(sums, self.factor[at], out=sums)
        if self.df is not None:
            sums *= np.sqrt(self.df[at] / np.maximum(1 - sums * sums, _ALIGNED))

    def thresholds(self, observed: F64) -> F64:
        """From where on a pattern reaches the observed sums."""
        at_least: F64 = observed * self.factor - self.slack
        if self.df is not None:
            at_least = at_least * np.sqrt(self.df / np.maximum(1 - at_least * at_least, _ALIGNED))
        return at_least


_ALIGNED = 1e-15
"""1 - r^2 from which all flips are aligned: t is infinite, and only has to be larger than all others."""
Take = Callable[[F64, int, F64], object]
"""Takes from a block of signed sums those of one column: (block, column, where to put them)."""


def max_t(
    columns: F64,
    queries: Sequence[str],
    seed: int,
    flips: int = 100_000,
    *,
    studentised: bool = True,
    alternative: Alternative = "two-sided",
) -> MaxT:
    """Step-down max-T over columns of differences.

    Args:
        columns: float64 of shape (columns, queries); NaN where a query is absent from the column.
        queries: their ids: a query's random signs belong to its id.
        seed: of the random signs.
        flips: patterns drawn; all are counted instead when at most 20 queries differ.
        studentised: False compares the means themselves.
        alternative: "greater": candidates are better; "less": worse; with a margin added to the columns, worse by more
            than that.
    """
    columns = _signed(columns, alternative)
    present = ~np.isnan(columns)
    n = present.sum(axis=1)
    tested = np.flatnonzero(n >= 2)
    if not len(tested):
        nothing = np.full(len(columns), np.nan)
        return MaxT(nothing, nothing, nothing, nothing, 0, True, None)
    numbers, scale = whole(np.nan_to_num(columns[tested]))
    signs, numbers = _patterns(numbers, queries, seed, flips, two_sided=alternative == "two-sided")
    sums, squares = numbers.sum(axis=1), (numbers**2).sum(axis=1)
    scaled = _scale(numbers, n[tested], squares, scale[:, 0], studentised)
    found = _step_down(signed_sums(numbers, signs), _row, scaled, sums, signs, alternative)
    t = _t(sums, n[tested], squares) if studentised else sums / scale[:, 0] / n[tested]
    if alternative == "less":
        t = -t
    return _result([t, *found], tested, len(columns), signs, seed)


def _signed(columns: F64, alternative: Alternative) -> F64:
    """Ties made 0, and turned over where losses are what counts."""
    columns = np.where(np.abs(columns) <= TIE, 0.0, columns)
    return -columns if alternative == "less" else columns


def _patterns(numbers: F64, queries: Sequence[str], seed: int, flips: int, *, two_sided: bool) -> tuple[Signs, F64]:
    """The sign patterns, and the columns without the queries in which nothing differs."""
    differs = (numbers != 0).any(axis=0)
    numbers = numbers[:, differs]
    size = int(differs.sum())
    if size <= EXACT:
        # opposite patterns have opposite sums: half of them are enough where the sign does not count
        signs = every_sign(size)
        return (replace(signs, count=max(1, signs.count // 2)) if two_sided else signs), numbers
    return random_signs(query_keys([queries[at] for at in np.flatnonzero(differs).tolist()], seed), flips), numbers


def _scale(numbers: F64, n: NDArray[np.int64], squares: F64, scale: F64, studentised: bool) -> _Scale:
    if not studentised:
        factor = 1 / (scale * n)
        return _Scale(factor, None, TIE * np.abs(numbers).sum(axis=1) * factor)
    unequal = bool((n != n[0]).any())
    return _Scale(_r_factor(n, squares), n.astype(np.float64) - 1 if unequal else None, np.full(len(n), TIE))


def _r_factor(n: NDArray[np.int64], squares: F64) -> F64:
    return np.divide(1.0, np.sqrt(n * squares), out=np.zeros(len(n)), where=squares > 0)


def _t(sums: F64, n: NDArray[np.int64], squares: F64) -> F64:
    """The t of each column; 0 where all differences are 0, infinite where they are equal."""
    r = sums * _r_factor(n, squares)
    rest = 1 - r * r
    with np.errstate(divide="ignore"):
        found: F64 = np.where(rest <= _ALIGNED, np.copysign(np.inf, r), r * np.sqrt((n - 1) / np.maximum(rest, 0)))
    return np.where(squares > 0, found, 0.0)


def _row(block: F64, at: int, out: F64) -> None:
    np.copyto(out, block[at])


def _step_down(
    blocks: Iterator[F64], take: Take, scale: _Scale, observed: F64, signs: Signs, alternative: Alternative
) -> list[F64]:
    """p, step-down and single-step p of every column."""
    two_sided = alternative == "two-sided"
    wanted = scale.thresholds(np.abs(observed) if two_sided else observed)
    order = np.argsort(-wanted, kind="stable")
    counts = np.zeros((3, len(order)), dtype=np.int64)
    for block in blocks:
        width = block.shape[1]
        sums, largest, reached = np.empty(width), np.full(width, -np.inf), np.empty(width, dtype=bool)
        for at in order[::-1].tolist():
            take(block, at, sums)
            if two_sided:
                np.abs(sums, out=sums)
            scale.of(sums, at)
            counts[0, at] += np.count_nonzero(np.greater_equal(sums, wanted[at], out=reached))
            np.maximum(largest, sums, out=largest)
            counts[1, at] += np.count_nonzero(np.greater_equal(largest, wanted[at], out=reached))
        largest.sort()
        counts[2] += width - np.searchsorted(largest, wanted)
    drawn = signs.keys is not None
    p, steps, single = (counts + drawn) / (signs.count + drawn)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(steps[order])
    return [p, adjusted, single]


def _result(found: list[F64], tested: NDArray[np.intp], size: int, signs: Signs, seed: int) -> MaxT:
    placed = np.full((len(found), size), np.nan)
    placed[:, tested] = found
    statistic, p, adjusted, single_step = placed
    if signs.keys is None:
        return MaxT(statistic, p, adjusted, single_step, 1 << signs.queries, True, None)
    return MaxT(statistic, p, adjusted, single_step, signs.count, False, seed)


def critical_t(
    columns: F64,
    queries: Sequence[str],
    seed: int,
    flips: int = 100_000,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> float | None:
    """How many standard errors simultaneous intervals take: the quantile of the largest |t| of the centred columns.

    mean ± critical_t x sd / sqrt(n) holds for all columns at once at `level`; with "greater" or "less" it is the
    quantile of the largest t, for one-sided bounds. None where no column has a spread.
    """
    columns = _signed(columns, alternative)
    n = (~np.isnan(columns)).sum(axis=1)
    usable = np.array([not why_undefined(column) for column in columns], dtype=bool)
    columns, n = columns[usable], n[usable]
    if not len(columns):
        return None
    centred = columns - np.nansum(columns, axis=1, keepdims=True) / n[:, None]
    numbers, _ = whole(np.nan_to_num(centred))
    two_sided = alternative == "two-sided"
    signs, numbers = _patterns(numbers, queries, seed, flips, two_sided=two_sided)
    factor = _r_factor(n, (numbers**2).sum(axis=1))
    scale = _Scale(factor, n - 1.0, np.zeros(len(n)))
    largest = np.empty(signs.count)
    start = 0
    for block in signed_sums(numbers, signs):
        part = largest[start : start + block.shape[1]]
        part[:] = -np.inf
        for at, sums in enumerate(block):
            if two_sided:
                np.abs(sums, out=sums)
            scale.of(sums, at)
            np.maximum(part, sums, out=part)
        start += len(part)
    largest.sort()
    # the observed pattern counts as one more: the smallest value that the wanted share of all stays at or below
    place = math.ceil(level * (len(largest) + (signs.keys is not None)) - 1e-9) - 1
    return float(largest[min(place, len(largest) - 1)])


def all_pairs(
    scores: F64, queries: Sequence[str], seed: int, flips: int = 100_000, *, studentised: bool = True
) -> AllPairs:
    """Step-down max-T over all pairs of systems, from one product of the signs with the scores.

    Args:
        scores: float64 of shape (systems, queries); NaN where undefined: a pair is over the queries that both have.
        queries: their ids.
        seed: of the random signs.
        flips: patterns drawn.
        studentised: False compares the means themselves.
    """
    known = ~np.isnan(scores).all(axis=0)
    scores, queries = scores[:, known], [queries[at] for at in np.flatnonzero(known).tolist()]
    systems, n = scores.shape
    first, second = np.triu_indices(systems, 1)
    if np.isnan(scores).any() or n < 2:
        return AllPairs(
            first, second, max_t(scores[second] - scores[first], queries, seed, flips, studentised=studentised)
        )
    # what all systems have in common changes no difference
    numbers, scale = _alike(scores - scores.min(axis=0))
    signs, numbers = _patterns(numbers, queries, seed, flips, two_sided=True)
    sums, squares, sizes = (np.empty(len(first)) for _ in range(3))
    for system in range(systems - 1):
        at = first == system
        differences = numbers[system + 1 :] - numbers[system]
        sums[at], squares[at] = differences.sum(axis=1), (differences**2).sum(axis=1)
        sizes[at] = np.abs(differences).sum(axis=1)
    every = np.full(len(first), n)
    if studentised:
        scaled = _Scale(_r_factor(every, squares), None, np.full(len(first), TIE))
    else:
        scaled = _Scale(np.full(len(first), 1 / (scale * n)), None, TIE * sizes / (scale * n))
    lower, upper = first.tolist(), second.tolist()

    def take(block: F64, at: int, out: F64) -> None:
        np.subtract(block[upper[at]], block[lower[at]], out=out)

    found = _step_down(signed_sums(numbers, signs), take, scaled, sums, signs, "two-sided")
    t = _t(sums, every, squares) if studentised else sums / scale / n
    return AllPairs(first, second, _result([t, *found], np.arange(len(first)), len(first), signs, seed))


def _alike(scores: F64) -> tuple[F64, float]:
    """The scores as whole numbers of one scale, so that their differences are exact as well."""
    numbers, scale = whole(scores)
    smallest = float(scale.min())
    if (scale == smallest).all():
        return numbers, smallest
    steps = lattice_steps(scores.ravel())
    if steps is not None:
        return np.rint(scores * steps), float(steps)
    return np.rint(scores * smallest), smallest
