"""A large JSON lines file through polars, where nothing in it could be read in two ways.

polars reads one object a line thirty times as fast as plain Python, and is laxer: it takes the first of two equal keys,
makes text of a number that stands among texts, and tells no lines. So its rows are taken only where counting shows that
every line has every key once and every value the type of its column; all else goes to the reader that names the line.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.tables import Block
from assay.tables.names import KEEPS_MORE, columns_of, match

if TYPE_CHECKING:
    import polars as pl

LARGE = 4 << 20
"""Bytes from which on loading polars pays."""

_LOOK = 1 << 16
"""Bytes in which the types of the columns are looked up."""

_PIECE = 16 << 20
"""Bytes read together, so that memory stays near that of the rows."""


def read_many_objects(data: bytes, row: type, name: str, chosen: Mapping[str, str] | None = None) -> Block | None:
    """Rows of a JSON lines file, or None where the strict reader has to look.

    Args:
        data: the whole file.
        row: the class of the rows.
        name: of the file.
        chosen: field to key, as the user says.
    """
    import polars as pl

    from assay.tables.frames import check_frame

    if row in KEEPS_MORE or b"\\" in data or b"\r" in data or not data.startswith(b"{"):
        return None
    try:
        schema = _schema(data, row, name, chosen)
        if schema is None:
            return None
        frames: list[pl.DataFrame] = []
        for piece in _pieces(data):
            frame = _frame(piece, schema)
            if frame is None:
                return None
            frames.append(frame)
        whole = pl.concat(frames)
        if b"-0" in data and any(kind == pl.Int64 and (whole[key] == 0).any() for key, kind in schema.items()):
            return None  # an id that may be spelled -0
        return check_frame(whole, row, name, lambda at: f"{name}:{at + 1}", chosen, f"{name}:1")
    except (InputError, pl.exceptions.PolarsError):
        return None  # the strict reader says what is wrong, and where


def _schema(data: bytes, row: type, name: str, chosen: Mapping[str, str] | None) -> dict[str, Any] | None:
    """The type of each key, from the first lines; None where numbers stand for texts, or a type is none of rows.

    What differs in later lines shows in the counts.
    """
    import polars as pl

    end = data.rfind(b"\n", 0, _LOOK) + 1 or len(data)
    schema: dict[str, Any] = dict(pl.read_ndjson(io.BytesIO(data[:end]), infer_schema_length=None).schema)
    if any(kind not in (pl.String, pl.Int64, pl.Float64, pl.Boolean) for kind in schema.values()):
        return None
    names = list(schema)
    found = match(names, row, name, chosen, name).fields
    of = {names[at]: column.kind for column in columns_of(row) if (at := found.get(column.name)) is not None}
    for key, kind in schema.items():
        if of.get(key) == "text" and kind != pl.String:
            return None  # 1.50 stays 1.50
        if kind == pl.Int64 and of.get(key) != "id":
            schema[key] = pl.Float64  # fractions may follow
    return schema


def _pieces(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _PIECE) + 1 or len(data)
        yield data[start:end]
        start = end


def _frame(data: bytes, schema: dict[str, Any]) -> pl.DataFrame | None:
    """The rows of whole lines; None where they are not all of one shape."""
    import polars as pl

    frame = pl.read_ndjson(io.BytesIO(data), schema=schema)
    if frame.height != data.count(b"\n") + (not data.endswith(b"\n")) or sum(frame.null_count().row(0)):
        return None
    texts = [one for one in frame if one.dtype == pl.String]
    quotes = 2 * frame.height * (frame.width + len(texts))  # of each key and each text; none inside, for lack of \
    if data.count(b'"') != quotes:
        return None  # a number among texts, or a key twice
    colons = frame.height * (frame.width + sum(key.count(":") for key in frame.columns))
    inside = sum(int(one.str.count_matches(":", literal=True).sum()) for one in texts)
    return frame if data.count(b":") == colons + inside else None  # a key twice, or one that others lack
