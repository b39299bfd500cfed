"""Where rows stand that are refused: looked up by a second reading, and only where rows were refused.

A place travels through the queries as text, `file:000000000012`, so that places sort as they stand; the number is
absent where only the file is known.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from assay.files import spelled
from assay.files.reading import open_bytes
from assay.logs.delimited import PLACES, SEPARATORS, names_of
from assay.logs.found_files import LogFiles, kind_of
from assay.logs.mapping import Source, literal

if TYPE_CHECKING:
    import polars as pl

PLACE = "assay_place"
"""The column of a relation that says where its rows stand."""

DIGITS = 12

FURTHEST = 5_000_000
"""Lines of a text that are counted to find a place: beyond, the file alone is named."""


def numbered(file: str, row: str) -> str:
    """The place of a row in SQL.

    Args:
        file: an expression that gives the file.
        row: one that gives the number of the row, from 1.
    """
    return f"{file} || ':' || lpad(CAST({row} AS STRING), {DIGITS}, '0') AS {PLACE}"


def reading(files: LogFiles, read: str, counts: bool) -> str:
    """The rows of files in DuckDB, with their places.

    Args:
        files: of one kind.
        read: the table function that reads them.
        counts: whether rows of a text are numbered, which reads one file at a time from its beginning.
    """
    if files.kind == "parquet":
        named = f"{read.removesuffix(')')}, filename = 'assay_file', file_row_number = true)"
        place = numbered("assay_file", "file_row_number + 1")
        return f"(SELECT * EXCLUDE (assay_file, file_row_number), {place} FROM {named})"
    if counts:
        read = f"(SELECT * FROM {read} WHERE trim(line) <> '')" if files.kind == "json" else read
        place = numbered(literal(files.paths[0]), "row_number() OVER ()")
        return f"(SELECT *, {place} FROM {read} LIMIT {FURTHEST})"
    named = f"{read.removesuffix(')')}, filename = 'assay_file')"
    return f"(SELECT * EXCLUDE (assay_file), assay_file || ':' AS {PLACE} FROM {named})"


def placeable(sources: Iterable[Source]) -> list[Source]:
    """The sources whose rows have places: not tables, nor files with columns of the names that would give it."""
    taken = {"file_row_number", "assay_file", PLACE}
    return [source for source in sources if not source.files.is_table and not taken & source.types.keys()]


def one_by_one(sources: Iterable[Source], found: Iterable[tuple[str, str]]) -> list[Source]:
    """The texts in which places were found, each file for itself."""
    named = {_taken(place)[0] for _, place in found}
    texts = [source for source in sources if source.files.kind != "parquet"]
    return [replace(source, files=LogFiles(source.files.kind, (path,)))
            for source in texts for path in source.files.paths if path in named]  # fmt: skip


def by_reason(found: pl.DataFrame, sources: Sequence[Source]) -> dict[str, tuple[str, ...]]:
    """The places as they are shown: `file:line` of a text, `file, row 12` of Parquet, the file where that is all.

    Args:
        found: reason, place; numbers of CSV count the rows that could be read.
        sources: where the rows are.
    """
    files = {path: source.files for source in sources for path in source.files.paths}
    rows: dict[str, set[int]] = {}
    known: dict[str, list[tuple[str, int]]] = {}
    for reason, place in sorted(set(found.select("reason", "place").iter_rows())):
        path, row = _taken(place)
        rows.setdefault(path, set()).add(row)
        known.setdefault(reason, []).append((path, row))
    lines = {path: _lines(files[path], path, numbers) for path, numbers in rows.items()
             if path in files and files[path].kind != "parquet" and max(numbers)}  # fmt: skip
    return {reason: _spelled(places, files, lines) for reason, places in known.items()}


def _spelled(
    places: Iterable[tuple[str, int]], files: Mapping[str, LogFiles], lines: Mapping[str, Mapping[int, int]]
) -> tuple[str, ...]:
    shown: dict[str, None] = {}
    places = list(places)
    counted = {path for path, row in places if row}
    for path, row in places:
        if not row and path in counted:
            continue
        is_text = path in files and files[path].kind != "parquet"
        line = lines.get(path, {}).get(row, 0) if path in lines else row
        shown[f"{spelled(path)}:{line}" if line and is_text else spelled(path) + (f", row {row}" if row else "")] = None
    return tuple(shown)[:PLACES]


def _taken(place: str) -> tuple[str, int]:
    """The file and the number of a place; 0 where it has none."""
    path, _, row = place.rpartition(":")
    return unquote(urlsplit(path).path) if path.startswith("file:") else path, int(row or 0)


def _lines(files: LogFiles, path: str, rows: set[int]) -> dict[int, int]:
    """The lines at which rows of a text begin, by the number of the row among those that can be read."""
    if files.kind == "json":
        return _picked(_json_lines(path), rows)
    width = len(names_of(files))
    good = (line for line, values in _records(path, SEPARATORS[files.kind]) if line > 1 and len(values) == width)
    return _picked(good, rows)


def _json_lines(path: str) -> Iterator[int]:
    """The lines that are not empty, and are text."""
    with open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            if line.strip(b" \r\n"):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError:
                    continue
                yield number


def lines_at(records: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Records of CSV as `file:line`: DuckDB counts a value with a line break as one line.

    Args:
        records: file and number from 1, the header and empty lines among them.
    """
    lines: dict[str, dict[int, int]] = {}
    for path in {path for path, _ in records}:
        near = {number for one, number in records if one == path and number <= FURTHEST}
        separator = SEPARATORS.get(kind_of(path) or "", ",")
        lines[path] = _picked((line for line, _ in _records(path, separator)), near)
    return tuple(f"{spelled(path)}:{lines[path].get(number, number)}" for path, number in records)


def _picked(lines: Iterable[int], numbers: set[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    if numbers:
        for number, line in enumerate(lines, start=1):
            if number in numbers:
                found[number] = line
                if len(found) == len(numbers):
                    break
    return found


def _records(path: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The line at which each record begins, with its values; without any where it cannot be read."""
    with open_bytes(path) as file:
        lines = (line.decode("utf-8", "surrogateescape") for line in file)
        records = csv.reader(lines, delimiter=separator, strict=True)
        while True:
            begins = records.line_num + 1
            try:
                values = next(records)
            except StopIteration:
                return
            except csv.Error:  # left out by the engine, too
                values = []
            is_text = all(
                value.isascii() or not any("\udc80" <= sign <= "\udcff" for sign in value) for value in values
            )
            yield begins, values if is_text else []
