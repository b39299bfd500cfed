"""Where our own formats end and those of other tools begin: which reader a file gets, and which table it holds."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.errors import InputError
from assay.files import Source, is_stream, name_of, open_bytes
from assay.formats.carried import OUTSIDE, Carried, Outside, Wishes, in_words
from assay.formats.claims import claims
from assay.formats.recognise import ALL, first_lines, recognise
from assay.formats.relevant_only import HEADER as BEIR
from assay.formats.trec import QRELS, RUN
from assay.label_maps import LabelMap
from assay.tables import Block, Document, Hit, Judgment, Pair, Topic
from assay.tables.names import match

KINDS: tuple[type, ...] = (Judgment, Hit, Topic, Document)
"""The tables that a file of our own may be, in the order in which they are tried."""

_HEAD = 1 << 16


def is_outside(source: Source, row: type, format: str | None, columns: Any = None) -> bool:
    """Whether a file is read as another tool's: that is said, or another format claims it and it is none of ours."""
    if format is not None:
        return format.partition(":")[0] not in ALL
    if columns:
        return False
    return not _is_ours(source, row) and sole(source, row) is not None


def _is_ours(source: Source, row: type) -> bool:
    if isinstance(source, (str, os.PathLike)) and not is_stream(source) and not os.path.isfile(source):
        return not os.path.isdir(source)  # what is not there is said by the reader
    try:
        found = recognise(source, row)
        return found != "jsonl" or fits(source, row, found)
    except InputError:
        return False


def sole(source: Source, row: type) -> Outside | None:
    """The one outside format that claims a file and holds such rows."""
    try:
        found = [one for one in claims(source) if row in one.holds]
    except (InputError, OSError):  # its reader says what is wrong with it
        return None
    return found[0] if len(found) == 1 else None


def read_rows(source: Source, row: type, format: str | None, labels: LabelMap | None = None) -> Block:
    """One table of a file of another tool; what is not carried over stands among the facts of the block.

    Args:
        source: the file or folder.
        row: the class of the rows.
        format: such as `quepid-book`, or with options `beir:split=test`; the one that claims the file when None.
        labels: how labels become grades.
    """
    name = name_of(source)
    outside, options = named(format) if format else (sole(source, row), {})
    assert outside is not None  # a sole one was found
    wishes = Wishes(labels, options)
    outside.check(wishes)
    try:
        carried = outside.read(source, wishes)
    except InputError as error:
        raise _as_typed(error, outside.name, is_said=format is not None) from None
    block = _table(carried, row, outside, name, options)
    facts = [f"{name}: read as {outside.title}"] if format is None else []
    facts += [*carried.facts, *(in_words(lost, name) for lost in carried.lost)]
    meant = "not-relevant" if row is Judgment and carried.unlisted == "not-relevant" else ""
    return replace(block, facts=tuple(dict.fromkeys((*facts, *block.facts))), unlisted=meant)


def _as_typed(error: InputError, format: str, *, is_said: bool) -> InputError:
    """The complaint with the option that the reading verbs have, where the format has one that mends it."""
    remedy = re.sub(r"--option (\w+)=", rf"--input-format {format}:\1=", error.remedy)
    if remedy == error.remedy:
        return error
    if is_said:  # perhaps of all inputs, while it is the format of one
        remedy += f"; where only another input is in this format, --input-format INPUT={format}"
    return InputError(error.what, error.where, remedy, line=error.line, more=error.more, count=error.count,
                      is_least=error.is_least)  # fmt: skip


def named(format: str) -> tuple[Outside, dict[str, str]]:
    """`beir:split=test,other=1` as the format and its options."""
    name, _, rest = format.partition(":")
    if name in ALL:
        raise InputError(f"{name} takes no options, and {rest!r} was given", "--input-format",
                         f"write {name} alone; --columns says which column holds what")  # fmt: skip
    if name not in OUTSIDE:
        from assay.errors import did_you_mean

        known = [*ALL, *OUTSIDE.names()]
        raise InputError(f"unknown format {name}{did_you_mean(name, known)}", "--input-format",
                         f"choose {', '.join(ALL)}, or one of those that `assay formats` lists")  # fmt: skip
    options: dict[str, str] = {}
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise InputError(f"'{part}' is not OPTION=VALUE", "--input-format", f"write {name}:OPTION=VALUE")
        options[key.strip()] = value.strip()
    return OUTSIDE.find(name), options


