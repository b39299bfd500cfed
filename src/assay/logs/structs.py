"""The values inside DuckDB's STRUCT types, by dotted path."""

from __future__ import annotations

from collections.abc import Iterable


def flat(columns: Iterable[tuple[str, str]], before: str = "") -> Iterable[tuple[str, str]]:
    """Columns as (dotted path, type), with those inside STRUCT for themselves."""
    for name, type_ in columns:
        if type_.startswith("STRUCT(") and type_.endswith(")"):
            yield from flat(_members(type_[7:-1]), f"{before}{name}.")
        else:
            yield before + name, type_


def _members(text: str) -> Iterable[tuple[str, str]]:
    """The (name, type) pairs inside STRUCT(...), with names that may be quoted and types that may be nested."""
    depth, start, is_quoted = 0, 0, False
    for place, sign in enumerate(text + ","):
        if sign == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif sign == "," and depth == 0:
            yield _member(text[start:place].strip())
            start = place + 1


def _member(text: str) -> tuple[str, str]:
    if text.startswith('"'):
        end = text.index('"', 1)
        return text[1:end], text[end + 1 :].strip()
    name, _, type_ = text.partition(" ")
    return name, type_.strip()
