"""Which stage lost it: what the first stage brought, the best value reachable from that, and what the order cost.

With the final value V, the ceiling C (the value of the best order of what was retrieved) and an ideal of 1: retrieval
lost 1 - C and ranking lost C - V.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.measures.measure import Measure
from assay.ranking.discounts import gain_function
from assay.ranking.ranking import Judged, Ranking, position_in_group
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
        claim: whether there are queries enough for a claim.
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
        retriever: the first stage.
        depths: int64 of shape (n,), ascending; the last is the depth that the next stage read.
        recall: float64 of shape (n,).
    """

    system: str
    retriever: str
    depths: NDArray[np.int64]
    recall: F64


@kept("stages")
@dataclass(frozen=True, slots=True)
class Stages:
    """Where each system loses, and which stage a change moved.

    Args:
        measure: of the final list, and of the ceiling.
        margin: losses under this are nothing to mend.
        systems: all queries first, then each segment.
        changes: likewise; one for each candidate, where the baseline has stages too.
        curves: recall against depth.
    """

    measure: Measure
    margin: float
    systems: tuple[Stage, ...]
    changes: tuple[StageChange, ...]
    curves: tuple[RecallCurve, ...] = ()


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
    curves = tuple(curve(staged.system, one) for staged in systems for one in staged.firsts)
    return Stages(measure, margin, found, changes, curves)


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
    judged = staged.final.judged
    brought = [one.ranking.top(one.depth).judgment for one in staged.firsts]
    union = np.unique(np.concatenate(brought))
    use = ~np.isnan(staged.value) & measure.has_relevant(judged)
    best = measure.compute(in_best_order(judged, union, measure))

    def among(values: F64) -> F64:
        return np.where(use, values, np.nan)

    return PerQuery(
        alone=tuple(among(recall(judged, np.unique(one), measure.rel)) for one in brought),
        recall=among(recall(judged, union, measure.rel)),
        ceiling=among(best),
        value=among(staged.value),
    )


def recall(judged: Judged, found: NDArray[np.int64], rel: float | None) -> F64:
    """Share of each query's relevant documents among those found, float64 of shape (n,); NaN where there are none.

    Args:
        judged: the judgments.
        found: indexes of the judgments that were met, each once.
        rel: the lowest relevant grade; None leaves it to the judgments.
    """
    relevant = found[judged.is_relevant(judged.grade[found], rel)]
    hits = np.bincount(judged.query[relevant], minlength=judged.n).astype(np.float64)
    there_are = judged.relevant(rel)
    share: F64 = np.divide(hits, there_are, out=np.full(judged.n, np.nan), where=there_are > 0)
    return share


def in_best_order(judged: Judged, found: NDArray[np.int64], measure: Measure) -> Ranking:
    """The judged documents that were retrieved, the best first: no order of them scores higher."""
    grade, query = judged.grade[found], judged.query[found]
    gain: Any = measure.params.get("gain", "linear")
    worth = gain_function(gain)(grade)
    order = np.lexsort((-grade, -worth, query))
    found, query, grade = found[order], query[order], grade[order]
    returned = np.bincount(query, minlength=judged.n)
    rank = position_in_group(query) + 1
    return Ranking(judged, query, rank, grade, found, returned, returned > 0)


def curve(system: str, one: First) -> RecallCurve:
    """Mean recall against depth, from 1 to the depth that was read."""
    ranking = one.ranking.top(one.depth).relevant()
    deepest = one.depth or int(ranking.returned.max(initial=1))
    there_are = ranking.judged.relevant()
    counts = there_are > 0
    depths = np.unique(np.rint(np.geomspace(1, max(deepest, 1), 24)).astype(np.int64))
    share = 1.0 / there_are[ranking.query]
    summed = np.bincount(ranking.rank, share, minlength=deepest + 1)[: deepest + 1].cumsum()
    return RecallCurve(system, one.name, depths, summed[depths] / max(int(counts.sum()), 1))


def estimate(values: F64, level: float) -> Estimate:
    """The mean of the defined values with its t interval."""
    known = values[~np.isnan(values)]
    return Estimate(float(known.mean()) if len(known) else None, t_interval(values, level), len(known))


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
        claim=lost.n >= CLAIM,
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
        sentence=_sentence(recalls, values, measure, margin),
    )


def _sentence(
    recalls: tuple[float | None, float | None],
    values: tuple[float | None, float | None],
    measure: Measure,
    margin: float,
) -> str:
    """What a change did to the two stages; empty where there is nothing to say."""
    if None in recalls or None in values:
        return ""
    (old, new), (before, after) = recalls, values
    assert old is not None and new is not None and before is not None and after is not None  # noqa: PT018 # one fact
    ended = f"{measure} {_moves(before, after)} from {before:.4f} to {after:.4f}"
    if abs(new - old) <= margin:
        return f"retrieval recall stays at {new:.4f} ({old:.4f} before), and {ended}: the order alone moved it"
    brought = f"retrieval recall {_moves(old, new)} from {old:.4f} to {new:.4f}"
    if (new - old) * (after - before) >= 0:
        return f"{brought}, and {ended}"
    return f"{brought} while {ended}" if new < old else f"{brought}, yet {ended}"


def _moves(before: float, after: float) -> str:
    return "falls" if after < before else "rises" if after > before else "stays"
