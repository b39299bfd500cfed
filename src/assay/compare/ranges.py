"""The lowest and highest value, and difference of two values, that unjudged documents allow each query, exactly.

Every problem here asks for the highest `of_baseline * value + of_candidate * other value` over all grades that the
unjudged documents could have; (-1, 1) is the difference, (1, 0) and (0, 1) are the values, and the lowest is the
negated highest of the negated. Subtracting two ranges would not do: both lists share the grades.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from assay.compare.lists import Lists
from assay.compare.ratio import highest_ratio
from assay.measures.measure import Measure
from assay.ranking.discounts import discount_function, gain_function, none
from assay.ranking.ranking import F64, I64, Bool

P = TypeVar("P", bound="Problem")


@dataclass(frozen=True, eq=False)
class Problem(ABC):
    """The unjudged documents of some queries, and what their grades do to two values.

    Args:
        query: the query of each document, ascending.
        grades: what a document could be labelled.
    """

    BY_QUERY: ClassVar[tuple[str, ...]] = ()
    """Fields with one element a query."""
    BY_DOCUMENT: ClassVar[tuple[str, ...]] = ()
    """Fields with one element a document, beside `query`."""

    query: I64
    grades: tuple[float, ...]

    @property
    def n(self) -> int:
        """How many queries there are."""
        return len(getattr(self, self.BY_QUERY[0]))

    @property
    def attained(self) -> Bool:
        """Whether the range of each query's difference is attained; False where it is an outer bound."""
        return np.ones(self.n, np.bool_)

    @abstractmethod
    def highest(self, of_baseline: float, of_candidate: float) -> F64:
        """The highest weighted sum of the two values, float64 of shape (n,); NaN where none is defined."""

    def range(self, of_baseline: float, of_candidate: float) -> tuple[F64, F64]:
        """The lowest and the highest weighted sum."""
        return -self.highest(-of_baseline, -of_candidate), self.highest(of_baseline, of_candidate)

    def inner(self, of_baseline: float, of_candidate: float) -> F64:
        """A sum that some grades attain, where the highest is an outer bound and one was found; NaN elsewhere."""
        return np.full(self.n, np.nan)

    def several(self: P, queries: I64) -> P:
        """Some queries, in this order; one may come several times."""
        index, query = gathered(self.query, self.n, queries)
        taken = {name: getattr(self, name)[queries] for name in self.BY_QUERY}
        return replace(self, query=query, **taken, **{name: getattr(self, name)[index] for name in self.BY_DOCUMENT})

    def labelled(self: P, docs: I64, grades: I64) -> P:
        """After one document of each query got a label.

        Args:
            docs: one document a query.
            grades: its label, as an index into `grades`.
        """
        left = np.ones(len(self.query), np.bool_)
        left[docs] = False
        index = np.flatnonzero(left)
        kept = {name: getattr(self, name)[index] for name in self.BY_DOCUMENT}
        return replace(self, query=self.query[index], **(kept | self._after(docs, grades)))

    @abstractmethod
    def _after(self, docs: I64, grades: I64) -> dict[str, Any]:
        """The fields that a label changes, for the documents that are left."""


def gathered(query: I64, n: int, queries: I64) -> tuple[I64, I64]:
    """Which documents some queries have, and the new query of each."""
    many = np.bincount(query, minlength=n)
    start = np.cumsum(many) - many
    length = many[queries]
    begin = np.cumsum(length) - length
    index = np.arange(length.sum()) + np.repeat(start[queries] - begin, length)
    return index, np.repeat(np.arange(len(queries)), length)


def running(query: I64, values: F64, n: int) -> F64:
    """Inclusive running sums, started anew at each query."""
    total = np.cumsum(values)
    many = np.bincount(query, minlength=n)
    start = np.cumsum(many) - many
    before = np.concatenate([[0.0], total])[start]
    return total - np.repeat(before, many)  # type: ignore[no-any-return] # float64


def position(query: I64, n: int) -> I64:
    """Place of each document inside its query, from 0."""
    many = np.bincount(query, minlength=n)
    return np.arange(len(query)) - np.repeat(np.cumsum(many) - many, many)


def finite(x: F64) -> F64:
    """Minus infinity, where nothing was possible, as NaN."""
    return np.where(np.isneginf(x), np.nan, x)


