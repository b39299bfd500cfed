"""Which stage lost it: what the first stage brought, the best value reachable from that, and what the order cost.

With the final value V, the ceiling C (the value of the best order of what was retrieved) and an ideal of 1: retrieval
lost 1 - C and ranking lost C - V.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.compare.retrieved import Brought, ceiling, chances, depths, recall
from assay.compare.stage_words import said
from assay.measures.measure import Measure
from assay.ranking.ranking import Judged, Ranking
from assay.results import kept
from assay.stats.intervals import Interval, t_interval

F64 = NDArray[np.float64]
Problem = Literal["retrieval problem", "ranking problem", "both", ""]

CLAIM = 25
"""Queries from which a verdict is a claim."""
MARGIN = 0.02
"""Losses under this are nothing to mend, unless asked otherwise."""


@kept("estimate")
@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over queries, or a mean difference.

    Args:
        mean: None where no query has a value.
        interval: None where it is undefined.
        n: how many queries it is over.
    """

    mean: float | None
    interval: Interval | None
    n: int


@kept("retriever")
@dataclass(frozen=True, slots=True)
class Retriever:
    """One first stage of a system.

    Args:
        name: the run.
        depth: how many of its documents the next stage read; None for all.
        recall: share of the relevant documents among them.
    """

    name: str
    depth: int | None
    recall: Estimate


@kept("stage")
@dataclass(frozen=True, slots=True)
class Stage:
    """One system on one set of queries.

    Args:
        system: the final run.
        kind, name: the column and the segment; ("", "all") for all queries.
        retrievers: each first stage alone.
        recall: of all first stages together.
        ceiling: the value of the best order of what was retrieved.
        value: the value of the final list.
        retrieval_loss: 1 - ceiling.
        ranking_loss: ceiling - value.
        problem: "retrieval problem" when retrieval loses more than twice as much as ranking, "ranking problem" the
            other way round, "both" otherwise; empty when both losses lie under the margin.
        claim: whether there are queries enough for a claim, and the final lists reach no more than the ceiling.
        outside: documents of the final list that no first stage brought within its depth.
        outside_queries: queries that have such a document.
    """

    system: str
    kind: str
    name: str
    retrievers: tuple[Retriever, ...]
    recall: Estimate
    ceiling: Estimate
    value: Estimate
    retrieval_loss: Estimate
    ranking_loss: Estimate
    problem: Problem
    claim: bool
    outside: int
    outside_queries: int


@kept("stage-change")
@dataclass(frozen=True, slots=True)
class StageChange:
    """Candidate minus baseline on one set of queries, over the queries that both have a value for.

    Args:
        baseline, candidate: the final runs.
        kind, name: the column and the segment; ("", "all") for all queries.
        recall, ceiling, value, retrieval_loss, ranking_loss: the differences.
        recalls: mean recall of the baseline and of the candidate.
        values: mean final value of the baseline and of the candidate.
        sentence: what happened, in words, without a full stop; empty when nothing moved beyond the margin.
    """

    baseline: str
    candidate: str
    kind: str
    name: str
    recall: Estimate
    ceiling: Estimate
    value: Estimate
    retrieval_loss: Estimate
    ranking_loss: Estimate
    recalls: tuple[float | None, float | None]
    values: tuple[float | None, float | None]
    sentence: str = ""


@kept("curve")
@dataclass(frozen=True, eq=False, slots=True)
class RecallCurve:
    """Mean recall of what a system retrieved, at growing depths.

    Args:
        system: the final run.
        retriever: the first stage; empty for all of them together.
        depths: int64 of shape (n,), ascending; the last is the depth that the next stage read.
        recall: float64 of shape (n,).
        low, high: t intervals of the means, cut to 0 to 1; NaN where there is none, as where all queries are equal.
    """

    system: str
    retriever: str
    depths: NDArray[np.int64]
    recall: F64
    low: F64 = field(default_factory=lambda: np.zeros(0))
    high: F64 = field(default_factory=lambda: np.zeros(0))


@kept("stage-queries")
@dataclass(frozen=True, eq=False, slots=True)
class StageQueries:
    """What each query of a system reached; float64 of shape (n,) in the order of the scores, NaN is undefined.

    Args:
        system: the final run.
        recall: of all first stages together.
        ceiling: the value of the best order of what was retrieved.
        value: the value of the final list.
    """

    system: str
    recall: F64
    ceiling: F64
    value: F64


