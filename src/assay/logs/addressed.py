"""Logs that are no files of a folder: tables of a lake, and objects of a store."""

from __future__ import annotations

import os
from collections.abc import Iterable

from assay.errors import InputError
from assay.files import is_beyond, spelled
from assay.files.addresses import LOG, checked, table_of
from assay.files.lake import found_table


def is_table(source: str, reads_stores: bool) -> bool:
    """Whether a log is a table of a lake.

    Args:
        source: as it was typed.
        reads_stores: whether the engine reads object stores itself; then no address is looked at here.

    Raises:
        InputError: the address holds a secret.
    """
    if is_beyond(source):
        checked(source)
    return (table_of(source) if reads_stores else found_table(source)) is not None


def objects(address: str) -> list[str]:
    """The objects of a log, without those that are hidden as `_SUCCESS` is.

    Raises:
        InputError: there is none, or a table of a lake lies among them.
    """
    from assay.files.objects import objects_below

    found = objects_below(address)
    tables = sorted({one.partition(f"/{LOG}/")[0] for one in found if f"/{LOG}/" in one})
    if tables:
        raise InputError("holds a Delta table, whose files are not all its rows", spelled(tables[0]),
                         f"name the table: delta:{tables[0]}")  # fmt: skip
    kept = [one for one in found if not one.rsplit("/", 1)[1].startswith((".", "_"))]
    if not kept:
        raise InputError("there is no such log", spelled(address), "name an object, a prefix or a glob in quotes")
    return kept


def not_of_tables(paths: Iterable[str]) -> None:
    """Refuses files that lie in a table: rows that were deleted lie there too.

    Raises:
        InputError: one does.
    """
    for folder in _folders(paths):
        table = table_of(folder)
        if table is not None:
            raise InputError(f"is a table ({table.kind.capitalize()}), whose files are not all its rows",
                             spelled(folder), f"name the table: {table.kind}:{folder}")  # fmt: skip


def _folders(paths: Iterable[str]) -> Iterable[str]:
    """The folders of files, the folders around those called name=value, and one more around each."""
    seen: dict[str, None] = {}
    for path in paths:
        here = os.path.dirname(path)
        while here not in seen:
            seen[here] = None
            outer = os.path.dirname(here)
            if "=" not in os.path.basename(here):
                seen[outer] = None
                break
            here = outer
    return [folder or "." for folder in seen]
