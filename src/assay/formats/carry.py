"""A file in any format, ours or another tool's, to tables and back."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.errors import SHOWN, InputError, did_you_mean
from assay.files import Source, is_beyond, is_stream, name_of, replacing
from assay.files.addresses import is_object
from assay.formats.carried import OUTSIDE, Carried, Lost, Outside, Unlisted, Wishes
from assay.formats.claims import claims
from assay.formats.gathered import Losses, columns_of, unheld
from assay.formats.outer import CALLED, kind_of, kind_of_columns
from assay.formats.recognise import ALL, content_of, read
from assay.formats.trec_ids import coded, decoded, needs_code
from assay.tables import Block, Document, Hit, Judgment, Topic

OURS = {"trec": "TREC lines", "csv": "CSV", "tsv": "TSV", "jsonl": "JSON lines", "parquet": "Parquet", "arrow": "Arrow"}
"""What our own formats are called."""

_SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
             ".arrow": "arrow", ".ipc": "arrow", ".feather": "arrow", ".qrels": "trec", ".run": "trec", ".trec": "trec",
             ".res": "trec"}  # fmt: skip

DECODE = {"decode": "yes: %20 and the like in ids of TREC lines become what they stand for"}
"""The option of our own TREC lines on reading."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a file holds, and in which format it was read.

    Args:
        carried: the tables.
        format: its name.
        title: for people.
        is_recognised: whether the content told it, and not the user.
        digest: of a table in a lake, the hash of its version; empty for files.
    """

    carried: Carried
    format: str
    title: str
    is_recognised: bool
    digest: str = ""


def read_any(source: Source, format: str | None = None, wishes: Wishes | None = None) -> Found:
    """The tables of a file or folder.

    Args:
        source: a path, `-`, or an open binary file; the address of an object, or of a table in a lake.
        format: the name of an outside format or of one of ours; recognised from the content when None.
        wishes: what the user says about the conversion.
    """
    wishes = wishes or Wishes()
    name = name_of(source)
    if isinstance(source, (str, os.PathLike)) and not is_stream(source):
        if (held := _of_lake(source, format, wishes)) is not None:
            return held
        if not is_object(os.fspath(source)) and not os.path.exists(source):
            raise InputError("there is no such file or folder", name, "check the path")
    outside = _outside(source, format, name)
    if outside is not None:
        outside.check(wishes)
        return Found(outside.read(source, wishes), outside.name, outside.title, format is None)
    return _ours(source, format, wishes, name)


def _outside(source: Source, format: str | None, name: str) -> Outside | None:
    if format in ALL:
        return None
    if format is not None:
        if format not in OUTSIDE:
            known = [*OUTSIDE.names(), *ALL]
            raise InputError(
                f"unknown format {format}{did_you_mean(format, known)}", "--from", f"choose {_list(known)}"
            )
        return OUTSIDE.find(format)
    found = claims(source)
    if len(found) > 1:
        named = " or ".join(one.name for one in found)
        raise InputError(f"fits {len(found)} formats: {named}", name, f"say which: --from {found[0].name}")
    return found[0] if found else None


def _ours(source: Source, format: str | None, wishes: Wishes, name: str) -> Found:
    for option in wishes.options:
        if option not in DECODE:
            raise InputError(f"our own formats have no option {option}", "--option", "leave it out, or say --from")
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        raise InputError(
            "is a folder in no format that assay knows", name, "say which by --from; `assay formats` lists them"
        )
    row, used = kind_of(source, format)
    block = read(source, row, format=used, labels=wishes.labels)
    if wishes.options.get("decode", "no") not in ("no", "false", "0"):
        block = _decoded(block)
    runs = {_stem(source): block} if row is Hit else {}
    unlisted: Unlisted = "not-relevant" if block.unlisted == "not-relevant" else "unjudged"
    carried = Carried(name, {} if row is Hit else {row: block}, runs, facts=block.facts, unlisted=unlisted)
    return Found(carried, used, OURS[used], format is None)


def _of_lake(source: str | os.PathLike[str], format: str | None, wishes: Wishes) -> Found | None:
    """A table in a lake, whose columns say what it holds; None of all else."""
    text = os.fspath(source)
    if not is_beyond(text) and not os.path.isdir(text):
        return None
    from assay.files.lake import found_table, open_table
    from assay.formats.lake_rows import read_table

    address = found_table(source)
    if address is None:
        return None
    name = name_of(source)
    if format is not None or wishes.options:
        said = "--from" if format is not None else "--option"
        raise InputError("is a table of a lake, which is read in one way", said, "leave it out")
    row = kind_of_columns(open_table(address).columns, name)
    held = read_table(source, row, None, wishes.labels if row is Judgment else None)
    assert held is not None  # it was found
    block, digest = held
    place = Path(address.table.rpartition(".")[2] or address.place)
    runs = {_stem(place.parents[1] if place.name.endswith(".metadata.json") else place): block} if row is Hit else {}
    carried = Carried(name, {} if row is Hit else {row: block}, runs, facts=block.facts)
    title = {"delta": "a Delta table", "iceberg": "an Iceberg table"}[address.kind]
    return Found(carried, address.kind, title, True, digest)


def _decoded(block: Block) -> Block:
    held = {name: list(values) for name, values in columns_of(block).items()}
    for name in ("query_id", "doc_id"):
        if name in held:
            held[name] = [decoded(one) for one in held[name]]
    return replace(block, frame=held)


def _stem(source: Source) -> str:
    name = Path(name_of(source)).name
    while Path(name).suffix.lower() in (*_SUFFIXES, ".gz", ".zst", ".txt") and Path(name).stem:
        name = Path(name).stem
    return name if name and name != "-" else "run"


def format_for(target: str | os.PathLike[str]) -> str | None:
    """The one of our own formats that the ending of a file says, or None."""
    return _SUFFIXES.get(Path(target).suffix.lower())


def write_any(
    carried: Carried, target: str | os.PathLike[str], format: str, wishes: Wishes | None = None
) -> tuple[Lost, ...]:
    """Writes tables in a format, ours or another tool's; what has no place there comes back."""
    wishes = wishes or Wishes()
    if format in ALL:
        return _write_ours(carried, target, format)
    if format not in OUTSIDE:
        known = [*(name for name in OUTSIDE.names() if OUTSIDE.find(name).write is not None), *ALL]
        raise InputError(f"unknown format {format}{did_you_mean(format, known)}", "--to", f"choose {_list(known)}")
    outside = OUTSIDE.find(format)
    outside.check(wishes)
    if outside.write is None:
        others = [one for one in OUTSIDE.names() if OUTSIDE.find(one).write is not None]
        raise InputError(f"{outside.title} is only read", "--to", f"formats that are written: {_list([*others, *ALL])}")
    return outside.write(carried, target, wishes)


