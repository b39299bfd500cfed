"""What first stages brought: recall and the best order reachable from it, each query, with ties as the conventions say.

A first stage hands on its documents down to a depth. Where documents of equal score straddle that depth and ties are
averaged, which of them were handed on is not known: each order of the equals is as likely as the others, recall and
ceiling are their means over these orders, and several retrievers settle their ties each for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.keys import stream
from assay.measures.measure import Measure
from assay.ranking.discounts import discount_function, gain_function
from assay.ranking.ranking import F64, I64, Judged, Ranking, position_in_group

Brought = Sequence[tuple[Ranking, int | None]]
"""The first stages of a system, each with how many of its documents the next stage read; None is all."""

DRAWN = 2_000
"""Orders that are drawn where several retrievers have ties across their depths in one query."""


def chances(judged: Judged, brought: Brought, at: int | None = None) -> F64:
    """The chance of each judgment to be of a document that was handed on, float64 of shape (n_judgments,).

    Args:
        judged: the judgments.
        brought: the first stages.
        at: looks at their first documents alone, down to this rank.
    """
    missed = np.ones(len(judged.grade))
    for r, depth in brought:
        missed[r.judgment] *= 1.0 - r.within(_shallower(depth, at))
    return 1.0 - missed


def recall(judged: Judged, chance: F64, rel: float | None) -> F64:
    """Share of each query's relevant documents among those handed on, float64 of shape (n,); NaN without any.

    Args:
        judged: the judgments.
        chance: of each to be of a document that was handed on.
        rel: the lowest relevant grade; None leaves it to the judgments.
    """
    hits = np.bincount(judged.query, chance * judged.is_relevant(judged.grade, rel), minlength=judged.n)
    there_are = judged.relevant(rel)
    share: F64 = np.divide(hits, there_are, out=np.full(judged.n, np.nan), where=there_are > 0)
    return share


def ceiling(judged: Judged, brought: Brought, measure: Measure) -> F64:
    """The nDCG of the best order of what was handed on, float64 of shape (n,).

    Args:
        judged: the judgments.
        brought: the first stages.
        measure: an nDCG whose ideal is over all judged documents.
    """
    chance = chances(judged, brought)
    best = measure.compute(in_best_order(judged, np.flatnonzero(chance > 0), measure))
    gain: Any = gain_function(measure.params["gain"])  # type: ignore[arg-type] # a gain by its declaration
    worth = np.maximum(gain(judged.grade), 0.0)
    open_ones = (chance > 0) & (chance < 1) & (worth > 0)
    if not open_ones.any():
        return best
    discount = discount_function(str(measure.params["discount"]))
    ideal = judged.best_sum(gain, discount, measure.cutoff)
    for query in np.unique(judged.query[open_ones]).tolist():
        here = np.flatnonzero((judged.query == query) & (chance > 0) & (worth > 0))
        best[query] = _expected(query, here, worth, chance, brought, discount, measure.cutoff) / ideal[query]
    return best


def _expected(
    query: int, docs: I64, worth: F64, chance: F64, brought: Brought, discount: Any, cutoff: int | None
) -> float:
    """Mean of the best discounted gain of one query over the orders of equal scores.

    The best sum is that of e_v S(N_v) over the gains g_v: e_v = g_v - g_(v-1), N_v documents with at least that gain,
    S the sum of the first discounts. So the distribution of each N_v is enough.
    """
    sums = np.concatenate([[0.0], np.cumsum(discount(np.arange(1, len(docs) + 1, dtype=np.float64)))])
    limit = len(docs) if cutoff is None else min(cutoff, len(docs))
    levels = np.unique(worth[docs])
    groups = [group for r, depth in brought if (group := _straddling(r, depth, query)) is not None]
    sure = set(docs[chance[docs] >= 1].tolist())
    total = 0.0
    for step, level in zip(np.diff(levels, prepend=0.0), levels, strict=True):
        wanted = set(docs[worth[docs] >= level].tolist())
        open_ones = [(sorted(wanted & members - sure), size, slots) for members, size, slots in groups]
        fixed = len(wanted & sure)
        for more, weight in _counts([group for group in open_ones if group[0]]):
            total += step * weight * sums[min(fixed + more, limit)]
    return total


def _straddling(r: Ranking, depth: int | None, query: int) -> tuple[set[int], int, int] | None:
    """The judged documents of the group of equal scores across the depth, its size, and how many of it are read."""
    if r.first is None or r.last is None or depth is None:
        return None
    here = np.flatnonzero((r.query == query) & (r.first <= depth) & (r.last > depth))
    if not len(here):
        return None
    first, last = int(r.first[here[0]]), int(r.last[here[0]])
    return set(r.judgment[here].tolist()), last - first + 1, depth - first + 1


def _counts(groups: Sequence[tuple[list[int], int, int]]) -> list[tuple[int, float]]:
    """How many of the open documents are read, with the chance of each number."""
    if not groups:
        return [(0, 1.0)]
    if len(groups) == 1:
        docs, size, slots = groups[0]
        return _hypergeometric(len(docs), size, slots)
    rng = stream(0, "ties of first stages")
    every = np.unique(np.concatenate([docs for docs, _, _ in groups]))
    places = [np.searchsorted(every, docs) for docs, _, _ in groups]
    found = np.zeros(DRAWN, np.int64)
    for i in range(DRAWN):
        is_read = np.zeros(len(every), np.bool_)
        for place, (docs, size, slots) in zip(places, groups, strict=True):
            is_read[place[rng.choice(size, len(docs), replace=False) < slots]] = True
        found[i] = is_read.sum()
    numbers, counts = np.unique(found, return_counts=True)
    return list(zip(numbers.tolist(), (counts / DRAWN).tolist(), strict=True))


def _hypergeometric(marked: int, size: int, slots: int) -> list[tuple[int, float]]:
    """How many of the marked are among so many drawn from all without replacement, with the chance of each number.

    By the ratio of neighbours in logarithms: binomials of very many equals would be very long numbers.
    """
    x = np.arange(max(0, slots - (size - marked)), min(marked, slots) + 1, dtype=np.float64)
    ratio = (marked - x[:-1]) * (slots - x[:-1]) / ((x[:-1] + 1) * (size - marked - slots + x[:-1] + 1))
    log = np.concatenate([[0.0], np.cumsum(np.log(ratio))])
    weight = np.exp(log - log.max())
    return list(zip(x.astype(np.int64).tolist(), (weight / weight.sum()).tolist(), strict=True))


def in_best_order(judged: Judged, found: I64, measure: Measure) -> Ranking:
    """The judged documents that were retrieved, the best first: no order of them scores higher."""
    grade, query = judged.grade[found], judged.query[found]
    gain: Any = measure.params.get("gain", "linear")
    worth = gain_function(gain)(grade)
    order = np.lexsort((-grade, -worth, query))
    found, query, grade = found[order], query[order], grade[order]
    returned = np.bincount(query, minlength=judged.n)
    rank = position_in_group(query) + 1
    return Ranking(judged, query, rank, grade, found, returned, returned > 0)


def depths(brought: Brought, most: int = 24) -> I64:
    """Depths at which recall is looked at, from 1 to the deepest that was read, int64, ascending."""
    deepest = max(depth or int(r.returned.max(initial=1)) for r, depth in brought)
    return np.unique(np.rint(np.geomspace(1, max(deepest, 1), most)).astype(np.int64))


def _shallower(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)
