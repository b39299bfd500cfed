"""All pairs of systems under "all systems are exchangeable": the randomised Tukey test.

Inside each query the systems' values are shuffled; p is the share of shuffles whose largest difference of means reaches
the observed difference. Exact under its own null, whatever the shape of the values (Carterette, TOIS 30(1), 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial

import numpy as np
from numpy.typing import NDArray

from assay.keys import stream
from assay.stats.signs import TIE, whole

F64 = NDArray[np.float64]

PERMUTATIONS = 10_000
NULL = "all systems are exchangeable within each query"
"""What the test supposes, in words."""
_EXACT = 100_000
_HELD = 1 << 21


@dataclass(frozen=True, eq=False, slots=True)
class Exchanged:
    """Adjusted p of every pair of systems.

    Args:
        first, second: int64 of shape (pairs,): the systems of each pair; differences are second minus first.
        differences: float64 of shape (pairs,), of the means.
        adjusted: float64 of shape (pairs,).
        permutations: how many shuffles.
        exact: whether these are all there are.
        seed: of the shuffles; None where every one was counted.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    differences: F64
    adjusted: F64
    permutations: int
    exact: bool
    seed: int | None


def exchanged_pairs(scores: F64, queries: Sequence[str], seed: int, count: int = PERMUTATIONS) -> Exchanged:
    """The randomised Tukey test of all pairs of systems.

    Neither the order of the systems nor that of the queries changes a p.

    Args:
        scores: float64 of shape (systems, queries); a query that is not defined for all systems is left out.
        queries: their ids.
        seed: of the shuffles.
        count: shuffles drawn; all are counted instead when there are at most 100,000.
    """
    first, second = np.triu_indices(len(scores), 1)
    # sorted inside each query and by query: the shuffles then belong to the values and not to their order
    used = set(np.flatnonzero(~np.isnan(scores.sum(axis=0))).tolist())
    order = [at for at in sorted(range(len(queries)), key=queries.__getitem__) if at in used]
    scores = scores[:, order]
    systems, n = scores.shape
    nothing = np.full(len(first), np.nan)
    if n == 0:
        return Exchanged(first, second, nothing, nothing, 0, True, None)
    flat, scale = whole(scores.reshape(1, -1))
    numbers = flat.reshape(systems, n)
    totals = numbers.sum(axis=1)
    distances = totals[second] - totals[first]
    values = np.sort(numbers, axis=0).T
    ways = factorial(systems) ** n if n <= 20 else _EXACT + 1
    if ways <= _EXACT:
        ranges = np.sort(_every_range(values))
        drawn = 0
    else:
        ranges = np.sort(_drawn_ranges(values, stream(seed, "exchange"), count))
        drawn = 1
    reached = np.abs(distances) - TIE * float(np.abs(numbers).sum())
    adjusted = (len(ranges) - np.searchsorted(ranges, reached) + drawn) / (len(ranges) + drawn)
    differences = distances / float(scale[0, 0]) / n
    return Exchanged(first, second, differences, adjusted, len(ranges), not drawn, seed if drawn else None)


def _drawn_ranges(values: F64, rng: np.random.Generator, count: int) -> F64:
    """The largest less the smallest sum of every shuffle."""
    n, systems = values.shape
    block = max(1, _HELD // values.size)
    ranges = np.empty(count)
    for start in range(0, count, block):
        stop = min(start + block, count)
        tiled = np.broadcast_to(values, (stop - start, n, systems)).copy()
        sums = rng.permuted(tiled, axis=2, out=tiled).sum(axis=1)
        ranges[start:stop] = np.ptp(sums, axis=1)
    return ranges


def _every_range(values: F64) -> F64:
    rows = [[np.array(order) for order in permutations(row)] for row in values.tolist()]
    return np.array([np.ptp(np.sum(shuffle, axis=0)) for shuffle in product(*rows)])
