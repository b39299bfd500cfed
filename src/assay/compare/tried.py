"""The ranges of measures without an algorithm of their own: labellings are tried, and the measure itself computes them.

Few unjudged documents: every labelling is tried, which is exact for any measure. More: the labellings among which the
extremes of one list are known to be, so that the ranges of the values stay exact and that of the difference becomes an
outer bound; for some measures the labellings among which the extremes of the difference are, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.compare.lists import Lists, Places
from assay.compare.ranges import gathered, two_grades
from assay.compare.returned import ratio_of_returned
from assay.measures.measure import Measure
from assay.ranking.ranking import F64, I64, Bool, Judged, Ranking

EVERY = 4096
"""Labellings of a query up to which every one is tried."""
PAIRED = 64
"""Unjudged documents of a query up to which every two of them are tried together."""
ROOM = 20_000_000
"""Documents of all labellings together; what needs more is not tried."""
SPENT = 10_000_000
"""Documents up to which every labelling of a query is tried; then those that must be are."""
_BATCH = 1_000_000


@dataclass(frozen=True, eq=False)
class Ends:
    """The ranges of two values and of their difference, float64 of shape (n,) each; see `unjudged.Bounds`."""

    baseline_low: F64
    baseline_high: F64
    candidate_low: F64
    candidate_high: F64
    low: F64
    high: F64
    inner_low: F64
    inner_high: F64
    sharp: Bool


def ends(measure: Measure, lists: Lists, levels: F64) -> Ends | str:
    """The ranges of one measure, or why there are none.

    Args:
        measure: the measure; `judged_only` is of no matter, since every grade is known then.
        lists: both runs and their unjudged documents, those down to the depth that matters alone.
        levels: the grades of the scale.
    """
    about = measure.about
    if about.extremes == "none":
        return "it does not depend on grades"
    plain = Measure(measure.name, tuple(p for p in measure.changed if p[0] != "judged_only"), measure.cutoff)
    grades = np.array(two_grades(measure, lists))
    if about.grades:
        grades = np.union1d(levels[levels >= 0], [0.0])
        if len(grades) < 2:
            return "no judged document has a gain, so the scale is not known"
    table = _Table.of(plain, lists, grades)
    return table if isinstance(table, str) else table.reduced()


@dataclass(frozen=True, eq=False)
class _Table:
    """Which labellings of which queries are tried.

    Args:
        measure, lists: as for `ends`.
        grades: what a document can be labelled.
        many: unjudged documents of each query.
        start: where those of each query begin.
        whole: queries of which every labelling is tried.
    """

    measure: Measure
    lists: Lists
    grades: F64
    many: I64
    start: I64
    whole: Bool

    @classmethod
    def of(cls, measure: Measure, lists: Lists, grades: F64) -> _Table | str:
        """The plan; or in words that it is too much."""
        n = lists.n
        many = np.bincount(lists.query, minlength=n).astype(np.int64)
        known = np.bincount(lists.baseline.judged.query, minlength=n)
        for side in (lists.baseline, lists.candidate):
            known = known + np.bincount(side.query, minlength=n)
        rows = known + 3 * many  # judgments and hits of both lists
        with np.errstate(over="ignore"):
            every = np.where(many * np.log(len(grades)) <= np.log(EVERY) + 1e-9, float(len(grades)) ** many, np.inf)
        cheap = np.argsort(every * rows, kind="stable")
        whole = np.zeros(n, np.bool_)
        whole[cheap] = np.cumsum((every * rows)[cheap]) <= SPENT
        whole |= many == 0
        start = np.cumsum(many) - many
        made = cls(measure, lists, grades, many, start, whole)
        if not whole.all() and not made._has_families:
            worst = int(many[~whole].max())
            return f"a query has {worst:,} unjudged documents: too many to try every grade of each"
        needed = (rows * np.where(whole, 0, 7 * many + 2 + made._pairs(many)))[many > 0].sum()
        if needed > ROOM:
            return f"a query has {int(many.max()):,} unjudged documents: too many to try; --bounds-depth looks at fewer"
        return made

    @property
    def _has_families(self) -> bool:
        about = self.measure.about
        return about.extremes == "relevant" or (about.name == "nDCG" and self.measure.params["ideal"] == "returned")

    def _pairs(self, many: I64) -> I64:
        if self.measure.name != "RankOfFirst":
            return np.zeros_like(many)
        return np.where(many <= PAIRED, many * (many - 1) // 2, 0)

    def reduced(self) -> Ends:
        """The lowest and highest of what was tried, or the outer bound."""
        n = self.lists.n
        a, b, d = (np.stack([np.full(n, np.inf), np.full(n, -np.inf)]) for _ in range(3))
        outer = np.stack([np.full(n, np.inf), np.full(n, -np.inf)])
        by_number = self.measure.about.all_relevant and self.measure.about.extremes == "relevant"
        for owners, sizes, one, other in self._batches():
            begin = np.cumsum(sizes) - sizes
            for held, values in ((a, one), (b, other), (d, other - one)):
                held[0][owners] = np.fmin.reduceat(np.where(np.isnan(values), np.inf, values), begin)
                held[1][owners] = np.fmax.reduceat(np.where(np.isnan(values), -np.inf, values), begin)
            for i in np.flatnonzero(~self.whole[owners] & by_number).tolist():
                q, m = owners[i], int(self.many[owners[i]]) + 1
                x, y = (values[begin[i] : begin[i] + 4 * m].reshape(4, m) for values in (one, other))
                outer[:, q] = np.nanmin(y[3] - x[0]), np.nanmax(y[2] - x[1])
        sides = [self._alone(0, a), self._alone(1, b)]
        low, high = sides[1][0] - sides[0][1], sides[1][1] - sides[0][0]
        if by_number:
            low, high = np.where(self.whole, low, outer[0]), np.where(self.whole, high, outer[1])
        exact = self._exact()
        inner = [np.where(np.isinf(end), np.nan, end) for end in d]
        # where both lists can be at their ends at once, their ranges subtract to what is attained
        at_once = exact & ~self._tried_exactly() & ~self.whole
        low = np.where(exact & ~at_once, inner[0], low)
        high = np.where(exact & ~at_once, inner[1], high)
        return Ends(*sides[0], *sides[1], low, high, np.where(exact, low, inner[0]), np.where(exact, high, inner[1]),
                    exact)  # fmt: skip

    def _alone(self, side: int, tried: NDArray[np.float64]) -> tuple[F64, F64]:
        """The range of one value."""
        low, high = (np.where(np.isinf(end), np.nan, end) for end in tried)
        r, places = self._sides()[side]
        if self.measure.about.extremes == "gain":  # nDCG by what was returned: its own best order
            own = ratio_of_returned(self.measure, self.lists, r, places, self.grades)
            low, high = np.where(self.whole, low, own[0]), np.where(self.whole, high, own[1])
        elif self.measure.name == "ContextPrecision" and r.is_averaged:
            # a relevant document that may or may not be among the first: no order of labellings is known to be best
            open_ones = ~self.whole & self._tied()
            low, high = np.where(open_ones, 0.0, low), np.where(open_ones, 1.0, high)
        return low, high

    def _exact(self) -> Bool:
        """Whether the range of the difference is attained."""
        shared = (self.lists.in_baseline.rank > 0) & (self.lists.in_candidate.rank > 0)
        apart: Bool = np.bincount(self.lists.query[shared], minlength=self.lists.n) == 0
        if self.measure.name not in ("RR", "HitRate", "ContextPrecision", "nDCG"):
            apart[:] = False  # what one list shows moves the value of the other
        apart &= self.measure.has_relevant(self.lists.baseline.judged)
        if self.measure.name == "ContextPrecision":
            apart &= ~self._tied()
        exact: Bool = self.whole | self._tried_exactly() | apart
        return exact

    def _tried_exactly(self) -> Bool:
        """Whether the extremes of the difference are among what is tried, beyond those queries tried whole."""
        name = self.measure.name
        if _linear(name):
            return np.ones(self.lists.n, np.bool_)
        if name in ("RR", "HitRate"):
            return ~self._tied()
        return ~self._tied() & (self.many <= PAIRED) & (name == "RankOfFirst")

    def _tied(self) -> Bool:
        """Queries with a group of equal scores."""
        found = np.zeros(self.lists.n, np.bool_)
        for r, places in self._sides():
            if r.first is not None and r.last is not None and places.first is not None and places.last is not None:
                found[r.query[r.first < r.last]] = True
                found[self.lists.query[places.first < places.last]] = True
        return found

    def _sides(self) -> tuple[tuple[Ranking, Places], tuple[Ranking, Places]]:
        return (self.lists.baseline, self.lists.in_baseline), (self.lists.candidate, self.lists.in_candidate)

    def _batches(self) -> Iterator[tuple[I64, I64, F64, F64]]:
        """Queries, how many labellings each has, and the two values of each labelling; NaN is undefined."""
        owners: list[int] = []
        tables: list[F64] = []
        held = 0
        known = np.bincount(self.lists.baseline.judged.query, minlength=self.lists.n)
        for q in range(self.lists.n):
            table = self._every(int(self.many[q])) if self.whole[q] else self._families(q)
            owners.append(q)
            tables.append(table)
            held += len(table) * int(known[q] + 3 * self.many[q] + 1)
            if held > _BATCH or q == self.lists.n - 1:
                yield self._valued(np.array(owners), tables)
                owners, tables, held = [], [], 0

    def _every(self, size: int) -> F64:
        return np.array(list(product(self.grades, repeat=size)), np.float64).reshape(len(self.grades) ** size, size)

    def _families(self, q: int) -> F64:
        """Of m relevant ones, the m highest of either list, and the m lowest; each alone; and what fits the measure."""
        size = int(self.many[q])
        part = slice(int(self.start[q]), int(self.start[q]) + size)
        rows = []
        places = [(p.rank if p.first is None else p.first)[part] for _, p in self._sides()]
        deepest = np.iinfo(np.int64).max
        for rank in places:  # first of all those that bound a difference by the number of relevant documents
            there = rank > 0
            rows += [_rising(np.where(there, rank, deepest)), _rising(np.where(there, -rank, -deepest))]
        rows += [_rising(np.where(rank > 0, -rank, deepest)) for rank in places]
        rows.append(np.eye(size, dtype=np.bool_))
        if _linear(self.measure.name):
            rows += list(self._by_worth(q, part))
        if self.measure.name == "RankOfFirst" and size <= PAIRED:
            one, other = np.triu_indices(size, 1)
            pairs = np.zeros((len(one), size), np.bool_)
            pairs[np.arange(len(one)), one] = pairs[np.arange(len(one)), other] = True
            rows.append(pairs)
        table: F64 = np.where(np.concatenate(rows), self.grades[-1], self.grades[0])
        return table

    def _by_worth(self, q: int, part: slice) -> Iterator[Bool]:
        """For each number of relevant documents the value is a sum over them: those that add most, and least."""
        size = part.stop - part.start
        relevant = int(self.lists.baseline.judged.relevant(self.measure.rel)[q])
        for sign in (1.0, -1.0):
            rows = np.zeros((size + 1, size), np.bool_)
            for m in range(1, size + 1):
                adds = np.zeros(size)
                for weight, (r, p) in zip((-sign, sign), self._sides(), strict=True):
                    adds += weight * _worth(self.measure, r, p.only(np.arange(part.start, part.stop)), q, relevant + m)
                rows[m, np.argsort(-adds, kind="stable")[:m]] = True
            yield rows

    def _valued(self, owners: I64, tables: list[F64]) -> tuple[I64, I64, F64, F64]:
        sizes = np.array([len(table) for table in tables])
        owner = np.repeat(owners, sizes)
        labels = np.concatenate([table.ravel() for table in tables])
        judged, order = self.lists.baseline.judged, self._by_query
        docs, who = gathered(self.lists.query, self.lists.n, owner)
        held, whose = gathered(judged.query[order], self.lists.n, owner)
        both = np.concatenate([judged.grade[order][held], labels])
        everything = Judged(
            queries=range(len(owner)), query=np.concatenate([whose, who]), grade=both, docs=[], rel=judged.rel,  # type: ignore[arg-type] # numbers do
            unlisted=judged.unlisted,
        )  # fmt: skip
        defined = self.measure.has_relevant(everything) | (self.measure.name == "HitRate")  # 0, not undefined
        values = []
        for r, places in self._sides():
            ranking = _labelled(r, places, owner, docs, who, labels, everything)
            values.append(np.where(defined, self.measure.compute(ranking), np.nan))
        undefined = np.isnan(values[0]) | np.isnan(values[1])
        if self.measure.name == "RankOfFirst":  # each value for itself; the difference needs both
            undefined = ~defined
        return owners, sizes, np.where(undefined, np.nan, values[0]), np.where(undefined, np.nan, values[1])

    @property
    def _by_query(self) -> I64:
        judged = self.lists.baseline.judged
        if "by query" not in judged._cache:
            judged._cache["by query"] = np.argsort(judged.query, kind="stable")
        return judged._cache["by query"]  # type: ignore[no-any-return] # what argsort gave


def _rising(key: I64) -> Bool:
    """One row more than there are documents: the m with the lowest keys, for each m."""
    order = np.argsort(key, kind="stable")
    place = np.empty(len(key), np.int64)
    place[order] = np.arange(len(key))
    out: Bool = place[None, :] < np.arange(len(key) + 1)[:, None]
    return out


def _linear(name: str) -> bool:
    """Whether the value is a sum over the relevant documents once their number is known."""
    return name in ("Rprec", "R", "F", "P", "NumRel", "NumRelRet")


def _worth(measure: Measure, r: Ranking, places: Places, q: int, relevant: int) -> F64:
    """What each unjudged document adds when there are so many relevant ones."""
    there = (places.rank > 0).astype(np.float64)
    returned = float(r.returned[q])
    cutoff = relevant if measure.name == "Rprec" else measure.cutoff
    if cutoff is not None:
        if places.first is None or places.last is None:
            there *= places.rank <= cutoff
        else:
            size = places.last - places.first + 1
            there *= np.clip(cutoff - places.first + 1, 0, size) / np.maximum(size, 1)
    divisor = 1.0
    if measure.name == "Rprec":
        divisor = float(relevant)
    elif measure.name == "R":
        limit = returned if measure.cutoff is None else float(measure.cutoff)
        divisor = min(float(relevant), limit) if measure.params["cap"] else float(relevant)
    elif measure.name == "F":
        square = float(measure.params["beta"]) ** 2  # type: ignore[arg-type] # beta is a number
        divisor = (square * relevant + (returned if measure.cutoff is None else measure.cutoff)) / (1 + square)
    return there / divisor if divisor else np.zeros(len(there))


def _labelled(r: Ranking, places: Places, owner: I64, docs: I64, who: I64, labels: F64, judged: Judged) -> Ranking:
    """One list under every labelling, as if each were a query."""
    hits, whose = gathered(r.query, r.n, owner)
    shown = places.rank[docs] > 0
    docs, who, labels = docs[shown], who[shown], labels[shown]
    query, rank = np.concatenate([whose, who]), np.concatenate([r.rank[hits], places.rank[docs]])
    order = np.lexsort((rank, query))

    def joined(ours: Any, theirs: Any) -> Any:
        return None if ours is None or theirs is None else np.concatenate([ours[hits], theirs[docs]])[order]

    return Ranking(
        judged, query[order], rank[order], np.concatenate([r.grade[hits], labels])[order],
        np.zeros(len(order), np.int64), r.returned[owner], r.answered[owner], joined(r.first, places.first),
        joined(r.last, places.last),
    )  # fmt: skip


NAMES = tuple(field.name for field in fields(Ends) if field.name != "sharp")
"""The ends by name."""
