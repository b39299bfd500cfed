"""The range of AP, alone and as a difference.

One list alone: of m relevant unjudged documents the m highest give the most and the m lowest the least, so each m is
tried. A difference is quadratic in the labels: up to 16 unjudged documents every labelling is tried; beyond that the
range is an outer bound (for each m the best of one list and the worst of the other), and an inner value, attained by
changing one label at a time, says how far outside it may lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compare.lists import Lists
from assay.compare.ranges import Problem, finite, position, running, two_grades
from assay.measures.measure import Measure
from assay.ranking.ranking import F64, I64, Bool, Ranking

TRIED = 16
"""Unjudged documents of a query up to which every labelling is tried."""

CLIMBED = 400
"""Unjudged documents of a query up to which an inner value is looked for."""


@dataclass(frozen=True, eq=False)
class Averages(Problem):
    """AP of two lists.

    Args:
        baseline, candidate: sums of the precisions at the judged relevant documents of each query.
        relevant: judged relevant documents of each query.
        in_baseline, in_candidate: what each document adds to the sum when it alone is relevant.
        rank_baseline, rank_candidate: where it stands; 0 where the list does not show it above the cutoff.
        cap: the largest divisor.
    """

    BY_QUERY = ("baseline", "candidate", "relevant")
    BY_DOCUMENT = ("in_baseline", "in_candidate", "rank_baseline", "rank_candidate")

    baseline: F64
    candidate: F64
    relevant: F64
    in_baseline: F64
    in_candidate: F64
    rank_baseline: I64
    rank_candidate: I64
    cap: float

    @property
    def attained(self) -> Bool:
        """Where every labelling is tried."""
        return np.bincount(self.query, minlength=self.n) <= TRIED

    def highest(self, of_baseline: float, of_candidate: float) -> F64:
        """Attained; for a difference over more than `TRIED` documents an outer bound."""
        best = self._by_number(of_baseline, of_candidate)
        if of_baseline and of_candidate:
            for q in np.flatnonzero(self.attained & (np.bincount(self.query, minlength=self.n) > 0)).tolist():
                best[q] = self._tried(q, of_baseline, of_candidate)
        return finite(best)

    def inner(self, of_baseline: float, of_candidate: float) -> F64:
        """A sum that some labelling attains, near the highest; NaN where none was looked for."""
        out = self.highest(of_baseline, of_candidate)
        many = np.bincount(self.query, minlength=self.n)
        for q in np.flatnonzero(~self.attained).tolist():
            out[q] = self._climbed(q, of_baseline, of_candidate) if many[q] <= CLIMBED else np.nan
        return out

    def _after(self, docs: I64, grades: I64) -> dict[str, Any]:
        is_relevant = (grades > 0).astype(np.float64)
        left = np.ones(len(self.query), np.bool_)
        left[docs] = False
        query = self.query[left]

        def joined(adds: F64, rank: I64) -> F64:
            mine, chosen = rank[left], rank[docs][query]
            deeper = np.maximum(np.maximum(mine, chosen), 1)
            return adds[left] + is_relevant[query] * np.where((mine > 0) & (chosen > 0), 1.0 / deeper, 0.0)

        return {
            "baseline": self.baseline + is_relevant * self.in_baseline[docs],
            "candidate": self.candidate + is_relevant * self.in_candidate[docs],
            "relevant": self.relevant + is_relevant,
            "in_baseline": joined(self.in_baseline, self.rank_baseline),
            "in_candidate": joined(self.in_candidate, self.rank_candidate),
        }

    def _by_number(self, of_baseline: float, of_candidate: float) -> F64:
        """The most over the numbers of relevant unjudged documents, each list labelled for itself.

        Minus infinity where no value is defined.
        """
        total = np.zeros(len(self.query))
        sides = (
            (of_baseline, self.baseline, self.in_baseline, self.rank_baseline),
            (of_candidate, self.candidate, self.in_candidate, self.rank_candidate),
        )
        for weight, judged, adds, rank in sides:
            if weight:
                total += weight * (judged[self.query] + self._summed(adds, rank, best=weight > 0))
        many = self.relevant[self.query] + position(self.query, self.n) + 1
        none = of_baseline * self.baseline + of_candidate * self.candidate
        with np.errstate(divide="ignore", invalid="ignore"):
            best = np.where(self.relevant > 0, none / np.minimum(self.relevant, self.cap), -np.inf)
        np.maximum.at(best, self.query, total / np.minimum(many, self.cap))
        return best

    def _summed(self, adds: F64, rank: I64, *, best: bool) -> F64:
        """What 1, 2, ... relevant unjudged documents add at best (the highest) or at worst (the lowest)."""
        there = rank > 0
        if best:  # those that are not shown come last
            order = np.lexsort((np.where(there, rank, np.iinfo(np.int64).max), self.query))
            place, seen = rank[order], there[order]
            each = adds[order] + np.where(seen, position(self.query, self.n) / np.maximum(place, 1), 0.0)
        else:
            order = np.lexsort((np.where(there, -rank, np.iinfo(np.int64).min), self.query))
            inverse = np.where(there[order], 1.0 / np.maximum(rank[order], 1), 0.0)
            each = adds[order] + np.where(there[order], running(self.query, inverse, self.n) - inverse, 0.0)
        return running(self.query, each, self.n)

    def _documents(self, q: int) -> slice:
        start, end = np.searchsorted(self.query, [q, q + 1])
        return slice(int(start), int(end))

    def _tried(self, q: int, of_baseline: float, of_candidate: float) -> float:
        """Every labelling of one query; each document doubles the table."""
        docs = self._documents(q)
        sums = [np.array([self.baseline[q]]), np.array([self.candidate[q]])]
        many = np.array([self.relevant[q]])
        ranks = (self.rank_baseline[docs], self.rank_candidate[docs])
        alone = (self.in_baseline[docs], self.in_candidate[docs])
        for i in range(docs.stop - docs.start):
            for side in (0, 1):
                rank = ranks[side]
                adds = np.array([alone[side][i]])
                for j in range(i):  # what the documents before it, relevant or not, let it add
                    both = rank[i] > 0 and rank[j] > 0
                    adds = np.concatenate([adds, adds + (1.0 / max(rank[i], rank[j]) if both else 0.0)])
                sums[side] = np.concatenate([sums[side], sums[side] + adds])
            many = np.concatenate([many, many + 1])
        use = many > 0
        value = (of_baseline * sums[0][use] + of_candidate * sums[1][use]) / np.minimum(many[use], self.cap)
        return float(value.max(initial=-np.inf))

    def _climbed(self, q: int, of_baseline: float, of_candidate: float) -> float:
        """From several labellings, one label at a time as long as the sum grows."""
        docs = self._documents(q)
        one, other = self.rank_baseline[docs], self.rank_candidate[docs]
        alone = of_baseline * self.in_baseline[docs] + of_candidate * self.in_candidate[docs]
        pairs = of_baseline * _together(one) + of_candidate * _together(other)
        judged = of_baseline * self.baseline[q] + of_candidate * self.candidate[q]
        better = alone > 0
        starts = [np.zeros(len(alone), np.bool_), np.ones(len(alone), np.bool_), better, ~better]
        return max(self._climb(start, alone, pairs, judged, float(self.relevant[q])) for start in starts)

    def _climb(self, labels: Bool, alone: F64, pairs: F64, judged: float, relevant: float) -> float:
        chosen = labels.copy()
        adds = alone + pairs @ chosen
        total = judged + float(alone[chosen].sum()) + float(pairs[np.ix_(chosen, chosen)].sum()) / 2
        many = relevant + int(chosen.sum())
        value = total / min(many, self.cap) if many else -np.inf
        while True:
            sign = np.where(chosen, -1.0, 1.0)
            after, number = total + sign * adds, many + sign
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.where(number > 0, after / np.minimum(number, self.cap), -np.inf)
            i = int(values.argmax())
            if values[i] <= value + 1e-13:
                return float(value)
            chosen[i] = not chosen[i]
            value, total, many = float(values[i]), float(after[i]), float(number[i])
            adds = adds + sign[i] * pairs[i]


def _together(rank: I64) -> F64:
    """What two relevant documents add beyond what each adds alone; nothing with itself."""
    there = rank > 0
    deeper = np.maximum(np.maximum(rank[:, None], rank[None, :]), 1)
    out = np.where(there[:, None] & there[None, :], 1.0 / deeper, 0.0)
    np.fill_diagonal(out, 0.0)
    return out


def averages(measure: Measure, lists: Lists) -> Problem:
    """The problem of AP for two lists."""
    cutoff = measure.cutoff
    relevant = lists.baseline.judged.relevant(measure.rel).astype(np.float64)
    sides = []
    for r, places in ((lists.baseline, lists.in_baseline), (lists.candidate, lists.in_candidate)):
        rank = places.rank if cutoff is None else np.where(places.rank <= cutoff, places.rank, 0)
        hits = r.relevant(measure.rel).top(cutoff)
        sides.append((hits.per_query((hits.position() + 1) / hits.rank), _alone(hits, lists.query, rank), rank))
    cap = float(cutoff) if cutoff is not None and measure.params["norm"] == "min" else np.inf
    (baseline, alone, rank), (candidate, other, their) = sides
    grades = two_grades(measure, lists)
    return Averages(lists.query, grades, baseline, candidate, relevant, alone, other, rank, their, cap)


def _alone(hits: Ranking, query: I64, rank: I64) -> F64:
    """What each unjudged document adds to the sum of precisions when it alone is relevant.

    That is its own precision, and one more document above each judged relevant one below it.
    """
    width = int(max(hits.rank.max(initial=0), rank.max(initial=0))) + 2
    key = hits.query * width + hits.rank
    at = np.searchsorted(key, query * width + rank)
    start = np.searchsorted(key, query * width)
    end = np.searchsorted(key, (query + 1) * width)
    below = np.concatenate([[0.0], np.cumsum(1.0 / hits.rank)])
    place = np.maximum(rank, 1)
    return np.where(rank > 0, (at - start + 1) / place + below[end] - below[at], 0.0)
