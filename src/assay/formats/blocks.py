"""A large run (or set of judgments) in blocks of bytes through polars, each query's lines together in one block.

Nothing is held but one block, so memory does not grow with the file. A block is checked in one pass over its bytes:
where every field is set apart by one and the same character, polars reads the columns that are needed; white space of
any other kind is first made so; whatever still does not fit goes to the strict reader, which names the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import SHOWN, InputError
from assay.files import name_of
from assay.formats.pieces import BOM, Pieces
from assay.tables import Block

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

SIZE = 8 << 20
"""Bytes of a block: larger ones are not faster, and memory grows by about six times the difference."""

_COUNTED = 1000
"""Faults from which on they are no longer counted: a large file may be wrong in every line."""

_STEP = 1 << 18
"""Bytes looked at together, so that they stay in the processor's cache from one look to the next."""

_FIRST = 1 << 13
"""Bytes of a block in which it is seen whether its lines are even."""

_LOOK = 1 << 20
"""Bytes of judgments in which subtopics are looked for."""

_SECOND = re.compile(rb"(?m)^[ \t]*[^#\s]\S*[ \t]+(\S+)[ \t]+\S")
"""The second field of every line that has three."""

_RUN = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
_QRELS = ("query_id", "iteration", "doc_id", "grade")
_DIVERSE = ("query_id", "subtopic", "doc_id", "grade")
_NEEDED = ("query_id", "subtopic", "doc_id", "score", "grade")


class RunBlocks:
    """A large TREC run as query-aligned blocks; can be gone through more than once.

    Args:
        source: a path, `-` or an open binary file; plain, gzip or Zstandard.
        size: bytes of a block.
        wants_rank: whether every block has the rank column; the first one always has it.
    """

    def __init__(self, source: Any, size: int = SIZE, *, wants_rank: bool = False) -> None:
        self.name = name_of(source)
        self.wants_rank = wants_rank
        self._bytes = Pieces(source, size)

    def __iter__(self) -> Iterator[Block]:
        for _, block in self.numbered():
            yield block

    def numbered(self, start: int = 0, *, is_first: bool = True) -> Iterator[tuple[int, Block]]:
        """The blocks that have rows, each with the number of its piece of the file.

        Args:
            start: the first piece wanted; those before it are known to be fine.
            is_first: whether the pieces before it have no rows.
        """
        found = not is_first
        for number, block in _blocks(self._bytes, self.name, _RUN, rank=self.wants_rank, first=not found, start=start):
            if len(block):
                found = True
                yield number, block
        if not found:
            raise _nothing(self.name)

    def place(self, number: int, row: int) -> str:
        """The place of a row of one block, looked up in the file."""
        for at, data in enumerate(self._bytes):
            if at == number:
                return _block(data, self._bytes.line_of, at, self.name, _RUN, rank=self.wants_rank).place(row)
        raise InputError("became shorter while it was read", self.name, "run the command again")

    @property
    def comments(self) -> dict[int, int]:
        """How many lines of each piece are comments, as far as they were read."""
        return self._bytes.comments

    def summed(self) -> None:
        """Also works out the CRC-32 of the file, from now on."""
        self._bytes.is_summed = True

    @property
    def crc(self) -> int | None:
        """CRC-32 of the file, once all blocks are read; None for what is packed and where it was not asked for."""
        return self._bytes.crc

    @property
    def facts(self) -> tuple[str, ...]:
        """What reading showed, once all blocks are read."""
        return _facts(self._bytes)

    def whole(self) -> Block:
        """All rows in one block, for a file in which the lines of some query do not stand together."""
        return _joined(self._bytes, self.name, _RUN, rank=self.wants_rank)


def read_qrels(source: Any, size: int = SIZE) -> Block:
    """A large TREC qrels file in one block, held as a polars frame; the second field is kept where it is a subtopic."""
    name, pieces = name_of(source), Pieces(source, size)
    return _joined(pieces, name, _DIVERSE if _has_subtopics(pieces) else _QRELS, rank=False)


def _has_subtopics(pieces: Pieces) -> bool:
    """Whether the second field differs from line to line in the first lines: few looks, since it hardly ever does."""
    from assay.formats.trec import name_subtopics

    found = set(_SECOND.findall(next(iter(pieces), b"")[:_LOOK]))
    return name_subtopics(one.decode("utf-8", "replace") for one in found)