@dataclass(frozen=True, eq=False)
class Counts(Problem):
    """P, R and F: a count of relevant documents, divided by something that only the number of relevant ones moves.

    Args:
        baseline, candidate: judged counts of each query.
        base: what they are divided by when no document is relevant.
        relevant: judged relevant documents of each query.
        in_baseline, in_candidate: what a relevant document adds to each count.
        slope: what each relevant document adds to the divisor.
        cap: the largest divisor.
        needs: whether the value is undefined without a relevant document.
    """

    BY_QUERY = ("baseline", "candidate", "base", "relevant")
    BY_DOCUMENT = ("in_baseline", "in_candidate")

    baseline: F64
    candidate: F64
    base: F64
    relevant: F64
    in_baseline: F64
    in_candidate: F64
    slope: float
    cap: float
    needs: bool

    def highest(self, of_baseline: float, of_candidate: float) -> F64:
        """For each number m of relevant ones, the m that add most are relevant."""
        judged = of_baseline * self.baseline + of_candidate * self.candidate
        adds = of_baseline * self.in_baseline + of_candidate * self.in_candidate
        order = np.lexsort((-adds, self.query))
        total = judged[self.query] + running(self.query, adds[order], self.n)
        many = position(self.query, self.n) + 1
        divisor = np.minimum(self.base[self.query] + self.slope * many, self.cap)
        possible = (self.relevant > 0) | (not self.needs)
        with np.errstate(divide="ignore", invalid="ignore"):
            best = np.where(possible, judged / np.minimum(self.base, self.cap), -np.inf)
        np.maximum.at(best, self.query, total / divisor)
        return finite(best)

    def _after(self, docs: I64, grades: I64) -> dict[str, Any]:
        is_relevant = (grades > 0).astype(np.float64)
        return {
            "baseline": self.baseline + is_relevant * self.in_baseline[docs],
            "candidate": self.candidate + is_relevant * self.in_candidate[docs],
            "base": self.base + self.slope * is_relevant,
            "relevant": self.relevant + is_relevant,
        }


@dataclass(frozen=True, eq=False)
class Firsts(Problem):
    """RR and HitRate: what the first relevant document is worth at its rank.

    Args:
        baseline, candidate: worth of the first judged relevant document of each query.
        relevant: judged relevant documents of each query.
        in_baseline, in_candidate: what each document is worth as the first one.
        needs: whether the value is undefined without a relevant document.
    """

    BY_QUERY = ("baseline", "candidate", "relevant")
    BY_DOCUMENT = ("in_baseline", "in_candidate")

    baseline: F64
    candidate: F64
    relevant: F64
    in_baseline: F64
    in_candidate: F64
    needs: bool

    def highest(self, of_baseline: float, of_candidate: float) -> F64:
        """No document or one alone is relevant: whatever else was would only help the list that should lose.

        The best labels have a first relevant document in the list that should win; the others can be made not
        relevant without moving it. If it is a judged one, none need be relevant.
        """
        possible = (self.relevant > 0) | (not self.needs)
        best = np.where(possible, of_baseline * self.baseline + of_candidate * self.candidate, -np.inf)
        one = np.maximum(self.baseline[self.query], self.in_baseline)
        other = np.maximum(self.candidate[self.query], self.in_candidate)
        np.maximum.at(best, self.query, of_baseline * one + of_candidate * other)
        return finite(best)

    def _after(self, docs: I64, grades: I64) -> dict[str, Any]:
        is_relevant = grades > 0
        return {
            "baseline": np.maximum(self.baseline, np.where(is_relevant, self.in_baseline[docs], 0.0)),
            "candidate": np.maximum(self.candidate, np.where(is_relevant, self.in_candidate[docs], 0.0)),
            "relevant": self.relevant + is_relevant,
        }


