"""A figure: what was measured, what it is held against, and whether it was reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["s", "MiB", "x"]


@dataclass(frozen=True, slots=True)
class Goal:
    """The most that a figure may be.

    Args:
        most: the limit; of the ratio where there is a peer, otherwise of the figure itself.
        go_for: a tighter figure that would be better still.
    """

    most: float
    go_for: float | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    Args:
        what: the size and what was compared.
        quantity: CPU, wall or peak memory.
        unit: of ours and theirs.
        ours, theirs: medians; theirs is None where nothing is compared.
        ratio: ours divided by theirs, the median over the pairs.
        goal: what was asked for; None where the line is only told.
        doubt: why the figure may not be believable; empty where nothing speaks against it.
    """

    what: str
    quantity: str
    unit: Unit
    ours: float
    theirs: float | None = None
    ratio: float | None = None
    goal: Goal | None = None
    doubt: str = ""

    @property
    def held(self) -> float:
        """The number that the goal limits."""
        return self.ours if self.ratio is None else self.ratio

    @property
    def verdict(self) -> str:
        """reached, reached and more, not reached, or nothing where no goal was set."""
        if self.goal is None:
            return ""
        if self.held > self.goal.most:
            return "not reached"
        return "reached, and more" if self.goal.go_for is not None and self.held <= self.goal.go_for else "reached"

    def cells(self) -> tuple[str, ...]:
        """The line as text."""
        goal = ""
        if self.goal is not None:
            unit = "" if self.ratio is not None else f" {self.unit}"
            goal = f"≤ {self.goal.most:g}{unit}" + (
                "" if self.goal.go_for is None else f" (go for {self.goal.go_for:g})"
            )
        return (
            self.what,
            self.quantity,
            _number(self.ours, self.unit),
            "" if self.theirs is None else _number(self.theirs, self.unit),
            "" if self.ratio is None else f"{self.ratio:.3f}",
            goal,
            self.verdict + (f" ({self.doubt})" if self.doubt else ""),
        )


HEADS = ("figure", "quantity", "assay", "other", "ratio", "goal", "")


def _number(value: float, unit: Unit) -> str:
    return f"{value:.0f} MiB" if unit == "MiB" else f"{value:.3f} s" if value < 1 else f"{value:.2f} s"


def plain(figures: Sequence[Figure]) -> str:
    """The table for a terminal."""
    rows = [HEADS, *(figure.cells() for figure in figures)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADS))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if 2 <= place <= 4 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(figures: Sequence[Figure]) -> str:
    """The table for a page."""
    lines = ["| " + " | ".join(HEADS) + " |", "|---|---|---:|---:|---:|---|---|"]
    lines += ["| " + " | ".join(figure.cells()) + " |" for figure in figures]
    return "\n".join(lines)
