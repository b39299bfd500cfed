"""A large run in Parquet or Arrow as blocks of whole queries: there is no text to read, and not all of it is held.

Rows come in pieces as the file has them; what belongs to the last query of a piece waits for the next one. Each block
is checked as a small file is. Whatever is odd sends the whole file to the reader that says all that is wrong with it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO

from assay.errors import InputError
from assay.files import name_of
from assay.formats.columns import ARROW_FILE, ARROW_STREAM, PARQUET, read_columns
from assay.formats.damaged import hushed
from assay.tables import Block, Hit

if TYPE_CHECKING:
    import polars as pl

    from assay.tables.names import Match

_LAST_WORDS = 0.1
"""Seconds in which other threads of the library, which read ahead, report that a file is damaged too."""

ROWS = 1 << 18
"""Rows of a block: larger ones are not faster."""


class TypedRun:
    """The blocks of a Parquet file, an Arrow file or an Arrow stream; can be gone through more than once.

    Args:
        source: path of a file that is not compressed as a whole.
        format: parquet or arrow.
        columns: field to column, as the user says.
        rows: rows of a block, more where a query has more.
    """

    def __init__(self, source: str, format: str, columns: Mapping[str, str] | None = None, rows: int = ROWS) -> None:
        self.name = name_of(source)
        self._source, self._format, self._columns, self._rows = source, format, columns, rows
        self._facts: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """What reading showed, once all blocks are read."""
        return self._facts

    def whole(self) -> Block:
        """All rows in one block."""
        block = read_columns(self._source, Hit, self._format, self._columns)
        self._facts = block.facts
        return block

    def __iter__(self) -> Iterator[Block]:
        import polars as pl

        start = 0
        kept: list[str] | None = None
        try:
            for frame in self._whole_queries():
                block = self._checked(frame, start)
                ordered_by = [name for name in block.columns if name in ("score", "rank")]
                if kept not in (None, ordered_by):
                    raise _Odd
                kept = ordered_by
                start += frame.height
                yield block
            if not start:
                raise _Odd
        except (InputError, _Odd, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            whole = self.whole()  # says all that is wrong, with its rows
            rest = Block(whole.polars().slice(start), lambda row: whole.place(start + row), whole.name)
            if len(rest):
                yield rest

    def _checked(self, frame: pl.DataFrame, start: int) -> Block:
        from assay.tables.frames import check_frame

        place = _place_from(self.name, start)
        named = {field: frame.columns[at] for at, field in enumerate(self._fields)}
        return check_frame(frame, Hit, self.name, place, named, self.name)

    def _whole_queries(self) -> Iterator[pl.DataFrame]:
        """The rows in pieces that end where the query changes."""
        import polars as pl

        held: list[pl.DataFrame] = []
        for frame in self._pieces():
            at = self._fields.index("query_id")
            cut = _last_change(frame.to_series(at), held[-1].to_series(at) if held else None)
            if cut is None:
                held.append(frame)
                continue
            done = pl.concat([*held, frame.slice(0, cut)])
            if done.height:
                yield done
            held = [frame.slice(cut)]
        if held:
            yield pl.concat(held)

    def _pieces(self) -> Iterator[pl.DataFrame]:
        import polars as pl

        from assay.formats.arrow import NotWholeError, check

        if self._format == "parquet":
            yield from self._of_file(pl.scan_parquet(self._source))
            return
        try:
            with open(self._source, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if not file.read(6).startswith(ARROW_FILE):
                    yield from self._of_stream(file, size)
                    return
                check(file, size)
            yield from self._of_file(pl.scan_ipc(self._source))
        except (NotWholeError, OSError):
            raise _Odd from None

    def _of_file(self, frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
        import polars as pl

        with hushed():
            held = frame.collect_schema().names()
        names = self._chosen(held)
        wanted = frame.select(pl.selectors.by_name(*names)).select(names)
        batches = wanted.collect_batches(chunk_size=self._rows, maintain_order=True)
        while (part := _next(batches)) is not None:
            yield part

    def _of_stream(self, file: BinaryIO, size: int) -> Iterator[pl.DataFrame]:
        import io

        import polars as pl

        from assay.formats.arrow import parts

        names: list[str] = []
        for part in parts(file, size, self._rows):
            frame = pl.read_ipc_stream(io.BytesIO(part))
            names = names or self._chosen(frame.columns)
            needed = pl.DataFrame([frame.get_column(name) for name in names])
            for start in range(0, max(1, frame.height), self._rows):  # a batch may be as large as the file
                yield needed.slice(start, self._rows)

    def _chosen(self, names: list[str]) -> list[str]:
        """The columns that are needed, by the rules for all; what was guessed is among the facts."""
        from assay.tables.names import match, require

        matched: Match = match(names, Hit, self.name, self._columns, self.name)
        require(names, Hit, matched, self.name)
        self._facts = matched.facts
        self._fields = list(matched.fields)
        return [names[at] for at in matched.fields.values()]


def _next(batches: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
    import polars as pl

    with hushed():
        try:
            return next(batches, None)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            time.sleep(_LAST_WORDS)
            raise


class _Odd(Exception):  # noqa: N818 # not an error: the way to the reader of whole files
    """Something that blocks do not show right."""


def _place_from(name: str, start: int) -> Callable[[int], str]:
    return lambda row: f"{name}, row {start + row + 1}"


def _last_change(queries: pl.Series, before: pl.Series | None) -> int | None:
    """The row at which the last query of a piece begins; None where it began before the piece, or with it."""
    if not len(queries):
        return None
    last = queries[-1]
    others = queries.ne_missing(last).arg_true()
    if len(others):
        return int(others[-1]) + 1
    return None if before is None or before[-1] == last else 0


def is_typed(source: str) -> str:
    """The name of the format where a file begins as Parquet or Arrow does; empty for all others."""
    try:
        with open(source, "rb") as file:
            head = file.read(8)
    except (OSError, ValueError):
        return ""  # its reader says what is wrong with it
    return "parquet" if head.startswith(PARQUET) else "arrow" if head.startswith((ARROW_FILE, ARROW_STREAM)) else ""
