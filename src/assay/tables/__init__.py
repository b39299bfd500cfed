"""Tables: their rows, their blocks, and the one door through which rows come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.tables.rows import (
    Agreement,
    Answer,
    Block,
    Columns,
    Document,
    Hit,
    Interaction,
    Item,
    Judgment,
    LoggedAction,
    LoggedQuery,
    Pair,
    Preference,
    RatedPair,
    Request,
    Topic,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Agreement",
    "Answer",
    "Block",
    "Columns",
    "Document",
    "Hit",
    "Interaction",
    "Item",
    "Judgment",
    "LoggedAction",
    "LoggedQuery",
    "Pair",
    "Preference",
    "RatedPair",
    "Request",
    "Topic",
    "as_table",
]


def as_table(x: Any, row: type, name: str = "", columns: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Checked rows as a polars frame, from anything that holds rows.

    Args:
        x: an object with an Arrow C stream (pandas, polars, pyarrow, duckdb), a `Block`, a dict of dicts
            ({query: {document: score or grade}}), a dict of columns, or a list of rows (dataclasses or dicts).
        row: the class of the rows: `Hit`, `Judgment`, `Topic`, `Document`, `Answer` or `Pair`.
        name: what the rows are called in messages.
        columns: field to column, where a column has a name of its own.

    Returns:
        The columns that are there, in the order of the fields; of topics also the segment columns. Ids are text,
        every number is finite and in its range.
    """
    from assay.tables.door import block_of  # the checks are not needed where rows come from a reader

    return block_of(x, row, name, columns).polars()
