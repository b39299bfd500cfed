"""What types of columns hold: the values inside DuckDB's STRUCT, by dotted path, and lists."""

from __future__ import annotations

from collections.abc import Iterable

from assay.errors import InputError
from assay.files import spelled
from assay.logs.found_files import LogFiles


def no_list_of_ids(path: str, type_: str, files: LogFiles) -> InputError | None:
    """What is wrong with a column that was named as a list, by its type in DuckDB's or in Spark's words.

    Lists of lists and of objects are refused: engines spell what such an element holds each in its own way.
    """
    is_spark = type_.startswith("array<")
    element = type_[6:-1] if is_spark else type_.removesuffix("[]")
    where = f"{spelled(files.paths[0])}, column {path}"
    if element == type_:
        return InputError(f"holds no lists but {type_}", where, "name a column of lists")
    if element.endswith("[]") or element.lower().startswith(("array<", "struct", "map", "union")):
        return InputError("holds lists of what is no single value", where, "write a list of ids, or one row a document")
    return None


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
