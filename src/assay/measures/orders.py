"""Means over all orders of equal scores, where the order inside a group changes more than one document's share.

Two ways: some quotients have a mean only by going through every order that differs, which is done while they are few;
where only the number of relevant documents above counts, that number is followed from place to place, without a limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from assay.errors import InputError
from assay.ranking.ranking import F64, Ranking

MOST = 10_000
"""Orders of one query that are gone through at most."""

MOST_STEPS = 200_000_000
"""Sums that the mean of one interpolated precision may take."""

OTHERS = "pass --ties docid, best, worst or input, or leave the measure out"


def too_many(r: Ranking, query: int, name: str, what: str) -> InputError:
    """What is said of a query whose equal scores are too many."""
    return InputError(f"query {r.judged.queries[query]}: {what}, too many for {name}", remedy=OTHERS)


def tied(r: Ranking) -> list[int]:
    """The queries in which a hit has the score of another document."""
    assert r.first is not None
    assert r.last is not None
    return np.flatnonzero(np.bincount(r.query[r.first < r.last], minlength=r.n)).tolist()


def tables(r: Ranking, query: int, gain: F64, depth: int, name: str) -> F64:
    """The gain at each rank of one query, a row for each order of its equal scores that differs.

    Each row is as likely as another: a group's orders that look alike are equally many.

    Args:
        r: a ranking in which ties are averaged.
        query: code of the query.
        gain: of each hit of the ranking, float64 of shape (n_hits,).
        depth: ranks that are laid out.
        name: of the measure, for complaints.

    Returns:
        float64 of shape (orders, depth).

    Raises:
        InputError: the orders are more than `MOST`.
    """
    assert r.first is not None
    assert r.last is not None
    low, high = np.searchsorted(r.query, [query, query + 1])
    row = np.zeros(depth)
    groups: list[tuple[int, list[float]]] = []
    starts, sizes = r.first[low:high], r.last[low:high] - r.first[low:high] + 1
    for first in np.unique(starts[starts <= depth]).tolist():
        inside = starts == first
        worth = gain[low:high][inside].tolist()
        worth += [0.0] * (int(sizes[inside][0]) - len(worth))
        if len(set(worth)) == 1:
            row[first - 1 : min(first - 1 + len(worth), depth)] = worth[0]
        else:
            groups.append((first, worth))
    ways = math.prod(_ways(worth) for _, worth in groups)
    if ways > MOST:
        raise too_many(r, query, name, f"its equal scores have {ways:,} orders that differ")
    made = np.tile(row, (ways, 1))
    for at, orders in enumerate(product(*(list(_orders(worth)) for _, worth in groups))):
        for (first, _), worths in zip(groups, orders, strict=True):
            shown = worths[: depth - first + 1]
            made[at, first - 1 : first - 1 + len(shown)] = shown
    return made


def _ways(worth: list[float]) -> int:
    """How many orders of a list differ."""
    return math.factorial(len(worth)) // math.prod(math.factorial(worth.count(one)) for one in set(worth))


def _orders(worth: list[float]) -> Iterator[tuple[float, ...]]:
    """Every order of a list that differs, once."""
    if not worth:
        yield ()
        return
    for one in sorted(set(worth)):
        rest = worth.copy()
        rest.remove(one)
        for order in _orders(rest):
            yield (one, *order)


def interpolated(hits: Ranking, query: int, need: int, name: str) -> float:
    """Mean over all orders of the highest precision at any rank with that many relevant documents or more.

    Groups are in any order independently of each other, so the chance that the highest precision is at most x is the
    product of theirs; inside one, the number of relevant documents is followed from place to place.

    Args:
        hits: a ranking with its relevant hits alone, in which ties are averaged.
        query: code of the query.
        need: the relevant documents that reach the recall, from 1.
        name: of the measure, for complaints.

    Raises:
        InputError: the groups are so large that it would take more than `MOST_STEPS` sums.
    """
    groups = hits.groups()
    at = np.flatnonzero((groups.query == query) & (groups.before + groups.hits >= need))
    held = [(int(groups.first[i]), int(groups.size[i]), int(groups.hits[i]), int(groups.before[i])) for i in at]
    x = np.unique([value for group in held for value in _precisions(*group, need)])
    if not len(x):
        return 0.0
    fixed = [max(_precisions(*group, need)) for group in held if group[1] == group[2]]  # all of it is relevant
    x = x[x >= max(fixed, default=0.0)]
    held = [group for group in held if group[1] > group[2]]
    if sum(size * (found + 1) * len(x) for _, size, found, _ in held) > MOST_STEPS:
        most = max(size for _, size, _, _ in held)
        raise too_many(hits, query, name, f"one of its groups of equal scores holds {most:,} documents")
    at_most = np.ones(len(x))
    for group in held:
        at_most *= _chance(*group, need, x)
    return float((x * np.diff(at_most, prepend=0.0)).sum())


def _precisions(first: int, size: int, found: int, before: int, need: int) -> list[float]:
    """Every precision that the relevant documents of a group can have at their ranks."""
    return [(before + i) / (first + place) for i in range(max(1, need - before), found + 1)
            for place in range(i - 1, size - found + i)]  # fmt: skip


def _chance(first: int, size: int, found: int, before: int, need: int, x: F64) -> F64:
    """The chance that no relevant document of a group has a precision above each x, float64 of shape (n_x,)."""
    fine = np.zeros((found + 1, len(x)))
    fine[0] = 1.0
    for place in range(size):
        for i in range(min(place, found), -1, -1):
            is_next = (found - i) / (size - place)
            moved = fine[i] * is_next
            if before + i + 1 >= need:
                moved = np.where((before + i + 1) / (first + place) <= x, moved, 0.0)
            fine[i] *= 1.0 - is_next
            if i < found:
                fine[i + 1] += moved
    return fine[found]  # type: ignore[no-any-return] # float64
