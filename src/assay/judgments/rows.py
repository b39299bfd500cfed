"""Rows of judgments picked from a block; each remembers its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.tables import Block

PAIR = ("query_id", "doc_id")


def pair_of(block: Block) -> tuple[str, ...]:
    """What raters agree or differ on: a pair, or a pair and a subtopic."""
    return (*PAIR, "subtopic") if "subtopic" in block.columns else PAIR


def where(block: Block, column: str, keep: Callable[[Any], bool]) -> Block:
    """The rows whose value in one column is kept."""
    frame = block.frame
    if isinstance(frame, dict):
        return picked(block, [i for i, value in enumerate(frame[column]) if keep(value)])
    import polars as pl

    large = block.polars()
    cells = large[column]
    kept = [value for value in cells.unique().to_list() if keep(value)]
    return picked(block, cells.is_in(pl.Series(kept, dtype=cells.dtype).implode(), nulls_equal=True))


def picked(block: Block, rows: Any) -> Block:
    """Some rows, in their order: numbers of rows of plain columns, or a mask of a polars frame."""
    frame: Any = block.frame
    if isinstance(frame, dict):
        held: Any = {name: [cells[i] for i in rows] for name, cells in frame.items()}
    else:
        held, rows = frame.filter(rows), rows.arg_true()
    return Block(held, lambda i: block.place(int(rows[i])), block.name, block.facts)
