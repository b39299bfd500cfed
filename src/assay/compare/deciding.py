"""Which labels could decide a fragile difference: for either winner, the fewest that a greedy search finds."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.compare.lists import Lists
from assay.compare.precision import TRIED, Averages
from assay.compare.ranges import Problem, posed
from assay.measures.measure import Measure
from assay.ranking.ranking import F64, I64, Bool
from assay.results import kept
from assay.tables import Pair

NEAR = 1e-12
"""How far on its side of the limit a bound must be."""

MOST = 100
"""Labels after which the search ends."""

_ROOM = 1 << 20
"""Documents of all queries with a label tried, at a time."""

_COST = 5e7
"""Numbers that all labels tried in the first round may take; the widest queries come first."""


@kept("deciding")
@dataclass(frozen=True)
class Deciding:
    """Labels that would decide for one side, if they come out for it.

    Args:
        measure: the measure.
        winner: the run that they would decide for.
        against: the other run.
        pairs: query and document, in the order of labelling: what narrows the range most comes first.
        grades: the grade of each that would decide.
        decided: whether they are enough; otherwise more are needed than were looked for, or no labels are.
        is_fewest: whether fewer cannot be enough, as for P; otherwise the number is about right.
        at_least: labels that are needed at least, however they come out.
        queries: how many queries were looked at.
        left_out: queries with unjudged documents that were not, the ones with the narrowest ranges.
    """

    measure: Measure
    winner: str
    against: str
    pairs: tuple[Pair, ...]
    grades: tuple[float, ...]
    decided: bool
    is_fewest: bool
    at_least: int
    queries: int
    left_out: int = 0

    @property
    def says(self) -> str:
        """One sentence without a full stop."""
        n = len(self.pairs)
        labels = f"{n:,} label{'' if n == 1 else 's'}"
        if not self.decided:
            return f"{self.measure}: at least {self.at_least:,} labels are needed to decide for {self.winner}"
        least = "at least" if self.is_fewest else "at least about"
        return f"{self.measure}: {least} {labels} could decide for {self.winner}, if they come out for it"


def deciding(
    measure: Measure,
    lists: Lists,
    *,
    names: tuple[str, str] = ("baseline", "candidate"),
    counts: Bool | None = None,
    levels: Sequence[float] | None = None,
    depth: int | None = None,
    limit: float = 0.0,
    most: int = MOST,
) -> tuple[Deciding, ...]:
    """The labels that could decide for either run, the shorter list first; nothing where no range is computed.

    Args:
        measure: the measure.
        lists: both runs and their unjudged documents, as for `unjudged.bounds`; so are the next four.
        names: what the runs are called.
        counts: the queries that the means are over.
        levels: grades of the scale beside those of the judgments.
        depth: how far down either list a document could have any grade.
        limit: the difference is to lie above it for the candidate to win, below it for the baseline.
        most: labels after which the search for one side ends.
    """
    found = posed(measure, lists, levels, depth)
    if isinstance(found, str):
        return ()
    looked, whole = found
    counted = measure.has_relevant(lists.baseline.judged) if counts is None else counts
    low, high = whole.range(-1.0, 1.0)
    undefined = counted & ~measure.has_relevant(lists.baseline.judged)  # by rule both values are the same there
    low, high = np.where(undefined, np.fmin(low, 0.0), low), np.where(undefined, np.fmax(high, 0.0), high)
    sides = [
        _side(measure, looked, whole, (names[1], names[0]), (1.0, -1.0), (low, high), counted, limit, most),
        _side(measure, looked, whole, names, (-1.0, 1.0), (-high, -low), counted, -limit, most),
    ]
    return tuple(sorted(sides, key=lambda side: (not side.decided, len(side.pairs))))


def _side(
    measure: Measure, lists: Lists, whole: Problem, names: tuple[str, str], against: tuple[float, float],
    ends: tuple[F64, F64], counts: Bool, limit: float, most: int,
) -> Deciding:  # fmt: skip
    """Labels that raise the lowest mean difference above the limit, the one that raises it most first."""
    low, wide = ends[0], ends[1] - ends[0]
    total = float(np.nansum(low[counts])) - limit * int(counts.sum())
    near = NEAR * max(int(counts.sum()), 1)
    many = np.bincount(whole.query, minlength=whole.n)
    defined = measure.has_relevant(lists.baseline.judged)
    queries = np.flatnonzero(counts & defined & (many > 0) & np.isfinite(low) & (wide > 0))
    queries = queries[np.argsort(-wide[queries], kind="stable")]
    # A label raises the lowest sum of its own query alone, and by no more than the width of its range.
    at_least = int(np.searchsorted(np.cumsum(wide[queries]), -total - near)) + 1
    if measure.name == "P" and measure.cutoff is not None and measure.params["short"] == "pad":
        at_least = int(np.floor((near - total) * measure.cutoff + NEAR)) + 1  # each label raises it by 1 / k
    affordable = max(1, int(np.searchsorted(np.cumsum(_costs(whole, many[queries])), _COST, "right")))
    if at_least > most:  # hopeless: then only what would be labelled first is looked for
        affordable = min(affordable, most)
    left_out, queries = len(queries[affordable:]), np.sort(queries[:affordable])
    steps = _Steps(whole, queries, against) if len(queries) else None
    picked: list[tuple[int, float]] = []
    while steps is not None and total <= near and len(picked) < most:
        step = steps.best()
        if step is None:
            break
        doc, grade, gain = step
        picked.append((doc, grade))
        total += gain
    docs = np.array([doc for doc, _ in picked], dtype=np.int64)
    order = _by_width(whole, docs, lists)
    reason = f"could decide {measure}"
    pairs = tuple(
        Pair(lists.baseline.judged.queries[int(whole.query[docs[i]])], lists.docs[int(docs[i])], place, reason)
        for place, i in enumerate(order.tolist(), 1)
    )
    return Deciding(
        measure, *names, pairs, tuple(picked[i][1] for i in order.tolist()), total > near, measure.name == "P",
        at_least, len(queries), left_out,
    )  # fmt: skip


def _costs(whole: Problem, many: I64) -> F64:
    """About how many numbers it takes to try every label of a query with so many documents."""
    numbers = many.astype(np.float64)
    each = np.exp2(np.minimum(numbers, TRIED + 1) - 1) if isinstance(whole, Averages) else numbers
    return len(whole.grades) * numbers * np.maximum(each, numbers)


class _Steps:
    """The label that raises the lowest sum most, one after the other.

    Queries do not touch each other, so a label changes the choices of its own query alone.
    """

    def __init__(self, whole: Problem, queries: I64, against: tuple[float, float]) -> None:
        self._against = against
        self._documents: dict[int, I64] = {}
        some = whole.several(queries)
        start = np.searchsorted(whole.query, queries)
        gains = _gains(some, against)
        best = _first_largest(some.query, gains, len(queries))
        self._heap: list[tuple[float, int, int, int]] = []
        self._problems: dict[int, Problem] = {}
        self._whole, self._queries, self._start = whole, queries, start
        first = np.searchsorted(some.query, np.arange(len(queries)))
        for at, place in enumerate(best.tolist()):
            doc, grade = divmod(place, gains.shape[1])
            heapq.heappush(self._heap, (-round(float(gains[doc, grade]), 12), at, doc - int(first[at]), grade))

    def best(self) -> tuple[int, float, float] | None:
        """Document, grade and what it adds; None when no document is left."""
        if not self._heap:
            return None
        gain, at, place, grade = heapq.heappop(self._heap)
        if at not in self._problems:
            q = self._queries[[at]]
            self._problems[at] = self._whole.several(q)
            self._documents[at] = self._start[at] + np.arange(len(self._problems[at].query))
        before = self._problems[at]
        after = before.labelled(np.array([place]), np.array([grade]))
        doc = int(self._documents[at][place])
        self._documents[at] = np.delete(self._documents[at], place)
        self._problems[at] = after
        if len(after.query):
            gains = _gains(after, self._against)
            here = int(_first_largest(after.query, gains, 1)[0])
            following, its_grade = divmod(here, gains.shape[1])
            heapq.heappush(self._heap, (-round(float(gains[following, its_grade]), 12), at, following, its_grade))
        return doc, before.grades[grade], -gain


def _gains(some: Problem, against: tuple[float, float]) -> F64:
    """By how much each label of each document raises the lowest sum of its query, of shape (documents, grades)."""
    low = -some.highest(*against)
    return _tried(some, against) - low[some.query][:, None]


def _tried(some: Problem, against: tuple[float, float]) -> F64:
    """The lowest sum of a document's query after each label, of shape (documents, grades)."""
    many = np.bincount(some.query, minlength=some.n)
    first = np.cumsum(many) - many
    place = np.arange(len(some.query)) - first[some.query]
    size = many[some.query]
    out = np.empty((len(some.query), len(some.grades)))
    parts = np.array_split(np.arange(len(some.query)), max(1, int(size.sum()) // _ROOM))
    for part in parts:
        copies = some.several(some.query[part])
        docs = np.cumsum(size[part]) - size[part] + place[part]
        for grade in range(len(some.grades)):
            labelled = copies.labelled(docs, np.full(len(part), grade))
            out[part, grade] = -labelled.highest(*against)
    return np.where(np.isnan(out), np.inf, out)  # every further label leaves it undefined: it counts no more


def _first_largest(query: I64, gains: F64, n: int) -> I64:
    """For each query the first place (document times grades plus grade) of its largest gain."""
    gains = np.where(np.isinf(gains), -1.0, np.round(gains, 12)).ravel()
    owner = np.repeat(query, len(gains) // max(len(query), 1))
    largest = np.full(n, -np.inf)
    np.maximum.at(largest, owner, gains)
    places = np.flatnonzero(gains == largest[owner])
    first = np.full(n, -1, np.int64)
    first[owner[places][::-1]] = places[::-1]
    return first


def _by_width(whole: Problem, docs: I64, lists: Lists) -> I64:
    """The order of labelling: by the width that a label can take from the range of its query, then rank, then id."""
    if not len(docs):
        return docs
    queries, owner = np.unique(whole.query[docs], return_inverse=True)
    some = whole.several(queries)
    low, high = _tried(some, (1.0, -1.0)), _tried(some, (-1.0, 1.0))
    before = some.highest(-1.0, 1.0) + some.highest(1.0, -1.0)
    removed = (before[some.query][:, None] - (-high - low)).max(axis=1)
    start = np.searchsorted(some.query, np.arange(len(queries)))
    place = docs - np.searchsorted(whole.query, whole.query[docs])
    taken = np.round(removed[start[owner] + place], 12)
    best = np.minimum(lists.in_baseline.upto(), lists.in_candidate.upto())[docs]
    names = np.array([lists.docs[doc] for doc in docs.tolist()])
    return np.lexsort((names, best, -taken))
