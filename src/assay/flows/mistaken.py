"""A file that was given in the place of another: a log for a ranking, judgments for a log."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from assay.errors import InputError
from assay.files import spelled

TELLING = frozenset({"kind", "impression_id", "unit_id", "session_id", "clicked", "docs"})
"""Fields of a log that no ranking has; two of them tell."""

OF_A_LOG = TELLING | {"at", "clicks", "query_text"}
"""Any of these, and a file can be meant as a log."""

DID = {"clicks": "were shown and clicked", "queries": "asked"}
"""What each log says."""


def check_ranking(target: Any) -> None:
    """Refuses a log, and judgments, where a ranking is expected.

    Args:
        target: what was given as the ranking; what is no file is left to its reader.

    Raises:
        InputError: it is a log, or counts of one; or it holds judgments.
    """
    if not isinstance(target, str | os.PathLike) or not os.path.isfile(target):
        return
    names = columns_of(os.fspath(target))
    if is_log(names):
        raise InputError(
            "is a log, and stands where the ranking is expected", spelled(target),
            "give the log first and the ranking last: assay counterfactual LOG RANKING",
        )  # fmt: skip
    if not is_ranked(names) and held_by(os.fspath(target)) == "judgments":
        raise InputError(
            "holds judgments, and stands where the ranking is expected", spelled(target),
            "name the run that people would have been shown: assay counterfactual LOG RANKING",
        )  # fmt: skip


def for_a_log(error: InputError, given: Iterable[Any], of: str = "clicks") -> InputError:
    """What a reader of logs complains of, or, where that is it, that the file is no log at all.

    Args:
        error: the complaint.
        given: what was given as the log; what is no file says nothing.
        of: what the log should be of: "clicks" or "queries".
    """
    for one in given:
        if not isinstance(one, str | os.PathLike) or not os.path.isfile(one):
            continue
        path = os.fspath(one)
        held = held_by(path)
        if held:
            return InputError(f"holds {held}, and is no log of {of}", spelled(path),
                              f"name the file that says what people {DID[of]}")  # fmt: skip
    return error


def held_by(path: str) -> str:
    """What a file holds that says nothing of a log: judgments, a run, topics or documents; else an empty text."""
    from assay.formats.outer import kind_of
    from assay.logs.fields import named
    from assay.tables import Document, Hit, Judgment, Topic

    columns = columns_of(path)
    if not columns or OF_A_LOG & named(frozenset(columns)).keys():  # nothing that can be read, or a log
        return ""
    try:
        row, _ = kind_of(path)
    except InputError:  # what it is cannot be told: the complaint of the reader stands
        return ""
    return {Judgment: "judgments", Hit: "a run", Topic: "topics", Document: "documents"}.get(row, "")


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


def is_ranked(columns: list[str]) -> bool:
    """Whether some column says in which order documents come, or with which chance."""
    from assay.tables import Hit
    from assay.tables.names import field_of

    return any(name == "propensity" or field_of(Hit, name) in ("score", "rank") for name in columns)


def is_log(columns: list[str]) -> bool:
    """Whether columns are those of a log of clicks, or of the counts that `cells` makes of one."""
    from assay.logs.fields import is_ubi, named

    held = frozenset(columns)
    fields = named(held).keys()
    shown = {"clicked", "position"} <= fields and not {"rank", "score"} & held  # with these, a run that names a feature
    return is_ubi(held) or {"impressions", "clicks"} <= held or shown or len(TELLING & fields) > 1
