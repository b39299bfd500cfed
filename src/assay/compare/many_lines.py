"""The first lines of a comparison of many pairs: how many differ, who stands out, and in how many something is odd."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.compare.by_segment import direction, hidden_losses
from assay.compare.comparison import TIE, Comparison, Difference, Says

if TYPE_CHECKING:
    from assay.compare.unjudged import Bounds

TOLD = 6
"""Pairs that are told one by one; a table says the rest."""
NAMED = 3
ONE_SIDED_POOL = 0.05
"""Difference of the judged shares from which the pool counts as one-sided."""

Found = Sequence[tuple[int, Difference]]


def lines_of_many(comparison: Comparison, found: Found) -> Iterator[Says]:
    """What would turn verdicts over, how many there are, and what hangs on what.

    Args:
        comparison: all of it.
        found: the place and difference of each pair on the primary measure.
    """
    turned = [d for _, d in found if is_turned(d)]
    if turned:
        yield Says("weights-disagree", f"{_of(turned, found)} turn round where queries are weighted", _names(turned))
    hidden = [d for at, d in found if hidden_losses(d, comparison.segments, at)[0]]
    if hidden:
        yield Says("hides-a-loss", f"the total hides a loss of a segment in {_of(hidden, found)}", _names(hidden))
    yield summary(comparison, [d for _, d in found])
    uneven = [d for _, d in found if _is_uneven(d)]
    if uneven:
        text = f"the judgments favour one side in {_of(uneven, found)}: their judged shares differ by 5 % or more"
        yield Says("one-sided-pool", text, _names(uneven))
    fragile = [d for _, d in found if any(_is_of(b, d) and b.is_fragile() for b in comparison.bounds)]
    if fragile:
        yield Says("fragile", f"unjudged documents could turn round {_of(fragile, found)}", _names(fragile))
    within = [d for _, d in found if _is_within_noise(comparison, d)]
    if within:
        yield Says("within-noise", f"{_of(within, found)} are within rater noise", _names(within))


def summary(comparison: Comparison, found: Sequence[Difference]) -> Says:
    """How many pairs differ, and the system that is better than most."""
    corrected = "" if comparison.family.correction == "none" or comparison.family.size < 2 else " after correction"
    better = [d for d in found if d.outcome == "better"]
    worse = [d for d in found if d.outcome == "worse"]
    open_ = len(found) - len(better) - len(worse)
    measure = comparison.primary
    if not comparison.all_pairs:
        text = (
            f"{measure}: {_are(len(better))} better than {comparison.baseline}{corrected}, {_are(len(worse))} worse, "
            f"and of {open_} of the {len(found)} candidates it cannot be told"
        )
        best = sorted(better, key=_gain, reverse=True)[:NAMED]
        named = ", ".join(f"{d.candidate} {_signed(d.difference)}" for d in best)
        return Says("candidates", text, f"most: {named}" if named else "")
    text = f"{measure}: {len(better) + len(worse)} of {len(found)} pairs differ{corrected}"
    wins: dict[str, int] = dict.fromkeys(comparison.scores.runs, 0)
    for d in better:
        wins[d.candidate] += 1
    for d in worse:
        wins[d.baseline] += 1
    most = max(wins.values())
    leaders = [run for run, count in wins.items() if count == most]
    if not most:
        return Says("pairs", text)
    than = f"better than {most} of the {len(wins) - 1} others"
    many = f"{leaders[0]} is {than}" if len(leaders) == 1 else f"{', '.join(leaders[:NAMED])} are each {than}"
    more = f" ({len(leaders) - NAMED} more are)" if len(leaders) > NAMED else ""
    return Says("pairs", text, many + more)


def _are(n: int) -> str:
    return "1 is" if n == 1 else f"{n or 'none'} are"


def _gain(d: Difference) -> float:
    return direction(d) * (d.difference or 0.0)


def _signed(x: float | None) -> str:
    return "n/a" if x is None else f"{x:+.4f}".replace("-", "−")


def is_turned(d: Difference) -> bool:
    """Whether the weighted mean of the differences has the other sign than the mean over queries."""
    w = None if d.weighted is None else d.weighted.difference
    if w is None or d.difference is None or not direction(d):
        return False
    return d.difference * w < 0 and min(abs(d.difference), abs(w)) > TIE


def _is_uneven(d: Difference) -> bool:
    before, after = d.judged_baseline, d.judged_candidate
    return before is not None and after is not None and abs(after - before) >= ONE_SIDED_POOL


def _is_of(bounds: Bounds, d: Difference) -> bool:
    return (bounds.measure, bounds.baseline, bounds.candidate) == (d.measure, d.baseline, d.candidate)


def _is_within_noise(comparison: Comparison, d: Difference) -> bool:
    floor = None if comparison.noise is None else comparison.noise.floor(d.measure, d.baseline, d.candidate)
    return floor is not None and bool(floor.is_within)


def _of(some: Sequence[Difference], found: Found) -> str:
    return f"{len(some):,} of {len(found):,} differences"


def _names(some: Sequence[Difference]) -> str:
    named = ", ".join(f"{d.candidate} against {d.baseline}" for d in some[:NAMED])
    return named + (f" and {len(some) - NAMED:,} more" if len(some) > NAMED else "")
