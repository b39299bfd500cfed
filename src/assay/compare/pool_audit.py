"""What each run alone gave the pool of judgments, and what it would lose if it had not been there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.errors import InputError
from assay.measures.measure import Measure
from assay.ranking.ranking import F64, I64, Bool, Judged, Ranking
from assay.ranking.shown import Shown
from assay.results import Note, Result, kept
from assay.stats.order import tau

SHALLOWEST = 10
"""Depth of the pool that is assumed at least, when nobody says it."""


@kept("left-out")
@dataclass(frozen=True, slots=True)
class LeftOut:
    """A run on one measure: as judged, and without the judgments that it alone brought.

    Args:
        measure: the measure.
        before, after: means over the same queries; None where no query counts.
        place_before, place_after: its place among all runs, from 1, the others keeping their `before`.
        undefined: queries without a relevant document afterwards; they count 0.
    """

    measure: Measure
    before: float | None
    after: float | None
    place_before: int | None
    place_after: int | None
    undefined: int = 0


@kept("contribution")
@dataclass(frozen=True, slots=True)
class Contribution:
    """What one run gave the pool.

    Args:
        run: its name.
        shown: documents in its first ranks, down to the depth of the pool.
        judged: those of them that are judged.
        unique: those that no other run here shows in its first ranks.
        unique_judged: unique ones that are judged: what it alone brought.
        unique_relevant: relevant ones among these.
        complete: rank down to which half of the queries have every document judged.
        values: one a measure.
    """

    run: str
    shown: int
    judged: int
    unique: int
    unique_judged: int
    unique_relevant: int
    complete: int
    values: tuple[LeftOut, ...]


@kept("pool-audit")
@dataclass(frozen=True, kw_only=True)
class PoolAudit(Result):
    """What each run alone brought to the pool and would lose without it.

    Args:
        depth: how far down each run the pool goes.
        depth_was_given: whether somebody said so; otherwise it is told by where the judgments end.
        size: pairs of query and document in the first ranks of any run.
        judged: those of them that are judged.
        outside: judged pairs that no run here shows there.
        outside_left_out: whether these were left out first.
        measures: what was measured.
        contributions: one a run, in the order given.
        taus: Kendall's tau-b of the runs before and after, by measure; None where it is undefined.
    """

    depth: int
    depth_was_given: bool
    size: int
    judged: int
    outside: int
    outside_left_out: bool
    measures: tuple[Measure, ...]
    contributions: tuple[Contribution, ...]
    taus: tuple[float | None, ...]

    @property
    def says(self) -> str:
        """One sentence without a full stop: who gains most from having been in the pool."""
        losses = [
            (one.before - one.after, c.run, one)
            for c in self.contributions
            for one in c.values[:1]
            if one.before is not None and one.after is not None
        ]
        if not losses or max(loss for loss, _, _ in losses) <= 0:
            return "no run loses anything without the judgments that it alone brought"
        _, run, worst = max(losses, key=lambda loss: loss[0])
        moves = ""
        if worst.place_before != worst.place_after:
            moves = f" and goes from place {worst.place_before} to {worst.place_after}"
        text = f"without the judgments that it alone brought, {run} falls from {worst.before:.4f} to {worst.after:.4f}"
        return f"{text} on {worst.measure}{moves}"


def pool_audit(
    runs: Mapping[str, Shown], measures: Sequence[Measure], *, depth: int | None = None, within_pool: bool = False
) -> PoolAudit:
    """What each run alone brought to the judgments, and its values without that.

    Args:
        runs: name to ranking with unjudged documents, all of one set of judgments, at least as deep as the pool.
        measures: what to measure.
        depth: how far down each run the pool goes; told by where the judgments end when None.
        within_pool: leaves out judged pairs that no run here shows in its first ranks, before anything else.

    Raises:
        InputError: there is one run; whatever it shows, no other does.
    """
    if len(runs) < 2:
        raise InputError(
            f"a pool of the run {next(iter(runs), 'none')} alone cannot be audited",
            remedy="pass every run that fed the pool: what one brought alone shows beside the others",
        )
    names, shown = list(runs), list(runs.values())
    judged = shown[0].ranking.judged
    complete = [_complete(one) for one in shown]
    deep = max(SHALLOWEST, *complete) if depth is None else depth
    brought: Bool = np.array([_brought(one, deep) for one in shown], dtype=np.bool_)
    pooled: Bool = np.logical_or.reduce(brought, axis=0)
    alone: Bool = brought & (brought.sum(axis=0) == 1)
    rankings = [one.ranking for one in shown]
    base = judged
    if within_pool:
        base, rankings = _without(judged, rankings, np.logical_not(pooled))
        brought = np.compress(pooled, brought, axis=1)
        alone = np.compress(pooled, alone, axis=1)
    is_relevant = base.is_relevant(base.grade)
    before = [[_mean(measure, r, measure.has_relevant(base)) for measure in measures] for r in rankings]
    only, unjudged = _unjudged(shown, deep)
    contributions = []
    after: list[list[float | None]] = []
    for i, name in enumerate(names):
        less, (ranking,) = _without(base, [rankings[i]], alone[i])
        left = [_left_out(m, ranking, base, less, [row[j] for row in before], i) for j, m in enumerate(measures)]
        after.append([one.after for one in left])
        contributions.append(
            Contribution(
                run=name,
                shown=int(brought[i].sum()) + len(_upto(shown[i], deep)),
                judged=int(brought[i].sum()),
                unique=int(alone[i].sum()) + only[i],
                unique_judged=int(alone[i].sum()),
                unique_relevant=int((alone[i] & is_relevant).sum()),
                complete=complete[i],
                values=tuple(left),
            )
        )
    outside = int((~pooled).sum())
    return PoolAudit(
        depth=deep,
        depth_was_given=depth is not None,
        size=int(pooled.sum()) + unjudged,
        judged=int(pooled.sum()),
        outside=outside,
        outside_left_out=within_pool,
        measures=tuple(measures),
        contributions=tuple(contributions),
        taus=tuple(_tau([row[j] for row in before], [row[j] for row in after]) for j in range(len(measures))),
        notes=_notes(judged, outside, deep, depth is not None, within_pool),
    )


def _notes(judged: Judged, outside: int, depth: int, given: bool, within: bool) -> tuple[Note, ...]:
    notes = list(judged.notes)
    if not given:
        notes.append(
            Note("pool-depth", f"the pool is taken to be {depth} deep, where the judgments end; --depth says it")
        )
    if outside:
        fate = "left out" if within else "kept, since other runs brought them; --within-pool leaves them out"
        text = f"{outside:,} judged pairs are in the first {depth} of no run here: {fate}"
        notes.append(Note("judged-outside-pool", text, count=outside))
    return tuple(notes)


def _brought(shown: Shown, depth: int) -> Bool:
    """Which judgments a run shows in its first ranks."""
    r = shown.ranking
    top = r.rank if r.first is None else r.first
    out = np.zeros(len(r.judged.grade), np.bool_)
    out[r.judgment[top <= depth]] = True
    return out


def _upto(shown: Shown, depth: int) -> I64:
    top = shown.rank if shown.first is None else shown.first
    return np.flatnonzero(top <= depth)


def _unjudged(shown: Sequence[Shown], depth: int) -> tuple[list[int], int]:
    """Unjudged documents in the first ranks that only each run shows, and how many there are in all."""
    seen: dict[tuple[int, str], int] = {}
    for i, one in enumerate(shown):
        for at in _upto(one, depth).tolist():
            pair = (int(one.query[at]), one.docs[at])
            seen[pair] = i if pair not in seen else -1
    only = [0] * len(shown)
    for i in seen.values():
        if i >= 0:
            only[i] += 1
    return only, len(seen)


def _complete(shown: Shown) -> int:
    """The rank down to which half of the queries that it answers have every document judged."""
    r = shown.ranking
    first = r.returned.copy()
    np.minimum.at(first, shown.query, shown.rank - 1)
    found = first[r.answered & (r.returned > 0)]
    return int(np.median(found)) if len(found) else 0


def _without(judged: Judged, rankings: Sequence[Ranking], which: Bool) -> tuple[Judged, list[Ranking]]:
    """Judgments and rankings as if some pairs had not been judged."""
    left = np.flatnonzero(~which)
    number = np.full(len(which), -1, np.int64)
    number[left] = np.arange(len(left))
    aspects = None if judged.aspects is None else judged.aspects.renumbered(number)
    less = replace(judged, query=judged.query[left], grade=judged.grade[left], docs=[], aspects=aspects, _cache={})
    made = []
    for r in rankings:
        at = np.flatnonzero(~which[r.judgment])
        first = None if r.first is None else r.first[at]
        last = None if r.last is None else r.last[at]
        hits = (r.query[at], r.rank[at], r.grade[at], number[r.judgment[at]])
        made.append(Ranking(less, *hits, r.returned, r.answered, first, last))
    return less, made


def _mean(measure: Measure, r: Ranking, counts: Bool) -> float | None:
    values: F64 = np.nan_to_num(measure.compute(r)[counts])
    return float(values.mean()) if len(values) else None


def _left_out(
    measure: Measure, ranking: Ranking, base: Judged, less: Judged, before: list[float | None], i: int
) -> LeftOut:
    counts = measure.has_relevant(base)
    after = _mean(measure, ranking, counts)
    undefined = int((counts & ~measure.has_relevant(less)).sum())
    others = [x for j, x in enumerate(before) if j != i]
    return LeftOut(measure, before[i], after, _place(measure, before[i], others), _place(measure, after, others),
                   undefined)  # fmt: skip


def _place(measure: Measure, value: float | None, others: list[float | None]) -> int | None:
    if value is None or measure.about.best == "neither":
        return None
    sign = -1 if measure.about.best == "low" else 1
    return 1 + sum(other is not None and sign * other > sign * value for other in others)


def _tau(before: list[float | None], after: list[float | None]) -> float | None:
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a is not None and b is not None]
    return tau([a for a, _ in pairs], [b for _, b in pairs]) if len(pairs) > 1 else None
