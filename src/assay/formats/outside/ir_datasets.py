"""A folder of what `ir_datasets export` prints: docs, queries, qrels and scoreddocs.

Documents and queries are TSV without a header and without quoting, or JSON lines; qrels and scoreddocs are TREC lines.
"""

from __future__ import annotations

import os
from typing import Any

from assay.errors import InputError
from assay.files import Source, first_of, making, name_of, names_in, spelled
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Losses, columns_of, one_run, table, unheld, untaken
from assay.formats.nested import read_lines, to_json_line
from assay.formats.tabbed import Tabbed
from assay.formats.trec import format_qrels, format_run, read_qrels, read_run
from assay.tables import Block, Document, Hit, Judgment, Topic

TITLE = "an ir_datasets folder"
_NAMES = {
    "docs": ("docs.jsonl", "docs.tsv"),
    "queries": ("queries.jsonl", "queries.tsv"),
    "qrels": ("qrels.txt", "qrels.trec", "qrels.qrels", "qrels"),
    "scoreddocs": ("scoreddocs.txt", "scoreddocs.trec", "scoreddocs.run", "scoreddocs"),
}
_TEXT = ("text", "body", "contents", "abstract")


def read(source: Source, wishes: Wishes) -> Carried:
    """Whatever of the four is there."""
    name = name_of(source)
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(f"{TITLE} is a folder", name, "give its path")
    names_in(source)
    losses, tables, runs = Losses(name), dict[type, Block](), dict[str, Block]()
    for part, names in _NAMES.items():
        path = first_of(source, names)
        if path is None:
            continue
        if part == "qrels":
            tables[Judgment] = read_qrels(path)
        elif part == "scoreddocs":
            runs[wishes.options.get("run", "scoreddocs")] = read_run(path)
        else:
            row = Document if part == "docs" else Topic
            rows = _lines(path, row, losses) if ".jsonl" in os.path.basename(path) else _tsv(path, row, wishes, losses)
            tables[row] = rows.block()
    if not tables and not runs:
        first = ", ".join(names[0] for names in _NAMES.values())
        raise InputError("holds none of ir_datasets' parts", name, f"save what `ir_datasets export` prints as {first}")
    return Carried(name, tables, runs, losses.all())


def _lines(path: str, row: type, losses: Losses) -> Gathered:
    key = "doc_id" if row is Document else "query_id"
    rows = Gathered(row, spelled(path), key, *(("title",) if row is Document else ()), "text")
    known = frozenset((key, "title", *_TEXT) if row is Document else (key, *_TEXT))
    for node in read_lines(path, f'{{"{key}": ID, "text": TEXT}} a line'):
        losses.rest(node, known, "a document" if row is Document else "a query")
        text = node.get(*_TEXT)
        title = node.get("title") if row is Document else None
        cells: list[Any] = [node.need(key).id()]
        if row is Document:
            cells.append(title.text() if title is not None else "")
        rows.add(node, *cells, text.text() if text is not None else "")
    return rows


def _tsv(path: str, row: type, wishes: Wishes, losses: Losses) -> Gathered:
    key = "doc_id" if row is Document else "query_id"
    lines = Tabbed(path)
    width = len(lines.first())
    said = wishes.options.get("doc-fields" if row is Document else "query-fields")
    fields = [one.strip() for one in said.split(",")] if said else [key, "text"]
    if len(fields) != width:
        option = "doc-fields" if row is Document else "query-fields"
        what = f"has {width} columns and no header, where {', '.join(fields)} are {len(fields)}"
        raise InputError(what, f"{lines.name}:1", f"name its columns, such as --option {option}={key},title,text")
    if key not in fields or "text" not in fields:
        raise InputError(f"among {', '.join(fields)} is no {key} or no text", lines.name, f"name them {key} and text")
    kept = [one for one in fields if one in (key, "text") or (row is Document and one == "title")]
    rows = Gathered(row, lines.name, *kept)
    for at, cells in lines.rows(fields):
        rows.add(at, *(cells[fields.index(one)] for one in kept))
    for one in fields:
        if one not in kept:
            what = f"{one} of {'documents' if row is Document else 'queries'}"
            losses.add(what, "assay's tables have no place for it", count=len(rows))
    return rows


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A new folder: docs.jsonl, queries.jsonl, qrels.txt, scoreddocs.txt, as far as there are such rows."""
    losses = Losses(carried.name)
    contents: dict[str, bytes] = {}
    if Document in carried.tables:
        held = table(carried, Document, TITLE)
        rows = zip(held["doc_id"], held["title"], held["text"], strict=True)
        lines = [to_json_line({"doc_id": doc, "title": title, "text": text}) for doc, title, text in rows]
        contents["docs.jsonl"] = "".join(lines).encode("utf-8")
        unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    if Topic in carried.tables:
        held = table(carried, Topic, TITLE)
        rows_of = zip(held["query_id"], held["text"], strict=True)
        contents["queries.jsonl"] = "".join(to_json_line({"query_id": q, "text": t}) for q, t in rows_of).encode(
            "utf-8"
        )
        unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    if Judgment in carried.tables:
        contents["qrels.txt"] = format_qrels(columns_of(carried.tables[Judgment]))
        unheld(carried, Judgment, ("query_id", "doc_id", "grade", "subtopic"), TITLE, losses)
    if carried.runs:
        _, block = one_run(carried, TITLE, wishes.options.get("run", ""))
        contents["scoreddocs.txt"] = format_run(columns_of(block))
        if block.empty:
            losses.add(
                "queries that returned nothing", "TREC lines hold returned documents only", count=len(block.empty)
            )
    if not contents:
        raise InputError(
            "holds nothing that has a place in an ir_datasets folder", carried.name, "give topics or judgments"
        )
    untaken(carried, (Document, Topic, Judgment, Hit), TITLE, losses)
    with making(target) as folder:
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    return losses.all()


def _is_export(inside: tuple[str, ...]) -> bool:
    names = {name.removesuffix(".gz").removesuffix(".zst") for name in inside}
    has = {part for part, known in _NAMES.items() if names & set(known)}
    return "docs" in has and bool(has & {"queries", "qrels"})


register(
    Outside(
        "ir_datasets", "ir_datasets export (a folder of docs, queries, qrels, scoreddocs)",
        (Document, Topic, Judgment, Hit), read, write, lambda look: _is_export(look.inside),
        {"doc-fields": "the columns of docs.tsv in order, when they are not doc_id,text",
         "query-fields": "the columns of queries.tsv in order, when they are not query_id,text",
         "run": "what the run of scoreddocs is called; which run, when it is written"},
        "https://ir-datasets.com/cli.html",
    )
)  # fmt: skip