def _table(carried: Carried, row: type, outside: Outside, name: str, options: Mapping[str, str]) -> Block:
    if row is not Hit:
        if row not in carried.tables:
            raise InputError(f"{outside.title} holds no {CALLED.get(row, 'such rows')} here", name, _holds(carried))
        return carried.tables[row]
    if len(carried.runs) != 1:
        what = f"holds {len(carried.runs)} runs: {', '.join(carried.runs)}" if carried.runs else "holds no run"
        raise InputError(what, name, f"write them apart first: assay import {name} --from {outside.name} --into FOLDER")
    return next(iter(carried.runs.values()))


CALLED: Mapping[type, str] = {Hit: "runs", Judgment: "judgments", Topic: "topics", Document: "documents"}
"""What the tables are called."""


def _holds(carried: Carried) -> str:
    held = [CALLED.get(row, row.__name__.lower() + "s") for row in carried.tables] + ["runs"] * bool(carried.runs)
    return f"it holds {' and '.join(held)}" if held else "it holds nothing"


def kind_of(source: Source, format: str | None = None) -> tuple[type, str]:
    """What a file of our own formats holds (the class of its rows), and its format, from its first line or schema.

    Raises:
        InputError: the file fits no table.
    """
    complaints: list[InputError] = []
    tried: set[str] = set()
    for row in KINDS:
        try:
            found = format or recognise(source, row)
        except InputError as error:
            complaints.append(error)
            continue
        if fits(source, row, found):
            return row, found
        tried.add(found)
    if len({error.what for error in complaints}) == 1 and not tried:  # it is the file's own fault
        one = complaints[-1]
        raise InputError(one.what, one.where, one.remedy.replace("--input-format", "--from"), line=one.line)
    remedy = "say which by --from; `assay formats` lists them"
    if tried & {"csv", "tsv"}:
        remedy += ". Or name its columns as assay does: query_id, doc_id, grade"
    raise InputError("is in no format that assay knows", name_of(source), remedy)


def kind_of_columns(columns: Sequence[str], name: str) -> type:
    """What a table with these columns holds, as the class of its rows.

    Raises:
        InputError: it is none that assay knows.
    """
    found = next((row for row in KINDS if _fit(columns, row)), None)
    if found is None:
        raise InputError(f"has the columns {', '.join(columns[:9])}, which are no judgments, run, topics or documents",
                         name, "name its columns as assay does: query_id, doc_id, grade")  # fmt: skip
    return found


def fits(source: Source, row: type, format: str) -> bool:
    """Whether the names of the columns, or the fields of the first line, are those of a table."""
    if format in ("parquet", "arrow"):
        return _fit(_schema(source, format), row)
    lines = first_lines(source)
    if not lines:
        return False
    if format == "trec":
        if all(line.count("\t") == 1 for line in lines):  # an id and a text with blanks in it
            return False
        width = len(next((line for line in lines if not line.lstrip().startswith("#")), "").split())
        return width >= len(RUN) if row is Hit else row is Judgment and 2 < width < len(RUN)
    if format == "jsonl":
        import json

        try:
            found = json.loads(lines[0])
        except (ValueError, RecursionError):
            return True  # the reader says what is wrong with it
        return isinstance(found, dict) and _fit(list(found), row)
    import csv

    cells = next(csv.reader([lines[0]], delimiter=_separator(lines[0], format)), [])
    return _fit(cells, row) or (row is Topic and len(cells) == len(QRELS) - 2 and format == "tsv")


def _separator(line: str, format: str) -> str:
    return "\t" if format == "tsv" else max(",;|", key=line.count)


def _fit(names: Sequence[str], row: type) -> bool:
    try:
        held = match(names, row, "")
    except InputError:
        return False
    if tuple(one.strip().casefold() for one in names) == BEIR:
        return row is Judgment
    if held.missing or (row is Topic and len(held.fields) < 2):
        return False
    if row is Document and len(held.fields) < 2 and _names_pairs(names):
        return False
    if row is Judgment:  # `score` is a grade only where nothing says that this is a run
        grade = names[held.fields["grade"]].casefold()
        return grade != "score" and not {one.casefold() for one in names} & {"rank", "position"}
    return True


def _names_pairs(names: Sequence[str]) -> bool:
    """Whether a column names queries and another documents: such rows say something about pairs."""
    try:
        return not match(names, Pair, "").missing
    except InputError:
        return False


def _schema(source: Source, format: str) -> list[str]:
    import io

    import polars as pl

    from assay.formats.columns import read_frame
    from assay.formats.damaged import decoded

    with open_bytes(source) as stream:
        data = stream.read()

    def names() -> list[str]:
        held = io.BytesIO(data)
        return list(pl.read_parquet_schema(held) if format == "parquet" else pl.read_ipc_schema(held))

    try:
        return decoded(names, name_of(source), format)
    except InputError:  # an Arrow stream, or a damaged file: the reader says what is wrong
        return read_frame(data, name_of(source), format).columns
