"""The chart of propensities: how likely each position is looked at, with intervals, and raw clicks beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.report.svg import NARROW, SEGMENTS, Drawing, Scale

HEIGHT = 240.0
RAW = "CTR, scaled"
HIGHEST = 1.6
"""Where intervals are cut; an arrow says that they go on."""
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


def by_position(lines: Sequence[Line], width: float = 520, axis: str = "position") -> Drawing:
    """Curves over positions (or what `axis` says), on a scale from 0 to 1 at least."""
    known = [(line.name, [(k, x) for k, x in enumerate(line.values, 1) if x is not None]) for line in lines]
    says = f"By {axis}: " + "; ".join(
        f"{name} {', '.join(f'{x:.3f} at {k}' for k, x in _few(at))}" for name, at in known
    )
    d = Drawing(width, HEIGHT, says)
    depth = max((len(line.values) for line in lines), default=1)
    ends = [min(high, HIGHEST) for line in lines for high in line.highs if high is not None]
    most = max([1.0, *ends, *(x for _, at in known for _, x in at)])
    right = width - 88
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
    _names(d, lines, up)
    return d


def _curve(d: Drawing, line: Line, across: Scale, up: Scale, most: float, beside: float) -> None:
    part: list[str] = []
    ink = "s-ink" if line.place < 0 else f"s-{SEGMENTS[line.place % len(SEGMENTS)]}"
    kind = "s-ink2" if line.is_faint else ink
    for k, x in [*enumerate(line.values, 1), (0, None)]:
        if x is not None:
            part.append(f"{across(k) + beside:.1f} {up(x):.1f}")
        elif part:
            d.path(
                "M" + "L".join(part), f"f-none {kind}", 1.2 if line.is_faint else 1.6, "4 3" if line.is_faint else ""
            )
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


def _names(d: Drawing, lines: Sequence[Line], up: Scale) -> None:
    """The name of each curve beside its end, none over another."""
    last = 0.0
    found = [(up(line.values[-1]) + 4, line) for line in lines if line.values and line.values[-1] is not None]
    for y, line in sorted(found, key=lambda one: one[0]):
        last = max(y, last + 14)
        d.text(d.width - 82, last, line.name if len(line.name) < 14 else line.name[:12] + "…", "start",
               "faint" if line.is_faint else "strong")  # fmt: skip


def _few(at: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    return list(at) if len(at) <= 4 else [at[0], at[len(at) // 2], at[-1]]
