"""The neutral page: what a result says, described once and rendered as text, HTML or Markdown.

A view turns one kind of result into a page; renderers turn pages into text. Cells keep numbers as numbers, because
a terminal shows four decimals, a web page three.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.registry import Family

if TYPE_CHECKING:
    from assay.report.svg import Drawing

Tone = Literal["better", "worse", "unsure", "pass", "fail", "plain"]
"""What a mark says: its shape, its word and its colour always go together."""


@dataclass(frozen=True, slots=True)
class Value:
    """One number; None or NaN is shown as "n/a", never as 0.

    Args:
        x: the number.
        places: decimals on a terminal; a web page shows at most three of them.
        sign: always print a sign, as differences do.
        why: what stands where there is no number.
    """

    x: float | None
    places: int = 4
    sign: bool = False
    why: str = "n/a"


@dataclass(frozen=True, slots=True)
class Range:
    """An interval, printed `low to high`; `why` is printed where there is none."""

    low: float | None
    high: float | None
    places: int = 4
    sign: bool = False
    why: str = "n/a"


@dataclass(frozen=True, slots=True)
class Mark:
    """Words with a shape and a colour.

    Args:
        tone: the shape and the colour.
        text: the words.
        label: a word or two that carry the mark, before the words: `BETTER overall`.
    """

    tone: Tone
    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A value with its interval, drawn on an axis from 0 to 1 that all rows share. Stands on pages only."""

    x: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Whisker:
    """A difference with its interval, drawn on the axis of its column: filled when zero is outside, else hollow.

    Args:
        x: the difference; nothing is drawn where there is none.
        low: of its interval; None when there is none.
        high: of its interval.
        threshold: what is allowed; None when nothing is.
    """

    x: float | None
    low: float | None = None
    high: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """What all drawings of a column share; zero lies on it.

    Args:
        low: its left end.
        high: its right end.
        ticks: numbers that are printed above it.
        columns: how wide it is on a terminal.
    """

    low: float
    high: float
    ticks: tuple[float, ...] = ()
    columns: int = 30


Cell = str | Value | Range | Mark | Drawn | Whisker


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Args:
        head: what stands above it.
        align: "left" for words, "right" for numbers (they line up on the decimal point).
        drop: 0 always stays; where room is short, the columns with the highest number go first, together; below 0
            those go only where cutting names does not make enough room.
        is_name: names are cut in the middle where room is short; numbers never.
        is_grouped: a value equal to the one above is printed once, where all columns before it are equal too.
        is_prose: sentences, broken to the room that is left.
        mono: what the machine reads: ids, commands.
        gap: spaces before the column on a terminal.
        is_drawn: drawings; a terminal and programs get the figures beside it.
        axis: what drawings with a zero line share; a terminal draws those too.
        is_instead: the figures of the drawings; a terminal shows them only where there is no room to draw.
        is_named: its head is somebody's name, which is cut in the middle where room is short.
    """

    head: str
    align: Literal["left", "right"] = "left"
    drop: int = 0
    is_name: bool = False
    is_grouped: bool = False
    is_prose: bool = False
    mono: bool = False
    gap: int = 3
    is_drawn: bool = False
    axis: Axis | None = None
    is_instead: bool = False
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below one another.

    Args:
        columns: the columns.
        rows: one cell a column.
        foot: rows below a second rule, such as a sum.
        name: what the table shows, for those who hear it.
        tall: many rows: the page shows them in a window of their own.
        title: what the drawings of the table show; it stands above them, beside the numbers of their axis.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    foot: tuple[tuple[Cell, ...], ...] = ()
    name: str = ""
    tall: bool = False
    title: str = ""

    def labels(self) -> list[str]:
        """What each column is called where it stands alone: a head that stands twice names its left neighbour too."""
        heads = [column.head for column in self.columns]
        return [f"{heads[i - 1]} {head}" if head in heads[:i] else head for i, head in enumerate(heads)]

    def needs_head(self, cell: Cell) -> bool:
        """Whether the first cell of a row, standing alone above the others, says nothing without its head."""
        first = self.columns[0]
        return bool(first.head) and (first.align == "right" or isinstance(cell, (Value, Range)))

    def without_drawings(self, axes: bool = False) -> Table:
        """The table as those see it who cannot be shown a drawing; with `axes`, who can be shown a simple one."""
        keep = [i for i, column in enumerate(self.columns) if not column.is_drawn or (axes and column.axis)]
        if len(keep) == len(self.columns):
            return self
        rows, foot = (tuple(tuple(row[i] for i in keep) for row in part) for part in (self.rows, self.foot))
        return Table(tuple(self.columns[i] for i in keep), rows, foot, self.name, self.tall, self.title)


@dataclass(frozen=True, slots=True)
class Heading:
    """The name of what follows, and one sentence on how to read it."""

    text: str
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart below its caption; only web pages show it, so a table beside it gives its figures.

    Args:
        caption: how to read it.
        draw: the chart, of a width in pixels.
        width: of the wide one.
        is_beside: the table after it stands at its side where there is room; its width is then about half the page.
    """

    caption: str
    draw: Callable[[float], Drawing]
    width: float = 720
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and what it says: one or more paragraphs."""

    label: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels with what they say, one below the other."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Remarks:
    """What is odd but lawful. A warning says that a value may not mean what it seems to."""

    lines: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Worked:
    """Lines of arithmetic, as they are."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """What to run next, below a sentence that says why."""

    lead: str
    line: str


Part = Table | Heading | Picture | Prose | Facts | Remarks | Worked | Command


@dataclass(frozen=True, slots=True)
class Page:
    """A result in words and figures.

    Args:
        title: what the page is about, short.
        answer: the answer in words; it stands first.
        parts: the evidence.
        made: how it was made; it stands last, on pages only.
    """

    title: str
    answer: tuple[Cell, ...]
    parts: tuple[Part, ...] = ()
    made: Facts | None = None


View = Callable[[Any], Page]

VIEWS: Family[View] = Family("view", home="assay.report.views")
"""Views by the name of the class of result that they show."""


def view(result: str) -> Callable[[View], View]:
    """Registers the decorated function as the view of the class of results with that name."""
    return VIEWS.add(result)
