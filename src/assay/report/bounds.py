"""What the unjudged documents could do, in words and figures; the ranges are those of `compare.unjudged`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import count, number, percent
from assay.report.page import Cell, Column, Mark, Range, Table, Value

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison
    from assay.compare.unjudged import Bounds


def find(comparison: Comparison, pair: tuple[str, str], measure: object) -> Bounds | None:
    """The ranges of one pair on one measure; None when they were not computed."""
    for found in comparison.bounds:
        if (found.baseline, found.candidate) == pair and str(found.measure) == str(measure) and found.is_computed:
            return found
    return None


def absent_is_known(comparison: Comparison) -> bool:
    """Whether somebody said that what the judgments do not list is not relevant: then nothing shown is unjudged."""
    return dict(comparison.source.conventions).get("unlisted") == "not-relevant"


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
    if cutoff and counts[0] is not None and counts[1] is not None and not absent_is_known(comparison):
        yield f"{pair[0]} {number(counts[0], 2)} and {pair[1]} {number(counts[1], 2)} of the first {cutoff} documents"
    found = find(comparison, pair, comparison.primary)
    if found is None or found.difference is None:
        yield from _not_computed(comparison, pair)
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
    for side in comparison.deciding:
        if side.measure == comparison.primary and {side.winner, side.against} == set(pair):
            yield side.says
    yield from _not_computed(comparison, pair)


def _not_computed(comparison: Comparison, pair: tuple[str, str]) -> Iterator[str]:
    for found in comparison.bounds:
        if (found.baseline, found.candidate) == pair and not found.is_computed:
            yield f"{found.measure} not computed: {found.why}"


def table(comparison: Comparison, pair: tuple[str, str]) -> Table | None:
    """A row a measure: what is judged of either list, and where both values and their difference could lie.

    None when every document in the first ranks is judged, or nothing is known.
    """
    chosen = [found for found in comparison.bounds if (found.baseline, found.candidate) == pair]
    if not any(found.n_unjudged for found in chosen):
        return None
    columns = (
        Column("range"), Column(pair[0], "right", gap=2, drop=1),
        Column(pair[1], "right", gap=2, drop=1), Column("judged", "right", gap=2),
        Column("difference", gap=2), Column("condensed", "right", gap=2, drop=3), Column("", gap=2),
    )  # fmt: skip
    rows = [_row(found) for found in chosen]
    return Table(columns, tuple(rows), name="Unjudged documents")


def _row(found: Bounds) -> tuple[Cell, ...]:
    why = "not computed" if found.why else "n/a"

    def ends(pair: tuple[float, float] | None, sign: bool = False) -> Range:
        low, high = pair or (None, None)
        return Range(low, high, sign=sign, why=why)

    shares = [percent(x) if x is not None else "n/a" for x in (found.baseline_judged, found.candidate_judged)]
    judged = "n/a" if shares == ["n/a", "n/a"] else ", ".join(shares)
    said = [*(["fragile"] if found.is_fragile() else []), *([] if found.is_sharp or found.why else ["outer bound"])]
    mark = Mark("unsure", ", ".join(said)) if found.is_fragile() else ", ".join(said)
    return (
        str(found.measure), ends(found.baseline_range), ends(found.candidate_range), judged,
        ends(found.difference, sign=True), Value(found.condensed, sign=True), mark,
    )  # fmt: skip


def noise_lines(comparison: Comparison, pair: tuple[str, str]) -> Iterator[str]:
    """How large a difference the raters' disagreement alone can make; nothing where labels are of one rater."""
    noise = comparison.noise
    if noise is None:
        return
    floors = [f for f in noise.floors if (f.baseline, f.candidate) == pair and f.floor is not None]
    if floors:
        said = (f"{f.measure} {number(f.floor or 0.0, 4)}{' (within it)' if f.is_within else ''}" for f in floors)
        yield f"differences up to this can come from who labelled: {', '.join(said)}"
        source = f"those of {noise.raters:.1f} raters a pair"
        if noise.method == "agreement":
            source = "the table of agreement, which overstates the noise: a cautious floor"
        yield f"labels drawn {noise.draws:,} times from {source}, seed {noise.seed}"
        yield from (note.text for note in noise.notes)
