"""The folder with `assay.toml`: found upward from where the user stands, read here and nowhere else.

Everything works without one; then no settings hold but the environment's, and nothing has a place of its own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.settings import Secret, Settings, check

FILE = "assay.toml"

SECTIONS: dict[str, str] = {
    "measures": "what decides, what must not fall, the gain, the k that the consumer reads",
    "conventions": "the choices that change a number",
    "segments": "which queries are looked at apart",
    "paths": "where runs, judgments, topics, documents and results lie",
    "judgments": "for how many days labels are good",
    "store": "where judgments, experiments and the ledger are kept",
    "web": "where the pages are served, and behind which proxy",
    "privacy": "how long data of persons is kept",
    "cache": "copies of large runs that are read faster the next time",
}
"""Every section of the file and what it is for; a room that brings a section adds its line."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The section [paths]; everything is relative to the folder of `assay.toml`.

    Args:
        runs: folder of the runs; `assay evaluate NAME` looks there.
        results: folder of kept results; `assay show NAME` looks there.
        cells: folder of click counts.
        qrels: the judgments.
        topics: the queries, with weight, intent and segments.
        documents: what the documents say.
    """

    runs: str = "runs"
    results: str = "results"
    cells: str = "cells"
    qrels: str = ""
    topics: str = ""
    documents: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """The section [store].

    Args:
        url: of the database; it may hold a password and never prints. Empty is a SQLite file in the workspace.
    """

    url: Secret = Secret("")  # noqa: RUF009 # nothing changes a secret


@dataclass(frozen=True, slots=True)
class Copies:
    """The section [cache].

    Args:
        on: whether large runs are copied; `--cache` and `--no-cache` of a command stand above it.
        folder: of the copies, relative to the folder of `assay.toml`.
        limit_gb: gigabytes that all copies together may take; those unused for longest are removed first.
    """

    on: bool = True
    folder: str = ".assay/cache"
    limit_gb: float = 20.0

    def __post_init__(self) -> None:
        if not self.limit_gb >= 0:
            raise ValueError("limit_gb is below 0")


@dataclass(frozen=True)
class Workspace:
    """One folder with an `assay.toml`.

    Args:
        root: the folder.
        settings: what the file says.
    """

    root: Path
    settings: Settings

    @classmethod
    def find(
        cls, start: str | os.PathLike[str] | None = None, environment: Mapping[str, str] | None = None
    ) -> Workspace | None:
        """The workspace that holds `start` (the current folder when None), or None.

        Raises:
            InputError: the file cannot be read, is not TOML, or has a section that nobody knows.
        """
        here = Path(os.path.abspath(start or "."))  # not resolved: through a link, the folder the user sees counts
        for folder in (here, *here.parents):
            file = folder / FILE
            if os.path.isfile(file):  # never raises, as `Path.is_file` does for a folder that may not be read
                return cls.read(file, environment)
        return None

    @classmethod
    def read(cls, file: Path, environment: Mapping[str, str] | None = None) -> Workspace:
        """The workspace of one `assay.toml`."""
        name = _shown(file)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", name, "check its permissions") from error
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError("is not UTF-8", f"{name}:{line}", "save the file as UTF-8") from None
        settings = Settings.parse(text, name, environment)
        settings.only(SECTIONS)
        return cls(file.parent, settings)

    @property
    def paths(self) -> Paths:
        """Where things lie, as written."""
        return check(self.settings.section("paths"), Paths)

    def folder(self, name: str) -> Path:
        """The folder of "runs", "results" or "cells", which may not be there yet."""
        return self.root / _field(self.paths, name)

    def file(self, name: str) -> Path | None:
        """The file named for "qrels", "topics" or "documents"; None when none is named."""
        text = _field(self.paths, name)
        return self.root / text if text else None

    def amended(self, wanted: Mapping[tuple[str, str], str]) -> tuple[str, tuple[str, ...]]:
        """The text of `assay.toml` with some values set, and which were; what is set already to that stays.

        Args:
            wanted: (section, key) to a value that is text.
        """
        text = (self.root / FILE).read_text("utf-8-sig")
        done: list[str] = []
        for (section, key), value in wanted.items():
            amended = _set(text, section, key, value)
            if amended != text:
                text = amended
                done.append(f'{section}.{key} = "{value}"')
        Settings.parse(text, _shown(self.root / FILE), {}).only(SECTIONS)
        return text, tuple(done)

    @property
    def store_url(self) -> str:
        """The URL of the database. It may hold a password: never print it."""
        url = check(self.settings.section("store"), Store).url.reveal()
        return url or f"sqlite:///{(self.root / '.assay' / 'store.db').as_posix()}"


def _set(text: str, section: str, key: str, value: str) -> str:
    """TOML text in which a key of a section has this value; a line that is commented out is left as it is."""
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    lines = text.split("\n")
    head = next((at for at, one in enumerate(lines) if re.match(rf"\s*\[{section}\]\s*(#.*)?$", one)), None)
    if head is None:
        return f"{text.rstrip()}\n\n[{section}]\n{line}\n".lstrip("\n")
    for at in range(head + 1, len(lines)):
        if re.match(r"\s*\[", lines[at]):
            break
        if re.match(rf"\s*{key}\s*=", lines[at]):
            lines[at] = line
            return "\n".join(lines)
    return "\n".join([*lines[: head + 1], line, *lines[head + 1 :]])


def _field(paths: Paths, name: str) -> str:
    text: str = getattr(paths, name)
    return os.path.expanduser(text)


def _shown(file: Path) -> str:
    """The file as the user would write it from here: a long way up is shorter from the root."""
    try:
        near = os.path.relpath(file)
    except ValueError:  # another drive
        return str(file)
    return near if not near.startswith(os.path.join("..", "..", "..")) else str(file)


def of_this_user() -> Path:
    """The folder that this user's programs may fill with what can be made again."""
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "assay"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay"
