"""A BEIR folder: `corpus.jsonl`, `queries.jsonl` and `qrels/SPLIT.tsv`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.files import Source, first_of, making, name_of, names_in, spelled
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import (
    Gathered,
    Grades,
    Losses,
    absent,
    columns_of,
    gathered,
    many,
    pairs,
    table,
    texts,
    unheld,
    untaken,
)
from assay.formats.nested import Node, number, read_lines, to_json_line
from assay.formats.tabbed import Tabbed, cell
from assay.tables import Document, Judgment, Topic

TITLE = "a BEIR folder"
_QRELS = ("query-id", "corpus-id", "score")
_ENTRY = frozenset(("_id", "text", "title", "metadata"))
_USUAL = "test"


def read(source: Source, wishes: Wishes) -> Carried:
    """Documents and queries where they are there, and the judgments of one split."""
    folder = _folder(source)
    name = name_of(source)
    losses, facts = Losses(name), list[str]()
    grades = Grades(wishes.labels)
    path, split = _split(folder, wishes.options.get("split"))
    judged, said = _judgments(path, grades)
    facts += said
    topics, documents = Gathered(Topic, "", "query_id", "text"), Gathered(Document, "", "doc_id", "title", "text")
    queries, corpus = first_of(folder, ("queries.jsonl",)), first_of(folder, ("corpus.jsonl",))
    if queries is not None:
        topics = _queries(queries, losses)
    else:
        facts.append(f"{name}: has no queries.jsonl, so queries have no text")
    if corpus is not None:
        documents = _documents(corpus, losses)
    tables = gathered(topics, judged, documents)
    unlisted, why = absent(tables[Judgment], spelled(path))
    return Carried(name, tables, lost=losses.all(), facts=(*facts, *_counts(tables, name), *why), unlisted=unlisted,
                   more={"split": split})  # fmt: skip


def _folder(source: Source) -> str:
    if not isinstance(source, (str, os.PathLike)) or os.fspath(source) == "-":
        raise InputError(f"{TITLE} cannot be read from standard input", name_of(source), "give the folder")
    return os.fspath(source)


def _split(folder: str, wanted: str | None) -> tuple[str, str]:
    names_in(folder)
    inside = os.path.join(folder, "qrels")
    if not os.path.isdir(inside):
        remedy = "give the folder that holds corpus.jsonl, queries.jsonl and the folder qrels"
        raise InputError("has no folder qrels", spelled(folder), remedy)
    splits = sorted({one.split(".tsv")[0] for one in names_in(inside) if ".tsv" in one})
    if not splits:
        raise InputError("holds no file SPLIT.tsv", spelled(inside), "write the judgments to qrels/test.tsv")
    split = wanted or (_USUAL if _USUAL in splits else splits[0] if len(splits) == 1 else None)
    if split is None:
        raise InputError(
            "holds several splits", spelled(inside), f"choose one by --option split=NAME: {', '.join(splits)}"
        )
    path = first_of(inside, (f"{split}.tsv",))
    if path is None:
        raise InputError(f"has no split {split}{did_you_mean(split, splits)}", spelled(inside),
                         f"the splits are {', '.join(splits)}")  # fmt: skip
    return path, split


def _judgments(path: str, grades: Grades) -> tuple[Gathered, list[str]]:
    lines = Tabbed(path)
    first = lines.first()
    has_header = not _is_number(first[-1])
    facts = list(lines.facts)
    if not has_header:
        facts.append(
            f"{lines.name}: has no header; BEIR's own loader would lose its first judgment, which is read here"
        )
    judged = Gathered(Judgment, lines.name, "query_id", "doc_id", "grade")
    for at, (query, doc, score) in lines.rows(_QRELS, header=has_header):
        judged.add(at, query, doc, grades(score, at, lines.name))
    if not len(judged):
        raise InputError("has a header and no rows", f"{lines.name}:1", "write it anew, or leave it out")
    return judged, facts


def _is_number(text: str) -> bool:
    return text.strip().lstrip("+-").replace(".", "", 1).isdigit()


def _queries(path: str, losses: Losses) -> Gathered:
    shape = '{"_id": ID, "text": TEXT} a line'
    found = list(read_lines(path, shape))
    segments: dict[str, None] = {}
    for node in found:
        metadata = node.get("metadata")
        if metadata is not None:
            for key, value in metadata.members():
                if isinstance(value.value, (dict, list)):
                    if value.value:
                        losses.add("nested metadata of queries", "a segment is one text", value)
                elif key not in ("query_id", "text"):
                    segments[key] = None
    topics = Gathered(Topic, spelled(path), "query_id", "text", *segments)
    for node in found:
        losses.rest(node, _ENTRY, "a query")
        metadata = node.get("metadata")
        held: Mapping[str, Any] = metadata.dict() if metadata is not None else {}
        topics.add(node, node.need("_id").id(), node.need("text").text(), *(_plain(held.get(key)) for key in segments))
    return topics


def _plain(value: Any) -> str | None:
    return None if value is None or isinstance(value, (dict, list)) else str(value)


def _documents(path: str, losses: Losses) -> Gathered:
    documents = Gathered(Document, spelled(path), "doc_id", "title", "text")
    for node in read_lines(path, '{"_id": ID, "title": TEXT, "text": TEXT} a line'):
        losses.rest(node, _ENTRY, "a document")
        if node.value.get("metadata"):
            losses.add("metadata of documents", "a document has a title and a text", node)
        documents.add(node, node.need("_id").id(), _text(node, "title"), _text(node, "text"))
    return documents


def _text(node: Node, key: str) -> str:
    found = node.get(key)
    return found.text() if found is not None else ""


def _counts(tables: Mapping[type, Any], name: str) -> list[str]:
    facts = []
    judged = columns_of(tables[Judgment])
    if Topic in tables:
        asked, known = set(judged["query_id"]), set(columns_of(tables[Topic])["query_id"])
        if without := len(known - asked):
            facts.append(
                f"{name}: of {many(len(known), 'query', 'queries')}, {without:,} without a judgment in this split; "
                "BEIR leaves those out"
            )
        if unknown := len(asked - known):
            facts.append(f"{name}: {many(unknown, 'judged query is', 'judged queries are')} not in queries.jsonl")
    if Document in tables:
        known = set(columns_of(tables[Document])["doc_id"])
        if missing := len(set(judged["doc_id"]) - known):
            facts.append(f"{name}: {many(missing, 'judged document is', 'judged documents are')} not in corpus.jsonl")
    return facts


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A new folder, whole or not at all."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    split = wishes.options.get("split") or str(carried.more.get("split") or _USUAL)
    known = texts(carried)
    segments = columns_of(carried.tables[Topic]) if Topic in carried.tables else {}
    extra = [key for key in segments if key not in ("query_id", "text")]
    unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    untaken(carried, (Topic, Judgment, Document), TITLE, losses)
    lines = ["\t".join(_QRELS) + "\n"]
    for query, docs in judged.items():
        for doc, grade in docs.items():
            if not grade.is_integer():
                what = f"document {doc} of query {query} has the grade {grade:g}"
                raise InputError(what, carried.name, "BEIR takes whole grades: choose a map by --labels")
            lines.append(
                f"{cell(query, 'query_id', carried.name)}\t{cell(doc, 'doc_id', carried.name)}\t{int(grade)}\n"
            )
    queries = []
    for at, (query, text) in enumerate(known.items() if known else ((query, query) for query in judged)):
        metadata = {key: segments[key][at] for key in extra if segments[key][at] is not None}
        metadata = {key: number(value) if isinstance(value, float) else value for key, value in metadata.items()}
        queries.append(to_json_line({"_id": query, "text": text, "metadata": metadata}))
    with making(target) as folder:
        (folder / "qrels").mkdir()
        _put(folder / "qrels" / f"{split}.tsv", lines)
        _put(folder / "queries.jsonl", queries)
        if Document in carried.tables:
            held = table(carried, Document, TITLE)
            rows = zip(held["doc_id"], held["title"], held["text"], strict=True)
            _put(
                folder / "corpus.jsonl",
                [to_json_line({"_id": d, "title": t, "text": b, "metadata": {}}) for d, t, b in rows],
            )
    return losses.all()


def _put(path: Path, lines: list[str]) -> None:
    with path.open("wb") as file:
        file.writelines(line.encode("utf-8") for line in lines)


def _is_beir(inside: tuple[str, ...]) -> bool:
    names = {name.removesuffix(".gz").removesuffix(".zst") for name in inside}
    has_split = any(name.startswith("qrels/") and name.endswith(".tsv") for name in names)
    return has_split and ("queries.jsonl" in names or "corpus.jsonl" in names)


register(
    Outside(
        "beir", "BEIR folder (corpus.jsonl, queries.jsonl, qrels/*.tsv)", (Topic, Judgment, Document), read, write,
        lambda look: _is_beir(look.inside),
        {"split": "which file of qrels/: train, dev or test (test when there are several and none is named)"},
        "https://github.com/beir-cellar/beir/wiki/Load-your-custom-dataset",
    )
)  # fmt: skip
