"""Lines of cells with tabs between them and no quoting: a quote is a character like others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.errors import SHOWN, InputError
from assay.files import Source, name_of, read_bytes
from assay.formats.encoding import decode
from assay.tables.values import shown


class Tabbed:
    """The lines of a file, with their numbers; what is wrong with them is gathered.

    Args:
        source: the file.
        separator: between the cells; None for any white space.
    """

    def __init__(self, source: Source, separator: str | None = "\t") -> None:
        self.name = name_of(source)
        self._separator = separator
        text, encoding = decode(read_bytes(source), self.name, only_unicode=True)
        if "\r" in text:
            text = text.replace("\r\n", "\n")
            if "\n" not in text:
                text = text.replace("\r", "\n")
        self._lines = text.split("\n")
        self.facts = (f"{self.name}: read as {encoding}",) if encoding != "UTF-8" else ()
        self.comments = 0
        """How many comment lines were passed over."""
        self._faults: list[tuple[int, str, str]] = []
        self._count = 0

    def first(self) -> list[str]:
        """The cells of the first line that is not blank."""
        for line in self._lines:
            if line.strip():
                return self._cells(line)
        raise InputError("holds nothing but blank lines", self.name, "write it anew")

    def rows(
        self, fields: Sequence[str], *, header: bool = False, comments: bool = False
    ) -> Iterator[tuple[int, list[str]]]:
        """The number and cells of every line that has as many cells as there are fields; ends with what was wrong.

        Args:
            fields: what the cells are, for complaints.
            header: whether the first line names the columns.
            comments: whether lines that begin with # are passed over.
        """
        self.first()
        for number, line in enumerate(self._lines, 1):
            if not line.strip():
                continue
            if comments and line.lstrip().startswith("#"):
                self.comments += 1
                continue
            if header:
                header = False
                continue
            cells = self._cells(line)
            if len(cells) == len(fields):
                yield number, cells
                continue
            between = "tabs" if self._separator else "white space"
            expected = f"expected {len(fields)} columns with {between} between ({', '.join(fields)})"
            self.fault(number, f"{expected}, found {len(cells)}", "give every line all columns, and no more")
        self.check()

    def lines(self) -> Iterator[tuple[int, str]]:
        """The number and text of every line that is neither blank nor a comment."""
        self.first()
        for number, line in enumerate(self._lines, 1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield number, line.strip()

    def fault(self, number: int, what: str, remedy: str) -> None:
        """One more fault."""
        self._count += 1
        if len(self._faults) < SHOWN:
            self._faults.append((number, what, remedy))

    def check(self) -> None:
        """Ends here when anything was wrong."""
        if self._faults:
            (number, what, remedy), *others = self._faults
            more = [f"{self.name}:{other}: {why}" for other, why, _ in others]
            line = shown(self.line(number))
            raise InputError(what, f"{self.name}:{number}", remedy, line=line, more=more, count=self._count)

    def line(self, number: int) -> str:
        """A line as it is written."""
        return self._lines[number - 1].strip("\r\n")

    def _cells(self, line: str) -> list[str]:
        return line.split(self._separator)


def cell(text: str, what: str, place: str) -> str:
    """A text that a line of cells can hold; tabs and line ends in it are refused."""
    if any(mark in text for mark in "\t\n\r"):
        raise InputError(f"{what} '{shown(text)}' holds a tab or a line end", place, "write another format")
    return text


def flat(text: str) -> str:
    """A text with each tab and line end as a blank."""
    return text.replace("\r\n", " ").replace("\t", " ").replace("\n", " ").replace("\r", " ")
