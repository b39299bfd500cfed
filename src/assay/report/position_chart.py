"""The chart of propensities: how likely each position is looked at, with intervals, and raw clicks beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.report.letters import cut
from assay.report.svg import NARROW, SEGMENTS, Drawing, Scale

HEIGHT = 240.0
RAW = "CTR, scaled"
ABOVE = 1.25
"""Times the highest value: where intervals are cut, so that one wide one leaves room for all others."""
GOES_ON = "Arrow: the interval goes on."
DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""Of several curves, by place: told apart without colour and where their marks lie over one another."""
LETTER = 7.0
"""Pixels of a letter of a name, about."""
MOST_NAME = 24
"""Letters of a name beside its curve; longer ones are cut in the middle."""
LINE = 16.0
APART = 5.0
"""Pixels between the intervals of two curves at one position, so that none hides another."""


@dataclass(frozen=True, slots=True)
class Line:
    """One curve over positions.

    Args:
        name: stands beside its end.
        values: from position 1; None leaves a gap.
        lows, highs: intervals; empty where there are none.
        is_faint: drawn dashed and thin.
        place: of its colour and shape among several; -1 for the ink of the page.
    """

    name: str
    values: tuple[float | None, ...]
    lows: tuple[float | None, ...] = ()
    highs: tuple[float | None, ...] = ()
    is_faint: bool = False
    place: int = -1


def goes_on(lines: Sequence[Line]) -> bool:
    """Whether an interval is cut, so that its caption has to say what the arrow means."""
    most = _most(lines)
    return any(
        low is not None and high is not None and low < most < high
        for line in lines
        for low, high in zip(line.lows, line.highs, strict=True)
    )


def _most(lines: Sequence[Line]) -> float:
    """The upper end of the axis: intervals may stand out above the values only so far."""
    values = max([1.0, *(x for line in lines for x in line.values if x is not None)])
    ends = [high for line in lines for high in line.highs if high is not None]
    return min(max([values, *ends]), ABOVE * values)


def by_position(lines: Sequence[Line], width: float = 520, axis: str = "position") -> Drawing:
    """Curves over positions (or what `axis` says), on a scale from 0 to 1 at least.

    Names stand beside the ends; on a phone those of several curves stand in a key below.
    """
    known = [(line.name, [(k, x) for k, x in enumerate(line.values, 1) if x is not None]) for line in lines]
    says = f"By {axis}: " + "; ".join(
        f"{name} {', '.join(f'{x:.3f} at {k}' for k, x in _few(at))}" for name, at in known
    )
    keyed = [line for line in lines if line.place >= 0] if width <= NARROW else []
    d = Drawing(width, HEIGHT + (LINE * len(keyed) + 4 if keyed else 0), says)
    depth = max((len(line.values) for line in lines), default=1)
    most = _most(lines)
    right = width - (6 if keyed else _room(lines))
    across, up = Scale(1, max(depth, 2), 46, right - 4), Scale(most, 0.0, 10, 200)
    for tick in Scale(0.0, most, 0, 1).ticks(5):
        d.line(36, up(tick), right, up(tick), "s-rule" if tick else "s-strong")
        d.text(30, up(tick) + 4, f"{tick:g}", "end", "faint")
    step = 1 if depth <= (12 if width > NARROW else 8) else 2 if depth <= 24 else 5
    for k in range(1, depth + 1, step):
        d.text(across(k), 218, str(k), "middle", "faint")
    d.text(right, 235, axis, "end", "faint")
    with_ends = [line for line in lines if line.lows]
    for line in lines:
        beside = APART * (with_ends.index(line) - (len(with_ends) - 1) / 2) if line in with_ends else 0.0
        _curve(d, line, across, up, most, beside)
    for place, line in enumerate(keyed):
        _name(d, line, 6, HEIGHT + LINE * place + 10, int((width - 48) / LETTER))
    _names(d, [line for line in lines if line not in keyed], right + 10, up)
    return d


def _room(lines: Sequence[Line]) -> float:
    """Pixels for the names beside the curves, each with its sign before it."""
    sign = 40 if any(line.place >= 0 for line in lines) else 6
    return max(88.0, LETTER * min(MOST_NAME, max((len(line.name) for line in lines), default=0)) + sign + 4)


def _dash(line: Line) -> str:
    if line.is_faint:
        return "4 3"
    return DASHES[(line.place + line.place // len(SEGMENTS)) % len(DASHES)] if line.place >= 0 else ""


def _ink(line: Line) -> str:
    return "s-ink" if line.place < 0 else f"s-{SEGMENTS[line.place % len(SEGMENTS)]}"


def _curve(d: Drawing, line: Line, across: Scale, up: Scale, most: float, beside: float) -> None:
    part: list[str] = []
    ink = _ink(line)
    kind = "s-ink2" if line.is_faint else ink
    for k, x in [*enumerate(line.values, 1), (0, None)]:
        if x is not None:
            part.append(f"{across(k) + beside:.1f} {up(x):.1f}")
        elif part:
            d.path("M" + "L".join(part), f"f-none {kind}", 1.2 if line.is_faint else 1.6, _dash(line))
            part = []
    for k, (low, high) in enumerate(zip(line.lows, line.highs, strict=True), 1):
        if low is not None and high is not None and low < most:
            x, top = across(k) + beside, up(min(high, most))
            d.line(x, up(low), x, top, ink, 2.4)
            if high > most:
                d.path(
                    f"M{x - 4:.1f} {top + 5:.1f}L{x:.1f} {top - 1:.1f}L{x + 4:.1f} {top + 5:.1f}", f"f-none {ink}", 1.6
                )
    if line.is_faint:
        return
    for k, value in enumerate(line.values, 1):
        if value is not None and line.place >= 0:
            d.segment(across(k) + beside, up(value), line.place, 3.6)
        elif value is not None:
            d.dot(across(k) + beside, up(value), 3.6, "f-ink", 0)


def _names(d: Drawing, lines: Sequence[Line], x: float, up: Scale) -> None:
    """The name of each curve beside its last value: none over another, none below the axis while there is room."""
    ends = [(up(last), line) for line in lines for last in [_last(line)] if last is not None]
    ends.sort(key=lambda one: one[0])
    lowest = up.right
    for place, (end, line) in reversed(list(enumerate(ends))):
        y = max(min(end, lowest), 8 + LINE * place)  # room for those above
        _name(d, line, x, y, MOST_NAME)
        lowest = y - LINE


def _name(d: Drawing, line: Line, x: float, y: float, most: int) -> None:
    """A name behind the line and the shape of its curve."""
    if line.place >= 0:
        d.path(f"M{x:.1f} {y:.1f}h26", f"f-none {_ink(line)}", 1.6, _dash(line))
        d.segment(x + 13, y, line.place, 3.6)
        x += 32
    d.text(x, y + 4, cut(line.name, most), "start", "faint" if line.is_faint else "strong")


def _last(line: Line) -> float | None:
    return next((value for value in reversed(line.values) if value is not None), None)


def _few(at: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    return list(at) if len(at) <= 4 else [at[0], at[len(at) // 2], at[-1]]
