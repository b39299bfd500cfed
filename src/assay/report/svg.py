"""Drawings written by hand: lines, bars, dots and words in SVG, painted by role and never by a literal colour.

The classes are those of `assets/charts.css` (`s-` strokes, `f-` fills), so one drawing serves light, dark and print.
`standalone` gives a drawing its colours for use outside a page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

WIDE, NARROW = 720, 340
"""Pixels of a chart on a page and on a phone."""
SEGMENTS = ("head", "torso", "tail", "known")
"""Classes of the four colours and shapes of segments; a fifth segment begins anew, with its name beside it."""


@dataclass(slots=True)
class Drawing:
    """One picture.

    Args:
        width: in pixels.
        height: in pixels.
        says: the finding, read out where the picture cannot be seen.
    """

    width: float
    height: float
    says: str
    marks: list[str] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, width: float = 1, dash: str = "") -> None:
        """A straight line."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.marks.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}" '
            f'stroke-width="{width:g}"{dashed}/>'
        )

    def bar(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """A filled rectangle; what has no extent is not drawn."""
        if width > 0 and height > 0:
            self.marks.append(
                f'<rect x="{x:.2f}" y="{y:.1f}" width="{width:.2f}" height="{height:.1f}" class="{kind}"/>'
            )

    def hatched(self, x: float, y: float, width: float, height: float) -> None:
        """A range of what is not known: slanted lines inside an outline."""
        width = max(width, 1.0)
        strokes, step = [], 5.0
        at = x - height
        while at < x + width:
            left, right = max(at, x), min(at + height, x + width)
            if right > left:
                strokes.append(
                    f"M{left:.1f} {y + height - (left - at):.1f}L{right:.1f} {y + height - (right - at):.1f}"
                )
            at += step
        self.marks.append(f'<path d="{"".join(strokes)}" class="f-none s-hatch" stroke-width="1.4"/>')
        self.marks.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="f-none s-strong"/>'
        )

    def path(self, d: str, kind: str, width: float = 1, dash: str = "") -> None:
        """Any line or area."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.marks.append(f'<path d="{d}" class="{kind}" stroke-width="{width:g}"{dashed}/>')

    def dot(self, x: float, y: float, radius: float, kind: str, width: float = 2) -> None:
        """A circle."""
        self.marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{kind}" stroke-width="{width:g}"/>')

    def diamond(self, x: float, y: float, radius: float, kind: str, width: float = 2) -> None:
        """A diamond: the total, where circles are its parts."""
        r = radius
        self.path(f"M{x:.1f} {y - r:.1f}l{r} {r}l{-r} {r}l{-r} {-r}z", kind, width)

    def text(self, x: float, y: float, said: str, anchor: str = "start", kind: str = "") -> None:
        """Words; their baseline stands at y."""
        named = f' class="{kind}"' if kind else ""
        at = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.marks.append(f'<text x="{x:.1f}" y="{y:.1f}"{at}{named}>{escape(said)}</text>')

    def segment(self, x: float, y: float, place: int, size: float = 4.0) -> None:
        """The shape of a segment in its colour."""
        self.marks.append(shape(place, x, y, size))

    def svg(self, kind: str = "chart") -> str:
        """The picture as an element of a page."""
        named = f'class="{kind}" ' if kind else ""
        return (
            f'<svg {named}width="{self.width:g}" height="{self.height:g}" viewBox="0 0 {self.width:g} '
            f'{self.height:g}" role="img" aria-label="{escape(self.says, quote=True)}">{"".join(self.marks)}</svg>'
        )


def shape(place: int, x: float, y: float, size: float = 4.0) -> str:
    """Circle, triangle, square, diamond: a segment is told by shape as well as by colour."""
    kind = f"f-{SEGMENTS[place % 4]}"
    if place % 4 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" class="{kind}"/>'
    if place % 4 == 1:
        w = 1.1 * size
        return f'<path d="M{x:.1f} {y - w:.1f}l{w:.1f} {2 * w:.1f}h{-2 * w:.1f}z" class="{kind}"/>'
    if place % 4 == 2:
        w = 0.9 * size
        return f'<rect x="{x - w:.1f}" y="{y - w:.1f}" width="{2 * w:.1f}" height="{2 * w:.1f}" class="{kind}"/>'
    w = 1.25 * size
    return f'<path d="M{x:.1f} {y - w:.1f}l{w:.1f} {w:.1f}l{-w:.1f} {w:.1f}l{-w:.1f} {-w:.1f}z" class="{kind}"/>'


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers to pixels.

    Args:
        low: the number at `left`.
        high: the number at `right`.
        left: pixels.
        right: pixels.
    """

    low: float
    high: float
    left: float
    right: float

    def __call__(self, x: float) -> float:
        """Where a number stands; what lies outside stands at the edge."""
        span = self.high - self.low or 1.0
        share = min(max((x - self.low) / span, 0.0), 1.0)
        return self.left + share * (self.right - self.left)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers on the scale."""
        return ticks(self.low, self.high, most)


def around(values: Sequence[float | None], margin: float = 0.06, zero: bool = True) -> tuple[float, float]:
    """The span of some numbers with room at both ends; zero lies inside where differences are drawn."""
    known = [value for value in values if value is not None and math.isfinite(value)] + ([0.0] if zero else [])
    if not known:
        return -1.0, 1.0
    low, high = min(known), max(known)
    room = (high - low) * margin or max(abs(high), 1e-3) * 0.5
    return low - room, high + room


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two numbers, at most so many."""
    if not high > low:
        return [low]
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def decimals(values: Sequence[float]) -> int:
    """How many decimals tell some round numbers apart; at least two where they are not whole."""
    for places in range(4):
        if all(abs(round(value, places) - value) < 1e-9 for value in values):
            return places if places == 0 else max(places, 2)
    return 4


PAINTS = {
    "ink": "ink", "ink2": "ink-2", "paper": "paper", "sunken": "sunken", "base": "baseline", "better": "better",
    "worse": "worse", "rule": "rule", "strong": "rule-strong", "hatch": "hatch", "head": "seg-head",
    "torso": "seg-torso", "tail": "seg-tail", "known": "seg-known", "rank": "loss-rank", "found": "loss-found",
    "gained": "gained",
}  # fmt: skip
"""The token behind each paint."""


def standalone(svg: str, tokens: str) -> str:
    """A drawing as a file of its own: the light colours of the tokens written out, as not every program knows more.

    Args:
        svg: what `Drawing.svg` gave.
        tokens: the style sheet of tokens.
    """
    light = dict(re.findall(r"--([a-z0-9-]+):\s*light-dark\((#[0-9a-f]+)", tokens))
    rules = [f".f-{name}{{fill:{light[token]}}}.s-{name}{{stroke:{light[token]}}}" for name, token in PAINTS.items()]
    rules += [
        ".f-none{fill:none}",
        f".f-band{{fill:{light['ink']};fill-opacity:.09}}",
        f"text{{font:12px Inter,Arial,sans-serif;fill:{light['ink-2']}}}",
        f"text.strong{{fill:{light['ink']};font-weight:600}}text.faint{{fill:{light['ink-3']}}}",
        f"text.halo{{paint-order:stroke;stroke:{light['paper']};stroke-width:4px;stroke-linejoin:round}}",
        f"text.on-rank{{fill:{light['ink']}}}text.on-found{{fill:#fff}}",
    ]
    head, _, rest = svg.partition(">")
    head = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    ground = f'<rect width="100%" height="100%" fill="{light["paper"]}"/>'
    return f"{head}><style>{''.join(rules)}</style>{ground}{rest}\n"
