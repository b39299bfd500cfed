"""Lines of CSV and TSV: the names of their columns, and which lines cannot be taken apart, and why."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import InputError
from assay.files import spelled
from assay.files.reading import open_bytes
from assay.logs.found_files import LogFiles, header

SEPARATORS = {"csv": ",", "tsv": "\t"}

RAGGED = "lines with more or fewer columns than the header"
NOT_UTF8 = "lines that are not UTF-8"
OPEN = "lines with a quote that does not close"
GOES_ON = "a value in quotes that goes on in the next line"
TOO_LONG = "lines longer than 64 MB"

PLACES = 3
"""Of what is left out, for each reason, so many places are shown."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Lines that could not be taken apart for one reason.

    Args:
        n: how many, with what an open quote took with it.
        places: where the first ones stand, as `file:line`, or the file where the line is not known.
    """

    n: int = 0
    places: tuple[str, ...] = ()

    def __add__(self, other: Unread) -> Unread:
        return Unread(self.n + other.n, (self.places + other.places)[:PLACES])


def no_lists(files: LogFiles, path: str) -> InputError:
    """What is said of a column of CSV that was named as a list."""
    return InputError("CSV holds no lists", f"{spelled(files.paths[0])}, column {path}",
                      "write one row a document, or lists as JSON lines or Parquet")  # fmt: skip


def _one(separator: str) -> str:
    """A whole value, in quotes or not; possessive, so that a long line costs no more than its length."""
    return f'"(?:[^"]++|"")*+"|[^"{separator}][^{separator}]*+|'


def well_formed(separator: str) -> str:
    """The regular expression (of Python and of Java) of a line whose quotes open before and close behind a value."""
    return f"^(?:{_one(separator)})(?:{separator}(?:{_one(separator)}))*+$"


def left_open(separator: str) -> str:
    """The regular expression of a line at whose end a value in quotes still goes on."""
    return f'^(?:(?:{_one(separator)}){separator})*+"(?:[^"]++|"")*+$'


def names_of(files: LogFiles) -> list[str]:
    """The names of the columns of CSV or TSV, each once: what comes again gets a number, what is empty its place.

    Raises:
        InputError: a quote of the header does not close.
    """
    line = header(files.paths[0]).decode("utf-8-sig", "replace")
    separator = SEPARATORS[files.kind]
    if re.match(left_open(separator), line):
        raise InputError("a quote in the names of the columns does not close", f"{spelled(files.paths[0])}:1",
                         "write the names in one line", line=line[:200])  # fmt: skip
    found: dict[str, str] = {}
    for place, name in enumerate(next(csv.reader([line], delimiter=separator))):
        bare = name.strip() or f"column{place}"
        once, again = bare, 0
        while once.lower() in found:
            again += 1
            once = f"{bare}_{again}"
        found[once.lower()] = once
    return list(found.values())


def why_unread(line: bytes, separator: str, width: int) -> str | None:
    """Why a line, read for itself, is left out; None when it is not.

    Args:
        line: without its end.
        separator: of its values.
        width: how many values it should have.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_UTF8
    if '"' in text and not re.match(well_formed(separator), text):
        return GOES_ON if re.match(left_open(separator), text) else OPEN
    return None if len(next(csv.reader([text], delimiter=separator), [])) == width else RAGGED


def first_unread(files: LogFiles, width: int, wanted: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Where the first lines stand that are left out, as `file:line`, by reason.

    Args:
        files: of lines that are read each for itself.
        width: how many values a line should have.
        wanted: reason to how many such lines there are, so that the search can end.
    """
    separator = SEPARATORS[files.kind]
    missing = {why: min(n, PLACES) for why, n in wanted.items()}
    found: dict[str, tuple[str, ...]] = {}
    for path in files.paths:
        for number, line in _lines(path):
            why = why_unread(line, separator, width)
            if why is not None and len(found.get(why, ())) < missing.get(why, 0):
                found[why] = (*found.get(why, ()), f"{spelled(path)}:{number}")
                if all(len(found.get(one, ())) >= n for one, n in missing.items()):
                    return found
    return found


def mixed_end(paths: Sequence[str]) -> str:
    """Where the first line stands, as `file:line`, that ends otherwise than the first of its file; empty when none."""
    for path in paths:
        with open_bytes(path) as file:
            first = file.readline().endswith(b"\r\n")
            for number, line in enumerate(file, start=2):
                if line.endswith(b"\n") and line.endswith(b"\r\n") is not first:
                    return f"{spelled(path)}:{number}"
    return ""


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines below the header with their numbers, without empty ones."""
    with open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            bare = line.rstrip(b"\r\n")
            if number > 1 and bare.strip():
                yield number, bare
