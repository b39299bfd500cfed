"""Which format a file has, from its content; the reader and the writer for it."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean
from assay.files import Source, is_empty, is_stream, name_of, open_bytes, read_bytes, replacing
from assay.formats.columns import ARROW_FILE, ARROW_STREAM, FORMATS, PARQUET, read_columns, to_bytes
from assay.formats.trec import QRELS, RUN, parse_qrels, parse_run
from assay.label_maps import LabelMap
from assay.tables import Block, Document, Hit, Judgment, Topic, as_table
from assay.tables.names import has_known_name
from assay.tables.values import NUMBER

if TYPE_CHECKING:
    import polars as pl

ALL = ("trec", *FORMATS)
_HEAD = 1 << 16
_LOOK = 100

_HELD: dict[type, str] = {Hit: "runs", Judgment: "judgments", Topic: "topics", Document: "documents"}
"""What the rows are called in messages."""


def read(
    source: Source,
    row: type,
    format: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    labels: LabelMap | None = None,
) -> Block:
    """The rows of a file, checked, in whatever format it is.

    Args:
        source: a path, `-`, or an open binary file; `.gz` and `.zst` are unpacked.
        row: the class of the rows: `Hit`, `Judgment`, `Topic` or `Document`.
        format: one of `ALL`, or an outside format such as `quepid-book` or `beir:split=test`; recognised from the
            content when None: ours where it can be read so, else the one outside format that claims the file.
        columns: field to column where a column has a name of its own, or `query_id=qid,doc_id=sku`.
        labels: how labels become grades, where the rows are judgments.
    """
    from assay.formats import outer

    if outer.is_outside(source, row, format, columns):
        return outer.read_rows(source, row, format, labels)
    name = name_of(source)
    chosen = _chosen(columns)
    data = read_bytes(source)
    found = _known(format, row, name) if format else _recognised(data[:_HEAD], len(data) > _HEAD, row, name, chosen)
    if row is Judgment and labels is not None:
        from assay.formats.labelled import read_labelled

        return _meant(read_labelled(data, found, name, chosen, labels), row, data, found)
    try:
        return _meant(_ours(data, row, found, name, chosen), row, data, found)
    except InputError as error:
        other = None if format or columns else outer.sole(source, row)
        if other is not None:  # such as a Quepid export, in which a rating may be empty
            return outer.read_rows(source, row, None, labels)
        from assay.formats.labelled import about_words

        raise about_words(error) from None


def _meant(block: Block, row: type, data: bytes, format: str) -> Block:
    if row is not Judgment or format == "trec":
        return block
    from assay.formats.relevant_only import meant

    return meant(block, data, format)


def _ours(data: bytes, row: type, found: str, name: str, chosen: Mapping[str, str] | None) -> Block:
    if found != "trec":
        return read_columns(name, row, found, chosen, data=data)
    if chosen:
        raise InputError(
            "TREC lines have no column names", name, "leave --columns out, or pass --input-format csv or tsv"
        )
    return parse_run(data, name) if row is Hit else parse_qrels(data, name)


def recognise(source: Source, row: type, columns: Mapping[str, str] | str | None = None) -> str:
    """The name of the format, see `ALL`; what is read here of standard input can still be read."""
    name = name_of(source)
    stream = open_bytes(source)
    peek = getattr(stream, "peek", None)
    head = peek(_HEAD) if peek else b""
    if isinstance(source, (str, os.PathLike)) and not is_stream(source):
        stream.close()
    if not head:
        raise is_empty(source)
    return _recognised(head[:_HEAD], len(head) >= _HEAD, row, name, _chosen(columns))


def first_lines(source: Source) -> list[str]:
    """The first lines of a text file that are not blank; none of a folder or a binary file."""
    stream = open_bytes(source)
    peek = getattr(stream, "peek", None)
    head = peek(_HEAD) if peek else b""
    if isinstance(source, (str, os.PathLike)) and not is_stream(source):
        stream.close()
    return _lines(head[:_HEAD], len(head) >= _HEAD, name_of(source))[0]


def _chosen(columns: Mapping[str, str] | str | None) -> Mapping[str, str] | None:
    if not isinstance(columns, str):
        return columns or None
    from assay.tables.names import parse_columns

    return parse_columns(columns)


def _known(format: str, row: type, name: str) -> str:
    if format not in ALL:
        raise InputError(
            f"unknown format {format}{did_you_mean(format, ALL)}", "--input-format", f"choose {', '.join(ALL)}"
        )
    if format == "trec" and row not in (Hit, Judgment):
        raise InputError(
            f"{_HELD.get(row, 'such rows')} have no TREC form", name, f"choose --input-format {', '.join(FORMATS)}"
        )
    return format


def _recognised(head: bytes, is_cut: bool, row: type, name: str, chosen: Mapping[str, str] | None) -> str:
    if head.startswith(PARQUET):
        return "parquet"
    if head.startswith((ARROW_FILE, ARROW_STREAM)):
        return "arrow"
    lines, number = _lines(head, is_cut, name)
    if not lines:
        raise InputError("holds nothing but blank lines", name, "write it anew")
    if lines[0].lstrip().startswith("{"):
        _check_lines(lines, name, row)
        return "jsonl"
    if lines[0].lstrip().startswith("["):
        remedy = "write one JSON object a line, without the brackets around them, or say which format by --input-format"
        raise InputError("is a JSON list, not JSON lines", f"{name}:{number}", remedy)
    return _text_format(lines, number, row, name, chosen)


_OPEN = ("{", "[", ",")
"""How the first line of one JSON object ends that stands on several lines."""

_MAP = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*-?[0-9]|\})')
"""The beginning of an object of queries to documents to numbers."""

_MAPS: dict[type, str] = {Judgment: "ranx-qrels", Hit: "ranx-run"}
"""The format of such objects, by what they hold."""


def _check_lines(lines: list[str], name: str, row: type) -> None:
    """Refuses one JSON object of a whole table, which no reader of lines can take for one."""
    if _is_map(lines):
        format = _MAPS.get(row, "ranx-run where it is a run, ranx-qrels where it holds judgments")
        raise InputError("is one JSON object of queries, documents and numbers, which several tools write alike", name,
                         f"say which by --input-format {format}")  # fmt: skip
    if len(lines) > 1 and lines[0].rstrip().endswith(_OPEN) and not lines[1].startswith("{"):
        raise InputError("is one JSON object on several lines, in no format that is recognised", name,
                         "say which by --input-format, or write one JSON object a line")  # fmt: skip


def _is_map(lines: list[str]) -> bool:
    if not _MAP.match("\n".join(lines)):
        return False
    if lines[0].rstrip().endswith(_OPEN):
        return True
    import json

    try:
        held = json.loads(lines[0])
    except (ValueError, RecursionError):
        return len(lines) == 1  # cut: the rest of a long line
    return all(isinstance(one, dict) for one in held.values())


def _lines(head: bytes, is_cut: bool, name: str) -> tuple[list[str], int]:
    """The first lines that are not blank, and the number of the first of them."""
    from assay.formats.encoding import glance

    text = glance(head, name)
    if is_cut:  # the last line is not whole
        text = text[: text.rfind("\n") + 1] or text
    found: list[str] = []
    first = 1
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        if line.strip():
            first = first if found else number
            found.append(line.rstrip("\n"))
            if len(found) == _LOOK:
                break
    return found, first


def _text_format(lines: list[str], number: int, row: type, name: str, chosen: Mapping[str, str] | None) -> str:
    data = [line.split() for line in lines if not line.lstrip().startswith("#")]
    is_trec = bool(data) and not chosen and _is_trec(data[0], row)
    is_header = has_known_name(lines[0])
    if is_trec and not is_header:
        return "trec"
    from assay.formats.delimited import SEPARATORS, ambiguous, best_guess, shapes

    ways = [shape.format for shape in shapes(lines[0], row, chosen, "".join(SEPARATORS.values()))]
    if is_trec:
        ways.append("trec")
    if len(set(ways)) > 1:
        raise ambiguous(name, number, [_way(way) for way in dict.fromkeys(ways)])
    if ways:
        return ways[0]
    # Nothing fits. The format that was probably meant says what is wrong, and where.
    guess = best_guess(lines[0], "".join(SEPARATORS.values()))
    share = sum(_is_trec(fields, row) for fields in data) / max(1, len(data))
    could_be_trec = row in (Hit, Judgment) and not chosen
    is_cut_by_blanks = bool(data) and len(data[0]) > 1
    if could_be_trec and (share >= 0.5 or guess is None or (is_cut_by_blanks and not is_header)):
        return "trec"
    if guess is not None:
        return guess.format
    raise InputError(
        f"is in no format that holds {_HELD.get(row, 'such rows')}",
        f"{name}:{number}",
        "give CSV, TSV, JSON lines, Parquet or Arrow with named columns",
    )


def _way(format: str) -> str:
    return {"trec": "TREC lines", "csv": "CSV", "tsv": "TSV"}[format]


def _is_trec(fields: list[str], row: type) -> bool:
    if row is Hit:
        return len(fields) >= len(RUN) and fields[3].isdigit() and bool(NUMBER.fullmatch(fields[4]))
    return row is Judgment and len(fields) == len(QRELS) and bool(NUMBER.fullmatch(fields[3]))


def write(table: Any, target: str | os.PathLike[str], format: str, row: type | None = None) -> None:
    """Writes rows whole or not at all.

    Args:
        table: a `Block`, or what `as_table` takes.
        target: a path, or `-`.
        format: one of `ALL`.
        row: the class of the rows; known from the columns of a block or frame when None.
    """
    name = os.fspath(target)
    row = row or _row_of(table, name)
    frame = as_table(table, row)
    _known(format, row, name)
    content = _content(frame, format, row)
    with replacing(target) as file:
        file.write(content)


def content_of(block: Block, format: str, row: type) -> bytes:
    """Checked rows as the content of a file."""
    return _content(as_table(block, row), format, row)


def _content(frame: pl.DataFrame, format: str, row: type) -> bytes:
    if format != "trec":
        return to_bytes(frame, format)
    from assay.formats.trec import format_qrels, format_run

    return (format_run if row is Hit else format_qrels)(frame.to_dict(as_series=False))


def _row_of(table: Any, name: str) -> type:
    from assay.tables import Document, Topic

    columns = set(getattr(table, "columns", ()))
    if "doc_id" in columns and "query_id" in columns:
        return Judgment if "grade" in columns else Hit
    if columns:
        return Document if "doc_id" in columns else Topic
    raise InputError("which rows these are is not known", name, "say row=Hit, Judgment, Topic or Document")
