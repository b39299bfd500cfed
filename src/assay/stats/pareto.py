"""Drawing a fixed number of different things, each with a chance of its own.

Source: Rosén, On sampling with probability proportional to size, J. Stat. Plan. Inference 62, 1997 (Pareto sampling).
The chances of the draw are those asked for up to a term that vanishes with its variance; `exact` has them without it.
"""

from __future__ import annotations

from collections.abc import Iterator

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


MANY = 13.0
"""Variance of a draw by independent coins, the sum of p (1 - p), from which the chances asked for are true to 1 in
1,000, and `exact` gives them back. Their error falls with its square: in thousands of random draws of up to 3,000
things it was 0.15 over the square at most. How many are drawn says nothing: of 60 of 63 they may be 7 % off."""

TINY = 1e-6
"""Chances below it lose too many digits when the draw is looked at from the other side, by who stays out."""

STEPS = 2_000_000
"""Columns of thresholds that are added, at most, which takes some seconds. More would be needed where thousands of
things have each a chance of their own: what was asked for is given back then, though it may be 1 % off."""

FINE = 0.8
"""Steps of the integral, in standard deviations of how many things lie below a threshold: its error is under e^-30."""

ENDS = 27.0
"""How far the integral goes beyond the last thing, in log odds: what is left is under e^-27."""


def exact(chance: F64, n: int) -> F64:
    """The chances with which `pareto` draws, which differ from those asked for where few are drawn, or few stay out.

    A thing is drawn where fewer than n others lie below it. How many do at a given threshold is a sum of independent
    coins (Poisson-binomial), so the chance is an integral over the threshold, here by equal steps: the integrand is
    smooth and ends fast on both sides. Equal things are one group.

    Args:
        chance: f64[m], those asked for, see `inclusion`.
        n: how many are drawn.

    Source: Aires, Methodol. Comput. Appl. Probab. 1(4), 1999 (the chances of Pareto sampling by recursion).
    """
    free = (chance > 0) & (chance < 1)
    left, of = n - int((chance >= 1).sum()), int(free.sum())
    spread = float((chance[free] * (1 - chance[free])).sum())
    if not 1 <= left < of or spread >= MANY:
        return chance
    if 2 * left > of and chance[free].min() > TINY:  # few stay out: the same draw from the other side
        return 1 - exact(1 - chance, len(chance) - n)
    asked, group, size = np.unique(chance[free], return_inverse=True, return_counts=True)
    levels = len(asked).bit_length()
    if int(np.where(size > 1, np.minimum(left, size), 1).sum()) * levels * (left + 30) > STEPS:
        return chance
    odds = np.log(asked) - np.log1p(-asked)
    step = min(0.25, FINE / spread**0.5)
    at = np.arange(-odds.max() - ENDS, -odds.min() + ENDS, step)
    below = 1 / (1 + np.exp(-(at[:, None] + odds)))  # f64[thresholds, groups]
    start = np.zeros((len(at), left))
    start[:, 0] = 1.0  # nobody lies below, and as many as are drawn or more are not told apart
    found = chance.copy()
    own = np.empty(len(asked))
    for which, others in _without_each(start, below, size, 0, len(asked)):
        under = below[:, which]
        own[which] = float((under * (1 - under) * others.sum(axis=1)).sum() * step)
    found[free] = own[group]
    return found


def _without_each(counts: F64, below: F64, size: I64, low: int, high: int) -> Iterator[tuple[int, F64]]:
    """For each group from low to high, how many lie below when one of it is left out: each half gets the other one."""
    if high - low == 1:
        yield low, _added(counts, below[:, low], int(size[low]) - 1)
        return
    middle = (low + high) // 2
    for own, other in (((low, middle), (middle, high)), ((middle, high), (low, middle))):
        more = counts
        for group in range(*other):
            more = _added(more, below[:, group], int(size[group]))
        yield from _without_each(more, below, size, *own)


def _added(counts: F64, under: F64, size: int) -> F64:
    """The distribution of a count, f64[thresholds, n], with `size` more coins that each fall so with chance `under`."""
    if not size:
        return counts
    if size == 1:
        more = counts * (1 - under)[:, None]
        more[:, 1:] += counts[:, :-1] * under[:, None]
        return more
    n = counts.shape[1]
    share = _binomial(under, size, min(size, n - 1))
    more = counts * share[:, :1]
    for k in range(1, share.shape[1]):
        more[:, k:] += counts[:, : n - k] * share[:, k : k + 1]
    return more


def _binomial(under: F64, size: int, most: int) -> F64:
    """Chances that 0 to `most` of `size` coins fall so, f64[thresholds, most + 1]."""
    k = np.arange(most + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log(size - k[:-1]) - np.log(k[1:]))])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = ways + k * np.log(under)[:, None] + (size - k) * np.log1p(-under)[:, None]
    return np.exp(np.where(np.isnan(logs), -np.inf, logs))
