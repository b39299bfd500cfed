"""What the verbs that move files give back, and the list of formats."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.formats.carried import OUTSIDE, Unlisted
from assay.formats.carry import DECODE, OURS
from assay.formats.recognise import ALL
from assay.results import Result, kept
from assay.tables import Document, Hit, Judgment, Topic


@kept("table-moved")
@dataclass(frozen=True, slots=True)
class Moved:
    """One table that was carried over.

    Args:
        what: judgments, topics, documents, `run bm25` and the like.
        rows: how many.
        queries: how many queries they are about; None where they are about none.
        raters: how many people judged, where the file says it.
        file: where it was written; empty when it was written with others into one file.
    """

    what: str
    rows: int
    queries: int | None = None
    raters: int | None = None
    file: str = ""


@kept("table-lost")
@dataclass(frozen=True, slots=True)
class Dropped:
    """One kind of thing that could not be carried over.

    Args:
        what: in the words of the side that had it.
        count: how many.
        why: and what to do about it.
        places: the first three.
    """

    what: str
    count: int
    why: str
    places: tuple[str, ...] = ()


@kept("conversion")
@dataclass(frozen=True, kw_only=True)
class Conversion(Result):
    """What was read, what was written, and what was lost on the way.

    Args:
        origin: the file or folder that was read, or what it was made from.
        format: its format.
        title: of the format, for people.
        is_recognised: whether the content told the format.
        target: the file or folder that was written.
        written_as: the format of what was written.
        moved: the tables.
        dropped: what could not be carried over.
        unlisted: what an absent pair means.
        settings: what was written into `assay.toml`, as `conventions.unlisted = "not-relevant"`.
        next: commands to type now.
    """

    origin: str = ""
    format: str = ""
    title: str = ""
    is_recognised: bool = False
    target: str = ""
    written_as: str = ""
    moved: tuple[Moved, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unlisted: Unlisted = "unjudged"
    settings: tuple[str, ...] = ()
    next: tuple[str, ...] = ()


@kept("format")
@dataclass(frozen=True, slots=True)
class FormatLine:
    """One format, as `assay formats` lists it.

    Args:
        name: as it is typed.
        title: for people.
        holds: what it has, in words.
        is_written: whether assay writes it too.
        options: name and a sentence each.
        source: where the shape is documented.
    """

    name: str
    title: str
    holds: tuple[str, ...]
    is_written: bool
    options: tuple[tuple[str, str], ...] = ()
    source: str = ""


@kept("formats")
@dataclass(frozen=True, kw_only=True)
class Formats(Result):
    """The formats that assay reads and writes; one of them in full where its name was given."""

    formats: tuple[FormatLine, ...] = ()
    chosen: str = ""


def formats(name: str | None = None) -> Formats:
    """The formats that are read and written; one of them with its options where a name is given."""
    if name is None:
        return Formats(formats=(*_ours(), *(_line(one) for one in OUTSIDE.names())))
    if name in ALL:
        return Formats(formats=tuple(one for one in _ours() if one.name == name), chosen=name)
    return Formats(formats=(_line(OUTSIDE.find(name).name),), chosen=name)


def _ours() -> list[FormatLine]:
    made = []
    for name, title in OURS.items():
        holds = ("judgments", "runs") if name == "trec" else ("judgments", "runs", "topics", "documents")
        options = tuple(DECODE.items()) if name == "trec" else ()
        made.append(FormatLine(name, f"{title} (ours: one table a file)", holds, True, options))
    return made


def _line(name: str) -> FormatLine:
    one = OUTSIDE.find(name)
    holds = tuple(dict.fromkeys(called(row) for row in one.holds))
    return FormatLine(one.name, one.title, holds, one.write is not None, tuple(one.options.items()), one.source)


def called(row: type) -> str:
    """What the rows of a table are called."""
    names = {Judgment: "judgments", Topic: "topics", Document: "documents", Hit: "runs"}
    return names.get(row, re.sub(r"(?<!^)(?=[A-Z])", " ", row.__name__).lower() + "s")
