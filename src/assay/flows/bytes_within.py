"""Whether a text stands in the bytes of a file, however the file packs and spells it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PIECE = 1 << 20

LOOSE = 4
"""Letters from which a text is looked for in the midst of bytes, where none that stands beside it ends a word."""


@dataclass(frozen=True, slots=True)
class Sought:
    """Texts as they stand in files.

    Args:
        word: between what is no letter, `_` neither: in text.
        inside: wherever it stands: in bytes, where one text may begin right behind another.
        name: of the person, so too: in the name of a file.
        longest: bytes of the longest spelling.
    """

    word: re.Pattern[bytes]
    inside: re.Pattern[bytes]
    name: re.Pattern[bytes]
    longest: int

    @classmethod
    def of(cls, texts: Iterable[str]) -> Sought:
        """What is looked for; the first text is the name of a person."""
        texts = tuple(texts)
        ways = sorted({way for text in texts for way in _ways(text)}, key=len, reverse=True)
        wide = [_wide(text.encode("utf-16-le"), b"", b"\0") for text in texts]
        wide += [_wide(text.encode("utf-16-be"), b"\0", b"") for text in texts]
        bare = [re.escape(way) for way in ways if len(way) >= LOOSE]
        word = _apart(b"|".join(map(re.escape, ways)))
        inside = b"|".join([*bare, *wide, word])
        own = _apart(re.escape(texts[0].encode()))
        return cls(re.compile(word), re.compile(inside), re.compile(own), 2 * max(map(len, ways)))

    def is_in_name(self, path: str) -> bool:
        """Whether the path of a file holds the name of the person."""
        return self.name.search(path.encode()) is not None

    def is_in(self, piece: bytes) -> bool:
        """Whether a piece of a file holds any of the texts; what has a zero byte is no plain text."""
        return (self.inside if b"\0" in piece else self.word).search(piece) is not None


def _apart(text: bytes) -> bytes:
    """A pattern as a word of its own; a byte from 80 up is a part of a letter."""
    letter = rb"[0-9A-Za-z\x80-\xff]"
    return b"(?<!" + letter + b")(?:" + text + b")(?!" + letter + b")"


def _wide(text: bytes, before: bytes, behind: bytes) -> bytes:
    """A word in UTF-16, whose letters of ASCII have a zero byte before or behind them."""
    letter = before + rb"[0-9A-Za-z]" + behind
    return b"(?<!" + letter + b")" + re.escape(text) + b"(?!" + letter + b")"


def _ways(text: str) -> set[bytes]:
    """A text as it stands in files: plain, in JSON with and without its letters coded, in CSV, in HTML."""
    import html

    said = {text, text.replace('"', '""'), html.escape(text)}
    said |= {json.dumps(text, ensure_ascii=is_coded)[1:-1] for is_coded in (True, False)}
    return {way.encode() for way in said}


def holds(path: Path, sought: Sought) -> bool:
    """Whether a file holds any of the texts, packed or plain."""
    return any(sought.is_in(piece) for piece in _pieces(path, sought.longest + 2))


def _pieces(path: Path, overlap: int) -> Iterator[bytes]:
    """The bytes of a file, unpacked, in pieces that overlap so that no name falls between two."""
    with path.open("rb") as file:
        head = file.read(6)
        file.seek(0)
        if head[:4] == b"PK\x03\x04":
            import zipfile

            with zipfile.ZipFile(file) as archive:
                for member in archive.infolist():
                    yield member.filename.encode()
                    with archive.open(member) as inside:
                        yield from _overlapping(inside, overlap)
            return
        for start, opened in _PACKED.items():
            if head.startswith(start):
                with opened(file) as unpacked:
                    yield from _overlapping(unpacked, overlap)
                return
        for start, texts in _TABLES.items():
            if head.startswith(start):
                for text in texts(path):
                    yield text.encode()
                if texts is _sqlite:  # in its bytes one text ends where the next begins: bob is not bobby
                    return
        yield from _overlapping(file, overlap)  # of a table: what is noted beside its rows


def _gzip(file: Any) -> Any:
    import gzip

    return gzip.open(file)


def _zstd(file: Any) -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(file)


def _bz2(file: Any) -> Any:
    import bz2

    return bz2.open(file)


def _xz(file: Any) -> Any:
    import lzma

    return lzma.open(file)


def _sqlite(path: Path) -> Iterator[str]:
    from assay.store.privacy import texts_of

    return texts_of(path)


def _parquet(path: Path) -> Iterator[str]:
    import polars as pl

    return _columns(pl.scan_parquet(path))


def _arrow(path: Path) -> Iterator[str]:
    import polars as pl

    return _columns(pl.read_ipc(path).lazy())


def _arrow_stream(path: Path) -> Iterator[str]:
    import polars as pl

    return _columns(pl.read_ipc_stream(path).lazy())


def _columns(table: Any) -> Iterator[str]:
    """Every text of a table, one column in memory at a time; lists and records as JSON."""
    import polars as pl

    for name, kind in table.collect_schema().items():
        column = table.select(name)
        if kind.is_nested():
            yield from column.collect().write_ndjson().splitlines()
        elif kind == pl.String or isinstance(kind, (pl.Categorical, pl.Enum)):
            yield from column.cast(pl.String).unique().collect()[name].drop_nulls()


_PACKED: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": _gzip, b"\x28\xb5\x2f\xfd": _zstd, b"BZh": _bz2, b"\xfd7zXZ": _xz,
}  # fmt: skip

_TABLES: dict[bytes, Callable[[Path], Iterator[str]]] = {
    b"SQLite": _sqlite, b"PAR1": _parquet, b"ARROW1": _arrow, b"\xff\xff\xff\xff": _arrow_stream,
}  # fmt: skip


def _overlapping(file: Any, overlap: int) -> Iterator[bytes]:
    held = b""
    while piece := file.read(PIECE):
        yield held + piece
        held = (held + piece)[-overlap:]
