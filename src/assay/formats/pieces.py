"""The bytes of a large file in query-aligned pieces, cut where the first field of the lines changes."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from assay.errors import InputError
from assay.files import is_stream, name_of, open_bytes

BOM = b"\xef\xbb\xbf"

WINDOW = 1 << 16
"""Bytes looked at first for a place to cut."""


class Pieces:
    """Bytes of a file cut where the query changes; can be gone through more than once."""

    def __init__(self, source: Any, size: int) -> None:
        self.name = name_of(source)
        self._size = size
        self.comments: dict[int, int] = {}
        self.is_summed = False
        self.crc: int | None = None
        """CRC-32 of the file once it has been gone through, where `is_summed` asks for it; None for what is packed."""
        self._held: BinaryIO | None = None
        self._path: str | None = None
        if isinstance(source, (str, os.PathLike)) and not is_stream(source):
            self._path = os.fspath(source)
        else:
            self._held = _spooled(source)
            weakref.finalize(self, self._held.close)

    def __iter__(self) -> Iterator[bytes]:
        is_plain = False
        with ExitStack() as stack:
            if self._held is not None:
                found = self._seeking(self._held)
            elif self._path is not None and not _is_packed(self._path):
                found = self._seeking(stack.enter_context(Path(self._path).open("rb", buffering=0)))
                is_plain = True
            else:
                stream = open_bytes(self._path or "-")
                stack.callback(stream.close)
                found = self._flowing(stream)
            crc = 0
            for number, data in enumerate(found):
                if self.is_summed:
                    crc = zlib.crc32(data, crc)
                yield data if number else data.removeprefix(BOM)
            self.crc = crc if is_plain and self.is_summed else None

    def line_of(self, number: int) -> int:
        """The line at which a piece begins, counted when an error asks for it."""
        return 1 + sum(_line_ends(data) for _, data in zip(range(number), self, strict=False))

    def _seeking(self, file: Any) -> Iterator[bytes]:
        """Looks for the cut first, then reads up to it: each byte is copied once."""
        end, low = file.seek(0, os.SEEK_END), 0

        def at(part: slice) -> bytes:
            file.seek(part.start)
            data: bytes = file.read(part.stop - part.start)
            while len(data) < part.stop - part.start:  # systems cap one read at two gigabytes
                more = file.read(part.stop - part.start - len(data))
                if not more:
                    raise InputError("became shorter while it was read", self.name, "run the command again")
                data += more
            return data

        while low < end:
            size = self._size
            while True:
                high = min(low + size, end)
                cut = high if high == end else _cut(at, low, high)
                if cut > low:
                    break
                size *= 2  # one query fills the block
            yield at(slice(low, cut))
            low = cut

    def _flowing(self, stream: BinaryIO) -> Iterator[bytes]:
        kept = b""
        while True:
            data = stream.read(self._size)
            if not data:
                if kept:
                    yield kept
                return
            kept = kept + data if kept else data
            cut = _cut(kept.__getitem__, 0, len(kept))
            if cut:
                yield kept[:cut]
                kept = kept[cut:]


def _line_ends(data: bytes) -> int:
    """Ends of lines of any system; a carriage return alone is one too."""
    ends = data.count(b"\n")
    return ends + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else ends


def _spooled(source: Any) -> BinaryIO:
    """What can be read only once, as a temporary file that can be gone through again."""
    held = tempfile.TemporaryFile()  # noqa: SIM115 # closed with the object that holds it
    stream = open_bytes(source)
    shutil.copyfileobj(stream, held, 1 << 20)
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        stream.close()  # so that the pipe can be opened for what the next writer brings
    return held


def _is_packed(path: str) -> bool:
    with open_bytes(path) as stream, Path(path).open("rb") as plain:
        return stream.read(4) != plain.read(4)


def _cut(at: Callable[[slice], bytes], low: int, high: int) -> int:
    """The last place in (low, high) where the query changes from one line to the next; `low` when there is none."""
    size = WINDOW
    while True:
        start = max(low, high - size)
        window = at(slice(start, high))
        end = window.rfind(b"\n") + 1
        begin = 0 if start == low else window.find(b"\n") + 1
        if 0 < begin < end or (start == low and end):
            cut = _change(window, begin, end)
            if cut > begin:
                return start + cut
        if start == low:
            return low
        size *= 8


def _change(data: bytes, begin: int, end: int) -> int:
    """The start of the lines at the end of data[begin:end] that belong to its last query, found by halving.

    Both are starts of lines. Where a query's lines do not stand together the answer is still a place where the query
    changes; the rows tell the rest.
    """
    last, _ = _query(data, begin, end)
    low, high = begin, end  # the lines from `high` on belong to the last query; what ends at `low` is open
    if _query(data, begin, _line_end(data, begin, end))[0] == last:
        return begin
    while True:
        middle = data.rfind(b"\n", low, (low + high) // 2) + 1
        if middle <= low:
            middle = data.find(b"\n", low, high) + 1
            if middle >= high or middle <= low:
                return high
        query, _ = _query(data, begin, _line_end(data, middle, end))
        if query == last:
            high = middle
        else:
            low = middle


def _line_end(data: bytes, start: int, end: int) -> int:
    found = data.find(b"\n", start, end)
    return end if found < 0 else found + 1


def _query(data: bytes, begin: int, end: int) -> tuple[bytes, int]:
    """The query of the last line with fields that ends at or before `end`, and where that line starts."""
    while end > begin:
        start = data.rfind(b"\n", begin, end - 1) + 1 or begin
        fields = data[start:end].split(None, 1)
        if fields and not fields[0].startswith(b"#"):
            return fields[0], start
        end = start
    return b"", begin
