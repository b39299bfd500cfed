"""What every verb gives back, and what it says on the way: notes, provenance, progress."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

Level = Literal["info", "warning"]


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


@dataclass(frozen=True, kw_only=True)
class Result:
    """The root of every result."""

    notes: tuple[Note, ...] = ()
    source: Source = field(default_factory=Source)


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
