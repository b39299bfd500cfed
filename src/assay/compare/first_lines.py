"""The first lines of a comparison: what a reader must know before the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.compare.by_segment import hidden_losses
from assay.compare.comparison import FEWEST, Comparison, Difference, Says, Segment
from assay.compare.many_lines import ONE_SIDED_POOL, TOLD, is_turned, lines_of_many
from assay.compare.stages import StageChange, Stages
from assay.stats.intervals import Interval

if TYPE_CHECKING:
    from assay.compare.unjudged import Bounds

BLIND = "nDCG alone cannot tell which stage failed: pass --stages NAME=FIRST.run:100,FINAL.run for each system"
BY = {"traffic": "weighted by traffic", "query": "weighted by the chances of being drawn",
      "shares": "by the shares of the strata"}  # fmt: skip
OF = {"traffic": "traffic", "query": "all queries", "shares": "the whole"}
"""How a weighted mean, and a segment's part in it, are called, by what is estimated."""

SEGMENTS_TOLD = 3
"""Segments that lose behind a total: so many have a line of their own before the table."""


def first_lines(comparison: Comparison) -> tuple[Says, ...]:
    """The lines in the order in which they are read: what would turn the verdict over comes before it."""
    found = [(at, d) for at, d in enumerate(comparison.differences) if d.measure == comparison.primary]
    before: list[Says] = []
    verdicts: list[Says] = []
    after: list[Says] = []
    if comparison.stages is not None:
        lines = list(_stages(comparison.stages, comparison.scores.runs))
        before += [says for says in lines if says.code == "stages-disagree"]
        after += [says for says in lines if says.code != "stages-disagree"]
    several = len(found) > 1
    if len(found) > TOLD:
        verdicts += lines_of_many(comparison, found)
        found = []
    for at, d in found:
        verdicts += one_sided(d, several)
        before += _weights(d, comparison.segments, at, several)
        lost, perhaps = hidden_losses(d, comparison.segments, at)
        before += _named(lost, at, "hides-a-loss", "the total hides a loss", hides, several)
        verdicts.append(verdict(d, several))
        after += _named(perhaps, at, "may-hide", "the total may hide a loss", may_hide, several)
        after += within_noise(comparison, d, several)
        after += [fragile(b) for b in comparison.bounds if is_of(b, d) and b.is_fragile()]
    if comparison.stages is None and any(d.measure.name == "nDCG" for d in comparison.differences):
        after.append(Says("no-stages", BLIND))
    return (*before, *verdicts, *after)


def verdict(d: Difference, several: bool = False) -> Says:
    """The difference behind better, worse or cannot tell, which the code says."""
    who = f"{d.candidate} against {d.baseline}, " if several else ""
    if not d.n:
        text = f"{who}{d.measure} has no value"
    elif d.n < FEWEST:
        text = f"{who}{d.measure} {results_of(d)} in {count(d.n, 'query', 'queries')}"
    else:
        p = f", p {written_p(d.p)}" if d.p is not None else ""
        if d.p is not None and d.adjusted is not None and written_p(d.adjusted) != written_p(d.p):
            p += f", {written_p(d.adjusted)} after correction"
        text = f"{who}{d.measure} {signed(d.difference)}{between(d.interval)}{p}"
    because = "" if d.because.startswith(("p 0", "p 1")) else d.because  # it stands there already
    return Says({"better": "better", "worse": "worse", "cannot tell": "cannot-tell"}[d.outcome], text, because)


def results_of(d: Difference) -> str:
    """`3 wins, 1 loss, 2 ties`: all that is said of a few queries."""
    return f"{count(d.wins, 'win')}, {count(d.losses, 'loss', 'losses')}, {count(d.ties, 'tie')}"


def one_sided(d: Difference, several: bool = False) -> Iterator[Says]:
    """The judgments cover one system's first documents better than the other's."""
    before, after = d.judged_baseline, d.judged_candidate
    if before is not None and after is not None and abs(after - before) >= ONE_SIDED_POOL:
        better = d.baseline if before > after else d.candidate
        where = f"first {d.measure.cutoff}" if d.measure.cutoff is not None else "documents"
        text = (
            f"{before:.0%} of {d.baseline}'s {where} are judged and {after:.0%} of {d.candidate}'s: the judgments "
            f"favour {better}"
        )
        yield Says("one-sided-pool", text.replace("%", " %"))


def within_noise(comparison: Comparison, d: Difference, several: bool = False) -> Iterator[Says]:
    """Raters' disagreement alone could make the difference."""
    floor = None if comparison.noise is None else comparison.noise.floor(d.measure, d.baseline, d.candidate)
    if floor is not None and floor.is_within and floor.floor is not None:
        who = f"{d.candidate} against {d.baseline}: " if several else ""
        text = f"{who}{d.measure} {signed(d.difference)} is within rater noise: differences up to {floor.floor:.4f} can"
        yield Says("within-noise", f"{text} come from who labelled")


