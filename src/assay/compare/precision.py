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
from numpy.typing import NDArray

from assay.compare.lists import Lists
from assay.compare.ranges import Problem, finite, position, running, two_grades
from assay.compare.standing import Standing, standing
from assay.measures.average import precision_sum
from assay.measures.measure import Measure
from assay.ranking.ranking import F64, I64, Bool, Ranking, position_in_group

TRIED = 16
"""Unjudged documents of a query up to which every labelling is tried."""

CLIMBED = 400
"""Unjudged documents of a query up to which an inner value is looked for."""

_ROOM = 1 << 18
"""Numbers in one table of queries by documents, or by labellings."""


@dataclass(frozen=True, eq=False)
class Averages(Problem):
    """AP of two lists.

    Args:
        baseline, candidate: sums of the precisions at the judged relevant documents of each query.
        relevant: judged relevant documents of each query.
        in_baseline, in_candidate: what each document adds to the sum when it alone is relevant.
        rank_baseline, rank_candidate: where it stands, or where its group of equal scores begins when ties are
            averaged; 0 where the list does not show it above the cutoff.
        above_baseline, above_candidate: what it adds for each relevant document above it: 1 / rank, or its mean over
            the ranks of the group, the cutoff counted in.
        fellow_baseline, fellow_candidate: what it and another relevant document of its group add together; 0 where
            ties are not averaged.
        cap: the largest divisor.
    """

    BY_QUERY = ("baseline", "candidate", "relevant")
    BY_DOCUMENT = (
        "in_baseline", "in_candidate", "rank_baseline", "rank_candidate", "above_baseline", "above_candidate",
        "fellow_baseline", "fellow_candidate",
    )  # fmt: skip

    baseline: F64
    candidate: F64
    relevant: F64
    in_baseline: F64
    in_candidate: F64
    rank_baseline: I64
    rank_candidate: I64
    above_baseline: F64
    above_candidate: F64
    fellow_baseline: F64
    fellow_candidate: F64
    cap: float

    @property
    def places(self) -> tuple[Standing, Standing]:
        """Where the documents stand in the two lists."""
        return (
            Standing(self.rank_baseline, self.above_baseline, self.fellow_baseline),
            Standing(self.rank_candidate, self.above_candidate, self.fellow_candidate),
        )

    @property
    def attained(self) -> Bool:
        """Where every labelling is tried."""
        return np.bincount(self.query, minlength=self.n) <= TRIED

    def highest(self, of_baseline: float, of_candidate: float) -> F64:
        """Attained; for a difference over more than `TRIED` documents an outer bound."""
        return self.range(of_baseline, of_candidate)[1]

    def range(self, of_baseline: float, of_candidate: float) -> tuple[F64, F64]:
        """The lowest and the highest weighted sum; one table of labellings holds both."""
        low, high = -self._by_number(-of_baseline, -of_candidate), self._by_number(of_baseline, of_candidate)
        if of_baseline and of_candidate:
            many = np.bincount(self.query, minlength=self.n)
            for size in range(1, TRIED + 1):
                queries = np.flatnonzero(many == size)
                for part in np.array_split(queries, max(1, (len(queries) << size) // _ROOM)):
                    if len(part):
                        low[part], high[part] = self.several(part)._tried(size, of_baseline, of_candidate)
        return np.where(np.isposinf(low), np.nan, low), finite(high)

    def inner(self, of_baseline: float, of_candidate: float) -> F64:
        """A sum that some labelling attains, where `highest` is an outer bound; NaN where none was looked for.

        Where the bound is attained, NaN too: it is its own inner value.
        """
        out = np.full(self.n, np.nan)
        many = np.bincount(self.query, minlength=self.n)
        queries = np.flatnonzero((many > TRIED) & (many <= CLIMBED))
        queries = queries[np.argsort(many[queries], kind="stable")]
        for part in np.array_split(queries, max(1, int(many[queries].sum()) // _ROOM)):
            if len(part):
                out[part] = self.several(part)._climbed(of_baseline, of_candidate)
        return out

    def _after(self, docs: I64, grades: I64) -> dict[str, Any]:
        is_relevant = (grades > 0).astype(np.float64)
        left = np.ones(len(self.query), np.bool_)
        left[docs] = False
        query = self.query[left]

        def joined(adds: F64, places: Standing) -> F64:
            return adds[left] + is_relevant[query] * places.only(left).with_each(places.only(docs).only(query))

        return {
            "baseline": self.baseline + is_relevant * self.in_baseline[docs],
            "candidate": self.candidate + is_relevant * self.in_candidate[docs],
            "relevant": self.relevant + is_relevant,
            "in_baseline": joined(self.in_baseline, self.places[0]),
            "in_candidate": joined(self.in_candidate, self.places[1]),
        }

    def _by_number(self, of_baseline: float, of_candidate: float) -> F64:
        """The most over the numbers of relevant unjudged documents, each list labelled for itself.

        Minus infinity where no value is defined.
        """
        total = np.zeros(len(self.query))
        sides = (
            (of_baseline, self.baseline, self.in_baseline, self.places[0]),
            (of_candidate, self.candidate, self.in_candidate, self.places[1]),
        )
        for weight, judged, adds, places in sides:
            if weight:
                total += weight * (judged[self.query] + self._summed(adds, places, best=weight > 0))
        many = self.relevant[self.query] + position(self.query, self.n) + 1
        none = of_baseline * self.baseline + of_candidate * self.candidate
        with np.errstate(divide="ignore", invalid="ignore"):
            best = np.where(self.relevant > 0, none / np.minimum(self.relevant, self.cap), -np.inf)
        np.maximum.at(best, self.query, total / np.minimum(many, self.cap))
        return best

    def _summed(self, adds: F64, places: Standing, *, best: bool) -> F64:
        """What 1, 2, ... relevant unjudged documents add at best (the highest) or at worst (the lowest).

        Where ties are averaged too: in every order of the equals, a relevant document that moves up never hurts.
        """
        there = places.rank > 0
        sign, last = (1, np.iinfo(np.int64).max) if best else (-1, np.iinfo(np.int64).min)
        order = np.lexsort((np.where(there, sign * places.rank, last), self.query))  # best: those not shown come last
        each, held = adds[order], places.only(order)
        shown = held.rank > 0
        above = np.where(shown, held.above, 0.0)
        before = position(self.query, self.n) if best else running(self.query, above, self.n) - above
        group = self.query * (int(held.rank.max(initial=0)) + 1) + held.rank
        fellows = position_in_group(group)  # those of its group that came before it
        pairs = (before - fellows) * above if best else before - fellows * above
        return running(self.query, each + np.where(shown, pairs + fellows * held.fellow, 0.0), self.n)

    def _tried(self, size: int, of_baseline: float, of_candidate: float) -> tuple[F64, F64]:
        """Every labelling, of queries with `size` documents each; each document doubles the table."""
        alone = (of_baseline * self.in_baseline + of_candidate * self.in_candidate).reshape(-1, size)
        one, other = (places.shaped(size) for places in self.places)
        total = (of_baseline * self.baseline + of_candidate * self.candidate)[:, None]
        chosen = np.zeros(1)
        for i in range(size):
            here = alone[:, [i]]
            for j in range(i):  # what the documents before it add when they are relevant too
                both = of_baseline * one.column(i).with_each(one.column(j))
                both += of_candidate * other.column(i).with_each(other.column(j))
                here = np.concatenate([here, here + both], axis=1)
            here += total
            total = np.concatenate([total, here], axis=1)
            chosen = np.concatenate([chosen, chosen + 1])
        many = self.relevant[:, None] + chosen
        with np.errstate(divide="ignore", invalid="ignore"):
            total /= np.minimum(many, self.cap, out=many)
        undefined = self.relevant == 0  # with no label, and with no other relevant document
        total[undefined, 0] = np.inf
        low = total.min(axis=1)
        total[undefined, 0] = -np.inf
        return low, total.max(axis=1)

    def _climbed(self, of_baseline: float, of_candidate: float) -> F64:
        """From two labellings, one label at a time as long as the sum grows."""
        many = np.bincount(self.query, minlength=self.n)
        there = np.arange(int(many.max())) < many[:, None]

        def table(values: NDArray[Any]) -> NDArray[Any]:
            out = np.zeros(there.shape, values.dtype)
            out[there] = values
            return out

        ranks = self.places[0].each(table), self.places[1].each(table)
        alone = table(of_baseline * self.in_baseline + of_candidate * self.in_candidate)
        judged = of_baseline * self.baseline + of_candidate * self.candidate
        best = np.full(self.n, -np.inf)
        for start in (np.zeros(there.shape, np.bool_), alone > 0):
            climb = _Climb(start, there, alone, ranks, (of_baseline, of_candidate), self.cap)
            best = np.maximum(best, climb.top(judged, self.relevant))
        return best


class _Climb:
    """Labels that change one at a time, for many queries at once."""

    def __init__(
        self, chosen: Bool, there: Bool, alone: F64, ranks: tuple[Standing, Standing], weights: tuple[float, float],
        cap: float,
    ) -> None:  # fmt: skip
        self.chosen, self.there, self.alone = chosen, there, alone
        self.ranks, self.weights, self.cap = ranks, weights, cap

    def top(self, judged: F64, relevant: F64) -> F64:
        """The values where no single label raises them any more."""
        n = len(judged)
        chosen, adds = self.chosen.copy(), self.alone.copy()
        total, many = judged.copy(), relevant + chosen.sum(axis=1)
        rows = np.arange(n)
        for i in range(chosen.shape[1]):
            total += np.where(chosen[:, i], adds[:, i], 0.0)  # with those before it
            adds += np.where(chosen[:, [i]], self._pairs(rows, np.full(n, i)), 0.0)
        out, left = self._value(total, many), rows
        while len(left):
            sign = np.where(chosen, -1.0, 1.0)
            values = self._value(total[:, None] + sign * adds, many[:, None] + sign)
            values[~self.there[left]] = -np.inf
            i = values.argmax(axis=1)
            here = np.arange(len(left))
            grows = values[here, i] > out[left] + 1e-13
            left, i, here = left[grows], i[grows], here[grows]
            out[left] = values[here, i]
            step = sign[here, i]
            chosen, adds, total, many = chosen[here], adds[here], total[here], many[here]
            rows = np.arange(len(left))
            total += step * adds[rows, i]
            many = many + step
            chosen[rows, i] = ~chosen[rows, i]
            adds += step[:, None] * self._pairs(left, i)
        return out

    def _value(self, total: F64, many: F64) -> F64:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(many > 0, total / np.minimum(many, self.cap), -np.inf)

    def _pairs(self, queries: I64, i: I64) -> F64:
        """What document i of each query adds to the others, nothing to itself."""
        out = np.zeros((len(queries), self.there.shape[1]))
        for weight, places in zip(self.weights, self.ranks, strict=True):
            mine = places.only(queries)
            out += weight * mine.with_each(mine.each(lambda x: x[np.arange(len(queries)), i][:, None]))
        out[np.arange(len(queries)), i] = 0.0
        return out


def averages(measure: Measure, lists: Lists) -> Problem:
    """The problem of AP for two lists."""
    cutoff = measure.cutoff
    relevant = lists.baseline.judged.relevant(measure.rel).astype(np.float64)
    sides = []
    for r, places in ((lists.baseline, lists.in_baseline), (lists.candidate, lists.in_candidate)):
        hits = r.relevant(measure.rel).top(cutoff)
        mine, known = standing(places, cutoff), standing(hits, cutoff)
        sums = hits.per_query(precision_sum(hits, cutoff))
        sides.append((sums, _alone(hits, known, lists.query, mine), mine))
    cap = float(cutoff) if cutoff is not None and measure.params["norm"] == "min" else np.inf
    (baseline, alone, one), (candidate, other, their) = sides
    grades = two_grades(measure, lists)
    return Averages(
        lists.query, grades, baseline, candidate, relevant, alone, other, one.rank, their.rank, one.above, their.above,
        one.fellow, their.fellow, cap,
    )  # fmt: skip


def _alone(hits: Ranking, known: Standing, query: I64, mine: Standing) -> F64:
    """What each unjudged document adds to the sum of precisions when it alone is relevant.

    That is its own precision, one more document above each judged relevant one below it, and what it and those of its
    own group add together.
    """
    width = int(max(known.rank.max(initial=0), mine.rank.max(initial=0))) + 2
    key = hits.query * width + known.rank
    at = np.searchsorted(key, query * width + mine.rank)
    after = np.searchsorted(key, query * width + mine.rank, "right")
    start = np.searchsorted(key, query * width)
    end = np.searchsorted(key, (query + 1) * width)
    below = np.concatenate([[0.0], np.cumsum(known.above)])
    adds = (at - start + 1) * mine.above + (after - at) * mine.fellow + below[end] - below[after]
    return np.where(mine.rank > 0, adds, 0.0)
