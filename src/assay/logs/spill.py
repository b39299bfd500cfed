"""The folder in which the embedded engine puts aside what memory does not hold, and logs that came through a pipe."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from pathlib import Path

from assay.errors import EngineError
from assay.files import Source, is_empty, name_of, open_bytes
from assay.files.reading import reason
from assay.keys import fingerprint

_HOST = fingerprint(platform.node())[:8]  # containers can share a folder, and not their numbers of processes
_NAMED = re.compile(rf"assay-spill-{_HOST}-([0-9]+)-\w+")
_HEAD = 1 << 16
_PIECE = 1 << 20


def spill_folder() -> tempfile.TemporaryDirectory[str]:
    """A new folder, named after this process; those of processes that were killed are removed first."""
    remove_stale()
    prefix = f"assay-spill-{_HOST}-{os.getpid()}-"
    return tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)


def remove_stale() -> None:
    """Removes the folders of our own processes on this machine that have ended without it."""
    if os.name == "nt":  # asking whether a process lives can end it there
        return
    for place in Path(tempfile.gettempdir()).glob("assay-spill-*"):
        named = _NAMED.fullmatch(place.name)
        if named and _is_ours(place) and not _lives(int(named[1])):
            shutil.rmtree(place, ignore_errors=True)


def spooled(source: Source, folder: str) -> str:
    """A log that can be read once, as a file with the ending that its first bytes call for.

    Args:
        source: standard input or a pipe; what is compressed is unpacked.
        folder: where to, which is removed with the engine.

    Raises:
        InputError: it holds nothing, or is damaged.
        EngineError: the disk is full.
    """
    stream = open_bytes(source)
    head = stream.peek(_HEAD)  # type: ignore[attr-defined] # every opened source looks ahead
    if not head:
        raise is_empty(source)
    path = os.path.join(folder, f"{re.sub(r'[^a-z0-9]+', '-', name_of(source).lower()).strip('-')}{_ending(head)}")
    try:
        with open(path, "xb") as file:
            shutil.copyfileobj(stream, file, _PIECE)
    except OSError as error:
        raise EngineError(f"{name_of(source)} cannot be put aside: {reason(error)}\n    mend: free space in "
                          f"{tempfile.gettempdir()}, or name a file") from error  # fmt: skip
    return path


def _ending(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return ".parquet"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return ".jsonl"
    first = text.splitlines()[0] if text else b""
    return ".tsv" if first.count(b"\t") > first.count(b",") else ".csv"


def _is_ours(place: Path) -> bool:
    try:
        facts = place.lstat()
    except OSError:
        return False
    return facts.st_uid == os.getuid() and place.is_dir() and not place.is_symlink()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
