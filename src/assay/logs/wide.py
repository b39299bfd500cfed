"""Logs of one row a search, with a column for each position of the list: d1, d2, ... and c1, c2, ..."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.logs.mapping import Dialect, Source

NUMBER = "{n}"
"""What stands for the number of a position in the name of a column."""

DOCS = ("d{n}", "doc{n}", "doc_{n}", "doc_id_{n}", "document_{n}", "item_{n}")
CLICKS = ("c{n}", "click{n}", "click_{n}", "clicked_{n}")
"""Names that are recognised, in any case of letters."""


def is_wide(paths: Mapping[str, str]) -> bool:
    """Whether documents stand in columns of their own."""
    return NUMBER in paths.get("docs", "")


def recognised(columns: Collection[str]) -> dict[str, str]:
    """The fields docs and clicks where columns are called so; none unless both have a first one."""
    low = {column.lower(): column for column in columns}
    for docs in DOCS:
        for clicks in CLICKS:
            first = next((n for n in "01" if {docs.replace(NUMBER, n), clicks.replace(NUMBER, n)} <= low.keys()), None)
            if first is not None:
                return {name: _as_written(low[pattern.replace(NUMBER, first)], pattern, first)
                        for name, pattern in (("docs", docs), ("clicks", clicks))}  # fmt: skip
    return {}


def said(given: Mapping[str, str], columns: Collection[str]) -> dict[str, str]:
    """Columns as they were typed, with `doc_id=d{n}` and `clicked=c{n}` as the lists that they are.

    Raises:
        InputError: no column is called so, or documents and clicks have other positions.
    """
    lists = {"doc_id": "docs", "clicked": "clicks"}
    found = {lists.get(name, name) if NUMBER in path else name: path for name, path in given.items()}
    for name, path in found.items():
        if NUMBER in path and name not in ("docs", "clicks"):
            raise InputError(f"{name} stands once in a row, and not once a position", f"--columns {name}={path}",
                             "name one column, or give doc_id=d{n} and clicked=c{n}")  # fmt: skip
        if NUMBER in path:
            numbers(path, columns)
    return found


def numbers(pattern: str, columns: Collection[str]) -> list[int]:
    """The positions for which there are columns, in order.

    Raises:
        InputError: there is none, or the first is neither 0 nor 1.
    """
    before, _, after = pattern.partition(NUMBER)
    positions = re.compile(f"{re.escape(before)}([0-9]+){re.escape(after)}")
    found = sorted(
        int(hit[1]) for column in columns if (hit := positions.fullmatch(column)) and str(int(hit[1])) == hit[1]
    )
    if not found or found[0] > 1:
        raise InputError(f"the log has no {pattern.replace(NUMBER, '1')}", f"--columns {pattern}",
                         f"name one of {', '.join(sorted(columns)[:9])}")  # fmt: skip
    return found


def long(source: Source, dialect: Dialect, read: str) -> str:
    """One row for each document of a search: doc_there, clicked_there and position_there beside what the search says.

    A column that is empty shows nothing at its position, unless it was clicked; a search without any document keeps one
    row, so that it is refused and counted.

    Args:
        source: whose documents stand in columns.
        dialect: of the engine.
        read: the relation with one row a search.

    Raises:
        InputError: documents and clicks have other positions.
    """
    positions = numbers(source.paths["docs"], source.types)
    docs = [f"NULLIF({dialect.text(path, source.files)}, '')" for path in _paths(source.paths["docs"], positions)]
    clicks = ["'0'"] * len(positions)
    if "clicks" in source.paths:
        clicked = numbers(source.paths["clicks"], source.types)
        if clicked != positions:
            odd = min(set(clicked) ^ set(positions))
            raise InputError(f"position {odd} has a document or a click, and not both",
                             f"--columns doc_id={source.paths['docs']},clicked={source.paths['clicks']}",
                             "write as many columns of clicks as of documents")  # fmt: skip
        clicks = [dialect.text(path, source.files) for path in _paths(source.paths["clicks"], positions)]
    from_one = [position - positions[0] + 1 for position in positions]
    values = ", ".join(f"({position})" for position in from_one)
    return (
        f"(SELECT * FROM (SELECT *, {_case(from_one, docs)} AS doc_there, {_case(from_one, clicks)} AS clicked_there "
        f"FROM {read} AS wide CROSS JOIN (VALUES {values}) AS positions(position_there)) AS long "
        f"WHERE doc_there IS NOT NULL OR LOWER(clicked_there) IN ('1', '1.0', 'true') "
        f"OR (position_there = {from_one[0]} AND COALESCE({', '.join(docs)}) IS NULL))"
    )


def columns_of(paths: Mapping[str, str], columns: Collection[str]) -> list[str]:
    """The columns that paths name, each position for itself."""
    found: list[str] = []
    for path in paths.values():
        found += _paths(path, numbers(path, columns)) if NUMBER in path else [path]
    return found


def _case(positions: Sequence[int], values: Sequence[str]) -> str:
    cases = " ".join(f"WHEN {position} THEN {value}" for position, value in zip(positions, values, strict=True))
    return f"CASE position_there {cases} END"


def _paths(pattern: str, positions: Sequence[int]) -> list[str]:
    return [pattern.replace(NUMBER, str(position)) for position in positions]


def _as_written(column: str, pattern: str, first: str) -> str:
    """The pattern with the letters of the column."""
    at = pattern.index(NUMBER)
    return f"{column[:at]}{NUMBER}{column[at + len(first) :]}"
