"""Intervals drawn on a terminal: `├──●──┤` when zero is outside, `├──○──┤` when it is inside, `│` is zero.

Plain ASCII gets `[--*--]`, `[--o--]` and `|` by the table of `letters`; every sign here is one column wide.
"""

from __future__ import annotations

from assay.report.figures import number
from assay.report.page import Axis, Whisker
from assay.report.svg import decimals

GAP = 2
"""Blanks between two numbers above an axis."""


def place(x: float, axis: Axis) -> int:
    """The column of a number, from 0; what lies outside stands at the edge."""
    span = axis.high - axis.low or 1.0
    return min(max(round((x - axis.low) / span * (axis.columns - 1)), 0), axis.columns - 1)


def whisker(cell: Whisker, axis: Axis) -> str:
    """One interval, as wide as the axis."""
    line = [" "] * axis.columns
    zero = place(0.0, axis)
    line[zero] = "│"
    if cell.threshold is not None and place(cell.threshold, axis) != zero:
        line[place(cell.threshold, axis)] = "┆"
    if cell.x is None:
        return "".join(line)
    is_known = cell.low is not None and cell.high is not None
    if cell.low is not None and cell.high is not None:
        low, high = place(cell.low, axis), place(cell.high, axis)
        is_inside = cell.low <= 0 <= cell.high
        if not is_inside:  # the drawing may not touch a zero that the interval excludes
            low, high = (max(low, zero + 1), max(high, zero + 1)) if cell.low > 0 else (
                min(low, zero - 1), min(high, zero - 1))  # fmt: skip
        for at in range(low, high + 1):
            line[at] = "┼" if at == zero else "─"
        line[max(low, 0)], line[min(high, axis.columns - 1)] = "├", "┤"
    hollow = not is_known or (cell.low is not None and cell.high is not None and cell.low <= 0 <= cell.high)
    at = place(cell.x, axis)
    if not hollow and at == zero and 0 < zero < axis.columns - 1:
        at += 1 if cell.x > 0 else -1
    line[at] = "○" if hollow else "●"
    return "".join(line)


def axis_head(axis: Axis) -> str:
    """The ticks: `┊`, and `│` for zero."""
    line = [" "] * axis.columns
    for tick in axis.ticks:
        line[place(tick, axis)] = "┊"
    line[place(0.0, axis)] = "│"
    return "".join(line)


def axis_numbers(axis: Axis, start: int) -> str:
    """The numbers of the ticks, each centred on its own; one that would touch its neighbour is left out."""
    places = decimals(axis.ticks)
    said = ""
    wanted = sorted(axis.ticks, key=lambda tick: (tick != 0.0, tick))
    taken: list[tuple[int, str]] = []
    for tick in wanted:
        text = "0" if tick == 0 else number(tick, places, sign=True)
        at = start + place(tick, axis) - (len(text) - 1) // 2 - (1 if len(text) > 1 else 0)
        if at >= 0 and all(at >= b + len(t) + GAP or at + len(text) + GAP <= b for b, t in taken):
            taken.append((at, text))
    for at, text in sorted(taken):
        said += " " * (at - len(said)) + text
    return said


def shared(ends: list[float | None], columns: int = 30) -> Axis:
    """An axis on which some differences and their ends lie, zero among them, with few round ticks."""
    from assay.report.svg import around, ticks

    low, high = around(ends, 0.04)
    return Axis(low, high, tuple(ticks(low, high, 4)), columns)
