"""CSV by position: rows of cells with their line numbers, for outside formats whose columns our own names do not cover.

What is no CSV is refused with its line; blank lines are passed over, and cells that are missing at the end of a row
where all are empty anyway.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.errors import SHOWN, InputError, did_you_mean
from assay.files import Source, name_of, read_bytes
from assay.formats.carried import Look
from assay.formats.encoding import decode, glance
from assay.tables.values import shown

_WIDEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Records:
    """The rows of a CSV file.

    Args:
        name: of the file.
        header: the names of the columns, without blanks around them.
        rows: (line, cells), as many cells as the header has names.
        encoding: what the encoding is called.
        line: of the header.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    encoding: str = "UTF-8"
    line: int = 1

    @property
    def facts(self) -> tuple[str, ...]:
        """What reading showed, where it is no plain UTF-8."""
        return (f"{self.name}: read as {self.encoding}",) if self.encoding != "UTF-8" else ()

    def at(self, *names: str) -> int:
        """The place of the column that has one of these names, case and the sign between words aside."""
        found = self.find(*names)
        if found is None:
            listed = ", ".join(shown(title) or '""' for title in self.header[:8])
            raise InputError(
                f"no column {names[0]} among {listed}{did_you_mean(names[0], self.header)}", f"{self.name}:{self.line}",
                f"name a column {names[0]}",
            )  # fmt: skip
        return found

    def find(self, *names: str) -> int | None:
        """The same, or None; a name that two columns have is refused."""
        wanted = {folded(name) for name in names}
        fits = [at for at, title in enumerate(self.header) if folded(title) in wanted]
        if len(fits) > 1:
            what = f"two columns are called {shown(self.header[fits[0]])}"
            raise InputError(what, f"{self.name}:{self.line}", "give each column a name of its own")
        return fits[0] if fits else None


def folded(title: str) -> str:
    """The name of a column without what people vary."""
    return "_".join(title.casefold().replace("_", " ").replace("-", " ").split())


def header_of(look: Look) -> tuple[str, ...]:
    """The folded names of the columns in the first line of a file that may be CSV; empty where it is none."""
    if not look.head or look.head[:4] in (b"PAR1", b"ARRO"):
        return ()
    try:
        text = glance(look.head, look.path)
    except InputError:
        return ()
    first = next((line for line in io.StringIO(text[:4096], newline=None) if line.strip()), "")
    try:
        cells = next(csv.reader([first.rstrip("\n")], strict=True), [])
    except csv.Error:
        return ()
    return tuple(folded(cell) for cell in cells)


def read_records(source: Source) -> Records:
    """The rows of a CSV file with commas, whole; every fault of form is an InputError with its line."""
    name = name_of(source)
    text, encoding = decode(read_bytes(source), name)
    header: tuple[int, list[str]] | None = None
    rows: list[tuple[int, list[str]]] = []
    faults: list[tuple[int, str]] = []
    for line, cells in _cells(text, name):
        if header is None:
            header = line, [cell.strip() for cell in cells]
            continue
        width = len(header[1])
        if len(cells) > width and not any(cells[width:]):
            cells = cells[:width]
        if len(cells) != width:
            faults.append((line, f"expected {width} columns, found {len(cells)}"))
            continue
        if any(cells):
            rows.append((line, cells))
    if header is None:
        raise InputError("holds nothing but blank lines", name, "write it anew")
    if faults:
        (line, what), *others = faults
        more = [f"{name}:{at}: {said}" for at, said in others[: SHOWN - 1]]
        raise InputError(
            what, f"{name}:{line}", "give every row all columns, and put quotes around a cell that holds a comma",
            line=_line(text, line), more=more, count=len(faults),
        )  # fmt: skip
    if not rows:
        raise InputError("has a header and no rows", f"{name}:{header[0]}", "export it anew, or leave it out")
    return Records(name, tuple(header[1]), tuple(rows), encoding, header[0])


def _cells(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    limit = csv.field_size_limit(_WIDEST)
    begin = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        open_end = "end of data" in str(error)
        what = "a quote is not closed" if open_end else "quotes inside a cell are not doubled"
        raise InputError(
            what, f"{name}:{begin}", 'write a quote inside a quoted cell as ""', line=_line(text, begin)
        ) from None
    finally:
        csv.field_size_limit(limit)


def _line(text: str, number: int) -> str:
    for at, line in enumerate(io.StringIO(text, newline=""), 1):
        if at == number:
            return shown(line.strip("\r\n"))
    return ""


def written(rows: Sequence[Sequence[str]], *, last_line_end: bool = True) -> bytes:
    """Rows as CSV after RFC 4180, in UTF-8 without a mark, with line feeds."""
    held = io.StringIO(newline="")
    csv.writer(held, lineterminator="\n").writerows(rows)
    text = held.getvalue()
    return (text if last_line_end else text.removesuffix("\n")).encode("utf-8")
