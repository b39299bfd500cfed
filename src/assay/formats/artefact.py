"""Parsed runs kept as Parquet, found again by what their bytes were: never changed, whole or not there, checked.

A copy is a folder named by its key, with one Parquet file for each block and a manifest. It is written under another
name and renamed when it is whole, so a reader meets all of it or nothing, and of two writers one wins. Every file
carries its length and CRC-32 in the manifest: what was cut short or damaged is found and is as good as absent.

The cache is a convenience: whatever is wrong with it is said in `told` and the run is read from its own file.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import stat
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.files.reading import reason, spelled
from assay.formats.seen import Seen, look, noted
from assay.keys import fingerprint

if TYPE_CHECKING:
    import polars as pl

REVISION = 1
"""Raised when the same bytes would be kept in another way."""

MANIFEST = "manifest.json"
_COPIES, _SEEN = "copies", "seen"
_DEAD = 3600.0
"""Seconds after which an unfinished copy that nobody touched is taken for the rest of a process that ended."""

_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# copies of runs, made again when they are gone\n"


class DamagedError(Exception):
    """A kept file is not what was written."""


@dataclass(frozen=True, slots=True)
class Member:
    """One block of a copy.

    Args:
        number: which piece of the source it was.
        rows: how many it holds.
        size: bytes of its file.
        crc: CRC-32 of its file.
    """

    number: int
    rows: int
    size: int
    crc: int


@dataclass(frozen=True, slots=True)
class Artefact:
    """A whole copy.

    Args:
        folder: where it lies.
        members: its blocks, in order.
        about: what else was kept of the source.
    """

    folder: Path
    members: tuple[Member, ...]
    about: Mapping[str, Any]

    def read(self, member: Member) -> pl.DataFrame:
        """The rows of one block.

        Raises:
            DamagedError: the file is gone, cut short or changed.
        """
        import polars as pl

        try:
            data = (self.folder / _file(member.number)).read_bytes()
        except OSError as error:
            raise DamagedError(reason(error)) from None
        if len(data) != member.size or zlib.crc32(data) != member.crc:
            raise DamagedError(f"{_file(member.number)} is not what was written")
        frame = pl.read_parquet(io.BytesIO(data), use_statistics=False)
        if frame.height != member.rows:
            raise DamagedError(f"{_file(member.number)} has {frame.height} rows, not {member.rows}")
        return frame

    @property
    def size(self) -> int:
        """Bytes of its blocks."""
        return sum(member.size for member in self.members)


@dataclass
class Cache:
    """A folder of copies.

    Args:
        folder: made when the first copy is written, for this user alone.
        limit: bytes that all copies together may take; the longest unused go first.
        version: of the program that parses; a copy of another version is not found.
        told: what went wrong with the cache, as sentences; nothing of it changes a number.
    """

    folder: Path
    limit: int
    version: str = ""
    told: list[str] = field(default_factory=list)

    def key(self, sha256: str, *choices: str) -> str:
        """The key of a copy: the bytes, who reads them, and every choice of reading."""
        import polars as pl

        return fingerprint(sha256, str(REVISION), self.version, pl.__version__, *choices)

    def get(self, key: str) -> Artefact | None:
        """The copy of that key, when it is there and as long as it was; its blocks are checked as they are read."""
        if not self._is_safe():
            return None
        found = self._read(self.folder / _COPIES / key)
        if found is not None:
            with contextlib.suppress(OSError):  # a folder that may only be read is still good for reading
                os.utime(found.folder / MANIFEST)
        return found

    def drop(self, artefact: Artefact, why: str) -> None:
        """Forgets a copy that turned out to be damaged."""
        self.tell(f"the copy of a run in {spelled(self.folder)} is damaged and was dropped: {why}")
        self._remove(artefact.folder)

    @contextlib.contextmanager
    def writing(self, key: str) -> Iterator[Writer]:
        """Takes the blocks of a new copy; it is kept when `finish` was called, and otherwise nothing stays."""
        writer = Writer(self, key)
        try:
            yield writer
        finally:
            writer.close()

    def copies(self) -> list[tuple[Artefact, float]]:
        """Every whole copy with the time of its last use, the longest unused first."""
        found = []
        for folder in self._folders():
            artefact = self._read(folder) if not folder.name.startswith(".") else None
            if artefact is not None:
                with contextlib.suppress(OSError):
                    found.append((artefact, (folder / MANIFEST).stat().st_mtime))
        return sorted(found, key=lambda one: (one[1], one[0].folder.name))

    def clear(self) -> int:
        """Removes every copy; gives how many there were."""
        folders = self._folders()
        for folder in folders:
            self._remove(folder)
        shutil.rmtree(self.folder / _SEEN, ignore_errors=True)
        return sum(not folder.name.startswith(".") for folder in folders)

    def is_usable(self) -> bool:
        """Whether copies can be kept here, as far as can be told without writing; what is wrong is said in `told`."""
        here = next(folder for folder in (self.folder, *self.folder.parents) if folder.exists())
        if not (here.is_dir() and os.access(here, os.W_OK)):
            self.tell(f"no copy of a run is kept in {spelled(self.folder)}: {spelled(here)} cannot be written")
            return False
        return self._is_safe()

    def tell(self, sentence: str) -> None:
        """Says what is wrong, once."""
        if sentence not in self.told:
            self.told.append(sentence)

    def digest(self, source: str | os.PathLike[str], *, anew: bool = False) -> Seen | None:
        """What the bytes of a file are, from an earlier look where that can be trusted; None when it cannot be read.

        Args:
            source: path of the file.
            anew: read it all the same, as for a result that states the hash.
        """
        path = Path(os.path.abspath(source))
        note = self.folder / _SEEN / f"{fingerprint(os.fsencode(path))[:40]}.json"
        known = None if anew or not self._is_safe() else noted(note)
        try:
            if known is not None and known.holds(path):
                return known
            seen = look(path)
        except (OSError, ValueError):  # its reader says what is wrong with it
            return None
        if seen.is_settled and self._make():
            with contextlib.suppress(OSError):  # then it is worked out again
                temporary = note.with_name(f".{os.urandom(8).hex()}.tmp")
                temporary.write_text(json.dumps(asdict(seen)), "ascii")
                os.replace(temporary, note)
        return seen

    def _folders(self) -> list[Path]:
        try:
            return sorted(path for path in (self.folder / _COPIES).iterdir() if path.is_dir())
        except OSError:
            return []

    def _read(self, folder: Path) -> Artefact | None:
        try:
            kept = json.loads((folder / MANIFEST).read_bytes())
            if kept["check"] != _check(kept["members"], kept["about"]):
                raise ValueError(MANIFEST)
            members = tuple(Member(*numbers) for numbers in kept["members"])
            whole = all((folder / _file(one.number)).stat().st_size == one.size for one in members)
        except (FileNotFoundError, NotADirectoryError):
            whole = not folder.exists()  # no copy, rather than half of one
            members, kept = (), {"about": None}
        except (OSError, ValueError, TypeError, KeyError):
            whole = False
        if not whole:
            self.tell(f"a copy of a run in {spelled(self.folder)} is damaged and was dropped")
            self._remove(folder)
            return None
        return Artefact(folder, members, kept["about"]) if kept["about"] is not None else None

    def _remove(self, folder: Path) -> None:
        """Takes a copy away: out of the way by a rename first, so that nobody finds half of it."""
        grave = folder.with_name(f".{os.urandom(8).hex()}.tmp")
        with contextlib.suppress(OSError):  # another process was quicker, or the folder may not be changed
            folder.rename(grave)
            shutil.rmtree(grave, ignore_errors=True)

    def _make(self) -> bool:
        """Makes the folder where it is not there; false when that cannot be done."""
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            for folder in (self.folder, self.folder / _COPIES, self.folder / _SEEN):
                folder.mkdir(mode=0o700, exist_ok=True)
            for name, content in (("CACHEDIR.TAG", _TAG), (".gitignore", b"*\n")):
                if not (self.folder / name).exists():
                    (self.folder / name).write_bytes(content)
        except OSError as error:
            self.tell(f"no copy of a run is kept in {spelled(self.folder)}: {reason(error)}")
            return False
        return self._is_safe()

    def _is_safe(self) -> bool:
        """Whether nobody else can put rows there: the folder is this user's, and others may not write into it."""
        if os.name == "nt":
            return True
        for folder in (self.folder, self.folder / _COPIES, self.folder / _SEEN):
            try:
                facts = folder.stat()
            except OSError:
                continue
            if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & 0o022:
                self.tell(f"the cache {spelled(self.folder)} is not used: others may write into it; "
                          f"`chmod -R go-w` it, or name another folder")  # fmt: skip
                return False
        return True

    def make_room(self, size: int) -> bool:
        """Removes the longest unused copies until one of that size fits; false when it never will."""
        for folder in self._folders():
            if folder.name.startswith("."):
                with contextlib.suppress(OSError):
                    if time.time() - max(path.stat().st_mtime for path in (folder, *folder.iterdir())) > _DEAD:
                        shutil.rmtree(folder, ignore_errors=True)
        if size > self.limit:
            return False
        copies = self.copies()
        total = sum(artefact.size for artefact, _ in copies)
        for artefact, _ in copies:
            if total + size <= self.limit:
                break
            self._remove(artefact.folder)
            total -= artefact.size
        return True


