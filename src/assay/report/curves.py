"""Charts of many values: every query sorted, value and losses by stage, recall against depth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from assay.report.charts import axis, label
from assay.report.figures import count
from assay.report.letters import cut
from assay.report.svg import NARROW, SEGMENTS, WIDE, Drawing, Scale, around

MANY = 600
"""More queries than this are drawn as two areas instead of a bar each."""


def every_query(
    differences: Sequence[float], segment: Sequence[int], names: Sequence[str], measure: str, width: float = WIDE
) -> Drawing:
    """Every query's difference, sorted, best first; strips below show where each segment lies.

    Args:
        differences: one a query.
        segment: place of each query's segment in `names`; -1 when it has none.
        names: the segments.
        measure: what the differences are of.
        width: in pixels.
    """
    order = sorted(range(len(differences)), key=lambda i: (-differences[i], segment[i]))
    up = sum(x > 1e-9 for x in differences)
    down = sum(x < -1e-9 for x in differences)
    same = len(differences) - up - down
    tail = "; colour and the strips below show the segment" if names else ""
    says = (
        f"Per-query difference in {measure}, sorted: {count(up)} better, {count(same)} equal, {count(down)} worse{tail}"
    )
    is_wide = width > NARROW
    strips = 14 + 13 * len(names[:8])
    plot = 240.0 if is_wide else 190.0
    d = Drawing(width, plot + (strips if names else 8), says)
    low, high = around(list(differences), 0.05)
    left, right = 48.0, width - (84 if is_wide and names else 4)
    scale = Scale(high, low, 8, plot - 6)  # up is more
    for tick in Scale(low, high, 0, 1).ticks(5):
        d.line(left, scale(tick), right, scale(tick), "s-rule" if tick else "s-strong")
        d.text(left - 8, scale(tick) + 4, label(tick, 2, True), "end", "faint")
    n = max(len(order), 1)
    step = (right - left) / n
    zero = scale(0.0)
    if n <= MANY:
        for place, i in enumerate(order):
            y = scale(differences[i])
            kind = f"f-{SEGMENTS[segment[i] % 4]}" if names and segment[i] >= 0 else "f-ink2"
            d.bar(left + place * step, min(y, zero), max(step * 0.86, 0.5), max(abs(y - zero), 0.6), kind)
    else:
        _curve(d, [differences[i] for i in order], left, right, scale)
    _counts(d, up, down, n, left, step, zero)
    for place, name in enumerate(names[:8]):
        y = plot + 14 + 13 * place
        _strip(d, [at for at, i in enumerate(order) if segment[i] == place], place, n, left, step, y)
        d.segment((right + 14) if is_wide else 34, y, place, 3.6)
        if is_wide:
            d.text(right + 24, y + 4, cut(name, 10))
    return d


def _counts(d: Drawing, up: int, down: int, n: int, left: float, step: float, zero: float) -> None:
    """How many are better and worse, on the empty side of the zero line."""
    if up:
        d.text(max(left + step * up / 2, left + 40), zero + 18, f"{count(up)} better", "middle", "strong halo")
    if down:
        d.text(
            min(left + step * (n - down / 2), d.width - 40), zero - 8, f"{count(down)} worse", "middle", "strong halo"
        )


def _curve(d: Drawing, values: Sequence[float], left: float, right: float, scale: Scale) -> None:
    """Thousands of sorted bars as two areas: better and worse."""
    zero, n = scale(0.0), len(values)
    wide = max(int(right - left), 1)
    for kind, keep in (("better", 1), ("worse", -1)):
        points = []
        for column in range(wide):
            value = values[min(column * n // wide, n - 1)]
            points.append((left + column, scale(value) if value * keep > 0 else zero))
        shown = [point for point in points if point[1] != zero]
        if shown:
            line = "L".join(f"{x:.0f} {y:.1f}" for x, y in shown)
            d.path(f"M{shown[0][0]:.0f} {zero:.1f}L{line}L{shown[-1][0]:.0f} {zero:.1f}z", f"f-{kind}")


def _strip(d: Drawing, places: Sequence[int], segment: int, n: int, left: float, step: float, y: float) -> None:
    """Where the queries of one segment lie: a mark each, or the denser the more there are."""
    if not places:
        return
    kind = f"s-{SEGMENTS[segment % 4]}"
    if n <= MANY:
        marks = "".join(f"M{left + (at + 0.43) * step:.1f} {y - 5:.1f}v9" for at in places)
        d.path(marks, f"f-none {kind}", max(min(step * 0.86, 4), 0.8))
        return
    columns: dict[int, int] = {}
    for at in places:
        columns[int(at * step / 3)] = columns.get(int(at * step / 3), 0) + 1
    most = max(columns.values())
    marks = "".join(
        f"M{left + column * 3 + 1:.0f} {y + 4:.1f}v{-9 * held / most:.1f}" for column, held in columns.items()
    )
    d.path(marks, f"f-none {kind}", 2.4)


@dataclass(frozen=True, slots=True)
class Split:
    """What one system reaches and where it loses the rest.

    Args:
        group: the segment.
        side: the system.
        value: what is reached.
        ranking: lost by the order: ceiling minus value.
        retrieval: never found: 1 minus ceiling.
    """

    group: str
    side: str
    value: float
    ranking: float
    retrieval: float


def losses(splits: Sequence[Split], measure: str, width: float = WIDE) -> Drawing:
    """Value, ranking loss and retrieval loss of each system, side by side in each segment."""
    groups = list(dict.fromkeys(split.group for split in splits))
    said = (
        f"{s.group}, {s.side}: value {s.value:.3f}, ranking loss {s.ranking:.3f}, retrieval loss {s.retrieval:.3f}"
        for s in splits
    )
    is_wide = width > NARROW
    left, right = (168.0 if is_wide else 92.0), width - 4
    each = [[split for split in splits if split.group == group] for group in groups]
    height = sum((20 if not is_wide else 2) + 18 * len(own) + 18 for own in each) + 28
    d = Drawing(width, height, f"Loss of {measure} by stage: " + "; ".join(said))
    scale = Scale(0.0, 1.0, left, right)
    y = 6.0
    for place, (group, own) in enumerate(zip(groups, each, strict=True)):
        if group != "all":
            d.segment(6, y + 11, place)
        d.text(16 if group != "all" else 0, y + 15, group, "start", "strong")
        y += 20 if not is_wide else 0
        for split in own:
            side = cut(split.side, 13)
            d.text(left - 8, y + 12, side, "end", "faint")
            edge = scale(split.value)
            ceiling = scale(split.value + split.ranking)
            d.bar(left, y, edge - left, 15, "f-gained")
            d.bar(edge, y, ceiling - edge, 15, "f-rank")
            d.bar(ceiling, y, right - ceiling, 15, "f-found")
            if edge - left > 44:
                d.text(left + 6, y + 12, f"{split.value:.3f}", "start", "strong")
            if ceiling - edge > 40:
                d.text((edge + ceiling) / 2, y + 12, f"{split.ranking:.3f}", "middle", "on-rank")
            if right - ceiling > 36:
                d.text((ceiling + right) / 2, y + 12, f"{split.retrieval:.3f}", "middle", "on-found")
            y += 18
        y += 18
    axis(d, scale, d.height - 22, 4, signed=False)
    return d


@dataclass(frozen=True, slots=True)
class Depths:
    """Recall of one system at several depths.

    Args:
        name: the system.
        depths: ascending.
        recall: at each depth.
        low: of its interval; empty when there is none, NaN where there is none.
        high: of its interval.
        is_baseline: drawn dashed.
        is_part: one of several retrievers, drawn thin and without its interval.
        is_several: several retrievers together.
    """

    name: str
    depths: tuple[int, ...]
    recall: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    is_baseline: bool = False
    is_part: bool = False
    is_several: bool = False


def recall(lines: Sequence[Depths], reads: Sequence[int], width: float = 470) -> Drawing:
    """Recall against depth, the baseline dashed, retrievers of a fusion thin; dotted: the depth that is read."""
    says = "Recall against depth: " + "; ".join(
        f"{line.name} {', '.join(f'{r:.3f} at {k}' for k, r in _some(line))}" for line in lines
    )
    d = Drawing(width, 240, says)
    depths = [k for line in lines for k in line.depths] or [1, 10]
    across = Scale(math.log10(min(depths)), math.log10(max(max(depths), min(depths) + 1)), 34, width - 88)
    up = Scale(1.0, 0.0, 8, 206)
    for tick in (0, 0.25, 0.5, 0.75, 1):
        d.line(34, up(tick), width - 88, up(tick), "s-rule" if tick else "s-strong")
        d.text(28, up(tick) + 4, f"{tick:g}", "end", "faint")
    for k in _round(min(depths), max(depths)):
        d.text(across(math.log10(k)), 223, f"{k:,}", "middle", "faint")
    d.text(width - 88, 238, "depth", "end", "faint")
    for depth in set(reads):
        x = across(math.log10(max(depth, 1)))
        d.line(x, 8, x, 206, "s-ink2", 1.2, "2 3")
    if reads:
        x = across(math.log10(max(min(reads), 1)))
        said = " and ".join(f"{depth:,}" for depth in sorted(set(reads))[:3])
        d.text(x - 4, 200, f"read to {said}", "end" if x > 150 else "start", "faint halo")
    for line in lines:
        xs = [across(math.log10(max(k, 1))) for k in line.depths]
        _band(d, xs, line, up)
        curve = "M" + "L".join(f"{x:.1f} {up(r):.1f}" for x, r in zip(xs, line.recall, strict=True))
        kind = "s-base" if line.is_baseline else "s-ink"
        d.path(curve, f"f-none {kind}", 1 if line.is_part else 2, "5 3" if line.is_baseline else "")
    _names(d, lines, up)
    return d


def _names(d: Drawing, lines: Sequence[Depths], up: Scale) -> None:
    """The name of each line beside its end, in the order of the ends, none over another."""
    last = -math.inf
    for y, line in sorted(
        ((up(line.recall[-1]) + 4, line) for line in lines if line.recall), key=lambda found: found[0]
    ):
        last = max(y, last + 14)
        d.text(d.width - 82, last, cut(line.name, 13), "start", "faint" if line.is_part else "strong")


def _band(d: Drawing, xs: Sequence[float], line: Depths, up: Scale) -> None:
    """The interval at every depth that has one; a gap parts it."""
    known = [low == low and high == high for low, high in zip(line.low, line.high, strict=True)]
    begin = 0
    for is_known, held in groupby(known):
        end = begin + len(list(held))
        if is_known and end - begin > 1:
            edge = [(xs[i], up(line.low[i])) for i in range(begin, end)]
            edge += [(xs[i], up(line.high[i])) for i in reversed(range(begin, end))]
            d.path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in edge) + "z", "f-band", 0)
        begin = end


def _some(line: Depths) -> list[tuple[int, float]]:
    pairs = list(zip(line.depths, line.recall, strict=True))
    return pairs if len(pairs) <= 4 else [pairs[0], pairs[len(pairs) // 2], pairs[-1]]


def _round(low: int, high: int) -> list[int]:
    found = [s * 10**p for p in range(7) for s in (1, 2, 5) if low <= s * 10**p <= high]
    return found if len(found) <= 8 else [k for k in found if str(k)[0] != "2"]
