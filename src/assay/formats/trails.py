"""The way to a JSON value, which can be kept for each row of a large file without keeping the values."""

from __future__ import annotations

import re
from typing import TypeAlias

from assay.tables.values import shown

Trail: TypeAlias = "str | tuple[Trail, str | int]"
"""What stands before a path (the name of the file); or the way to a container, and the key in it."""

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def way(trail: Trail) -> tuple[str, str]:
    """What stands before a path, and the path: `book.json` and `$.queries[3].ratings`."""
    parts: list[str] = []
    while isinstance(trail, tuple):
        trail, key = trail
        plain = isinstance(key, str) and _PLAIN_KEY.fullmatch(key)
        parts.append(f"[{key}]" if isinstance(key, int) else f".{key}" if plain else f'["{shown(key)}"]')
    return trail, "$" + "".join(reversed(parts))


def where(trail: Trail) -> str:
    """`book.json: $.queries[3].ratings`; of a whole line, the line alone."""
    start, path = way(trail)
    return f"{start}: {path}" if path != "$" or ":" not in start else start
