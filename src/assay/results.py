"""What every verb gives back, and what it says on the way: notes, provenance, progress."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from assay.kept import codec, dump, kept, load
from assay.registry import Family

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "KEEPERS",
    "QUIET",
    "RENDERERS",
    "LabelAges",
    "Level",
    "Note",
    "Progress",
    "Result",
    "Source",
    "codec",
    "dump",
    "kept",
    "load",
]

Level = Literal["info", "warning"]

RENDERERS: Family[Callable[[Any], str]] = Family("renderer", home="assay.report.html")
"""`html`: a result as one fragment of HTML, for notebooks."""

KEEPERS: Family[Callable[[Any, Any], Any]] = Family("keeper", home="assay.flows.results")
"""`file`: writes a result to a path."""


@kept("note")
@dataclass(frozen=True, slots=True)
class Note:
    """Something odd but lawful that the reader should know, as one sentence without a full stop.

    Args:
        code: a stable name for programs, such as "ties-inside-cutoff".
        text: the sentence.
        run: the run it is about, when it is about one.
        count: how many queries, rows or documents it concerns, when it counts something.
        level: "warning" when the value may not mean what it seems to.
    """

    code: str
    text: str
    run: str | None = None
    count: int | None = None
    level: Level = "info"


@kept("source")
@dataclass(frozen=True, slots=True)
class Source:
    """How a result was made, enough to make it again.

    Args:
        hashes: (name, SHA-256 of the content) of every input.
        versions: (package, version) of what computed it.
        conventions: (choice, value), see `ranking.conventions`.
        seed: of the random numbers; None when none were used.
        command: the command line or call.
    """

    hashes: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    conventions: tuple[tuple[str, str], ...] = ()
    seed: int | None = None
    command: str = ""


@kept("label-ages")
@dataclass(frozen=True, slots=True)
class LabelAges:
    """How many of the labels that a result rests on no longer hold.

    Args:
        labels: how many were looked at.
        changed: of documents that changed since.
        old: of those that did not, older than such labels may be.
        unknown: of which neither is known.
    """

    labels: int
    changed: int
    old: int
    unknown: int

    @property
    def stale(self) -> int:
        """How many no longer hold."""
        return self.changed + self.old

    @property
    def share(self) -> float | None:
        """Their share of all, from 0 to 1; None where there is no label."""
        return self.stale / self.labels if self.labels else None


@dataclass(frozen=True, kw_only=True)
class Result:
    """The root of every result."""

    notes: tuple[Note, ...] = ()
    source: Source = field(default_factory=Source)

    # A result is in the hands of its user, who wants to save and to see it without knowing where files are written and
    # pages are made. These two find that by name, as every family finds its members; no import points upward.

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the result to a file (`.assay`) that `assay show` opens again without the inputs."""
        return KEEPERS.find("file")(self, path)  # type: ignore[no-any-return] # the keeper gives the path

    def _repr_html_(self) -> str:
        return RENDERERS.find("html")(self)


class Progress(Protocol):
    """Receives how far long work has come; only the command line draws it."""

    def start(self, what: str, total: float | None = None, unit: str = "") -> None:
        """Work begins; the total is unknown when None."""

    def advance(self, by: float = 1.0) -> None:
        """So much more is done."""

    def stop(self) -> None:
        """Work ended, well or not."""


class _Quiet:
    def start(self, what: str, total: float | None = None, unit: str = "") -> None:
        return

    def advance(self, by: float = 1.0) -> None:
        return

    def stop(self) -> None:
        return


QUIET: Progress = _Quiet()
"""Says nothing."""
