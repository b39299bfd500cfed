"""Files as bytes: any path, `-`, `.gz` and `.zst` by content.

What goes wrong while reading names the file, and where it can the line: a compressed file that was cut short is
never taken for a short one.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from assay.errors import InputError, did_you_mean

Source = str | os.PathLike[str] | BinaryIO
"""What can be read: a path, an address, `-` for standard input, or an open binary file."""

STDIN = "standard input"
_BUFFER = 1 << 20


def name_of(source: Source) -> str:
    """What the source is called in messages: the path as it was typed."""
    if isinstance(source, (str, os.PathLike)):
        return STDIN if os.fspath(source) == "-" else spelled(source)
    name = getattr(source, "name", None)
    return spelled(name) if isinstance(name, str) else "the open file"


def spelled(path: str | os.PathLike[str]) -> str:
    r"""A path as text that can be written anywhere: bytes of a name that are not UTF-8 become `\xff`."""
    text = os.fspath(path)
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_stream(source: Source) -> bool:
    """Whether a path can be read once only: standard input, a pipe (`<(zcat run.gz)`), a device."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    if os.fspath(source) == "-":
        return True
    try:
        mode = os.stat(source).st_mode
    except (OSError, ValueError):  # the reader says what is wrong with it
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def open_bytes(source: Source) -> BinaryIO:
    """The content of a source, decompressed where its first bytes say gzip or Zstandard.

    The address of an object in a store (`s3://bucket/run.gz`) is read there.

    `peek(n)` of what comes back looks ahead without reading. Standard input and pipes can be read once: a second call
    goes on where the first one stopped.
    """
    name = name_of(source)
    if isinstance(source, (str, os.PathLike)):
        if name == STDIN:
            return _standard_input()
        if is_stream(source):
            return _pipe(os.fspath(source), name)
        if "://" in os.fspath(source):
            return _from_address(os.fspath(source), name)
        return _decompressed(_open(Path(source), name), name, again=Path(source))
    if not hasattr(source, "read") or hasattr(source, "encoding"):
        raise InputError(
            f"cannot read bytes from a {type(source).__name__}", name, "pass a path or a file opened in binary mode"
        )
    return _decompressed(source, name)


def _from_address(text: str, name: str) -> BinaryIO:
    from assay.files.addresses import is_object, local

    if is_object(text):
        return _decompressed(open_raw(text), name, owned=True)
    return open_bytes(local(text))


def open_raw(source: str | os.PathLike[str]) -> io.BufferedReader:
    """The bytes of a file or of an object in a store, packed as they are."""
    text = os.fspath(source)
    if "://" not in text:
        return open(text, "rb")
    from assay.files.addresses import is_object, local

    if not is_object(text):
        return open(local(text), "rb")
    from assay.files.objects import open_object

    return open_object(text)


def read_bytes(source: Source) -> bytes:
    """The whole content of a source; one that holds nothing is refused."""
    with contextlib.ExitStack() as stack:
        stream = open_bytes(source)
        if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
            stack.callback(stream.close)
        data = stream.read()
    if not data:
        raise is_empty(source)
    return data


def is_empty(source: Source) -> InputError:
    """What is said of a source that holds nothing."""
    name = name_of(source)
    if name == STDIN:
        return InputError("is empty", name, "standard input can be read once: give - for one file only")
    return InputError(
        "is empty", name, "a pipe can be read once: name it once" if is_stream(source) else "write it anew"
    )


def _open(path: Path, name: str) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise InputError(
            f"no such file{did_you_mean(path.name, _neighbours(path))}", name, _folder_hint(path)
        ) from None
    except IsADirectoryError:
        raise InputError("is a folder, not a file", name, "give one of the files in it") from None
    except PermissionError:
        if os.path.isdir(path):  # what Windows says of a folder
            raise InputError("is a folder, not a file", name, "give one of the files in it") from None
        raise InputError("may not be read by this user", name, "change its permissions") from None
    except (OSError, ValueError) as error:  # a name too long, or with a zero byte in it
        raise InputError(f"cannot be opened: {reason(error)}", name or "the path") from None


def _neighbours(path: Path) -> list[str]:
    try:
        return [p.name for p in path.parent.iterdir()]
    except OSError:
        return []


def _folder_hint(path: Path) -> str:
    return "check the spelling" if os.path.isdir(path.parent) else f"there is no folder {path.parent}"


def reason(error: BaseException) -> str:
    """What the system says went wrong, without its number."""
    return getattr(error, "strerror", None) or str(error)


_stdin: tuple[Any, BinaryIO] | None = None


def _standard_input() -> BinaryIO:
    """One stream for all readers of standard input, so that looking ahead loses nothing."""
    global _stdin
    raw = sys.stdin.buffer if sys.stdin is not None else io.BytesIO()
    if _stdin is None or _stdin[0] is not raw:
        _stdin = (raw, _decompressed(raw, STDIN))
    return _stdin[1]


_pipes: dict[tuple[int, int], BinaryIO] = {}


def _pipe(path: str, name: str) -> BinaryIO:
    """One stream for all readers of a pipe until one of them closes it: opening it again would wait for a writer."""
    facts = os.stat(path)
    key = (facts.st_dev, facts.st_ino)
    if key not in _pipes or _pipes[key].closed:
        _pipes[key] = _decompressed(_open(Path(path), name), name, owned=True)
    return _pipes[key]


