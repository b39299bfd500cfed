"""The charts of differences: each is one finding, drawn wide for a page and narrow for a phone.

Every chart gives a `Drawing`; what it needs are plain numbers. Filled excludes zero, hollow does not; hatching means
not known; zero is always drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.report.figures import count, number, percent
from assay.report.letters import cut
from assay.report.svg import NARROW, Drawing, Scale, around, decimals


@dataclass(frozen=True, slots=True)
class Effect:
    """A difference with what is known of it.

    Args:
        x: the difference; None when there is none.
        low: of its interval; None when there is none.
        high: of its interval.
        worst: the lowest it could be, were the unjudged judged; None when not computed.
        best: the highest.
    """

    x: float | None
    low: float | None = None
    high: float | None = None
    worst: float | None = None
    best: float | None = None

    @property
    def tone(self) -> str:
        """How it is painted: by what its interval says."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return "ink2"
        return "better" if self.low > 0 else "worse"

    @property
    def words(self) -> str:
        """The figures as a listener hears them."""
        if self.x is None:
            return "not known"
        text = number(self.x, 3, sign=True)
        if self.low is not None and self.high is not None:
            text += f" ({number(self.low, 3, sign=True)} to {number(self.high, 3, sign=True)})"
        return text


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a forest.

    Args:
        name: the segment.
        n: its queries.
        effect: its difference.
        share: of the traffic; None when not known.
        detectable: the smallest difference that so many queries show; None when not known.
        is_total: the sum of the others.
        claim: whether the interval may be drawn as a finding; under 25 queries it may not.
    """

    name: str
    n: int
    effect: Effect
    share: float | None = None
    detectable: float | None = None
    is_total: bool = False
    claim: bool = True


def whisker(d: Drawing, scale: Scale, y: float, effect: Effect, size: float = 5, bar: float = 3) -> None:
    """An interval with its value: filled when zero is outside, hollow when it is inside or there is no interval."""
    if effect.x is None:
        return
    tone, half = effect.tone, size + 0.5
    if effect.low is not None and effect.high is not None:
        low, high = scale(effect.low), scale(effect.high)
        d.line(low, y, high, y, f"s-{tone}", bar)
        d.line(low, y - half * 0.8, low, y + half * 0.8, f"s-{tone}", bar / 2)
        d.line(high, y - half * 0.8, high, y + half * 0.8, f"s-{tone}", bar / 2)
    d.dot(scale(effect.x), y, size, f"f-{tone}" if tone != "ink2" else "f-paper s-ink2", 2)


def axis(d: Drawing, scale: Scale, y: float, most: int = 6, signed: bool = True) -> None:
    """A line with ticks and their numbers."""
    at = scale.ticks(most)
    places = decimals(at)
    d.line(scale.left, y, scale.right, y, "s-strong")
    for tick in at:
        d.line(scale(tick), y, scale(tick), y + 5, "s-strong")
        d.text(scale(tick), y + 17, label(tick, places, signed), "middle", "faint")


def label(tick: float, places: int, signed: bool) -> str:
    """The number at a tick; zero is plain."""
    return "0" if not tick else number(tick, places, sign=signed)


def headline(effect: Effect, measure: str, width: float = 550) -> Drawing:
    """The one interval with its zero, and below it where the difference could lie over the unjudged."""
    is_wide = width > NARROW
    says = f"Difference in {measure}: {effect.words.replace('(', '95 % interval ').replace(')', '')}"
    has_range = effect.worst is not None and effect.best is not None
    if has_range:
        worst, best = number(effect.worst or 0.0, 3, sign=True), number(effect.best or 0.0, 3, sign=True)
        says += f"; if every unjudged document were worst or best: {worst} to {best}"
    d = Drawing(width, 132 if has_range else 96, says)
    scale = Scale(*around([effect.x, effect.low, effect.high, effect.worst, effect.best], 0.08), 8, width - 8)
    foot = d.height - 20
    zero = scale(0.0)
    d.line(zero, 22, zero, foot - 2, "s-ink", 1.5)
    if zero > 80:
        d.text(zero - 8, 14, "← candidate worse" if is_wide and zero > 130 else "← worse", "end")
    if width - zero > 80:
        d.text(zero + 8, 14, "candidate better →" if is_wide and width - zero > 130 else "better →")
    if effect.worst is not None and effect.best is not None:
        left, right = scale(effect.worst), scale(effect.best)
        d.hatched(left, 80, right - left, 12)
        d.text(max(right, 140), 76, "unjudged: worst to best", "end", "halo")
    whisker(d, scale, 52, effect, 8, 6)
    if effect.x is not None:
        d.text(min(max(scale(effect.x), 24), width - 24), 37, number(effect.x, 3, sign=True), "middle", "strong halo")
    axis(d, scale, foot, 5 if is_wide else 3)
    return d


def small(effect: Effect, low: float, high: float, width: float = 230, threshold: float | None = None) -> Drawing:
    """One interval on the scale that all rows of a table share; dashed is a threshold."""
    says = effect.words.replace("(", "95 % interval ").replace(")", "")
    if threshold is not None:
        says += f", threshold {number(threshold, 3, sign=True)}"
    d = Drawing(width, 22, says)
    scale = Scale(low, high, 6, width - 6)
    d.line(scale(0.0), 0, scale(0.0), 22, "s-strong")
    if threshold is not None:
        d.line(scale(threshold), 2, scale(threshold), 20, "s-ink", 1.5, "2 2")
    whisker(d, scale, 11, effect, 4.5, 3)
    return d


def forest(rows: Sequence[Row], measure: str, width: float = 470) -> Drawing:
    """A line a segment on one scale; grey is smaller than that many queries can detect."""
    is_wide = width > NARROW
    says = f"Difference in {measure} by segment: " + "; ".join(f"{row.name} {row.effect.words}" for row in rows)
    d = Drawing(width, 40 + 42 * len(rows), says)
    ends = [end for row in rows for end in (row.effect.x, row.effect.low, row.effect.high)]
    scale = Scale(*around(ends, 0.04), 130 if is_wide else 112, width - (112 if is_wide else 60))
    foot = d.height - 22
    for tick in scale.ticks(4 if is_wide else 3):
        d.line(scale(tick), 18, scale(tick), foot, "s-rule" if tick else "s-ink", 1 if tick else 1.2)
        d.text(scale(tick), foot + 16, label(tick, 2, True), "middle", "faint")
    d.text(width, 12, "difference, 95 %" if is_wide else "diff.", "end", "faint")
    place = 0
    for line, row in enumerate(rows):
        y = 45 + 42 * line + (6 if row.is_total else 0)
        if row.is_total:
            d.line(0, y - 21, width, y - 21, "s-strong")
        else:
            d.segment(6, y - 8, place)
            place += 1
        at = 0 if row.is_total else 16
        most = 15 if is_wide else 12
        d.text(at, y - 4, cut(row.name, most), "start", "strong")
        share = f", {percent(row.share)}" if row.share is not None and is_wide else ""
        d.text(
            at, y + 12, f"{count(row.n, 'query', 'queries') if is_wide else f'n {row.n:,}'}{share}", "start", "faint"
        )
        if row.detectable is not None and math.isfinite(row.detectable):
            low, high = scale(-row.detectable), scale(row.detectable)
            d.bar(low, y - 9, high - low, 18, "f-sunken")
            d.line(scale(0.0), y - 9, scale(0.0), y + 9, "s-ink", 1.2)
        shown = row.effect if row.claim else Effect(row.effect.x)
        whisker(d, scale, y, shown)
        if row.effect.x is not None:
            d.text(width, y - 2 if is_wide else y + 4, number(row.effect.x, 3, sign=True), "end", "strong")
        if is_wide and shown.low is not None and shown.high is not None:
            said = f"{number(shown.low, 3, sign=True)} to {number(shown.high, 3, sign=True)}"
            d.text(width, y + 13, said, "end", "faint")
        elif is_wide and not row.claim:
            d.text(width, y + 13, "too few queries", "end", "faint")
    return d


@dataclass(frozen=True, slots=True)
class Span:
    """A value and the range it could have.

    Args:
        name: the system.
        value: as measured.
        low: were the unjudged judged at their worst.
        high: at their best.
    """

    name: str
    value: float
    low: float
    high: float


def ranges(spans: Sequence[Span], measure: str, width: float = 520) -> Drawing:
    """The value of each system as a line in its hatched range over the unjudged documents."""
    said = (f"{s.name} {s.value:.3f}, {s.low:.3f} to {s.high:.3f} over the unjudged" for s in spans)
    d = Drawing(width, 30 + 36 * len(spans), f"{measure} as measured and its range: " + "; ".join(said))
    low, high = around([end for s in spans for end in (s.low, s.high, s.value)], 0.05, zero=False)
    is_wide = width > NARROW
    scale = Scale(
        max(low, 0.0) if low < 0 <= min(s.low for s in spans) else low, high, 110 if is_wide else 84, width - 56
    )
    for line, span in enumerate(spans):
        y = 8 + 36 * line
        d.text(0, y + 14, cut(span.name, 13), "start", "strong")
        d.hatched(scale(span.low), y + 2, scale(span.high) - scale(span.low), 16)
        kind = "s-base" if line == 0 else "s-ink"
        d.line(scale(span.value), y - 2, scale(span.value), y + 22, kind, 3)
        d.text(width, y + 14, f"{span.value:.3f}", "end", "strong")
    axis(d, scale, d.height - 22, 5 if is_wide else 3, signed=False)
    return d


def decider(effect: Effect, threshold: float, name: str, width: float = 400, level: int = 90) -> Drawing:
    """The rule that decided a gate: its interval against what is allowed, the forbidden side shaded."""
    said = effect.words.replace("(", f"{level} % interval ").replace(")", "")
    d = Drawing(width, 112, f"{name}: {said}, threshold {number(threshold, 3, sign=True)}")
    scale = Scale(*around([effect.x, effect.low, effect.high, threshold], 0.12), 8, width - 8)
    at = scale(threshold)
    d.bar(8, 26, at - 8, 64, "f-sunken")
    d.line(scale(0.0), 26, scale(0.0), 90, "s-strong", 1.2)
    d.line(at, 20, at, 90, "s-ink", 2, "4 3")
    if at > 96:
        d.text(at - 6, 14, "← not allowed", "end")
    if width - at > 130:
        d.text(at + 6, 14, f"allowed loss {abs(threshold):.3f}" if threshold < 0 else f"needed: above {threshold:.3f}")
    tone = "better" if effect.low is not None and effect.low > threshold else (
        "worse" if effect.high is not None and effect.high < threshold else "ink2")  # fmt: skip
    if effect.low is not None and effect.high is not None:
        low, high = scale(effect.low), scale(effect.high)
        d.line(low, 56, high, 56, f"s-{tone}", 6)
        for end in (low, high):
            d.line(end, 48, end, 64, f"s-{tone}", 2)
    if effect.x is not None:
        d.dot(scale(effect.x), 56, 8, f"f-{tone}" if tone != "ink2" else "f-paper s-ink2", 3)
        d.text(scale(effect.x), 42, number(effect.x, 3, sign=True), "middle", "strong")
    axis(d, scale, 92, 5 if width > NARROW else 3)
    return d
