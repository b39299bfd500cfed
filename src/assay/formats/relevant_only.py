"""Files in BEIR's columns, read as our own formats: what an absent pair means is told by their header."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from assay.errors import InputError
from assay.formats.encoding import glance
from assay.tables import Block

HEADER = ("query-id", "corpus-id", "score")
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_HEAD = 1 << 12


def meant(block: Block, data: bytes, format: str) -> Block:
    """Judgments with what an absent pair means, where the file has BEIR's header and lists relevant documents alone.

    Args:
        block: the checked rows.
        data: the content of the file.
        format: one of our own.
    """
    if not len(block) or min(block.frame["grade"]) <= 0 or _header(data, block.name, format) != HEADER:
        return block
    fact = (
        f"{block.name}: has the columns of BEIR and no grade of 0, so an absent pair is taken as not relevant where "
        "nobody says otherwise, as BEIR's own tools do; the file cannot say which absent documents somebody looked at"
    )
    return replace(block, facts=(*block.facts, fact), unlisted="not-relevant")


def _header(data: bytes, name: str, format: str) -> tuple[str, ...]:
    """The names of the columns of a file with a header line, or of a Parquet file; else nothing."""
    if format == "parquet":
        import polars as pl

        return tuple(pl.read_parquet_schema(io.BytesIO(data)))
    if format not in _SEPARATORS:
        return ()
    try:
        first = next((line for line in glance(data[:_HEAD], name).splitlines() if line.strip()), "")
    except InputError:  # its reader took it, and has said how
        return ()
    return tuple(cell.strip().casefold() for cell in next(csv.reader([first], delimiter=_SEPARATORS[format]), []))
