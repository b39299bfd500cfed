"""Readers by their chance to go on at each rank: the C/W/L family, where a measure is a reader (Moffat et al., 2017).

At each rank the reader goes on with chance C, so rank i is seen with the product of all C above it; W is that, made to
sum to 1. The value is the gain per document seen: the gain of each rank weighted by W.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from assay.measures.measure import Steps
from assay.measures.orders import tables, tied
from assay.measures.scale import shares
from assay.ranking.ranking import F64, Ranking

DEPTH = 1000
"""How far a reader goes at most; cwl-eval's depth. Below the end of the list there is no gain, but reading goes on."""

ROWS = 512
"""Queries that are laid out side by side at once: 4 MB a table of them."""

GoOn = Callable[[F64], F64]
"""From the gains of some lists, float64 of shape (queries, ranks), to the chance to go on at each of those ranks."""


def laid_out(r: Ranking, max: float | None, depth: int) -> Iterator[tuple[slice, F64]]:
    """The gain at each rank of some queries after others: which queries, and float64 of shape (queries, depth)."""
    gain = shares(r, max)
    for begin in range(0, r.n, ROWS):
        end = min(begin + ROWS, r.n)
        low, high = np.searchsorted(r.query, [begin, end])
        shown = r.rank[low:high] <= depth
        table = np.zeros((end - begin, depth))
        table[r.query[low:high][shown] - begin, r.rank[low:high][shown] - 1] = gain[low:high][shown]
        yield slice(begin, end), table


def seen(go_on: F64) -> F64:
    """The chance that each rank is seen, float64 of the shape of `go_on`."""
    before = np.cumprod(go_on[:, :-1], axis=1)
    return np.concatenate([np.ones((len(go_on), 1)), before], axis=1)


def per_document(r: Ranking, max: float | None, go_on: GoOn, name: str, depth: int = DEPTH) -> F64:
    """The gain per document seen, float64 of shape (n,)."""

    def value(gain: F64) -> F64:
        weight = seen(go_on(gain))
        return (weight * gain).sum(axis=1) / weight.sum(axis=1)  # type: ignore[no-any-return] # float64

    return _by_list(r, max, value, name, depth)


def in_total(r: Ranking, max: float | None, go_on: GoOn, name: str, depth: int = DEPTH) -> F64:
    """The gain of all documents seen, float64 of shape (n,)."""
    return _by_list(r, max, lambda gain: (seen(go_on(gain)) * gain).sum(axis=1), name, depth)


def _by_list(r: Ranking, max: float | None, value: Callable[[F64], F64], name: str, depth: int) -> F64:
    """The value of each list; where ties are averaged, its mean over all orders that differ."""
    values = np.zeros(r.n)
    for which, gain in laid_out(r, max, depth):
        values[which] = value(gain)
    if r.is_averaged:
        each = shares(r, max)
        for query in tied(r):
            orders = tables(r, query, each, depth, name)
            parts = [value(orders[at : at + ROWS]) for at in range(0, len(orders), ROWS)]
            values[query] = np.concatenate(parts).mean()
    return values


def by_rank(weight: F64) -> Callable[[F64], F64]:
    """The weights of ranks 1, 2, ... as a function of ranks, 0 below the last."""

    def of_rank(rank: F64) -> F64:
        place = np.minimum(rank.astype(np.int64), len(weight)) - 1
        return np.where(rank <= len(weight), weight[place], 0.0)

    return of_rank


def laid_open(
    r: Ranking, max: float | None, go_on: GoOn, name: str, depth: int = DEPTH, *, total: bool = False
) -> Steps:
    """The steps of a ranking of one query: each gain with the chance that its rank is seen.

    Args:
        r: the ranking.
        max: the highest grade of the scale.
        go_on: the reader.
        name: of the measure, for complaints.
        depth: how far the reader goes at most.
        total: the gain in total is the value, and not the gain per document.
    """
    if r.is_averaged:
        value = (in_total if total else per_document)(r, max, go_on, name, depth)
        return Steps(np.full(len(r.rank), np.nan), float(value[0]))
    (_, table), *_ = laid_out(r, max, depth)
    weight = seen(go_on(table))[0]
    gain, chance = shares(r, max), by_rank(weight)
    each = chance(r.rank.astype(np.float64))
    divisor = None if total else float(weight.sum())
    return Steps(gain * each, float((gain * each).sum()), divisor, gain=gain, discount=each,
                 divided_by="1 / chance to be seen", weight=chance)  # fmt: skip


def ranks(gain: F64) -> F64:
    """1, 2, 3, ... beside the gains of some lists."""
    return np.arange(1, gain.shape[1] + 1, dtype=np.float64)


def inst(target: float) -> GoOn:
    """Goes on as long as the target is not reached: ((i + T + T_i - 1) / (i + T + T_i))^2, T_i still wanting."""

    def go_on(gain: F64) -> F64:
        place = ranks(gain) + 2 * target - np.cumsum(gain, axis=1)
        return ((place - 1) / place) ** 2

    return go_on


def insq(target: float) -> GoOn:
    """Goes on by rank alone: ((i + 2T - 1) / (i + 2T))^2."""

    def go_on(gain: F64) -> F64:
        place = ranks(gain) + 2 * target
        return np.broadcast_to(((place - 1) / place) ** 2, gain.shape)

    return go_on


def persistent(p: float) -> GoOn:
    """Goes on with the same chance everywhere, as in RBP."""
    return lambda gain: np.full(gain.shape, p)