BOMB_FROM, BOMB_RATIO = 1 << 30, 500
"""A compressed file is refused beyond so many bytes if they are so many times what was read: runs shrink to a tenth."""


class _Inflated(io.RawIOBase):
    """Decompresses member after member; complains with a place when the end is missing.

    zlib and zstandard share the interface that is used here: one object a member, its `eof` and `unused_data`.
    zstandard's own stream reader takes a file that was cut short for one that ends there, so it is not used.
    """

    piece = 1 << 17

    def __init__(self, raw: _Chained, member: Callable[[], Any], broken: type[Exception], kind: str) -> None:
        self._raw, self._member, self._broken, self._kind = raw, member, broken, kind
        self._inflate: Any = member()
        self._left = self._waiting = b""
        self._at = 0
        self._fed = False
        self._read = self._given = 0
        self.lines_before_fault: Callable[[], int] | None = None

    def readable(self) -> bool:
        return True

    def _more(self) -> bytes:
        """The next decompressed piece; empty only at the end."""
        while True:
            data = self._waiting or self._raw.read(self.piece)
            if not data:
                if self._fed:
                    raise self._fault("was cut short")
                return b""
            if not self._waiting:
                self._read += len(data)
            self._waiting = b""
            if not self._fed:
                data = data.lstrip(b"\0")  # tape and block padding behind the last member
                if not data:
                    continue
            self._fed = True
            try:
                out: bytes = self._inflate.decompress(data)
            except self._broken:
                raise self._fault(f"is damaged, or something else follows its {self._kind} data") from None
            if self._inflate.eof:
                self._waiting = self._inflate.unused_data
                self._inflate, self._fed = self._member(), False
            if out:
                self._given += len(out)
                if self._given > BOMB_FROM and self._given > BOMB_RATIO * self._read:
                    what = (
                        f"the compressed file unpacks to more than {BOMB_RATIO} times its size, as no runs or texts do"
                    )
                    raise InputError(what, self._raw.name, "unpack it yourself if it is what you want, and give that")
                return out

    def _fault(self, what: str) -> InputError:
        where = f"{self._raw.name}:{self.lines_before_fault() + 1}" if self.lines_before_fault else self._raw.name
        return InputError(f"the compressed file {what}", where, "copy or compress it again")

    def readinto(self, buffer: Any) -> int:
        while self._at >= len(self._left):
            self._left, self._at = self._more(), 0
            if not self._left:
                return 0
        size = min(len(buffer), len(self._left) - self._at)
        buffer[:size] = memoryview(self._left)[self._at : self._at + size]
        self._at += size
        return size

    def readall(self) -> bytes:
        pieces = [self._left[self._at :]]
        self._left, self._at = b"", 0
        while piece := self._more():
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Chained(io.RawIOBase):
    """A file whose first bytes were looked at; owns the file unless it came from outside."""

    def __init__(self, head: bytes, rest: IO[bytes], name: str, owned: bool) -> None:
        self._head, self._rest, self.name, self._owned = head, rest, name, owned

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        data, self._head = self._head[:size], self._head[size:]
        if len(data) < size:
            try:
                data += self._rest.read(size - len(data)) or b""
            except OSError as error:
                raise InputError(f"cannot be read: {reason(error)}", self.name) from None
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        head, self._head = self._head, b""
        try:
            return head + (self._rest.read() or b"")
        except OSError as error:
            raise InputError(f"cannot be read: {reason(error)}", self.name) from None

    def close(self) -> None:
        if self._owned and not self.closed:
            self._rest.close()
        super().close()


def _decompressed(raw: IO[bytes], name: str, again: Path | None = None, *, owned: bool = False) -> BinaryIO:
    owned = owned or again is not None
    try:
        head = raw.read(4) or b""
        while 0 < len(head) < 4 and (more := raw.read(4 - len(head))):
            head += more
    except OSError as error:
        if owned:
            raw.close()
        raise InputError(f"cannot be read: {reason(error)}", name) from None
    chained = _Chained(head, raw, name, owned=owned)
    inflated = _inflated(head, chained)
    if inflated is None:
        return cast(BinaryIO, io.BufferedReader(chained, _BUFFER))
    if again is not None:
        inflated.lines_before_fault = lambda: _whole_lines(again)
    return cast(BinaryIO, io.BufferedReader(inflated, _BUFFER))


def _inflated(head: bytes, raw: _Chained) -> _Inflated | None:
    if head[:2] == b"\x1f\x8b":
        return _Inflated(raw, lambda: zlib.decompressobj(wbits=31), zlib.error, "gzip")
    # a Zstandard frame, or one that readers skip (seekable and parallel writers put it first)
    if head == b"\x28\xb5\x2f\xfd" or (head[1:] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F):
        import zstandard

        decompressor = zstandard.ZstdDecompressor()
        return _Inflated(raw, decompressor.decompressobj, zstandard.ZstdError, "Zstandard")
    return None


def _whole_lines(path: Path) -> int:
    """How many lines of a damaged compressed file can be had: it is read once more, only to name the place."""
    lines = 0
    with contextlib.suppress(InputError, OSError), path.open("rb") as raw:
        inflated = _inflated(raw.read(4), _Chained(b"", raw, "", owned=False))
        if inflated is not None:
            raw.seek(0)
            inflated.piece = 256  # what a fault swallows
            while piece := inflated._more():
                lines += piece.count(b"\n")
    return lines
