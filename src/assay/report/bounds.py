"""What the unjudged documents could do, in words and figures; the ranges are those of `compare.unjudged`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import count, number

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison
    from assay.compare.unjudged import Bounds


def find(comparison: Comparison, pair: tuple[str, str], measure: object) -> Bounds | None:
    """The ranges of one pair on one measure; None when they were not computed."""
    for found in comparison.bounds:
        if (found.baseline, found.candidate) == pair and str(found.measure) == str(measure) and found.is_computed:
            return found
    return None


def shown_unjudged(comparison: Comparison, run: str, depth: int) -> float | None:
    """Unjudged documents of one run in the first `depth`, on average over the queries; None when not known."""
    import numpy as np

    for held in comparison.lists:
        if held.run == run and len(held.start) > 1:
            rank = np.arange(len(held.grade)) - np.repeat(held.start[:-1], np.diff(held.start))
            return float((np.isnan(held.grade) & (rank < depth)).sum() / (len(held.start) - 1))
    return None


def lines(comparison: Comparison, pair: tuple[str, str]) -> Iterator[str]:
    """How many documents nobody judged, and where that leaves the difference; nothing when nothing is known."""
    cutoff = comparison.primary.cutoff
    counts = [shown_unjudged(comparison, run, cutoff) if cutoff else None for run in pair]
    if cutoff and counts[0] is not None and counts[1] is not None:
        yield f"{pair[0]} {number(counts[0], 2)} and {pair[1]} {number(counts[1], 2)} of the first {cutoff} documents"
    found = find(comparison, pair, comparison.primary)
    if found is None or found.difference is None:
        return
    if not found.n_unjudged:
        yield f"everything in the first ranks is judged for {comparison.primary}"
        return
    low, high = (number(end, 4, sign=True) for end in found.difference)
    outer = "" if found.is_sharp else " (an outer bound)"
    fragile = "FRAGILE: " if found.is_fragile() else ""
    yield (
        f"{fragile}{count(found.n_unjudged, 'unjudged document')} could move {comparison.primary} to anything from "
        f"{low} to {high}{outer}"
    )
    if found.condensed is not None:
        yield f"judged documents only (condensed lists): {number(found.condensed, 4, sign=True)}"
