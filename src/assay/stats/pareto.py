"""Drawing a fixed number of different things, each with a chance of its own.

Source: Rosén, On sampling with probability proportional to size, J. Stat. Plan. Inference 62, 1997 (Pareto sampling).
The chances of the draw are those asked for up to a term that vanishes with its size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


def inclusion(size: F64, n: int) -> F64:
    """Chances in proportion to size with sum n; what would pass 1 is taken for certain, and the rest shared anew."""
    chance = np.zeros(len(size))
    if n >= len(size):
        return np.ones(len(size))
    certain = np.zeros(len(size), dtype=np.bool_)
    while True:
        rest = ~certain
        chance[certain] = 1.0
        chance[rest] = size[rest] * (n - int(certain.sum())) / size[rest].sum()
        passed = rest & (chance >= 1)
        if not passed.any():
            return chance
        certain |= passed


def pareto(chance: F64, luck: F64, n: int) -> I64:
    """The places of the n that are drawn: the certain ones, then the smallest odds of luck over odds of chance.

    Args:
        chance: f64[m], see `inclusion`.
        luck: f64[m], independent uniform numbers in (0, 1); the same numbers in a later draw keep what can be kept.
        n: how many.
    """
    with np.errstate(divide="ignore"):  # a certain one has infinite odds and comes first
        rank = luck / (1 - luck) * (1 - chance) / chance
    return np.argsort(rank, kind="stable")[:n].astype(np.int64)
