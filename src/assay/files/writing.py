"""Files written whole or not at all, an append-only journal, and a lock."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO

from assay.errors import InputError
from assay.files.reading import reason, spelled


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` when the block ends well; otherwise nothing has changed.

    `-` is standard output, written when the block ends well. What is not a regular file (a pipe, /dev/null) is
    written directly.
    """
    if os.fspath(path) == "-":
        held = io.BytesIO()
        yield held
        sys.stdout.buffer.write(held.getbuffer())
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))  # a link keeps pointing at its file
    name = spelled(path)
    try:
        mode = target.stat().st_mode
    except OSError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise InputError("is a folder, not a file", name, "give the name of a file in it")
    if mode is not None and not stat.S_ISREG(mode):
        with _said_of(name), target.open("wb") as special:
            yield special
        return
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tmp")
    try:
        file = temporary.open("xb")
    except FileNotFoundError:
        raise InputError(f"there is no folder {target.parent}", name, "make the folder first") from None
    except OSError as error:
        raise InputError(f"cannot be written: {reason(error)}", name, "write to another folder") from None
    try:
        with _said_of(name):
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                with contextlib.suppress(OSError):
                    temporary.chmod(stat.S_IMODE(mode))
            os.replace(temporary, target)
    except BaseException:  # Ctrl-C too leaves nothing behind
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


@contextlib.contextmanager
def _said_of(name: str) -> Iterator[None]:
    """A full disk and the like, said of the file that was to be written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {reason(error)}", name, "nothing was written; make room, or write "
                         "elsewhere") from None  # fmt: skip


def _sync_folder(folder: Path) -> None:
    """Makes the new name durable where the system can; Windows cannot open a folder."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Journal:
    """An append-only file of JSON lines for long work that must survive a stop.

    A row is durable when `append` returns. A last line without its end, left by a crash, was never promised: it is
    cut off before the next row is written and is not among the rows.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def append(self, row: Any) -> None:
        """Adds one row, anything that JSON can say."""
        import json

        line = json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
        with self.path.open("a+b") as file:
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    file.truncate(self._whole(file))
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    @staticmethod
    def _whole(file: IO[bytes]) -> int:
        file.seek(0)
        return file.read().rfind(b"\n") + 1

    def rows(self) -> Iterator[Any]:
        """Every whole row, in the order of writing; none when there is no file yet."""
        import json

        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield json.loads(line)
                except ValueError:
                    raise InputError("is not a row of a journal", f"{self.path}:{number}", "restore the file") from None


@contextlib.contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Holds a file for this process alone; when another process holds it, that is an error at once.

    The lock ends with the process, so a crash leaves none behind.
    """
    with open(path, "a+b") as file:
        try:
            _lock(file)
        except OSError:
            raise InputError("is in use by another process", os.fspath(path), "wait until it has ended") from None
        yield


if sys.platform == "win32":

    def _lock(file: IO[bytes]) -> None:
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:

    def _lock(file: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
