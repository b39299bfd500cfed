"""The guard of CSV against formulas: a spreadsheet calculates a cell that begins with one of six characters.

A text that begins so gets an apostrophe before it, which spreadsheets take for "this is text". One that begins with
apostrophes and then so gets one more, so that reading takes exactly one off and every text comes back as it was.
Numbers are never guarded. Files for other tools follow their own rules and do not come here.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MARK = "'"
"""What stands before a guarded text."""

_OPEN = r"^('*[=+\-@\t\r])"
_GUARDED = r"^'('*[=+\-@\t\r])"
_IS_OPEN = re.compile(_OPEN)
_IS_GUARDED = re.compile(_GUARDED)


def guarded(cell: Any) -> Any:
    """A cell of a CSV file: a text that a spreadsheet would calculate with the guard, all else as it is."""
    return MARK + cell if isinstance(cell, str) and _IS_OPEN.match(cell) else cell


def as_csv(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """A guarded table as CSV, in UTF-8 with line feeds.

    Args:
        header: the names of the columns, which are ours.
        rows: the cells of each row; None is an empty cell.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8")


def guarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """All columns of text with the guard."""
    import polars as pl

    return frame.with_columns(pl.col(pl.String).str.replace(_OPEN, MARK + "${1}"))


def is_guarded(cell: str) -> bool:
    """Whether a cell has the guard."""
    return _IS_GUARDED.match(cell) is not None


def unguarded(cells: Iterable[str]) -> tuple[list[str], int]:
    """The texts without their guards, and how many had one."""
    held = list(cells)
    at = [row for row, cell in enumerate(held) if cell[:1] == MARK and is_guarded(cell)]
    for row in at:
        held[row] = held[row][1:]
    return held, len(at)


def unguarded_frame(frame: pl.DataFrame, names: Iterable[str]) -> tuple[pl.DataFrame, int]:
    """A frame without the guards of some columns of text, and how many cells had one."""
    import polars as pl

    chosen = [pl.col(name) for name in names]
    if not chosen:
        return frame, 0
    count = sum(frame.select(one.str.contains(_GUARDED).sum() for one in chosen).row(0))
    return (frame.with_columns(one.str.replace(_GUARDED, "${1}") for one in chosen), count) if count else (frame, 0)
