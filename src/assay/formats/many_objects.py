"""A large JSON lines file through polars, where nothing in it could be read in two ways.

polars reads one object a line thirty times as fast as plain Python, and is laxer: it takes the first of two equal keys,
makes text of a number that stands among texts, and tells no lines. So its rows are taken only where counting shows that
every line has every key once and every value the type of its column; all else goes to the reader that names the line.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.tables import Block
from assay.tables.names import KEEPS_MORE, columns_of, match

if TYPE_CHECKING:
    import polars as pl

LARGE = 4 << 20
"""Bytes from which on loading polars pays."""

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
    frames: list[pl.DataFrame] = []
    try:
        for piece in _pieces(data):
            frame = _frame(piece)
            if frame is None or (frames and frame.columns != frames[0].columns):
                return None
            frames.append(frame)
        kinds = [{frame.dtypes[at] for frame in frames} for at in range(frames[0].width)]
        if any(len(kind) > 1 and kind != {pl.Int64, pl.Float64} for kind in kinds):
            return None
        whole = pl.concat(frames, how="vertical_relaxed")
        if _has_odd_texts(whole, row, chosen, name, b"-0" in data):
            return None
        return check_frame(whole, row, name, lambda at: f"{name}:{at + 1}", chosen, f"{name}:1")
    except (InputError, pl.exceptions.PolarsError):
        return None  # the strict reader says what is wrong, and where


def _pieces(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _PIECE) + 1 or len(data)
        yield data[start:end]
        start = end


def _frame(data: bytes) -> pl.DataFrame | None:
    """The rows of whole lines; None where they are not all of one shape."""
    import polars as pl

    frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    if any(kind not in (pl.String, pl.Int64, pl.Float64, pl.Boolean) for kind in frame.dtypes):
        return None
    if frame.height != data.count(b"\n") + (not data.endswith(b"\n")) or sum(frame.null_count().row(0)):
        return None
    texts = [one for one in frame if one.dtype == pl.String]
    quotes = 2 * frame.height * (frame.width + len(texts))  # of each key and each text; none inside, for lack of \
    if data.count(b'"') != quotes:
        return None  # a number among texts, or a key twice
    colons = frame.height * (frame.width + sum(key.count(":") for key in frame.columns))
    if data.count(b":") != colons + sum(int(one.str.count_matches(":", literal=True).sum()) for one in texts):
        return None  # a key twice
    return frame


def _has_odd_texts(frame: pl.DataFrame, row: type, chosen: Mapping[str, str] | None, name: str, minus: bool) -> bool:
    """Whether a number stands for an id or a text, and could have been spelled in another way (-0, 1.50)."""
    import polars as pl

    found = match(frame.columns, row, name, chosen, name).fields
    for column in columns_of(row):
        if column.kind not in ("id", "text") or column.name not in found:
            continue
        values = frame.to_series(found[column.name])
        is_plain = column.kind == "id" and values.dtype == pl.Int64 and not (minus and (values == 0).any())
        if values.dtype != pl.String and not is_plain:
            return True
    return False
