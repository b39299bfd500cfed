"""`assay cells`: a log as counts by query, document and position, in a file that adds up over days."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from assay.clicks.behaviour import LogRead
from assay.errors import InputError, NotEnoughEvidence
from assay.files import is_beyond, making, name_of, replacing, spelled
from assay.files.addresses import table_of
from assay.flows.click_logs import LogChoices, Paths, notes_of, nothing_left, opened, read_of
from assay.logs.addressed import not_of_tables
from assay.logs.found_files import part_files
from assay.results import Result, Source, kept

if TYPE_CHECKING:
    from assay.clicks.cells import Cells

Counts = Literal["cells", "cascade", "last_click_cells"]

KINDS: dict[str, Counts] = {"position": "cells", "cascade": "cascade", "last-click": "last_click_cells"}
"""What may be counted, and the query that counts it."""

NEEDED = {"query_id", "doc_id", "position", "impressions", "clicks"}
"""Columns by which a file is known to hold cells."""


@kept("cells written")
@dataclass(frozen=True, kw_only=True)
class CellsWritten(Result):
    """Counts that were written.

    Args:
        file: where.
        kind: what was counted: position, cascade or last-click.
        cells: rows of the file.
        impressions, clicks: their sums.
        queries, pairs: distinct queries, and pairs of query and document.
        log: how the log was read.
    """

    file: str
    kind: str
    cells: int
    impressions: int
    clicks: int
    queries: int
    pairs: int
    log: LogRead


def cells(
    log: Paths,
    *,
    out: str | os.PathLike[str],
    kind: str = "position",
    choices: LogChoices | None = None,
    command: str = "",
    **options: Any,
) -> CellsWritten:
    """Counts a log by query, document and position, and writes the counts as Parquet.

    Args:
        log: files, a folder or a glob of what was shown and done.
        out: the file to be written; or a folder of files, which is new or empty and named with a `/` at its end.
        kind: "position" (impressions and clicks, by ranker and segment), "cascade" (how far lists were read) or
            "last-click" (by the last clicked position above).
        choices: how the log is read; `options` when None.
        command: how the result was asked for, kept in it.
        **options: see `LogChoices`.

    Raises:
        InputError: the log or an option cannot be read, or the file cannot be written.
        NotEnoughEvidence: nothing is left to count.
    """
    from assay import __version__

    if kind not in KINDS:
        raise InputError(f"{kind!r} is not counted", "--count", f"pass --count {' or '.join(KINDS)}")
    if is_beyond(os.fspath(out)):
        raise InputError("cells are written to paths, and no addresses", spelled(out), "name a file or a folder")
    if not _is_folder(out) and Path(out).suffix.lower() != ".parquet":
        raise InputError("cells are written as Parquet", name_of(out),
                         "give the file the ending .parquet, or the folder a / at its end")  # fmt: skip
    choices = LogChoices(**options) if choices is None else choices
    here = opened(log, choices)
    try:
        if kind != "position" and not here.has("impression_id"):
            raise InputError(f"{kind} counts need whole lists, and no column names the search", "--columns",
                             "pass --columns impression_id=COLUMN")  # fmt: skip
        with _to(out, here.engine.writes_parts) as place:
            if not here.write(KINDS[kind], place):
                raise nothing_left(here)
            n, impressions, clicks, queries, pairs = here.engine.totals(place)
        read = read_of(here, choices)
    finally:
        here.engine.close()
    return CellsWritten(
        file=spelled(out), kind=kind, cells=n, impressions=impressions, clicks=clicks, queries=queries, pairs=pairs,
        log=read, notes=tuple(notes_of(read)), source=Source(versions=(("assay", __version__),), command=command),
    )  # fmt: skip


def _is_folder(out: str | os.PathLike[str]) -> bool:
    return os.fspath(out).endswith(("/", os.sep)) or os.path.isdir(out)


@contextmanager
def _to(out: str | os.PathLike[str], in_parts: bool) -> Iterator[str]:
    """Where cells are to be written, a file or a folder: what is there gets the name `out` when all went well.

    Args:
        out: as it was typed.
        in_parts: whether one file is put together from those that the engine writes into a folder beside it.
    """
    import polars as pl

    if _is_folder(out):
        with making(out) as folder:
            yield str(folder)
        return
    with replacing(out) as file:
        if not in_parts:
            yield file.name
            return
        beside = os.path.dirname(os.path.realpath(out))
        with TemporaryDirectory(prefix=f".{Path(out).name[:100]}.", suffix=".tmp", dir=beside) as folder:
            yield folder
            pl.scan_parquet(part_files(folder), glob=False).sink_parquet(file.name, compression="zstd")


def cells_of(log: Paths, choices: LogChoices) -> tuple[Cells, LogRead | None]:
    """Cells of files that `cells` wrote, added up, or of a log; then also how that was read.

    Raises:
        InputError: neither can be read.
        NotEnoughEvidence: there is no cell.
    """
    from assay.clicks.cells import Cells

    if holds_cells(log):
        return _added([log] if isinstance(log, str | os.PathLike) else list(log)), None
    here = opened(log, choices)
    try:
        frame = here.run("cells")
        if not frame.height:
            raise nothing_left(here)
        read = read_of(here, choices)
        return Cells.from_frame(without_empty(frame)), read
    finally:
        here.engine.close()


def holds_cells(log: Paths) -> bool:
    """Whether what was named are files that `cells` wrote, or folders of them."""
    given = [log] if isinstance(log, str | os.PathLike) else list(log)
    return all(_is_cells(file) for path in given for file in _files(path) or [os.fspath(path)])


def _files(path: str | os.PathLike[str]) -> list[str]:
    return [] if table_of(path) else part_files(path)


def _is_cells(path: str | os.PathLike[str]) -> bool:
    import polars as pl

    if not os.path.isfile(path) or Path(path).suffix.lower() != ".parquet":
        return False
    try:
        return set(pl.read_parquet_schema(Path(path))) >= NEEDED
    except (OSError, pl.exceptions.PolarsError):  # whoever reads it says what is wrong with it
        return False


def _added(given: Sequence[str | os.PathLike[str]]) -> Cells:
    from itertools import combinations

    import polars as pl

    from assay.clicks.cells import Cells

    paths = [file for path in given for file in _files(path)]
    not_of_tables(paths)
    seen: dict[tuple[int, int], str] = {}
    for path in paths:
        entry = os.stat(path)
        key = (entry.st_dev, entry.st_ino)
        if key in seen:
            raise InputError("is the same file as another one: its counts would be added twice", spelled(path),
                             "name each day once")  # fmt: skip
        seen[key] = spelled(path)
    frames = [pl.read_parquet(Path(path)) for path in paths]
    for (one, first), (other, second) in combinations(zip(paths, frames, strict=True), 2):
        if first.height == second.height >= 100 and first.equals(second):  # fewer may be alike by chance
            raise InputError(f"holds the same counts as {spelled(one)}: they would be added twice", spelled(other),
                             "name each day once")  # fmt: skip
    frame = pl.concat(frames, how="diagonal_relaxed")
    if not frame.height:
        raise NotEnoughEvidence(f"{spelled(paths[0])} holds no cell")
    return Cells.from_frame(without_empty(frame))


def without_empty(frame: Any) -> Any:
    """Without the columns of rankers and segments where no row has any."""
    empty = [name for name in ("ranker", "segment") if name in frame.columns and frame[name].null_count() == len(frame)]
    return frame.drop(empty)