class Writer:
    """Takes the blocks of one copy. A disk that is full ends the copy, never the work."""

    def __init__(self, cache: Cache, key: str) -> None:
        self._cache, self._target = cache, cache.folder / _COPIES / key
        self._folder: Path | None = None
        self._members: list[Member] = []
        self.is_off = not cache._make()
        if not self.is_off:
            self._folder = self._target.with_name(f".{key[:16]}.{os.urandom(8).hex()}.tmp")
            self._try(self._folder.mkdir, 0o700)

    def add(self, number: int, frame: pl.DataFrame) -> None:
        """Keeps one block."""
        if self.is_off or self._folder is None:
            return
        held = io.BytesIO()
        frame.write_parquet(held, compression="lz4", statistics=False)
        data = held.getbuffer()
        self._members.append(Member(number, frame.height, len(data), zlib.crc32(data)))
        if sum(member.size for member in self._members) > self._cache.limit:
            self.is_off = True
            self._cache.tell("a run is larger than the whole cache may be, so no copy of it is kept")
            return
        self._try((self._folder / _file(number)).write_bytes, data)

    def finish(self, about: Mapping[str, Any]) -> None:
        """The copy is whole: it takes its name."""
        if self.is_off or self._folder is None:
            return
        rows = [[one.number, one.rows, one.size, one.crc] for one in self._members]
        manifest = {"revision": REVISION, "members": rows, "about": about, "check": _check(rows, about)}
        self._try((self._folder / MANIFEST).write_bytes, json.dumps(manifest, ensure_ascii=False).encode())
        if not self.is_off and self._cache.make_room(sum(one.size for one in self._members)):
            with contextlib.suppress(OSError):  # the name is taken: another process kept the same rows
                self._folder.rename(self._target)

    def close(self) -> None:
        """Leaves nothing half-written behind."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _try(self, do: Any, what: Any) -> None:
        try:
            do(what)
        except OSError as error:
            self.is_off = True
            self._cache.tell(f"no copy of a run is kept in {spelled(self._cache.folder)}: {reason(error)}")


def _file(number: int) -> str:
    return f"{number:06d}.parquet"


def _check(members: Sequence[Any], about: Any) -> str:
    return fingerprint(json.dumps([members, about], sort_keys=True))
