"""`assay cells`: a log as counts by query, document and position, in a file that adds up over days."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.clicks.behaviour import LogRead
from assay.errors import InputError, NotEnoughEvidence
from assay.files import name_of, replacing, spelled
from assay.flows.click_logs import LogChoices, Paths, notes_of, nothing_left, opened, read_of
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
        out: the file to be written.
        kind: "position" (impressions and clicks, by ranker and segment), "cascade" (how far lists were read) or
            "last-click" (by the last clicked position above).
        choices: how the log is read; `options` when None.
        command: how the result was asked for, kept in it.
        **options: see `LogChoices`.

    Raises:
        InputError: the log or an option cannot be read, or the file cannot be written.
        NotEnoughEvidence: nothing is left to count.
    """
    import polars as pl

    from assay import __version__

    if kind not in KINDS:
        raise InputError(f"{kind!r} is not counted", "--count", f"pass --count {' or '.join(KINDS)}")
    if Path(out).suffix.lower() != ".parquet":
        raise InputError("cells are written as Parquet", name_of(out), "give the file the ending .parquet")
    choices = LogChoices(**options) if choices is None else choices
    here = opened(log, choices)
    try:
        if kind != "position" and not here.has("impression_id"):
            raise InputError(f"{kind} counts need whole lists, and no column names the search", "--columns",
                             "pass --columns impression_id=COLUMN")  # fmt: skip
        with replacing(out) as file:
            if not here.write(KINDS[kind], file.name):
                raise nothing_left(here)
            sums = pl.scan_parquet(file.name).select(
                pl.len(), pl.col("impressions").sum(), pl.col("clicks").sum(),
                queries=pl.col("query_id").n_unique(), pairs=pl.struct("query_id", "doc_id").n_unique(),
            ).collect().row(0)  # fmt: skip
        read = read_of(here, choices)
    finally:
        here.engine.close()
    n, impressions, clicks, queries, pairs = (int(value) for value in sums)
    return CellsWritten(
        file=spelled(out), kind=kind, cells=n, impressions=impressions, clicks=clicks, queries=queries, pairs=pairs,
        log=read, notes=tuple(notes_of(read)), source=Source(versions=(("assay", __version__),), command=command),
    )  # fmt: skip


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
    """Whether what was named are files that `cells` wrote."""
    given = [log] if isinstance(log, str | os.PathLike) else list(log)
    return all(_is_cells(path) for path in given)


def _is_cells(path: str | os.PathLike[str]) -> bool:
    import polars as pl

    if not os.path.isfile(path) or Path(path).suffix.lower() != ".parquet":
        return False
    try:
        return set(pl.read_parquet_schema(Path(path))) >= NEEDED
    except (OSError, pl.exceptions.PolarsError):  # whoever reads it says what is wrong with it
        return False


def _added(paths: Sequence[str | os.PathLike[str]]) -> Cells:
    from itertools import combinations

    import polars as pl

    from assay.clicks.cells import Cells

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
        if first.height >= 100 and first.equals(second):  # fewer may be alike by chance
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
