"""The chart of the click trap: raw click rate and attraction of the documents of one query, with both grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.report.letters import cut
from assay.report.svg import NARROW, Drawing, Scale

WIDE_ROW, NARROW_ROW = 26.0, 44.0
HEAD = 34.0


@dataclass(frozen=True, slots=True)
class Row:
    """One document.

    Args:
        name: of it.
        rate: raw clicks by impressions.
        attraction, low, high: with its interval; `high` is None where anything is possible.
        is_graded: whether clicks say a grade: otherwise the interval is hatched.
        clicks, people: what they say, short.
    """

    name: str
    rate: float
    attraction: float
    low: float
    high: float | None
    is_graded: bool
    clicks: str
    people: str


def trap(rows: Sequence[Row], width: float = 720) -> Drawing:
    """Documents below one another on one axis of chances from 0: a stroke is the raw rate, a dot the attraction."""
    is_wide = width > NARROW
    step = WIDE_ROW if is_wide else NARROW_ROW
    said = "; ".join(f"{row.name} {row.rate:.3f} raw, {row.attraction:.3f} corrected" for row in rows[:4])
    d = Drawing(width, HEAD + step * len(rows) + 28, f"Chance of a click by document: {said}")
    left, right = (232.0 if is_wide else 4.0), width - (112 if is_wide else 84)
    most = _most(rows)
    across = Scale(0.0, most, left, right)
    bottom = HEAD + step * len(rows)
    for tick in across.ticks(5 if is_wide else 4):
        d.line(across(tick), HEAD - 6, across(tick), bottom, "s-rule" if tick else "s-strong")
        d.text(across(tick), bottom + 16, f"{tick:g}", "middle", "faint")
    d.text(width - 66, 14, "clicks", "end", "faint")
    d.text(width - 4, 14, "people", "end", "faint")
    for place, row in enumerate(rows):
        top = HEAD + step * place
        y = top + (step / 2 if is_wide else step - 13)
        d.text(0 if is_wide else left + 6, y + 4 if is_wide else top + 12, cut(row.name, 32 if is_wide else 36),
               kind="halo")  # fmt: skip
        _interval(d, row, across, y, most)
        for x, grade in ((width - 66, row.clicks), (width - 4, row.people)):
            d.text(x, y + 4, grade, "end", "strong")
    return d


def _most(rows: Sequence[Row]) -> float:
    """The right end of the axis: intervals may stand out beside the values only so far."""
    most = max(1e-9, *(max(row.attraction, row.rate) for row in rows)) * 1.25
    return max(most, *(min(row.high, 1.1 * most) for row in rows if row.high is not None), 1e-9)


def _is_cut(row: Row, most: float) -> bool:
    return row.high is not None and row.high > most * 1.0001


def goes_on(rows: Sequence[Row]) -> bool:
    """Whether an interval is cut, so that its caption has to say what the arrow means."""
    most = _most(rows)
    return any(_is_cut(row, most) for row in rows)


def _interval(d: Drawing, row: Row, across: Scale, y: float, most: float) -> None:
    low, high = across(row.low), across(most if row.high is None else row.high)
    if _is_cut(row, most):
        d.path(f"M{high - 5:.1f} {y - 4:.1f}L{high + 1:.1f} {y:.1f}L{high - 5:.1f} {y + 4:.1f}", "f-none s-ink", 1.6)
    if row.is_graded:
        d.line(low, y, high, y, "s-ink", 2.4)
    else:
        d.hatched(low, y - 6, high - low, 12)
    d.line(across(row.rate), y - 8, across(row.rate), y + 8, "s-base", 2.4)
    d.dot(across(row.attraction), y, 4, "f-ink s-ink" if row.is_graded else "f-paper s-ink", 1.6)