@kept("stages")
@dataclass(frozen=True, slots=True)
class Stages:
    """Where each system loses, and which stage a change moved.

    Args:
        measure: of the final list, and of the ceiling.
        margin: losses under this are nothing to mend.
        systems: all queries first, then each segment.
        changes: likewise; one for each candidate, where the baseline has stages too.
        curves: recall against depth, of each first stage, then of several together.
        queries: what each query of each system reached.
    """

    measure: Measure
    margin: float
    systems: tuple[Stage, ...]
    changes: tuple[StageChange, ...]
    curves: tuple[RecallCurve, ...] = ()
    queries: tuple[StageQueries, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class First:
    """A first stage as it was read: the run joined with the judgments, and how much of it the next stage read."""

    name: str
    depth: int | None
    ranking: Ranking


@dataclass(frozen=True, eq=False, slots=True)
class Staged:
    """One system with its stages.

    Args:
        system: the final run.
        firsts: its first stages.
        final: the final run joined with the judgments.
        value: the final value of each query, float64 of shape (n,); NaN is undefined or not averaged.
        outside: documents of the final list of each query that no first stage brought, int64 of shape (n,).
    """

    system: str
    firsts: tuple[First, ...]
    final: Ranking
    value: F64
    outside: NDArray[np.int64]

    @property
    def brought(self) -> Brought:
        """What the first stages handed on."""
        return [(one.ranking, one.depth) for one in self.firsts]


Groups = Sequence[tuple[str, str, NDArray[np.bool_]]]
"""(column, segment, which queries) of each set of queries that is looked at."""


def stages(
    systems: Sequence[Staged],
    measure: Measure,
    groups: Groups,
    *,
    baseline: str,
    margin: float = MARGIN,
    level: float = 0.95,
) -> Stages:
    """Where each system loses, and which stage a change moved.

    Args:
        systems: those with stages.
        measure: of the final lists.
        groups: all queries first, then the segments.
        baseline: the run that the others are compared with; without its stages no change is split.
        margin: losses under this are nothing to mend.
        level: of the intervals.
    """
    worked = {staged.system: worked_out(staged, measure) for staged in systems}
    found = tuple(_stage(staged, worked[staged.system], group, margin, level) for group in groups for staged in systems)
    others = [staged.system for staged in systems if staged.system != baseline] if baseline in worked else []
    changes = tuple(
        _change(baseline, other, worked, group, measure, margin, level) for group in groups for other in others
    )
    curves = tuple(one for staged in systems for one in curves_of(staged, measure, level))
    queries = tuple(StageQueries(name, one.recall, one.ceiling, one.value) for name, one in worked.items())
    return Stages(measure, margin, found, changes, curves, queries)


@dataclass(frozen=True, eq=False, slots=True)
class PerQuery:
    """The parts of a system's value for each query, float64 of shape (n,) each; NaN is undefined.

    Args:
        alone: recall of each first stage.
        recall: of all of them together.
        ceiling, value: see `Stage`.
    """

    alone: tuple[F64, ...]
    recall: F64
    ceiling: F64
    value: F64


def worked_out(staged: Staged, measure: Measure) -> PerQuery:
    """Recall, ceiling and value of every query."""
    judged, use = staged.final.judged, _used(staged, measure)

    def among(values: F64) -> F64:
        return np.where(use, values, np.nan)

    return PerQuery(
        alone=tuple(among(recall(judged, chances(judged, [one]), measure.rel)) for one in staged.brought),
        recall=among(recall(judged, chances(judged, staged.brought), measure.rel)),
        ceiling=among(ceiling(judged, staged.brought, measure)),
        value=among(staged.value),
    )


def _used(staged: Staged, measure: Measure) -> NDArray[np.bool_]:
    use: NDArray[np.bool_] = ~np.isnan(staged.value) & measure.has_relevant(staged.final.judged)
    return use


def curves_of(staged: Staged, measure: Measure, level: float) -> list[RecallCurve]:
    """Mean recall against depth, from 1 to the depth that was read: each first stage, then several together."""
    sets = [(one.name, [(one.ranking, one.depth)]) for one in staged.firsts]
    sets += [("", list(staged.brought))] if len(staged.firsts) > 1 else []
    judged, use = staged.final.judged, _used(staged, measure)
    return [_curve(staged.system, name, brought, judged, use, measure, level) for name, brought in sets]


def _curve(
    system: str, name: str, brought: Brought, judged: Judged, use: NDArray[np.bool_], measure: Measure, level: float
) -> RecallCurve:
    hits = [(r.relevant(measure.rel), depth) for r, depth in brought]
    at = depths(brought)
    means = [estimate(np.where(use, recall(judged, chances(judged, hits, k), measure.rel), np.nan), level)
             for k in at.tolist()]  # fmt: skip
    values = np.array([0.0 if one.mean is None else one.mean for one in means])
    ends = np.array([(np.nan, np.nan) if one.interval is None else (one.interval.low, one.interval.high)
                     for one in means])  # fmt: skip
    return RecallCurve(system, name, at, values, *np.clip(ends, 0.0, 1.0).T)


def estimate(values: F64, level: float) -> Estimate:
    """The mean of the defined values with its t interval."""
    known = values[~np.isnan(values)]
    return Estimate(float(known.mean()) if len(known) else None, t_interval(values, level), len(known))


def is_foreign(ranking_loss: float | None, margin: float) -> bool:
    """Whether the final lists reach clearly more than the ceiling: then the stages are not those of this system."""
    return ranking_loss is not None and ranking_loss < -margin


def problem(retrieval_loss: float | None, ranking_loss: float | None, margin: float) -> Problem:
    """Which stage loses more, see `Stage`."""
    if retrieval_loss is None or ranking_loss is None or max(retrieval_loss, ranking_loss) <= margin:
        return ""
    if retrieval_loss > 2 * ranking_loss:
        return "retrieval problem"
    return "ranking problem" if ranking_loss > 2 * retrieval_loss else "both"


def _stage(
    staged: Staged, worked: PerQuery, group: tuple[str, str, NDArray[np.bool_]], margin: float, level: float
) -> Stage:
    kind, name, which = group

    def of(values: F64) -> Estimate:
        return estimate(np.where(which, values, np.nan), level)

    lost, cost = of(1.0 - worked.ceiling), of(worked.ceiling - worked.value)
    firsts = zip(staged.firsts, worked.alone, strict=True)
    return Stage(
        system=staged.system,
        kind=kind,
        name=name,
        retrievers=tuple(Retriever(one.name, one.depth, of(values)) for one, values in firsts),
        recall=of(worked.recall),
        ceiling=of(worked.ceiling),
        value=of(worked.value),
        retrieval_loss=lost,
        ranking_loss=cost,
        problem=problem(lost.mean, cost.mean, margin),
        claim=lost.n >= CLAIM and not is_foreign(cost.mean, margin),
        outside=int(staged.outside[which].sum()),
        outside_queries=int((staged.outside[which] > 0).sum()),
    )


def _change(
    baseline: str,
    candidate: str,
    worked: Mapping[str, PerQuery],
    group: tuple[str, str, NDArray[np.bool_]],
    measure: Measure,
    margin: float,
    level: float,
) -> StageChange:
    kind, name, which = group
    before, after = worked[baseline], worked[candidate]
    both = which & ~np.isnan(before.value) & ~np.isnan(after.value)

    def of(old: F64, new: F64) -> Estimate:
        return estimate(np.where(both, new - old, np.nan), level)

    def means(old: F64, new: F64) -> tuple[float | None, float | None]:
        return estimate(np.where(both, old, np.nan), level).mean, estimate(np.where(both, new, np.nan), level).mean

    moved = of(before.recall, after.recall)
    recalls, values = means(before.recall, after.recall), means(before.value, after.value)
    return StageChange(
        baseline=baseline,
        candidate=candidate,
        kind=kind,
        name=name,
        recall=moved,
        ceiling=of(before.ceiling, after.ceiling),
        value=of(before.value, after.value),
        retrieval_loss=of(1.0 - before.ceiling, 1.0 - after.ceiling),
        ranking_loss=of(before.ceiling - before.value, after.ceiling - after.value),
        recalls=recalls,
        values=values,
        sentence=said(recalls, values, measure, margin),
    )
