"""Where the tables of an import go: the places of a workspace, or a folder; all of them are written, or none."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.files import replacing
from assay.formats.carried import Carried
from assay.formats.outer import CALLED
from assay.formats.recognise import content_of
from assay.tables import Block, Document, Hit, Judgment, Topic

_NAMES = {Judgment: ("qrels", "qrels.csv"), Topic: ("topics", "topics.csv"), Document: ("documents", "documents.jsonl")}
"""How `assay.toml` calls a table, and the file that it goes to."""

_ENDINGS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
            ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow"}  # fmt: skip
_ODD = re.compile(r"[^\w .()+=@,-]")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class File:
    """One file to be written.

    Args:
        key: the table, such as `judgments` or `run bm25`.
        path: of the file.
        shown: the same as it is typed from here.
        format: csv, tsv, jsonl, parquet or arrow.
        row: the class of the rows.
        block: the rows.
    """

    key: str
    path: Path
    shown: str
    format: str
    row: type
    block: Block


@dataclass(frozen=True, slots=True)
class Landing:
    """The files of an import, and the settings that name them.

    Args:
        files: what is written.
        settings: what is set in `assay.toml`, as `paths.qrels = "qrels.csv"`.
        toml: the new text of that file; None where it stays.
    """

    files: tuple[File, ...]
    settings: tuple[str, ...] = ()
    toml: tuple[Path, str] | None = None


def landing(carried: Carried, workspace: Any, into: str | os.PathLike[str] | None) -> Landing:
    """The place of every table.

    Args:
        carried: the tables.
        workspace: the workspace, when `into` is None: its files and folders are taken, and those that it does not
            name yet are named.
        into: the folder.
    """
    root = Path(into) if into is not None else workspace.root
    runs = root / "runs" if into is not None else workspace.folder("runs")
    files: list[File] = []
    named: dict[tuple[str, str], str] = {}
    for row, block in carried.tables.items():
        setting, name = _NAMES.get(row, ("", f"{_called(row).replace(' ', '-')}.jsonl"))
        path = workspace.file(setting) if into is None and setting else None
        if path is None:
            path = root / name
            if into is None and setting:
                named["paths", setting] = name
        files.append(_file(_called(row), path, row, block))
    taken: set[str] = set()
    for system, block in carried.runs.items():
        files.append(_file(f"run {system}", runs / f"{file_name(system, taken)}.csv", Hit, block))
    if into is None and carried.unlisted == "not-relevant":
        named["conventions", "unlisted"] = carried.unlisted
    if not files:
        raise InputError("holds no rows that could be written", carried.name, "check that it is the file you meant")
    if not named:
        return Landing(tuple(files))
    text, settings = workspace.amended(named)
    return Landing(tuple(files), settings, (workspace.root / "assay.toml", text) if settings else None)


def _file(key: str, path: Path, row: type, block: Block) -> File:
    format = _ENDINGS.get(path.suffix.lower())
    if format is None:
        what = f"{_shown(path)} is named in assay.toml, and an import writes CSV, TSV, JSON lines, Parquet or Arrow"
        raise InputError(what, remedy="name a file that ends in .csv there, or pass --into FOLDER")
    return File(key, path, _shown(path), format, row, block)


def _shown(path: Path) -> str:
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)
    return near if not near.startswith(os.path.join("..", "..", "..")) else str(path)


def _called(row: type) -> str:
    return CALLED.get(row, re.sub(r"(?<!^)(?=[A-Z])", " ", row.__name__).lower() + "s")


def file_name(system: str, taken: set[str]) -> str:
    """A name for the file of a run: never a path, and no two names that a file system takes for one."""
    text = _ODD.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), system)
    text = text.strip(" ").rstrip(".") or "run"
    if text.startswith(".") or _RESERVED.fullmatch(text):
        text = "_" + text
    text = base = text[:_LONGEST]
    number = 2
    while text.casefold() in taken:
        text, number = f"{base}-{number}", number + 1
    taken.add(text.casefold())
    return text


def put(places: Landing, *, force: bool = False) -> None:
    """Writes every file, or none: each is written under a temporary name first, and then all take their names."""
    there = [one.shown for one in places.files if one.path.exists()]
    if there and not force:
        more = [f"{name}: is there already" for name in there[1:]]
        raise InputError("is there already", there[0], "pass --force to write over it, or --into another folder",
                         more=more, count=len(there))  # fmt: skip
    contents = [(one.path, content_of(one.block, one.format, one.row)) for one in places.files]
    if places.toml is not None:
        contents.append((places.toml[0], places.toml[1].encode("utf-8")))
    for path, _ in contents:
        path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        for path, content in contents:
            stack.enter_context(replacing(path)).write(content)
