"""What a measure sees: the judgments of a collection, and one run joined with them.

Only judged documents change a value, so a ranking holds the judged hits of a run as flat arrays over all queries,
with the number of documents returned; the unjudged rest is known by the gaps between the ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.results import Note

if TYPE_CHECKING:
    from assay.ranking.aspects import Aspects

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Bool = NDArray[np.bool_]


_LONG = 512
"""Hits of a query from which on its running sums are made by themselves, and not with those of the others."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgments of one collection, prepared once and shared by every run. Made by `ranking.align.judged`.

    Args:
        queries: the ids of the judged queries, ascending by bytes; a query is known by its index here, its code.
        query: code of each judgment, int64 of shape (n_judgments,), in no particular order.
        grade: float64 of shape (n_judgments,); every value is finite.
        docs: the document of each judgment; a list or a polars series.
        rel: the lowest relevant grade of the set; None means any grade above 0.
        unlisted: "unjudged" or "not-relevant": what an absent pair means.
        notes: what is odd but lawful about the judgments.
        only_relevant: no judgment holds a grade of 0 or less, so the share that is judged cannot be known.
        aspects: the grades by subtopic, for measures of diversity; None where the judgments name no subtopics.
        pool: the same with the grades below 0 that are left out here as unjudged, for measures to which they say that
            a document was pooled; None where none were left out.
    """

    queries: Sequence[str]
    query: I64
    grade: F64
    docs: Any
    rel: float | None = None
    unlisted: str = "unjudged"
    notes: tuple[Note, ...] = ()
    only_relevant: bool = False
    aspects: Aspects | None = None
    pool: Judged | None = None
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """How many queries are judged."""
        return len(self.queries)

    @cached_property
    def codes(self) -> dict[str, int]:
        """Query id to its code."""
        return {query_id: code for code, query_id in enumerate(self.queries)}

    def is_relevant(self, grade: F64, rel: float | None = None) -> Bool:
        """Which grades are relevant: at least `rel`, or at least the level of the set, or above 0."""
        level = self.rel if rel is None else rel
        return grade > 0 if level is None else grade >= level

    def relevant(self, rel: float | None = None) -> I64:
        """Relevant documents of each query, int64 of shape (n,)."""
        return self._count(("relevant", rel), lambda grade: self.is_relevant(grade, rel))

    def nonrelevant(self, rel: float | None = None) -> I64:
        """Documents of each query that are judged and not relevant, int64 of shape (n,)."""
        return self._count(("nonrelevant", rel), lambda grade: ~self.is_relevant(grade, rel))

    def judgments(self) -> I64:
        """Judgments of each query, int64 of shape (n,)."""
        return self._count("judgments", lambda grade: np.ones(len(grade), np.bool_))

    def _count(self, key: Any, which: Callable[[F64], Bool]) -> I64:
        if key not in self._cache:
            if self.counts is not None:
                self._cache[key] = self.counts[which(self.levels)].sum(axis=0)
            else:
                self._cache[key] = np.bincount(self.query[which(self.grade)], minlength=self.n)
        return self._cache[key]  # type: ignore[no-any-return] # the cache holds what was counted

    @cached_property
    def counts(self) -> I64 | None:
        """Judgments of each level and query, int64 of shape (n_levels, n); None where the levels are too many."""
        return count_levels(self.query, self.grade, self.levels, self.n, len(self.grade))

    @cached_property
    def levels(self) -> F64:
        """The distinct grades, ascending."""
        small = self.grade[(self.grade >= -128) & (self.grade < 128)].astype(np.int64)
        if len(small) == len(self.grade) and (small == self.grade).all():  # whole numbers: no sort needed
            return np.flatnonzero(np.bincount(small + 128, minlength=1)).astype(np.float64) - 128
        return np.unique(self.grade)

    def best_sum(self, gain: Any, discount: Any, cutoff: int | None = None) -> F64:
        """The largest discounted gain that the judged documents of each query allow, float64 of shape (n,).

        Args:
            gain: function of grades to gains; gains below 0 count as 0.
            discount: function of ranks to weights, falling and not negative.
            cutoff: ranks 1..cutoff are filled; None fills as many as there are judged documents.

        The best order sorts by gain, so documents of one grade stand together and only their numbers matter: no
        list is sorted. Where grades are so many that the table would be larger than the list, the list is sorted.
        """
        key = (gain, discount, cutoff)
        if key not in self._cache:
            if self.counts is not None:
                self._cache[key] = best_of_counts(self.counts, gain(self.levels), discount, cutoff)
            else:
                self._cache[key] = best_of_list(self.query, gain(self.grade), self.n, discount, cutoff)
        return self._cache[key]  # type: ignore[no-any-return] # the cache holds what was summed


def count_levels(query: I64, grade: F64, levels: F64, n: int, room: int) -> I64 | None:
    """Documents of each level and query; None where the table would be larger than a list of `room`."""
    if len(levels) * n > 4 * room + 1024:
        return None
    if len(levels) and levels[0] >= -128 and levels[-1] < 128 and (levels == np.floor(levels)).all():
        place = np.zeros(256, np.int64)
        place[levels.astype(np.int64) + 128] = np.arange(len(levels))
        level = place[grade.astype(np.int64) + 128]
    else:
        level = np.searchsorted(levels, grade)
    return np.bincount(level * n + query, minlength=len(levels) * n).reshape(len(levels), n)


def best_of_counts(counts: I64, gains: F64, discount: Any, cutoff: int | None) -> F64:
    """Discounted gain of the best order, from the documents of each level, see `Judged.best_sum`."""
    gains = np.maximum(gains, 0.0)
    n = counts.shape[1]
    deepest = int(counts.sum(axis=0).max(initial=0))
    limit = deepest if cutoff is None else min(cutoff, deepest)
    sums = np.concatenate([[0.0], np.cumsum(discount(np.arange(1, limit + 1, dtype=np.float64)))])
    total, filled = np.zeros(n), np.zeros(n, np.int64)
    for row in np.argsort(-gains, kind="stable"):
        if gains[row] <= 0:
            break
        upto = np.minimum(filled + counts[row], limit)
        total += gains[row] * (sums[upto] - sums[filled])
        filled = upto
    return total


def best_of_list(query: I64, gains: F64, n: int, discount: Any, cutoff: int | None) -> F64:
    """Discounted gain of the best order, from every document, see `Judged.best_sum`."""
    worth = np.maximum(gains, 0.0)
    order = np.lexsort((-worth, query))
    query, worth = query[order], worth[order]
    rank = position_in_group(query) + 1
    use = worth > 0 if cutoff is None else (worth > 0) & (rank <= cutoff)
    adds = worth[use] * discount(rank[use].astype(np.float64))
    return np.bincount(query[use], adds, minlength=n).astype(np.float64, copy=False)


def position_in_group(group: I64) -> I64:
    """Place of each element inside its run of equal neighbours, from 0."""
    n = len(group)
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]])) if n else np.zeros(0, np.int64)
    return np.arange(n) - np.repeat(starts, np.diff(np.append(starts, n)))


def _running_sums(x: NDArray[Any], starts: I64, lengths: I64) -> NDArray[Any]:
    """Running sums of fractions: taken over all queries and cut, they would lose digits with the number of queries."""
    total = x.copy()
    for start, length in zip(starts[lengths > _LONG].tolist(), lengths[lengths > _LONG].tolist(), strict=True):
        np.cumsum(x[start : start + length], out=total[start : start + length])
    starts, lengths = starts[lengths <= _LONG], lengths[lengths <= _LONG]
    for place in range(1, int(lengths.max(initial=0))):
        here = starts[lengths > place] + place
        total[here] += total[here - 1]
    return total


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """Groups of equal scores that hold hits, by query and rank; every array has one element a group.

    Args:
        query: code of the query.
        first, last: the ranks that the group spans, documents that are no hits included.
        hits: hits in the group.
        before: hits of the query in the groups above.
    """

    query: I64
    first: I64
    last: I64
    hits: I64
    before: I64

    @property
    def size(self) -> I64:
        """Documents in the group."""
        return self.last - self.first + 1

    def only(self, which: Bool) -> Groups:
        """Some of the groups."""
        return Groups(self.query[which], self.first[which], self.last[which], self.hits[which], self.before[which])


@dataclass(frozen=True, eq=False)
class Ranking:
    """One run joined with the judgments: the judged hits, by query and rank. Made by `ranking.align.align`.

    Documents that no judgment names are not here; what they mean is `judged.unlisted`.

    Args:
        judged: the judgments; `n` below is its number of queries.
        query: code of the query of each hit, ascending, int64 of shape (n_hits,).
        rank: rank of each hit from 1, ascending inside a query, int64 of shape (n_hits,).
        grade: grade of each hit, float64 of shape (n_hits,).
        judgment: which judgment each hit met, index into `judged.docs`, int64 of shape (n_hits,).
        returned: documents returned for each query, int64 of shape (n,).
        answered: whether the run has the query at all, bool of shape (n,).
        first, last: the ranks that the hit's group of equal scores spans, when ties are averaged; None otherwise.
    """

    judged: Judged
    query: I64
    rank: I64
    grade: F64
    judgment: I64
    returned: I64
    answered: Bool
    first: I64 | None = None
    last: I64 | None = None
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """How many queries are judged."""
        return self.judged.n

    @property
    def is_averaged(self) -> bool:
        """True when every value is the mean over all orders of equal scores."""
        return self.first is not None

    def is_relevant(self, rel: float | None = None) -> Bool:
        """Which hits are relevant, bool of shape (n_hits,)."""
        return self._kept(("is_relevant", rel), lambda: self.judged.is_relevant(self.grade, rel))  # type: ignore[no-any-return] # the cache holds what is_relevant gave

    def _kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made under that key before, or is made now: ten measures ask for the same few things."""
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    def top(self, cutoff: int | None) -> Ranking:
        """The ranking without the hits that cannot stand at rank 1..cutoff; `returned` stays."""
        if cutoff is None:
            return self
        start = self.rank if self.first is None else self.first
        return self._kept(("top", cutoff), lambda: self._hits(start <= cutoff))  # type: ignore[no-any-return] # the cache holds what _hits gave

    def relevant(self, rel: float | None = None) -> Ranking:
        """The ranking with its relevant hits alone."""
        return self._kept(("relevant", rel), lambda: self._hits(self.is_relevant(rel)))  # type: ignore[no-any-return] # the cache holds what _hits gave

    def _hits(self, which: Bool) -> Ranking:
        index = np.flatnonzero(which)
        first = None if self.first is None else self.first[index]
        last = None if self.last is None else self.last[index]
        hits = (self.query[index], self.rank[index], self.grade[index], self.judgment[index])
        return Ranking(self.judged, *hits, self.returned, self.answered, first, last)

    def per_query(self, weights: F64 | Bool) -> F64:
        """Sums one number a hit by query: float64 of shape (n,)."""
        # bincount of nothing counts in whole numbers, whatever its weights are
        return np.bincount(self.query, weights, minlength=self.n).astype(np.float64, copy=False)

    def count(self, cutoff: int | None = None) -> F64:
        """Hits of each query at rank 1..cutoff, float64 of shape (n,); expected where ties are averaged."""
        hits = self.top(cutoff)
        if self.first is None or cutoff is None:
            return np.bincount(hits.query, minlength=self.n).astype(np.float64)
        return hits.per_query(hits.within(cutoff))

    def best_sum(self, gain: Any, discount: Any, cutoff: int | None = None) -> F64:
        """As `Judged.best_sum`, over the judged documents that were returned."""
        levels, room = self.judged.levels, len(self.judged.grade)  # of the judgments: one way, whatever was returned
        counts = self._kept("counts", lambda: count_levels(self.query, self.grade, levels, self.n, room))
        if counts is None:
            return best_of_list(self.query, gain(self.grade), self.n, discount, cutoff)
        return best_of_counts(counts, gain(self.judged.levels), discount, cutoff)

    def position(self) -> I64:
        """Hits of the same query above each hit, int64 of shape (n_hits,)."""
        return self._kept("position", lambda: position_in_group(self.query))  # type: ignore[no-any-return] # what position_in_group gave

    def groups(self) -> Groups:
        """The hits gathered by groups of equal scores, by query and rank."""
        return self._kept("groups", self._groups)  # type: ignore[no-any-return] # the cache holds what _groups gave

    def _groups(self) -> Groups:
        first = self.rank if self.first is None else self.first
        last = self.rank if self.last is None else self.last
        if not len(first):
            return Groups(self.query, first, last, first, first)
        begins = np.concatenate([[True], (self.query[1:] != self.query[:-1]) | (first[1:] != first[:-1])])
        start = np.flatnonzero(begins)
        hits = np.diff(np.append(start, len(first)))
        before = self.position()[start]
        return Groups(self.query[start], first[start], last[start], hits, before)

    def so_far(self, x: NDArray[Any]) -> NDArray[Any]:
        """Inclusive running sum of one number a hit, started anew at each query."""
        if not len(x):
            return np.cumsum(x)
        starts = np.flatnonzero(np.concatenate([[True], self.query[1:] != self.query[:-1]]))
        lengths = np.diff(np.append(starts, len(x)))
        if x.dtype.kind == "f":
            return _running_sums(x, starts, lengths)
        total = np.cumsum(x)
        before = np.concatenate([[0], total[starts[1:] - 1]])
        return total - np.repeat(before, lengths)  # type: ignore[no-any-return] # same dtype

    def within(self, cutoff: int | None) -> F64:
        """Chance that each hit stands at rank 1..cutoff: 0 or 1, or a share where its group of ties is averaged."""
        if cutoff is None:
            return np.ones(len(self.rank))
        return self.within_each(np.int64(cutoff))

    def within_each(self, cutoff: I64 | np.int64) -> F64:
        """As `within`, with a cutoff of its own for each hit (or one for all)."""
        if self.first is None or self.last is None:
            return (self.rank <= cutoff).astype(np.float64)
        size = self.last - self.first + 1
        return np.clip(cutoff - self.first + 1, 0, size) / size  # type: ignore[no-any-return] # float64

    def weighted(self, discount: Any, cutoff: int | None) -> F64:
        """Discount of each hit's rank, 0 below the cutoff; its mean over the ranks of a group of ties."""
        deepest = int((self.rank if self.last is None else self.last).max(initial=0))
        steps = discount(np.arange(1, deepest + 1, dtype=np.float64))
        if cutoff is not None:
            steps[cutoff:] = 0.0
        if self.first is None or self.last is None:
            return steps[self.rank - 1]  # type: ignore[no-any-return] # float64
        sums = np.concatenate([[0.0], np.cumsum(steps)])
        return (sums[self.last] - sums[self.first - 1]) / (self.last - self.first + 1)  # type: ignore[no-any-return] # float64

    def condensed(self) -> Ranking:
        """The ranking without its unjudged documents: the others move up (Sakai, SIGIR 2007)."""
        if self.judged.unlisted == "not-relevant":
            return self
        return self._kept("condensed", self._condensed)  # type: ignore[no-any-return] # the cache holds what _condensed gave

    def _condensed(self) -> Ranking:
        rank = self.position() + 1
        returned = np.bincount(self.query, minlength=self.n)
        first = last = None
        if self.first is not None and self.last is not None:
            hits = self.groups().hits
            end = np.cumsum(hits)
            first, last = np.repeat(rank[end - hits], hits), np.repeat(rank[end - 1], hits)
        return Ranking(self.judged, self.query, rank, self.grade, self.judgment, returned, self.answered, first, last)
