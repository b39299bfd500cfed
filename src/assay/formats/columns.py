"""Files with named columns, both ways: CSV, TSV, JSON lines, Parquet and Arrow."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.files import Source, name_of, read_bytes
from assay.tables import Block, Hit
from assay.tables.formulas import guarded_frame

if TYPE_CHECKING:
    import polars as pl

    from assay.formats.labelled import Labelled

PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")

_MANY = 200_000
"""Rows from which plain columns cost more than loading polars."""


def read_columns(
    source: Source, row: type, format: str, columns: Mapping[str, str] | None = None, *, data: bytes | None = None,
    labelled: Labelled | None = None,
) -> Block:  # fmt: skip
    """Rows of a file whose columns have names.

    Args:
        source: the file.
        row: the class of the rows.
        format: csv, tsv, jsonl, parquet or arrow.
        columns: field to column, as the user says.
        data: the content of the file, where it has been read already.
        labelled: what makes grades of a column of labels, where the rows are judgments.
    """
    name = name_of(source)
    content = read_bytes(source) if data is None else data
    if format == "jsonl":
        from assay.formats.many_objects import LARGE, read_many_objects
        from assay.formats.objects import read_objects

        many = read_many_objects(content, row, name, columns) if row is Hit and len(content) >= LARGE else None
        if many is not None:
            return many
        return _in_polars_if_many(read_objects(content, row, name, columns, labelled))
    if format in ("csv", "tsv"):
        from assay.formats.delimited import SEPARATORS, read_delimited

        return _in_polars_if_many(read_delimited(content, row, name, columns, SEPARATORS[format], labelled))
    return _read_binary(content, row, name, format, columns, labelled)


def _in_polars_if_many(block: Block) -> Block:
    if not block.is_small or len(block) < _MANY:
        return block
    return Block(block.polars(), block.place, block.name, block.facts)


def _read_binary(
    content: bytes, row: type, name: str, format: str, columns: Mapping[str, str] | None, labelled: Labelled | None
) -> Block:  # fmt: skip
    from assay.tables.door import numbered
    from assay.tables.frames import check_frame

    frame = read_frame(content, name, format)
    if labelled is not None:
        frame = labelled.frame(frame, name, columns, numbered(name))
    return check_frame(frame, row, name, numbered(name), columns, name)


def read_frame(content: bytes, name: str, format: str) -> pl.DataFrame:
    """The frame in a Parquet or Arrow file, as it is; what is no whole file is refused."""
    import polars as pl

    from assay.formats.damaged import decoded

    def read() -> pl.DataFrame:
        _check_ends(content, format)
        if format == "parquet":
            return pl.read_parquet(io.BytesIO(content))
        if content.startswith(ARROW_FILE):
            return pl.read_ipc(io.BytesIO(content))
        return pl.read_ipc_stream(io.BytesIO(content))

    return decoded(read, name, "Parquet" if format == "parquet" else "Arrow")


def _check_ends(content: bytes, format: str) -> None:
    """Finds out what is not whole before polars does, which says it on stderr as well."""
    if format == "arrow":
        from assay.formats.arrow import check

        check(io.BytesIO(content), len(content))
        return
    footer = int.from_bytes(content[-8:-4], "little")
    if len(content) < 12 or content[-4:] != PARQUET or footer > len(content) - 12:
        raise ValueError("its footer is missing")


def to_bytes(frame: pl.DataFrame, format: str) -> bytes:
    """A frame as the content of a file in one of `FORMATS`."""
    held = io.BytesIO()
    if format in ("csv", "tsv"):
        shown = guarded_frame(frame) if format == "csv" else frame  # tools read TSV, people open CSV in spreadsheets
        shown.write_csv(held, separator="," if format == "csv" else "\t", line_terminator="\n")
    elif format == "jsonl":
        frame.write_ndjson(held)
    elif format == "parquet":
        frame.write_parquet(held, compression="zstd", statistics=True)
    else:
        frame.write_ipc(held, compression="uncompressed")
    return held.getvalue()
