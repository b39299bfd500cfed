"""How alike two runs are, query by query, without judgments: what a change moves, before anybody says if it helps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.ranking.listed import List, Listed
from assay.results import Note, Result, kept
from assay.stats.intervals import Interval, t_interval, why_undefined
from assay.stats.order import tau, tau_ap
from assay.stats.rbo import Order, TieRule, rbo

F64 = NDArray[np.float64]

DEEPEST = 1000
"""Ranks of each list that are compared: with p 0.99 those below have less than a ten thousandth of the weight."""


@kept("overlap at a depth")
@dataclass(frozen=True, slots=True)
class AtDepth:
    """What the first k of two lists have in common.

    Args:
        depth: k.
        shared: documents that both have.
        overlap: shared, divided by the longer of the two lists cut at k.
        jaccard: shared, divided by the documents that either has.
        is_identical: whether both have the same documents in the same order.
    """

    depth: int
    shared: int
    overlap: float
    jaccard: float
    is_identical: bool


@kept("overlap of a query")
@dataclass(frozen=True, slots=True)
class QueryOverlap:
    """Two lists of one query.

    Args:
        query_id: the query.
        rbo: rank-biased overlap, extrapolated; None where one list is empty and the other is not.
        low, high: its bounds by what the ranks below could be; None where the rule for ties has none.
        first_change: the first rank at which the lists differ; None when they are the same.
        at: what the first k have in common, for each depth.
        common: documents that both lists have in their first 1,000.
        tau: Kendall's tau-b of their order; None below two of them, or where all scores of one run are equal.
        tau_ap: tau_AP of the candidate's order given the baseline's; likewise.
    """

    query_id: str
    rbo: float | None
    low: float | None
    high: float | None
    first_change: int | None
    at: tuple[AtDepth, ...]
    common: int
    tau: float | None
    tau_ap: float | None


Kind = Literal["rbo", "rbo low", "rbo high", "overlap", "jaccard", "identical", "tau", "tau_ap"]


@kept("overlap line")
@dataclass(frozen=True, slots=True)
class Line:
    """One figure over all queries.

    Args:
        kind: what it is.
        depth: the k of overlap, Jaccard and identical; None for the others.
        mean: over the queries that have a value; None when none has.
        interval: of the mean, by the t distribution; None where there is none, as for shares.
        why: why there is no interval.
        n: how many queries have a value.
    """

    kind: Kind
    depth: int | None
    mean: float | None
    interval: Interval | None
    why: str
    n: int


@kept("overlap")
@dataclass(frozen=True, kw_only=True)
class Overlap(Result):
    """How alike two runs are.

    Args:
        baseline, candidate: names of the runs.
        p: how likely the reader of the rank-biased overlap goes on to the next rank.
        ties: its rule for equal scores, see `stats.rbo.TieRule`.
        depths: the depths of overlap, Jaccard and identical.
        lines: the means.
        queries: the queries that both runs have.
        only_baseline, only_candidate: queries that one run alone has.
    """

    baseline: str
    candidate: str
    p: float
    ties: TieRule
    depths: tuple[int, ...]
    lines: tuple[Line, ...]
    queries: tuple[QueryOverlap, ...]
    only_baseline: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()

    def changed(self, most: int = 10) -> list[QueryOverlap]:
        """The queries whose lists differ most, the least alike first; of equals the one that changes higher up."""
        differ = [query for query in self.queries if query.first_change is not None]
        rank = {id(query): (0.0 if query.rbo is None else query.rbo, query.first_change or 0) for query in differ}
        return sorted(differ, key=lambda query: rank[id(query)])[:most]

    def line(self, kind: Kind, depth: int | None = None) -> Line:
        """One of the means."""
        return next(line for line in self.lines if line.kind == kind and line.depth == depth)


def overlap(
    baseline: Listed, candidate: Listed, *, names: tuple[str, str] = ("baseline", "candidate"), p: float = 0.9,
    ties: TieRule = "a", depths: Sequence[int] = (10, 100), notes: Sequence[Note] = (),
) -> Overlap:  # fmt: skip
    """How alike two runs are, over the queries that both have.

    Args:
        baseline: the run before.
        candidate: the run after.
        names: of both.
        p: between 0 and 1, of the rank-biased overlap.
        ties: its rule for equal scores.
        depths: how many first documents are compared as sets.
        notes: what reading showed.
    """
    both = [query for query in baseline.lists if query in candidate.lists]
    found = tuple(one(query, baseline.lists[query], candidate.lists[query], p, ties, depths) for query in both)
    lines = [_line("rbo", None, [q.rbo for q in found])]
    if ties == "a":
        lines += [_line("rbo low", None, [q.low for q in found]), _line("rbo high", None, [q.high for q in found])]
    for i, depth in enumerate(depths):
        lines.append(_line("overlap", depth, [q.at[i].overlap for q in found]))
        lines.append(_line("jaccard", depth, [q.at[i].jaccard for q in found]))
        lines.append(_line("identical", depth, [float(q.at[i].is_identical) for q in found]))
    lines += [_line("tau", None, [q.tau for q in found]), _line("tau_ap", None, [q.tau_ap for q in found])]
    return Overlap(
        baseline=names[0],
        candidate=names[1],
        p=p,
        ties=ties,
        depths=tuple(depths),
        lines=tuple(lines),
        queries=found,
        only_baseline=tuple(query for query in baseline.lists if query not in candidate.lists),
        only_candidate=tuple(query for query in candidate.lists if query not in baseline.lists),
        notes=(*notes, *_notes(found, baseline, candidate, names, ties)),
    )


def one(query: str, a: List, b: List, p: float, ties: TieRule, depths: Sequence[int]) -> QueryOverlap:
    """Two lists of one query."""
    short = min(len(a.docs), len(b.docs))
    change = next((i + 1 for i in range(short) if a.docs[i] != b.docs[i]), short + 1)
    in_b = {doc: i for i, doc in enumerate(b.docs[:DEEPEST])}
    pairs = np.array([(i, in_b[doc]) for i, doc in enumerate(a.docs[:DEEPEST]) if doc in in_b], np.int64).reshape(-1, 2)
    before, after = -a.first[pairs[:, 0]].astype(np.float64), -b.first[pairs[:, 1]].astype(np.float64)
    several = len(pairs) > 1
    found = rbo(_order(a), _order(b), p, ties) if short else None
    alike = None if a.docs or b.docs else 1.0  # two lists that are both empty are the same
    return QueryOverlap(
        query_id=query,
        rbo=alike if found is None else found.value,
        low=alike if found is None else found.low,
        high=alike if found is None else found.high,
        first_change=None if a.docs == b.docs else change,
        at=tuple(_at(a, b, depth) for depth in depths),
        common=len(pairs),
        tau=tau(before, after) if several else None,
        tau_ap=tau_ap(after, before) if several else None,
    )


def _order(found: List) -> Order:
    return Order(found.docs, found.first, found.last).cut(DEEPEST)


def _at(a: List, b: List, depth: int) -> AtDepth:
    one, other = a.docs[:depth], b.docs[:depth]
    shared = len(set(one) & set(other))
    longer, either = max(len(one), len(other)), len(set(one) | set(other))
    return AtDepth(
        depth, shared, shared / longer if longer else 1.0, shared / either if either else 1.0, one == other
    )  # fmt: skip


def _line(kind: Kind, depth: int | None, values: Sequence[float | None]) -> Line:
    known: F64 = np.array([value for value in values if value is not None], np.float64)
    mean = float(known.mean()) if len(known) else None
    if kind == "identical":
        return Line(kind, depth, mean, None, "a share of the queries", len(known))
    interval = t_interval(known)
    return Line(kind, depth, mean, interval, "" if interval else why_undefined(known), len(known))


def _notes(
    found: Sequence[QueryOverlap], baseline: Listed, candidate: Listed, names: tuple[str, str], ties: TieRule
) -> list[Note]:
    notes = []
    for name, run in zip(names, (baseline, candidate), strict=True):
        for kind, rows in run.left_out:
            text = f"{rows:,} {kind} rows are left out; --include {kind} counts them"
            notes.append(Note("rows-left-out", text, name, rows))
        if run.dropped:
            text = f"{run.dropped:,} repeated documents were dropped; the first of each was kept"
            notes.append(Note("duplicates-dropped", text, name, run.dropped, "warning"))
        if run.has_ties:
            rule = {"a": "averaged over their orders", "w": "taken as whole groups", "b": "compared as shares"}[ties]
            text = f"some scores are equal: in RBO they are {rule}, the first k take them in the stated order"
            notes.append(Note("ties", text, name))
    one_sided = sum(query.rbo is None for query in found)
    if one_sided:
        who = "1 query" if one_sided == 1 else f"{one_sided:,} queries"
        text = f"{who} returned nothing in one of the runs and something in the other: no RBO"
        notes.append(Note("empty-lists", text, count=one_sided, level="warning"))
    return notes
