"""What the bytes of a file are: its hashes, and how an earlier look at it is told to hold still.

An earlier look holds where path, device, inode, size and both times of change are the same: that of the content, and
that of anything, which no program can set back. It is kept only when it came two seconds after the last change: two
changes within one tick of the clock carry the same time. Where the system does not tell the second time (Windows), the
CRC-32 of the bytes has to agree too, which is read in a third of the time of SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from io import FileIO

_FRESH = 2_000_000_000
"""Nanoseconds after a change in which another one may carry the same time."""

TELLS_CHANGE = os.name != "nt"
"""Whether `st_ctime` is the time of the last change of anything; on Windows it is that of the making."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a file showed.

    Args:
        sha256, crc: of its bytes.
        facts: device, inode, size, and both times of change in nanoseconds.
        at: the time of the look in nanoseconds.
    """

    sha256: str
    crc: int
    facts: tuple[int, ...]
    at: int

    @property
    def is_settled(self) -> bool:
        """Whether a later change must carry another time."""
        return self.at - max(self.facts[-2:]) > _FRESH

    def is_untouched(self, path: str | os.PathLike[str]) -> bool:
        """Whether the times of the file are still those of the look."""
        try:
            return facts_of(os.stat(path)) == self.facts
        except OSError:
            return False

    def holds(self, path: Path) -> bool:
        """Whether the bytes of the file can be taken for those of the look."""
        if not (self.is_settled and self.is_untouched(path)):
            return False
        if TELLS_CHANGE:
            return True
        with path.open("rb", buffering=0) as file:
            return _sums(file)[1] == self.crc


def look(path: Path) -> Seen:
    """Reads the whole file."""
    with path.open("rb", buffering=0) as file:
        at, facts = time.time_ns(), facts_of(os.fstat(file.fileno()))
        return Seen(*_sums(file, hashlib.sha256()), facts, at)


def noted(note: Path) -> Seen | None:
    """An earlier look that was written down; None where there is none that can be read."""
    try:
        kept = json.loads(note.read_bytes())
        return Seen(str(kept["sha256"]), int(kept["crc"]), tuple(map(int, kept["facts"])), int(kept["at"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def facts_of(status: os.stat_result) -> tuple[int, ...]:
    """What tells one state of a file from another, without reading it."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _sums(file: FileIO, sha: Any = None) -> tuple[str, int]:
    """SHA-256 (where it is asked for) and CRC-32 of what is left to read."""
    crc = 0
    buffer = memoryview(bytearray(1 << 18))  # stays in the processor's cache
    while count := file.readinto(buffer):
        crc = zlib.crc32(buffer[:count], crc)
        if sha is not None:
            sha.update(buffer[:count])
    return ("" if sha is None else sha.hexdigest()), crc