def _joined(pieces: Pieces, name: str, fields: tuple[str, ...], *, rank: bool) -> Block:
    import polars as pl

    frames: list[pl.DataFrame] = []
    first_rows: list[int] = []
    row = 0
    for _, block in _blocks(pieces, name, fields, rank=rank):
        frames.append(block.polars())
        first_rows.append(row)
        row += frames[-1].height
    if not row:
        raise _nothing(name)

    def place(row: int) -> str:
        wanted = int(np.searchsorted(first_rows, row, "right")) - 1
        for number, data in enumerate(pieces):
            if number == wanted:
                block = _block(data, pieces.line_of, number, name, fields, rank=rank)
                return block.place(row - first_rows[wanted])
        raise InputError("became shorter while it was read", name, "run the command again")

    return Block(pl.concat(frames, rechunk=True), place, name, _facts(pieces))


def _facts(pieces: Pieces) -> tuple[str, ...]:
    from assay.formats.trec import skipped

    return skipped(pieces.name, sum(pieces.comments.values()))


def _blocks(
    pieces: Pieces, name: str, fields: tuple[str, ...], *, rank: bool, first: bool = False, start: int = 0
) -> Iterator[tuple[int, Block]]:
    """Every piece from that one on as a block, with ranks where all need them or the first one that has rows.

    The faults of all pieces are said together, as for a file that is read at once.
    """
    numbered, found = enumerate(pieces), not first
    for number, data in numbered:
        if number < start:
            continue
        try:
            block = _block(data, pieces.line_of, number, name, fields, rank=rank or not found, comments=pieces.comments)
        except InputError as fault:
            raise _with_later(fault, numbered, pieces, fields, rank or not found) from None
        found = found or len(block) > 0
        yield number, block


def _with_later(
    fault: InputError, rest: Iterator[tuple[int, bytes]], pieces: Pieces, fields: tuple[str, ...], rank: bool
) -> InputError:
    more, count, is_least = list(fault.more), fault.count, False
    with suppress(InputError):  # the file itself may break off
        for number, data in rest:
            if count >= _COUNTED:
                is_least = True
                break
            # to find a line costs a look at all lines before it, and three are shown
            line_of = pieces.line_of if len(more) < SHOWN - 1 else lambda _: 2
            try:
                _block(data, line_of, number, pieces.name, fields, rank=rank)
            except InputError as later:
                more += [f"{later.where}: {later.what}", *later.more]
                count += later.count
    return InputError(
        fault.what, fault.where, fault.remedy, line=fault.line, more=more[: SHOWN - 1], count=count, is_least=is_least
    )


def _block(
    data: bytes, line_of: Callable[[int], int], number: int, name: str, fields: tuple[str, ...], *, rank: bool,
    comments: dict[int, int] | None = None,
) -> Block:  # fmt: skip
    """One piece of a file as a polars frame; how many comment lines it has is put down under its number."""
    separator = _separator(data)
    frame = _frame(data, separator, fields, rank) if _starts_even(data, separator, len(fields)) else None
    if frame is not None:
        return Block(frame, lambda row: f"{name}:{line_of(number) + row}", name)
    text, skipped = _evened(data)
    if comments is not None:
        comments[number] = skipped
    if not text.strip(b"\n"):
        return Block(_empty(fields, rank), str, name)
    if fields is _RUN and text.count(b" ") > (len(fields) - 1) * text.count(b"\n"):
        # an id that holds a blank looks like words behind the tag; the rank then stands where no number can
        frame = _frame(_without_tails(text, len(fields)), b" ", fields, True)
    else:
        frame = _frame(text, b" ", fields, rank)
    place = None
    if frame is None:
        strict = _strict(data, line_of(number), name, fields)
        frame, place = strict.polars(), strict.place
    frame = frame.select(_wanted(fields, rank))
    return Block(frame, place or (lambda row: _strict(data, line_of(number), name, fields).place(row)), name)


def _nothing(name: str) -> InputError:
    return InputError("holds nothing but comments and blank lines", name, "write it anew")


def _wanted(fields: tuple[str, ...], rank: bool) -> list[str]:
    return [name for name in fields if name in _NEEDED or (rank and name == "rank")]


def _empty(fields: tuple[str, ...], rank: bool) -> pl.DataFrame:
    import polars as pl

    types = {"score": pl.Float64, "grade": pl.Float64, "rank": pl.Int64}
    return pl.DataFrame(schema={name: types.get(name, pl.String) for name in _wanted(fields, rank)})


def _strict(data: bytes, line: int, name: str, fields: tuple[str, ...]) -> Block:
    """The block by the reader that names the line of everything it refuses."""
    from assay.formats import trec

    if fields is _RUN:
        return trec.parse_run(data, name, first_line=line)
    return trec.parse_qrels(data, name, first_line=line, subtopics=True if fields is _DIVERSE else None)