@dataclass(frozen=True, eq=False)
class Gains(Problem):
    """nDCG, DCG and CG: sums of gains by place, divided by the best possible one or by nothing.

    Args:
        baseline, candidate: judged sums of each query.
        judged: judged documents of each query with at least the gain of each step, float64 of shape (n, steps).
        in_baseline, in_candidate: what a gain of 1 at the place of each document adds.
        worth: the gains that there are, ascending from 0.
        best: best[m] is the sum of the first m discounts up to the cutoff; None where nothing divides the sum.
    """

    BY_QUERY = ("baseline", "candidate", "judged")
    BY_DOCUMENT = ("in_baseline", "in_candidate")

    baseline: F64
    candidate: F64
    judged: I64
    in_baseline: F64
    in_candidate: F64
    worth: F64
    best: F64 | None

    def highest(self, of_baseline: float, of_candidate: float) -> F64:
        """The high gains go to the places that add most; see `ratio` for how many go there."""
        judged = of_baseline * self.baseline + of_candidate * self.candidate
        adds = of_baseline * self.in_baseline + of_candidate * self.in_candidate
        if self.best is None:
            most = np.bincount(self.query, np.maximum(adds, 0.0), minlength=self.n)
            return judged + self.worth[-1] * most  # type: ignore[no-any-return] # float64
        order = np.lexsort((-adds, self.query))
        gained = running(self.query, adds[order], self.n)
        return highest_ratio(judged, self.query, gained, np.diff(self.worth), self.judged, self.best)

    def _after(self, docs: I64, grades: I64) -> dict[str, Any]:
        gain = self.worth[grades]
        return {
            "baseline": self.baseline + gain * self.in_baseline[docs],
            "candidate": self.candidate + gain * self.in_candidate[docs],
            "judged": self.judged + (grades[:, None] > np.arange(len(self.worth) - 1)),
        }


def posed(
    measure: Measure, lists: Lists, levels: Sequence[float] | None = None, depth: int | None = None
) -> tuple[Lists, Problem] | str:
    """The lists down to the depth that matters and the problem that the measure poses there, or why there is none.

    Args:
        measure: the measure.
        lists: both runs and their unjudged documents.
        levels: grades of the scale beside those of the judgments.
        depth: how far down either list a document could have any grade; the measure's own cutoff when None.
    """
    if below_the_lists(measure, lists):
        return f"it needs whole lists, and they were looked at down to rank {lists.depth}: name a cutoff"
    looked = lists.inside(measure.cutoff if depth is None else depth)
    found = problem(Measure(measure.name, _kept(measure), measure.cutoff), looked, scale(lists, levels))
    return found if isinstance(found, str) else (looked, found)


def below_the_lists(measure: Measure, lists: Lists) -> bool:
    """Whether the measure looks at documents that were not read."""
    is_long = measure.cutoff is None or measure.params.get("ideal") == "returned"
    return is_long and not lists.is_whole


def scale(lists: Lists, levels: Sequence[float] | None) -> F64:
    """The grades of the judgments, and further ones of the scale."""
    known = lists.baseline.judged.levels
    return known if levels is None else np.union1d(known, np.array(levels, dtype=np.float64))


def problem(measure: Measure, lists: Lists, levels: F64) -> Problem | str:
    """The problem that a measure poses, or why there is no algorithm for it.

    Args:
        measure: without `judged_only`: once their grades are known, unjudged documents stay in the list.
        lists: both runs and their unjudged documents, those of the first k alone.
        levels: the grades of the scale.
    """
    averaged = lists.baseline.is_averaged
    if measure.name in ("P", "R", "F"):
        return _counts(measure, lists)
    if measure.name in ("nDCG", "DCG", "CG"):
        return _gains(measure, lists, levels)
    if measure.name in ("RR", "HitRate") and averaged:
        return f"ties are averaged, and {measure.name} has no algorithm for that"
    if measure.name in ("RR", "HitRate"):
        return _firsts(measure, lists)
    if measure.name == "AP":
        from assay.compare.precision import averages

        return averages(measure, lists)
    return f"{measure.name} has no algorithm for it"


def two_grades(measure: Measure, lists: Lists) -> tuple[float, float]:
    """A grade that is not relevant, and one that is."""
    rel = lists.baseline.judged.rel if measure.rel is None else measure.rel
    return (0.0, 1.0) if rel is None else (min(rel - 1.0, 0.0), rel)


def _relevant(measure: Measure, lists: Lists) -> F64:
    return lists.baseline.judged.relevant(measure.rel).astype(np.float64)