def is_of(bounds: Bounds, d: Difference) -> bool:
    """Whether the range is that of the difference."""
    return (bounds.measure, bounds.baseline, bounds.candidate) == (d.measure, d.baseline, d.candidate)


def fragile(bounds: Bounds) -> Says:
    """Unjudged documents could turn the difference round."""
    ends = bounds.difference
    assert ends is not None, "what is fragile has a range"
    text = f"unjudged documents could move the difference to {signed(ends[0])} or {signed(ends[1])}"
    return Says("fragile", text, "" if bounds.is_sharp else "an outer bound")


def hides(segment: Segment, at: int, several: bool = False) -> Says:
    """The total hides a loss."""
    d = segment.differences[at]
    who = f" of {d.candidate}" if several else ""
    return Says(
        "hides-a-loss",
        f"the total{who} hides a loss on {_where(segment)}",
        f"{d.measure} {signed(d.difference)}{between(d.simultaneous)}",
    )


def may_hide(segment: Segment, at: int, several: bool = False) -> Says:
    """The total may hide a loss."""
    d = segment.differences[at]
    who = f" of {d.candidate}" if several else ""
    return Says(
        "may-hide",
        f"the total{who} may hide a loss on {_where(segment)}",
        f"{d.measure} {signed(d.difference)}{between(d.interval)}",
    )


def _named(
    segments: Sequence[Segment], at: int, code: str, what: str, say: Callable[[Segment, int, bool], Says], several: bool
) -> list[Says]:
    """A line for each segment; of many, for those that lose most, and how many more there are."""
    if len(segments) <= SEGMENTS_TOLD:
        return [say(segment, at, several) for segment in segments]
    most = sorted(segments, key=lambda segment: -abs(segment.differences[at].difference or 0.0))[:SEGMENTS_TOLD]
    who = f" of {segments[0].differences[at].candidate}" if several else ""
    more = what.replace("the total", f"the total{who}")
    rest = Says(code, f"{more} on {count(len(segments) - SEGMENTS_TOLD, 'more segment')}", "the table has each")
    return [*(say(segment, at, several) for segment in most), rest]


def _where(segment: Segment) -> str:
    traffic = "" if segment.traffic is None else f" ({percent(segment.traffic)} of traffic)"
    return f"{segment.name} queries{traffic}"


def _weights(d: Difference, segments: Sequence[Segment], at: int, several: bool) -> Iterator[Says]:
    """Traffic turns the mean over queries round."""
    if not is_turned(d) or d.weighted is None or d.weighted.difference is None:
        return
    who = f"{d.candidate} against {d.baseline}: " if several else ""
    sign = -1 if d.weighted.difference < 0 else 1
    moves = [(s, s.differences[at].weighted) for s in segments if s.traffic is not None]
    own = [(s.traffic * w.difference, s, w.difference) for s, w in moves if s.traffic and w and w.difference]
    own = [one for one in own if sign * one[0] > 0]
    why = ""
    if own:
        _, largest, turn = max(own, key=lambda one: abs(one[0]))
        inside = largest.differences[at]
        told = signed(turn) if inside.n >= FEWEST else results_of(inside)
        why = (
            f"; {largest.name} queries ({percent(largest.traffic or 0.0)} of {OF[d.weighted.target]}, "
            f"{percent(largest.share)} of the queries) {told}"
        )
    yield Says(
        "weights-disagree",
        f"{who}{d.measure} {signed(d.difference)} over queries, but {signed(d.weighted.difference)} "
        f"{BY[d.weighted.target]}{why}",
    )


def _stages(stages: Stages, runs: Sequence[str]) -> Iterator[Says]:
    for change in stages.changes:
        if change.name == "all" and not change.kind and change.sentence:
            yield Says("stages-disagree" if _is_trade(change) else "stages", change.sentence)
    without = [run for run in runs if run not in {stage.system for stage in stages.systems}]
    if without:
        yield Says("no-stages", f"{stages.measure} alone cannot tell which stage failed in {', '.join(without)}")


def _is_trade(change: StageChange) -> bool:
    """Whether recall and final value move against each other."""
    recall, value = change.recall.mean or 0.0, change.value.mean or 0.0
    return recall * value < 0


def count(n: int, one: str, many: str = "") -> str:
    """`1 win`, `2 wins`."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def signed(x: float | None) -> str:
    """A difference with its sign, four decimals."""
    if x is None:
        return "n/a"
    return f"{x:+.4f}".replace("-", "−") if round(x, 4) else "±0.0000"


def between(interval: Interval | None) -> str:
    """` (low to high)`; empty where there is none."""
    return "" if interval is None else f" ({signed(interval.low)} to {signed(interval.high)})"


def written_p(p: float) -> str:
    """A p with four decimals, or `< 0.0001`."""
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def percent(share: float) -> str:
    """A share in whole percent."""
    return f"{100 * share:.0f} %"
