"""Whether a file is a log of clicks, for who gives it in the place of a ranking."""

from __future__ import annotations

import os
from typing import Any

from assay.errors import InputError
from assay.files import spelled

TELLING = frozenset({"kind", "impression_id", "unit_id", "session_id", "clicked", "docs"})
"""Fields of a log that no ranking has; two of them tell."""


def check_ranking(target: Any) -> None:
    """Refuses a log where a ranking is expected.

    Args:
        target: what was given as the ranking; what is no file is left to its reader.

    Raises:
        InputError: it is a log, or counts of one.
    """
    if not isinstance(target, str | os.PathLike) or not os.path.isfile(target):
        return
    names = columns_of(os.fspath(target))
    if is_log(names):
        raise InputError(
            "is a log, and stands where the ranking is expected", spelled(target),
            "give the log first and the ranking last: assay counterfactual LOG RANKING",
        )  # fmt: skip


def columns_of(path: str) -> list[str]:
    """The columns that the first line of a file names, or its schema; whole words of lines that are no table."""
    import csv

    from assay.flows.pair_tables import first_line
    from assay.formats.damaged import decoded

    try:
        line = decoded(lambda: first_line(path), spelled(path), "Parquet or Arrow")
    except InputError:  # its reader says what is wrong with it
        return []
    if not isinstance(line, str):
        return line
    if line.lstrip().startswith("{"):
        import json

        try:
            found = json.loads(line)
        except (ValueError, RecursionError):  # here, too
            return []
        return list(found) if isinstance(found, dict) else []
    return next(csv.reader([line], delimiter=max(",\t;|", key=line.count)), [])


def is_log(columns: list[str]) -> bool:
    """Whether columns are those of a log of clicks, or of the counts that `cells` makes of one."""
    from assay.logs.fields import is_ubi, named

    held = frozenset(columns)
    return is_ubi(held) or {"impressions", "clicks"} <= held or len(TELLING & named(held).keys()) > 1