def _separator(data: bytes) -> bytes:
    first = data[: data.find(b"\n") + 1 or len(data)]
    return b"\t" if b"\t" in first else b" "


def _is_even(data: bytes, separator: bytes, fields: int, lines: int) -> bool:
    """True when the fields of every line are set apart by one separator, and there are no blank lines.

    Two neighbouring bytes of white space are a doubled separator, a blank line, or a blank at either end of a line.
    Separators are counted against line ends in stretches of lines, so a field more here could hide a field less near
    by; the tag, the last field, is then what is missing, and nothing depends on it.
    """
    if data[-1] <= 32 and not data.endswith(b"\n"):
        return False
    text = np.frombuffer(data, np.uint8)
    mark = separator[0]
    start = found = 0
    while start < len(text):
        end = data.find(b"\n", start + _STEP) + 1 or len(text)
        part = text[start:end]
        blank = part <= 32
        if (blank[1:] & blank[:-1]).any():
            return False
        separators = int(np.count_nonzero(part == mark))
        ends = int(np.count_nonzero(blank)) - separators + (end == len(text) and data[-1:] != b"\n")
        if separators != (fields - 1) * ends:
            return False
        found += ends
        start = end
    return found == lines


def _starts_even(data: bytes, separator: bytes, fields: int) -> bool:
    """Whether the first lines are even: what is not shows there at once, and is not worth a look by polars."""
    end = data.rfind(b"\n", 0, _FIRST) + 1
    return not end or _is_even(data[:end], separator, fields, data.count(b"\n", 0, end))


def _evened(data: bytes) -> tuple[bytes, int]:
    """The same lines with single blanks between fields, without empty lines and comments, and how many these were."""
    parts = []
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _STEP) + 1 or len(data)
        part = _evened_lines(np.frombuffer(data, np.uint8, end - start, start))
        if part is None:  # a carriage return alone ends a line too
            return _evened(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        parts.append(part)
        start = end
    text = b"".join(parts)
    if not text.endswith(b"\n"):
        text += b"\n"
    comments = 0
    if b"#" in text and (text.startswith(b"#") or b"\n#" in text):
        text, comments = re.subn(rb"(?m)^#[^\n]*\n", b"", text)
    return text, comments


def _evened_lines(text: NDArray[np.uint8]) -> bytes | None:
    """Whole lines with single blanks between fields and without empty lines; None for a carriage return inside one."""
    ends, returns = text == 10, text == 13
    if returns[-1:].any() or (returns[:-1] & ~ends[1:]).any():
        return None
    blank = (text == 32) | ((text - 9 <= 4) & ~ends)  # tab, vertical tab, form feed, carriage return: 9 to 13
    keep = ~blank
    keep[:-1] |= ~(blank | ends)[1:]  # the last blank before a field
    kept = np.where(blank, np.uint8(32), text).compress(keep)
    white = (kept == 10) | (kept == 32)
    white[1:] &= kept[:-1] == 10  # an empty line, or a blank before the first field
    return (kept[~white] if white.any() else kept).tobytes()


def _without_tails(text: bytes, fields: int) -> bytes:
    """The same lines without what stands behind the last field."""
    return b"\n".join(b" ".join(one.split(b" ", fields)[:fields]) for one in text.split(b"\n"))


def _frame(data: bytes, separator: bytes, fields: tuple[str, ...], rank: bool) -> pl.DataFrame | None:
    """The needed columns; None when the block is not even or a field is not what it should be."""
    import polars as pl

    if not data or data[0] <= 32 or data.startswith(BOM):
        return None
    if b"#" in data and (data.startswith(b"#") or b"\n#" in data):
        return None
    if b"\xef" in data and b"\n" + BOM in data:
        return None
    types = {"score": pl.Float64, "grade": pl.Float64, "rank": pl.Int64 if rank else pl.String}
    wanted = _wanted(fields, rank)
    try:
        frame = (
            pl.scan_csv(
                data,
                has_header=False,
                quote_char=None,
                separator=separator.decode(),
                schema={field: types.get(field, pl.String) for field in fields},
            )
            .select(wanted)
            .collect()
        )
    except pl.exceptions.PolarsError:
        return None
    if sum(frame.null_count().row(0)) or not _is_even(data, separator, len(fields), frame.height):
        return None
    if rank and "rank" in frame.columns and (frame["rank"] < 0).any():
        return None
    sums = frame.select(pl.col(pl.Float64).sum()).row(0)
    return frame if all(np.isfinite(sums)) else None
