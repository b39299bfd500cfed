"""What can be seen of a file before it is a table: its encoding, its line ends, blanks around ids."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.errors import InputError
from assay.files import Source, name_of, read_bytes
from assay.formats.encoding import decode
from assay.tables.names import match
from assay.tables.values import shown

Severity = Literal["error", "warning"]
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_BINARY = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that is wrong with a file, or odd.

    Args:
        severity: error: a number would be wrong, or none could be had; warning: a reader or a reviewer may stumble.
        code: a stable name, such as "byte-order-mark".
        what: in a sentence without a full stop.
        remedy: how to mend it.
        line: of the first place; None where it is the file as a whole.
        count: how often.
    """

    severity: Severity
    code: str
    what: str
    remedy: str
    line: int | None = None
    count: int = 1


def raw(source: Source, format: str, row: type) -> Iterator[Seen]:
    """What the bytes show, of a text file.

    Args:
        source: the file.
        format: csv, tsv, trec, jsonl or another; ids are looked at in the first two.
        row: the class of the rows.

    Raises:
        InputError: it is no text, or in no one encoding.
    """
    name = name_of(source)
    data = read_bytes(source)
    if data.startswith((*_PACKED, *_BINARY)) or format in ("parquet", "arrow"):
        return
    text, encoding = decode(data, name)
    if encoding == "UTF-8 with a byte order mark":
        yield Seen("warning", "byte-order-mark", "begins with a byte order mark, which other tools take for a letter",
                   "save it as UTF-8 without a mark", 1)  # fmt: skip
    elif encoding != "UTF-8":
        yield Seen("warning", "encoding", f"is {encoding}, which other tools may misread", "save it as UTF-8", 1)
    windows, old = text.count("\r\n"), text.count("\r") - text.count("\r\n")
    plain = text.count("\n") - windows
    if windows and plain:
        line = text[: text.index("\r\n")].count("\n") + 1
        yield Seen("warning", "mixed-line-ends", "has line ends of two kinds, so that every tool shows other diffs",
                   "save it with one kind, best \\n", line, min(windows, plain))  # fmt: skip
    elif windows:
        yield Seen("warning", "windows-line-ends", "has Windows line ends (\\r\\n)", "save it with \\n", 1, windows)
    elif old:
        yield Seen(
            "warning", "old-line-ends", "has \\r in it, where lines of old files end", "save it with \\n", 1, old
        )
    if text and not text.endswith(("\n", "\r")):
        yield Seen("warning", "no-last-line-end", "does not end in a line end, so the next line is added to the last",
                   "add a line end", text.count("\n") + 1)  # fmt: skip
    if format in ("csv", "tsv"):
        yield from _cells(text, format, row)


def _cells(text: str, format: str, row: type) -> Iterator[Seen]:
    """Blanks at the ends of ids, which reading takes off without a word."""
    first = next((line for line in io.StringIO(text, newline=None) if line.strip()), "")
    separator = "\t" if format == "tsv" else max(",;|", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        header = next((cells for cells in reader if any(cells)), [])
        fields = match(header, row, "").fields
        at = [fields[name] for name in ("query_id", "doc_id") if name in fields]
        found: list[tuple[int, str]] = []
        begin = reader.line_num + 1
        for cells in reader:
            found += [(begin, cells[i]) for i in at if i < len(cells) and cells[i] != cells[i].strip()]
            begin = reader.line_num + 1
    except (csv.Error, InputError):  # the reader says what is wrong with it
        return
    if found:
        line, one = found[0]
        yield Seen("warning", "blanks-around-ids", f"the id '{shown(one)}' has blanks at its ends, which are not read",
                   "take them out, so that other tools see the same id", line, len(found))  # fmt: skip
