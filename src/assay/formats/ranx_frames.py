"""The frames that ranx writes: Parquet with the columns q_id, doc_id and score."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from assay.files import Source, is_stream, open_bytes
from assay.formats.columns import PARQUET, read_columns, to_bytes
from assay.tables import Block


def read_frame(source: Source, row: type, number: str) -> Block | None:
    """The rows of a Parquet file; None for what is something else.

    Args:
        source: the file; a pipe is never Parquet, whose end has to be read first.
        row: the class of the rows.
        number: the field that is in the column `score`.
    """
    if not isinstance(source, (str, os.PathLike)) or is_stream(source):
        return None
    with open_bytes(source) as file:
        if file.read(len(PARQUET)) != PARQUET:
            return None
    return read_columns(source, row, "parquet", {"query_id": "q_id", "doc_id": "doc_id", number: "score"})


def frame(rows: Iterable[tuple[str, str, Any]]) -> bytes:
    """Rows as the content of a Parquet file."""
    import polars as pl

    return to_bytes(pl.DataFrame(list(rows), schema=["q_id", "doc_id", "score"], orient="row"), "parquet")
