"""Tables that name two documents in a row: recognised by their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

SECOND = "other_doc_id"
"""The column that makes a table one of pairs of documents."""


def is_preferences(bench: Workbench, x: Any) -> bool:
    """Whether a table names two documents in a row."""
    source = bench.source(x)
    if source is None:
        return SECOND in names_of(x)
    line = first_line(source)
    return SECOND in (line if not isinstance(line, str) else re.split(r"\W+", line))


def names_of(x: Any) -> Iterable[str]:
    """The columns of what holds rows."""
    named = getattr(x, "column_names", None) or getattr(x, "columns", None)
    if named is not None:
        return [str(name) for name in named]
    if isinstance(x, Mapping) or not x:
        return list(x or ())
    first = x[0] if isinstance(x, Sequence) else {}
    return list(first) if isinstance(first, Mapping) else [one.name for one in fields(first)]


def first_line(source: str) -> str | list[str]:
    """The first line of a file that is not blank, or nothing; the columns of a Parquet or an Arrow file."""
    from assay.files import is_stream, open_bytes
    from assay.formats.columns import ARROW_FILE, PARQUET
    from assay.formats.recognise import first_lines

    if not is_stream(source):
        with open_bytes(source) as file:
            head = file.read(8)
        if head.startswith((PARQUET, ARROW_FILE)):
            import polars as pl

            return list(pl.read_parquet_schema(source) if head.startswith(PARQUET) else pl.read_ipc_schema(source))
    lines = first_lines(source)
    return lines[0] if lines else ""