def _counts(measure: Measure, lists: Lists) -> Problem | str:
    cutoff, params = measure.cutoff, measure.params
    found = [r.relevant(measure.rel).count(cutoff) for r in (lists.baseline, lists.candidate)]
    adds = lists.weights(none, cutoff)
    relevant = _relevant(measure, lists)
    slope, cap, needs = 0.0, np.inf, measure.name != "P"
    base = np.ones(lists.n)
    if measure.name == "P":
        sizes = [_length(r.returned, cutoff, str(params["short"])) for r in (lists.baseline, lists.candidate)]
        found = [
            np.divide(x, size, out=np.zeros(lists.n), where=size > 0) for x, size in zip(found, sizes, strict=True)
        ]
        adds = (adds[0] / sizes[0][lists.query].clip(1), adds[1] / sizes[1][lists.query].clip(1))
    elif measure.name == "R":
        base, slope = relevant, 1.0
        if params["cap"]:
            if cutoff is None:
                return "R(cap=True) without a cutoff is divided by another number in each list"
            cap = float(cutoff)
    else:
        if cutoff is None:
            return "F without a cutoff is divided by another number in each list"
        square = float(params["beta"]) ** 2  # type: ignore[arg-type] # beta is a number
        found = [(1 + square) * x for x in found]
        adds = ((1 + square) * adds[0], (1 + square) * adds[1])
        base, slope = square * relevant + cutoff, square
    grades = two_grades(measure, lists)
    return Counts(lists.query, grades, found[0], found[1], base, relevant, adds[0], adds[1], slope, cap, needs)


def _length(returned: I64, cutoff: int | None, short: str) -> F64:
    if cutoff is None:
        return returned.astype(np.float64)
    return np.minimum(returned, cutoff).astype(np.float64) if short == "list" else np.full(len(returned), float(cutoff))


def _firsts(measure: Measure, lists: Lists) -> Firsts:
    cutoff, is_rr = measure.cutoff, measure.name == "RR"
    values = [measure.compute(r) for r in (lists.baseline, lists.candidate)]

    def worth(rank: I64) -> F64:
        seen = (rank > 0) if cutoff is None else (rank > 0) & (rank <= cutoff)
        return np.where(seen, 1.0 / np.maximum(rank, 1) if is_rr else 1.0, 0.0)

    adds = worth(lists.in_baseline.rank), worth(lists.in_candidate.rank)
    grades = two_grades(measure, lists)
    return Firsts(lists.query, grades, values[0], values[1], _relevant(measure, lists), *adds, is_rr)


def _kept(measure: Measure) -> tuple[tuple[str, Any], ...]:
    return tuple(pair for pair in measure.changed if pair[0] != "judged_only")


def _gains(measure: Measure, lists: Lists, levels: F64) -> Problem | str:
    cutoff, params = measure.cutoff, measure.params
    gain: Any = gain_function(params["gain"])  # type: ignore[arg-type] # a gain by its declaration
    levels = np.union1d(levels[levels >= 0], [0.0])
    worth, index = np.unique(gain(levels), return_index=True)
    if worth[0] > 0:
        return "a grade of 0 has a gain"
    if len(worth) < 2:
        return "no judged document has a gain, so the scale is not known"
    if params.get("ideal", "judged") != "judged":
        return "the best order is of what was returned, so each list is divided by another number"
    discount = none if measure.name == "CG" else discount_function(str(params["discount"]))
    adds = lists.weights(discount, cutoff)
    sums = [r.per_query(gain(r.grade) * r.weighted(discount, cutoff)) for r in (lists.baseline, lists.candidate)]
    judged = lists.baseline.judged
    known = gain(judged.grade)
    above = np.stack([np.bincount(judged.query[known >= x], minlength=lists.n) for x in worth[1:]], axis=1)
    deepest = int(above[:, 0].max(initial=0)) + int(np.bincount(lists.query, minlength=1).max(initial=0))
    steps = discount(np.arange(1, deepest + 1, dtype=np.float64))
    if cutoff is not None:
        steps[cutoff:] = 0.0
    best = np.concatenate([[0.0], np.cumsum(steps)]) if measure.name == "nDCG" else None
    grades = tuple(levels[index].tolist())
    return Gains(lists.query, grades, sums[0], sums[1], above, adds[0], adds[1], worth, best)
