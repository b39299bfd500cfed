"""The chart of weights: what each tenth of the impressions has of the weights, and of the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.svg import Drawing, Scale

if TYPE_CHECKING:
    from assay.clicks.off_policy import Tenth

HEIGHT = 230.0
SECOND = "f-base"
"""Solid: hatching would say that a share is not known."""


def by_weight(tenths: Sequence[Tenth], chance: str, width: float = 520) -> Drawing:
    """Two bars a tenth: share of the weights (filled) and of the estimate (the second tone): both are known.

    Args:
        tenths: the likeliest first.
        chance: what the weights are one over, in a word.
        width: in pixels.
    """
    last = tenths[-1]
    says = (f"The tenth that is least likely looked at has {100 * last.weight:.0f} % of the weights and "
            f"{100 * last.value:.0f} % of the estimate")  # fmt: skip
    d = Drawing(width, HEIGHT, says)
    most = max(0.01, *(max(one.weight, one.value) for one in tenths))
    up = Scale(most, 0.0, 26, 190)
    for tick in Scale(0.0, most, 0, 1).ticks(4):
        d.line(40, up(tick), width - 8, up(tick), "s-rule" if tick else "s-strong")
        d.text(34, up(tick) + 4, f"{100 * tick:g} %", "end", "faint")
    step = (width - 56) / len(tenths)
    bar = max(4.0, step / 2 - 5)
    for place, one in enumerate(tenths):
        left = 46 + place * step
        d.bar(left, up(one.weight), bar, 190 - up(one.weight), "f-ink")
        if one.value > 0:
            d.bar(left + bar + 2, up(one.value), bar, 190 - up(one.value), SECOND)
        if place % (1 if width > 480 else 3) == 0:
            d.text(left + bar, 206, f"{one.high:.2g}", "middle", "faint")
    d.text(width - 8, 224, f"{chance}, at most", "end", "faint")
    d.bar(46, 6, 10, 10, "f-ink")
    d.text(60, 15, "weights", "start", "strong")
    d.bar(122, 6, 10, 10, SECOND)
    d.text(138, 15, "estimate", "start", "strong")
    return d
