"""Which outside formats take a file or folder for theirs."""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import did_you_mean
from assay.files import Source, is_stream, name_of, open_bytes
from assay.formats.carried import OUTSIDE, Look, Outside

_HEAD = 1 << 16
_MANY = 1000
"""Names in a folder that are looked at."""


def look(source: Source) -> Look:
    """The beginning of a file, or the names in a folder; what is read of standard input can still be read."""
    if isinstance(source, (str, os.PathLike)) and not is_stream(source) and os.path.isdir(source):
        return Look(os.fspath(source), inside=tuple(_inside(Path(source))))
    stream = open_bytes(source)
    peek = getattr(stream, "peek", None)
    head = bytes(peek(_HEAD)) if peek else b""
    if isinstance(source, (str, os.PathLike)) and not is_stream(source):
        stream.close()
    return Look(name_of(source), head[:_HEAD], is_whole=len(head) < _HEAD)


def _inside(folder: Path) -> list[str]:
    """The names in a folder, two levels deep, with `/` between."""
    found: list[str] = []
    for entry in sorted(folder.iterdir()):
        found.append(entry.name)
        if entry.is_dir():
            found += [f"{entry.name}/{inner.name}" for inner in sorted(entry.iterdir())[:_MANY]]
        if len(found) >= _MANY:
            break
    return found


def claims(source: Source) -> list[Outside]:
    """Every outside format that is sure that a file is its own."""
    seen = look(source)
    return [outside for outside in map(OUTSIDE.find, OUTSIDE.names()) if outside.looks_like(seen)]


def unknown(name: str) -> str:
    """`; did you mean quepid-book?` among the outside formats, or nothing."""
    return did_you_mean(name, OUTSIDE.names())
