"""What the footers of Parquet files say of their values, so that no row need be looked at for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.logs.found_files import LogFiles

FILLED = """
SELECT lower(path_in_schema)
FROM parquet_metadata({paths})
WHERE type = 'BYTE_ARRAY'
GROUP BY lower(path_in_schema)
HAVING bool_and(COALESCE(stats_min_value <> '', stats_null_count = num_values, FALSE))
"""
"""Columns of text whose smallest value is known in each group of rows, and is not the empty text, which sorts before
all others. A smallest value that was cut is none above the true one. What old writers left under `stats_min` was sorted
otherwise and does not count."""


def filled(files: LogFiles, paths: str, ask: Callable[[str], list[tuple[Any, ...]]]) -> frozenset[str]:
    """The columns of text that hold no empty text, in small letters; nulls they may hold.

    Args:
        files: of a log; nothing is known of what is not local Parquet.
        paths: the same as a list in SQL.
        ask: gives the rows of a statement.
    """
    if files.kind != "parquet" or files.is_table or any("://" in path for path in files.paths):
        return frozenset()
    names = {str(name) for (name,) in ask(FILLED.format(paths=paths))}
    return frozenset(name for name in names if not _may_be_a_folder(name, files) and not {",", "."} & set(name))


def _may_be_a_folder(name: str, files: LogFiles) -> bool:
    """Whether folders such as `name=value` give the column, too, which its footers do not know."""
    return any(f"{name}=" in path.lower() for path in files.paths)
