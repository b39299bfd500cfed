"""Two lists beside each other, with the documents in them that nobody judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.ranking.ranking import F64, I64, Ranking
from assay.ranking.shown import Shown


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """Where unjudged documents stand in one list.

    Args:
        rank: of each document; 0 where the list does not show it.
        first, last: the ranks that its group of equal scores spans, when ties are averaged; None otherwise.
    """

    rank: I64
    first: I64 | None = None
    last: I64 | None = None

    def upto(self) -> I64:
        """The highest place that each can take; a very low one where it is not shown."""
        top = self.rank if self.first is None else self.first
        return np.where(self.rank > 0, top, np.iinfo(np.int64).max)

    def only(self, index: I64) -> Places:
        """Some of the documents."""
        first = None if self.first is None else self.first[index]
        return Places(self.rank[index], first, None if self.last is None else self.last[index])


@dataclass(frozen=True, eq=False)
class Lists:
    """Two runs and the unjudged documents that either shows, by query and best rank.

    Args:
        baseline, candidate: the rankings.
        query: code of the query of each unjudged document, ascending.
        in_baseline, in_candidate: where each stands.
        docs: its id.
        depth: how far down either list they were looked for; None is all of it.
    """

    baseline: Ranking
    candidate: Ranking
    query: I64
    in_baseline: Places
    in_candidate: Places
    docs: list[str]
    depth: int | None = None

    @property
    def n(self) -> int:
        """How many queries are judged."""
        return self.baseline.n

    @property
    def is_whole(self) -> bool:
        """Whether no list goes on below the depth."""
        longest = max(int(r.returned.max(initial=0)) for r in (self.baseline, self.candidate))
        return self.depth is None or longest <= self.depth

    def inside(self, depth: int | None) -> Lists:
        """Without the documents that stand below rank `depth` of both lists."""
        if depth is None:
            return self
        best = np.minimum(self.in_baseline.upto(), self.in_candidate.upto())
        index = np.flatnonzero(best <= depth)
        docs = [self.docs[i] for i in index.tolist()]
        baseline, candidate = self.in_baseline.only(index), self.in_candidate.only(index)
        return Lists(self.baseline, self.candidate, self.query[index], baseline, candidate, docs, depth)

    def weights(self, discount: Any, cutoff: int | None) -> tuple[F64, F64]:
        """What a gain of 1 at the place of each document adds in the two lists; 0 where it is not shown."""
        return (
            _weights(self.baseline, self.query, self.in_baseline, discount, cutoff),
            _weights(self.candidate, self.query, self.in_candidate, discount, cutoff),
        )


def _weights(r: Ranking, query: I64, places: Places, discount: Any, cutoff: int | None) -> F64:
    out = np.zeros(len(query))
    at = np.flatnonzero(places.rank > 0)
    if len(at):
        there = places.only(at)
        zeros = np.zeros(len(at))
        unknown = Ranking(
            r.judged, query[at], there.rank, zeros, at, r.returned, r.answered, there.first, there.last
        )  # places alone matter
        out[at] = unknown.weighted(discount, cutoff)
    return out


def side_by_side(baseline: Shown, candidate: Shown) -> Lists:
    """The unjudged documents of two runs, each once."""
    names = list(dict.fromkeys([*baseline.docs, *candidate.docs]))
    known = dict(zip(names, range(len(names)), strict=True))
    mine, theirs = _codes(baseline.docs, known), _codes(candidate.docs, known)
    width = max(len(known), 1)
    key = np.concatenate([baseline.query * width + mine, candidate.query * width + theirs])
    distinct, index = np.unique(key, return_inverse=True)
    half = len(mine)
    in_baseline = _placed(baseline, index[:half], len(distinct))
    in_candidate = _placed(candidate, index[half:], len(distinct))
    docs = [names[code] for code in (distinct % width).tolist()]
    query = distinct // width
    order = np.lexsort((np.minimum(in_baseline.upto(), in_candidate.upto()), query))
    return Lists(
        baseline.ranking,
        candidate.ranking,
        query[order],
        in_baseline.only(order),
        in_candidate.only(order),
        [docs[i] for i in order.tolist()],
        _shallower(baseline.depth, candidate.depth),
    )


def _shallower(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def _codes(docs: list[str], known: dict[str, int]) -> I64:
    return np.fromiter(map(known.__getitem__, docs), np.int64, len(docs))


def _placed(shown: Shown, index: I64, n: int) -> Places:
    def spread(values: I64 | None) -> I64 | None:
        if values is None:
            return None
        out = np.zeros(n, np.int64)
        out[index] = values
        return out

    rank = spread(shown.rank)
    assert rank is not None
    return Places(rank, spread(shown.first), spread(shown.last))
