"""CSV and TSV as tools and spreadsheets write them: separator, encoding and quotes are recognised and named."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import SHOWN, InputError, NoRowsError
from assay.formats.encoding import decode
from assay.tables import Block, Topic
from assay.tables.formulas import unguarded, unguarded_frame
from assay.tables.names import columns_of, has_known_name, match, require
from assay.tables.plain import check_columns
from assay.tables.values import shown

if TYPE_CHECKING:
    from assay.formats.labelled import Labelled

SEPARATORS = {"csv": ",;|", "tsv": "\t"}
_CALLED = {",": "commas", ";": "semicolons", "|": "vertical bars", "\t": "tabs"}
_LARGE = 16 << 20
_WIDEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Shape:
    """How a delimited text is to be cut.

    Args:
        separator: between the cells.
        header: whether the first line names the columns.
    """

    separator: str
    header: bool = True

    @property
    def format(self) -> str:
        """The name of the format."""
        return "tsv" if self.separator == "\t" else "csv"


def shapes(line: str, row: type, chosen: Mapping[str, str] | None, separators: str) -> list[Shape]:
    """Every way to cut the first line that gives the columns of a row."""
    found = []
    for separator in separators:
        header = _cells(line, separator)
        try:
            if len(header) > 1 and not match(header, row, "", chosen).missing:
                found.append(Shape(separator))
        except InputError:  # names that do not fit under this separator
            continue
    if not found and _is_one_column(line, row, chosen, separators):
        # one query a line: a tab is in none of them, a comma in many
        found.append(Shape("\t" if "\t" in separators else separators[0]))
    if not found and row is Topic and "\t" in separators and len(_cells(line, "\t")) == 2 and not has_known_name(line):
        found.append(Shape("\t", header=False))
    return found


def _is_one_column(line: str, row: type, chosen: Mapping[str, str] | None, separators: str) -> bool:
    """Whether a line is the name of the only column, and rows say enough with it."""
    if any(separator in line for separator in separators):
        return False
    try:
        return not match(_cells(line, separators[0]), row, "", chosen).missing
    except InputError:
        return False


def best_guess(line: str, separators: str) -> Shape | None:
    """The separator that was probably meant, when no way to cut the first line gives the columns."""

    def fit(separator: str) -> tuple[int, int]:
        cells = _cells(line, separator)
        return sum(has_known_name(cell) for cell in cells if separator in line), len(cells)

    best = max(separators, key=fit)
    return Shape(best) if len(_cells(line, best)) > 1 else None


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return line.split(separator)


def read_delimited(
    data: bytes, row: type, name: str, chosen: Mapping[str, str] | None = None, separators: str = ",;|\t",
    labelled: Labelled | None = None,
) -> Block:  # fmt: skip
    """Rows of a CSV or TSV file.

    Args:
        data: the whole file.
        row: the class of the rows.
        name: of the file.
        chosen: field to column, as the user says.
        separators: those that are considered.
        labelled: what makes grades of a column of labels.
    """
    text, encoding = decode(data, name)
    del data
    line, at = first_line(text)
    if not line:
        raise InputError("holds nothing but blank lines", name, "write it anew")
    found = shapes(line, row, chosen, separators)
    if len(found) > 1:
        raise InputError(
            f"can be cut by {' or '.join(_CALLED[shape.separator] for shape in found)}",
            f"{name}:{at}",
            "write one separator only in the line of names",
        )
    shape = found[0] if found else best_guess(line, separators) or Shape(separators[0])
    facts = _facts(name, encoding, shape)
    if len(text) > _LARGE and shape.header and found and labelled is None:
        large = _large(text, row, name, chosen, shape, f"{name}:{at}")
        if large is not None:
            return Block(large.frame, large.place, name, (*facts, *large.facts))
    cells = _Cells(text, name, shape)
    header = cells.header(["query_id", "text"])
    require(header, row, match(header, row, name, chosen, f"{name}:{at}"), f"{name}:{at}")
    held = _named(header, cells.columns(len(header)), f"{name}:{at}")
    if labelled is not None:
        held = labelled.columns(held, name, chosen, cells.place)
    count = 0
    if shape.format == "csv":
        for title in _texts(list(held), row, name, chosen):
            held[title], found_here = unguarded(held[title])
            count += found_here
    block = check_columns(held, row, name, cells.place, chosen, f"{name}:{at}", cells.line, spreadsheet=True)
    return Block(block.frame, block.place, name, (*facts, *_taken_off(count, name), *block.facts))


def first_line(text: str) -> tuple[str, int]:
    """The first line that is not blank, and its number."""
    for number, line in enumerate(io.StringIO(text[: 1 << 20], newline=None), 1):
        if line.strip():
            return line.rstrip("\n"), number
    return "", 1


def ambiguous(name: str, line: int, ways: Sequence[str]) -> InputError:
    """What is said when two ways to read a file fit equally."""
    return InputError(
        f"can be read in {len(ways)} ways that fit equally: {' or '.join(ways)}",
        f"{name}:{line}",
        "say which with --input-format trec, csv or tsv",
    )


def _facts(name: str, encoding: str, shape: Shape) -> tuple[str, ...]:
    facts = []
    if encoding != "UTF-8" or shape.separator not in ",\t":
        facts.append(f"{name}: read as {encoding}, {_CALLED[shape.separator]} between the columns")
    if not shape.header:
        facts.append(f"{name}: has no header; its two columns are read as query_id and text")
    return tuple(facts)


def _named(header: list[str], columns: list[list[str]], where: str) -> dict[str, list[Any]]:
    """Columns by name; unnamed ones are left out when they are empty."""
    held: dict[str, list[Any]] = {}
    for title, cells in zip(header, columns, strict=True):
        if not title.strip():
            if any(cells):
                raise InputError("a column has no name", where, "name every column in the first line")
            continue
        if title in held:
            raise InputError(f"two columns are called {title}", where, "give each column a name of its own")
        held[title] = cells
    return held


def _texts(titles: list[str], row: type, name: str, chosen: Mapping[str, str] | None) -> list[str]:
    """The columns that hold ids and texts; numbers are never guarded."""
    kinds = {column.name: column.kind for column in columns_of(row)}
    fields = match(titles, row, name, chosen).fields
    numbers = {at for field, at in fields.items() if kinds[field] in ("number", "whole")}
    return [title for at, title in enumerate(titles) if at not in numbers]


def _taken_off(count: int, name: str) -> tuple[str, ...]:
    if not count:
        return ()
    cells = "1 cell has" if count == 1 else f"{count:,} cells have"
    return (f"{name}: {cells} an apostrophe before = + - @, the guard of CSV against formulas; it is taken off",)


class _Cells:
    """The records of a delimited text with their line numbers; faults of form are gathered."""

    def __init__(self, text: str, name: str, shape: Shape) -> None:
        self.name, self.shape = name, shape
        self.is_plain = shape.separator == "\t" and _is_raw(text)
        self._records = self._read(text)
        self._lines: list[int] = []
        self._text = text

    def header(self, without: list[str]) -> list[str]:
        """The names of the columns; blanks around them do not count."""
        if not self.shape.header:
            return without
        return [title.strip() for title in next(self._records)[1]]

    def columns(self, width: int) -> list[list[str]]:
        """The cells of every column."""
        rows: list[list[str]] = []
        faults: list[tuple[int, str]] = []
        count = 0
        for number, cells in self._records:
            if len(cells) != width:
                if not any(cells):
                    continue
                if len(cells) < width or any(cells[width:]):
                    count += 1
                    if len(faults) < SHOWN:
                        faults.append((number, f"expected {width} columns, found {len(cells)}"))
                    continue
                cells = cells[:width]
            elif not any(cells):
                continue
            rows.append(cells)
            self._lines.append(number)
        if faults:
            (number, what), *others = faults
            raise InputError(
                what,
                f"{self.name}:{number}",
                "give every row all columns, and put quotes around a cell that holds the separator",
                line=self.raw_line(number),
                more=[f"{self.name}:{other}: {why}" for other, why in others],
                count=count,
            )
        if not rows:
            raise NoRowsError("has a header and no rows", f"{self.name}:1", "write it anew, or leave it out")
        return [list(column) for column in zip(*rows, strict=True)]

    def place(self, row: int) -> str:
        """Where a row stands."""
        return f"{self.name}:{self._lines[row]}"

    def line(self, row: int) -> str:
        """A row as it is written."""
        return self.raw_line(self._lines[row])

    def raw_line(self, number: int) -> str:
        """A line of the file, for a message."""
        for at, line in enumerate(io.StringIO(self._text, newline=""), 1):
            if at == number:
                return shown(line.strip("\r\n"))
        return ""

    def _read(self, text: str) -> Iterator[tuple[int, list[str]]]:
        stream = io.StringIO(text, newline="")
        if self.is_plain:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, [_unquoted(cell) for cell in line.rstrip("\r\n").split("\t")]
            return
        reader = csv.reader(stream, delimiter=self.shape.separator, strict=True)
        limit = csv.field_size_limit(_WIDEST)
        begin = 1
        try:
            for cells in reader:
                if cells:
                    yield begin, cells
                begin = reader.line_num + 1
        except csv.Error as error:
            what = "a quote is not closed" if "end of data" in str(error) else "quotes inside a cell are not doubled"
            raise InputError(
                what, f"{self.name}:{begin}", 'write a quote inside a quoted cell as ""', line=self.raw_line(begin)
            ) from None
        finally:
            csv.field_size_limit(limit)


def _is_raw(text: str) -> bool:
    """Whether tabs alone cut a text into rows of one width: then a quote is a character like others."""
    widths = {line.count("\t") for line in io.StringIO(text, newline=None) if line.strip()}
    return len(widths) <= 1 or '"' not in text


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == '"' == cell[-1]:
        inner = cell[1:-1]
        if '"' not in inner.replace('""', ""):
            return inner.replace('""', '"')
    return cell


def _large(text: str, row: type, name: str, chosen: Mapping[str, str] | None, shape: Shape, where: str) -> Block | None:
    """A large file through polars; None where the slow way must find out what is odd."""
    import polars as pl

    from assay.tables.frames import check_frame

    if shape.separator == "\t" and '"' in text:
        return None
    try:
        frame = pl.read_csv(text.encode("utf-8"), separator=shape.separator, infer_schema=False)
        if not frame.width or frame.columns != [
            title.strip() for title in _cells(first_line(text)[0], shape.separator)
        ]:
            return None
        if frame.to_series(frame.width - 1).null_count():  # a short row, perhaps
            return None
        count = 0
        if shape.format == "csv":
            frame, count = unguarded_frame(frame, _texts(frame.columns, row, name, chosen))
        block = check_frame(frame, row, name, _Places(text, name, shape), chosen, where, spreadsheet=True)
    except (pl.exceptions.PolarsError, InputError):
        return None
    return Block(block.frame, block.place, name, (*_taken_off(count, name), *block.facts))


class _Places:
    """Where the rows of a large text stand, found when the first one is asked for."""

    def __init__(self, text: str, name: str, shape: Shape) -> None:
        self._text, self._name, self._shape = text, name, shape
        self._lines: list[int] = []

    def __call__(self, row: int) -> str:
        if not self._lines:
            records = _Cells(self._text, self._name, self._shape)
            records.header([])
            self._lines = [number for number, cells in records._records if any(cells)]
        return f"{self._name}:{self._lines[row]}"
