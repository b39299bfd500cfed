"""The messages of an Arrow file or stream, walked one by one.

A long stream is read a few record batches at a time, and what is not whole is found out before anything reads it. An
Arrow file is its magic, a stream, and a footer that tells where the batches lie; the stream alone is enough. Every
message is a length, a flatbuffer of metadata, and a body. Only lengths and offsets are looked at here: that each lies
within what holds it.

Source: Arrow columnar format 1.5, "Serialization and Interprocess Communication"; flatbuffers internals.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

MAGIC = b"ARROW1"
_NEXT = b"\xff\xff\xff\xff"
_END = _NEXT + b"\0\0\0\0"
_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3
_TIGHTEST = 1 << 15
"""How many times its length a compressed column may be, at most: more is not believed."""
_LARGEST = 1 << 28
"""Bytes of metadata beyond which a length is not believed."""


class NotWholeError(Exception):
    """The bytes are not those of a whole Arrow file or stream."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Args:
        kind: of its header: 1 schema, 2 dictionary, 3 record batch.
        rows: of a record batch, 0 of others.
        data: all of its bytes, where they are wanted.
    """

    kind: int
    rows: int
    data: bytes


def messages(file: BinaryIO, size: int, *, with_data: bool = True) -> Iterator[Message]:
    """Every message of a stream in order.

    Args:
        file: an Arrow stream, from its first byte on.
        size: of the whole stream in bytes.
        with_data: whether the bytes are wanted; bodies are stepped over where they are not.

    Raises:
        NotWholeError: a length or an offset leads out of what holds it.
    """
    at = 0
    file.seek(0)
    while True:
        head = file.read(8)
        if head == _END or (not head and at):  # a stream may end without its mark
            return
        if len(head) < 8 or head[:4] != _NEXT:
            raise NotWholeError(f"no message begins at byte {at:,}")
        metadata = _metadata(file, head[4:], size - at - 8)
        header = _header(metadata, at)
        start = at + 8 + len(metadata)
        at = start + header.body
        if at > size:
            raise NotWholeError(f"the message before byte {at:,} is longer than the file")
        header.check(file, start)
        file.seek(start if with_data else at)
        data = head + metadata + file.read(header.body) if with_data else b""
        yield Message(header.kind, header.rows if header.kind == _BATCH else 0, data)


def _metadata(file: BinaryIO, length: bytes, room: int) -> bytes:
    """The metadata of a message, of a length that its four bytes say."""
    wanted = int.from_bytes(length, "little", signed=True)
    if not 0 < wanted <= min(_LARGEST, room):
        raise NotWholeError("a message is longer than the file")
    data = file.read(wanted)
    if len(data) < wanted:
        raise NotWholeError("it became shorter while it was read")
    return data


def _check_file(file: BinaryIO, size: int) -> None:
    """An Arrow file by its footer: every batch lies within it and is what the footer says."""
    file.seek(max(0, size - 10))
    end = file.read(10)
    length = int.from_bytes(end[:4], "little", signed=True)
    if len(end) < 10 or end[4:] != MAGIC or not 0 < length <= size - 18:
        raise NotWholeError("its end is missing")
    file.seek(size - 10 - length)
    footer = file.read(length)
    try:
        table = _Table(footer, _number("<I", footer, 0))
        if table.table(1) is None:
            raise NotWholeError("it holds no schema")
        blocks = [(_DICTIONARY, one) for one in table.structs(2, "<qiiq")]
        blocks += [(_BATCH, one) for one in table.structs(3, "<qiiq")]
    except struct.error:
        raise NotWholeError("its footer is damaged") from None
    for kind, (offset, metadata, _, body) in blocks:
        if offset < 8 or metadata < 8 or body < 0 or offset + metadata + body > size - 10 - length:
            raise NotWholeError("its footer names a batch that lies outside the file")
        file.seek(offset)
        head = file.read(8)
        start = 8 if head[:4] == _NEXT else 4  # files before 2019 have no mark before the length
        file.seek(offset + start)
        found = _header(_metadata(file, head[start - 4 : start], metadata - start), offset)
        if found.kind != kind or found.body != body:
            raise NotWholeError(f"the batch at byte {offset:,} is not what the footer says")
        found.check(file, offset + metadata)


def parts(file: BinaryIO, size: int, rows: int) -> Iterator[bytes]:
    """A stream as several that can each be read alone, with about so many rows."""
    before: list[bytes] = []  # the schema and the dictionaries
    held: list[bytes] = []
    count = 0
    is_first = True
    for message in messages(file, size):
        if message.kind != _BATCH:
            before.append(message.data)
            continue
        held.append(message.data)
        count += message.rows
        if count >= rows:
            yield b"".join([*before, *held, _END])
            held, count, is_first = [], 0, False
    if held or is_first:
        yield b"".join([*before, *held, _END])


def check(file: BinaryIO, size: int) -> None:
    """Goes through all messages of an Arrow file or stream.

    Raises:
        NotWholeError: a length or an offset leads out of what holds it.
    """
    file.seek(0)
    if file.read(6) == MAGIC:
        _check_file(file, size)
        return
    kinds = [message.kind for message in messages(file, size, with_data=False)]
    if kinds[:1] != [_SCHEMA]:
        raise NotWholeError("it does not begin with its schema")


@dataclass(frozen=True, slots=True)
class _Header:
    """What the metadata of one message say.

    Args:
        kind: 1 schema, 2 dictionary, 3 record batch.
        rows: of the batch, and the most values of one of its columns.
        body: bytes of the body.
        buffers: (offset, length) in the body.
        is_compressed: whether each buffer begins with its unpacked length.
    """

    kind: int
    rows: int = 0
    most: int = 0
    body: int = 0
    buffers: tuple[tuple[int, ...], ...] = ()
    is_compressed: bool = False

    def check(self, file: BinaryIO, start: int) -> None:
        """Holds the lengths against each other: one that is far too large would end the process in the reader.

        Args:
            file: it is read where buffers are compressed.
            start: of the body.
        """
        if any(offset < 0 or length < 0 or offset + length > self.body for offset, length in self.buffers):
            raise NotWholeError("a column lies outside its batch")
        room = 0
        for offset, length in self.buffers:
            unpacked = length
            if self.is_compressed and length:
                file.seek(start + offset)
                unpacked = int.from_bytes(file.read(8), "little", signed=True)
                unpacked = length if unpacked == -1 else unpacked
            if not 0 <= unpacked <= length * _TIGHTEST:
                raise NotWholeError("a column has no length that can be")
            room += unpacked
        if self.rows < 0 or (self.buffers and max(self.rows, self.most) > 8 * max(room, 8)):
            raise NotWholeError("a batch says that it has more rows than fit into it")


def _header(data: bytes, at: int) -> _Header:
    """What the metadata of a message at that byte say."""
    try:
        root = _Table(data, _number("<I", data, 0))
        kind, body = root.scalar(1, "<B"), root.scalar(3, "<q")
        header = root.table(2)
        if header is None or body < 0 or kind not in (_SCHEMA, _DICTIONARY, _BATCH):
            raise NotWholeError(f"the message at byte {at:,} is of no known kind")
        if kind == _SCHEMA:
            return _Header(kind, body=body)
        batch = header.table(1) if kind == _DICTIONARY else header
        if batch is None:
            raise NotWholeError(f"the dictionary at byte {at:,} is empty")
        nodes = batch.structs(1, "<qq")  # of each column: values, and how many of them are null
        if any(not 0 <= nulls <= values for values, nulls in nodes):
            raise NotWholeError(f"the batch at byte {at:,} has more nulls than values")
        return _Header(
            kind,
            batch.scalar(0, "<q"),
            max((values for values, _ in nodes), default=0),
            body,
            tuple(batch.structs(2, "<qq")),
            batch.table(3) is not None,
        )
    except struct.error:
        raise NotWholeError(f"the message at byte {at:,} is damaged") from None


def _number(format: str, data: bytes, at: int) -> int:
    if at < 0:
        raise struct.error
    number: int = struct.unpack_from(format, data, at)[0]
    return number


class _Table:
    """One table of a flatbuffer."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        self._fields = at - _number("<i", data, at)
        self._size = _number("<H", data, self._fields)

    def _place(self, field: int) -> int | None:
        slot = 4 + 2 * field
        offset = _number("<H", self._data, self._fields + slot) if slot < self._size else 0
        return self._at + offset if offset else None

    def scalar(self, field: int, format: str) -> int:
        place = self._place(field)
        return 0 if place is None else _number(format, self._data, place)

    def table(self, field: int) -> _Table | None:
        place = self._place(field)
        return None if place is None else _Table(self._data, place + _number("<I", self._data, place))

    def structs(self, field: int, format: str) -> list[tuple[int, ...]]:
        """A vector of structs of numbers."""
        place = self._place(field)
        if place is None:
            return []
        start = place + _number("<I", self._data, place)
        count, size = _number("<I", self._data, start), struct.calcsize(format)
        if count * size > len(self._data):
            raise struct.error
        return [struct.unpack_from(format, self._data, start + 4 + size * i) for i in range(count)]
