"""Files of other tools, written by a test and read again: what was carried, what was said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.formats.carried import OUTSIDE, Carried, Lost, Wishes
from assay.label_maps import parse_label_map
from formats.outside.harness import claimed, lost, round_trip, same_in, tricky

__all__ = ["claims", "hits", "lost", "put", "read", "round_trip", "rows", "said", "same_in", "tricky", "write"]

Content = str | bytes | dict[str, str | bytes]
"""Of a file, or of the files of a folder by name."""


def put(folder: Path, file: str, content: Content) -> Path:
    """Writes a file, or a folder of files."""
    target = folder / file
    if isinstance(content, dict):
        for name, inner in content.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            put(target, name, inner)
        target.mkdir(exist_ok=True)
    else:
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return target


def wishes(labels: str = "", **options: str) -> Wishes:
    return Wishes(parse_label_map(labels) if labels else None, options)


def read(format: str, folder: Path, file: str, content: Content, labels: str = "", **options: str) -> Carried:
    """What a reader makes of a file; options are checked as the command does."""
    asked = wishes(labels, **options)
    OUTSIDE.find(format).check(asked)
    return OUTSIDE.find(format).read(str(put(folder, file, content)), asked)


def said(format: str, folder: Path, file: str, content: Content, labels: str = "", **options: str) -> str:
    """The complaint about a file, without the folder it is in."""
    with pytest.raises(InputError) as caught:
        read(format, folder, file, content, labels, **options)
    return str(caught.value).replace(f"{folder}/", "")


def write(format: str, carried: Carried, target: Path, **options: str) -> dict[str, Lost]:
    """Writes tables; what was lost, by what it was."""
    writer = OUTSIDE.find(format).write
    assert writer is not None
    return {lost.what: lost for lost in writer(carried, str(target), wishes(**options))}


def rows(carried: Carried, row: type, *fields: str) -> list[tuple[Any, ...]]:
    """The rows of a table, as tuples of some columns."""
    block = carried.tables[row]
    held = block.polars().to_dict(as_series=False)
    return list(zip(*(held[name] for name in fields or held), strict=True))


def hits(carried: Carried, system: str, *fields: str) -> list[tuple[Any, ...]]:
    """The rows of a run."""
    held = carried.runs[system].polars().to_dict(as_series=False)
    return list(zip(*(held[name] for name in fields or held), strict=True))


def claims(path: Path) -> list[str]:
    """Every format that says a file is its own."""
    return claimed(path)
