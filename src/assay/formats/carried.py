"""What an outside format is: another tool's file read into assay's tables, and written from them.

A reader says what it could not carry over, a writer likewise; nothing is dropped in silence. A format is one file in
`assay.formats.outside`, which registers an `Outside` under its name; whoever looks a format up imports that package,
members import this module alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.errors import InputError
from assay.files import Source
from assay.label_maps import LabelMap
from assay.registry import Family
from assay.tables import Block

Unlisted = Literal["unjudged", "not-relevant"]
"""What it means that a pair is absent from the judgments."""


@dataclass(frozen=True, slots=True)
class Lost:
    """One kind of thing that a format holds and the other side has no place for.

    Args:
        what: in the plural and in the words of the format that had it: "notes on queries".
        count: how many.
        why: one sentence without a full stop, with what to do about it where something can be done.
        places: the first three, as `file:line` or as the path of a JSON value.
    """

    what: str
    count: int
    why: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Carried:
    """What a file of another tool holds, in assay's tables.

    Args:
        name: of the source, as messages call it.
        tables: the class of the rows (`Topic`, `Judgment`, `Document`, ...) to checked rows.
        runs: name of a system to its `Hit` rows.
        lost: what could not be carried over.
        facts: what the reader noticed and the user should know, as sentences.
        unlisted: what an absent pair means in this format.
        more: what belongs to the format and may be written back to it: JSON values by name (a scale, a scorer).
    """

    name: str
    tables: Mapping[type, Block] = field(default_factory=dict)
    runs: Mapping[str, Block] = field(default_factory=dict)
    lost: tuple[Lost, ...] = ()
    facts: tuple[str, ...] = ()
    unlisted: Unlisted = "unjudged"
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user says about the conversion, where files do not say it.

    Args:
        labels: how labels become grades; None leaves numbers as they are, and refuses words.
        options: what one format alone understands, by name: `split` of a BEIR folder, `locale` of ESCI.
    """

    labels: LabelMap | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """What a format may look at to say whether a file is its own.

    Args:
        path: of the file or folder, for its suffix and name.
        head: the first 64 KiB, unpacked; empty for a folder.
        is_whole: whether that is the whole file.
        inside: the names in a folder, with `/` between its levels (two at most); empty for a file.
    """

    path: str
    head: bytes = b""
    is_whole: bool = True
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outside:
    """One outside format.

    Args:
        name: as it is typed, such as "quepid-book".
        title: for people, such as "Quepid book (JSON)".
        holds: the rows it has: classes of `assay.tables`.
        read: the file or folder to tables.
        write: tables to the file or folder, whole or not at all; returns what has no place there. None: only read.
        looks_like: whether a file is surely in this format; two formats that claim one file are both named to the user.
        options: the names of the wishes that it alone understands, with a sentence each.
        source: where the shape is documented.
    """

    name: str
    title: str
    holds: tuple[type, ...]
    read: Callable[[Source, Wishes], Carried]
    write: Callable[[Carried, str | os.PathLike[str], Wishes], tuple[Lost, ...]] | None = None
    looks_like: Callable[[Look], bool] = lambda look: False
    options: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    def check(self, wishes: Wishes) -> None:
        """Refuses an option that this format does not understand."""
        from assay.errors import did_you_mean

        for name in wishes.options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise InputError(
                    f"{self.name} has no option {name}{did_you_mean(name, self.options)}",
                    remedy=f"its options are: {known}",
                )


OUTSIDE: Family[Outside] = Family("format", home="assay.formats.outside")


def register(outside: Outside) -> Outside:
    """Makes a format known under its name."""
    return OUTSIDE.add(outside.name)(outside)


def in_words(lost: Lost, name: str) -> str:
    """What could not be carried over, as one sentence."""
    number = f"{lost.count:,} {lost.what}" if lost.count != 1 else f"1 of {lost.what}"
    at = f" (first at {lost.places[0]})" if lost.places else ""
    return f"{name}: not carried over: {number}{at}; {lost.why}"