def _write_ours(carried: Carried, target: str | os.PathLike[str], format: str) -> tuple[Lost, ...]:
    """One table: the judgments, else the one run, else the topics, else the documents. The others are lost."""
    row, block = principal(carried, format)
    why = "such a file holds one table; `assay import --into FOLDER` writes all"
    lost = {
        other: Lost(_called(other), len(table), why) for other, table in carried.tables.items() if table is not block
    }
    runs = [Lost(f"hits of the run {name}", len(run), why) for name, run in carried.runs.items() if run is not block]
    more: list[Lost] = []
    if row is Hit and block.empty:
        why = "a file with one row a hit cannot say it; the run lacks them then, which counts 0 as before"
        more.append(Lost("queries that returned nothing", len(block.empty), why))
    names: Path | None = None
    if format == "trec":
        if row is Judgment:
            _one_grade(block, carried.name)
            losses = Losses()
            unheld(carried, Judgment, ("query_id", "doc_id", "grade", "subtopic"), "a TREC line", losses)
            more += losses.all()
        block, ids = _coded(block)
        if ids and Topic in carried.tables and os.fspath(target) != "-":
            names = Path(f"{os.fspath(target)}.topics.csv")
            del lost[Topic]
            ids = replace(ids, why=f"{ids.why}; {name_of(names)} has the text of each query")
        more += [ids] if ids else []
    with contextlib.ExitStack() as stack:
        if names is not None:
            topics, _ = _coded(carried.tables[Topic], ("query_id",))
            stack.enter_context(replacing(names)).write(content_of(topics, "csv", Topic))
        stack.enter_context(replacing(target)).write(content_of(block, format, row))
    return (*lost.values(), *runs, *more)


def _one_grade(block: Block, name: str) -> None:
    """Refuses judgments of which TREC lines would hold one pair several times, with different grades."""
    held = columns_of(block)
    first: dict[tuple[Any, ...], tuple[int, float]] = {}
    wrong: list[tuple[int, int]] = []
    pairs = zip(*(held[key] for key in ("query_id", "doc_id", "subtopic") if key in held), strict=True)
    for at, (pair, grade) in enumerate(zip(pairs, held["grade"], strict=True)):
        row, known = first.setdefault(pair, (at, grade))
        if known != grade:
            wrong.append((row, at))
    if wrong:
        (row, at), *others = wrong
        what = f"query {held['query_id'][at]} and document {held['doc_id'][at]} have the grades"
        raise InputError(
            f"{what} {held['grade'][row]:g} and {held['grade'][at]:g}, and qrels hold one", block.place(at),
            "keep one rater and dimension, or write CSV; `assay judgments export` joins the raters of a project",
            more=[f"{block.place(i)}: so has document {held['doc_id'][i]}" for _, i in others[: SHOWN - 1]],
            count=len(wrong),
        )  # fmt: skip


def _coded(block: Block, names: tuple[str, ...] = ("query_id", "doc_id")) -> tuple[Block, Lost | None]:
    """Ids as TREC lines can hold them."""
    held = {name: list(values) for name, values in columns_of(block).items()}
    found = {one for name in names for one in held.get(name, ()) if needs_code(one)}
    if not found:
        return block, None
    for name in names:
        if name in held:
            held[name] = [coded(one) for one in held[name]]
    why = (
        f"white space cuts TREC lines, so they are written as {coded(min(found))}; --option decode=yes reads them back"
    )
    return replace(block, frame=held), Lost("ids with white space, as they are", len(found), why)


def principal(carried: Carried, format: str) -> tuple[type, Block]:
    """The table that a file of our own holds, of several."""
    if Judgment in carried.tables:
        return Judgment, carried.tables[Judgment]
    if len(carried.runs) == 1:
        return Hit, next(iter(carried.runs.values()))
    if carried.runs:
        named = ", ".join(carried.runs)
        raise InputError(f"holds {len(carried.runs)} runs: {named}", carried.name, "give a folder: assay import --into")
    for row in (Topic, Document):
        if row in carried.tables:
            return row, carried.tables[row]
    raise InputError(f"holds no rows for {OURS[format]}", carried.name, "choose another format by --to")


def _called(row: type) -> str:
    return CALLED.get(row, row.__name__.lower() + "s")


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def options_of(format: str) -> Mapping[str, Any]:
    """The options that a format has."""
    return DECODE if format in ALL else OUTSIDE.find(format).options
