"""MS MARCO's passage files: tabs between the columns, no header, no quoting (a quote is a character like others).

| part | columns |
|---|---|
| collection | pid, passage |
| queries | qid, query |
| qrels | qid, 0, pid, grade |
| run | qid, pid, rank |
| top1000 | qid, pid, query, passage: candidates for reranking, in no order |
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import InputError, did_you_mean
from assay.files import Source, making, name_of, names_in, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import (
    Gathered,
    Grades,
    Losses,
    absent,
    one_run,
    pairs,
    ranked,
    table,
    unheld,
    untaken,
)
from assay.formats.nested import number
from assay.formats.tabbed import Tabbed, cell, flat
from assay.tables import Block, Document, Hit, Judgment, Pair, Topic

TITLE = "an MS MARCO file"
PARTS = ("collection", "queries", "qrels", "run", "top1000")
_COLUMNS: Mapping[str, Sequence[str]] = {
    "collection": ("pid", "passage"),
    "queries": ("qid", "query"),
    "qrels": ("qid", "0", "pid", "grade"),
    "run": ("qid", "pid", "rank"),
    "top1000": ("qid", "pid", "query", "passage"),
}
_NAMED = re.compile(r"(collection|queries|qrels|top1000|run)(?:\.([^/]+?))?\.(?:tsv|txt)(?:\.gz|\.zst)?")


def read(source: Source, wishes: Wishes) -> Carried:
    """One file, or all files of a folder that have MS MARCO's names and one split."""
    name = name_of(source)
    held = _Held(name, wishes)
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        for path, part in _parts(os.fspath(source), wishes.options.get("split"), name):
            held.read(path, part)
    else:
        held.read(source, wishes.options.get("part"))
    tables = held.tables()
    unlisted, why = absent(tables.get(Judgment), name)
    return Carried(name, tables, held.runs, held.losses.all(), (*held.facts, *why), unlisted)


def _parts(folder: str, split: str | None, name: str) -> list[tuple[str, str]]:
    found = [(match[1], match[2] or "", one) for one in names_in(folder) if (match := _NAMED.fullmatch(one))]
    splits = sorted({of for part, of, _ in found if part in ("queries", "qrels", "top1000") and of})
    if split is not None and split not in splits:
        raise InputError(
            f"has no split {split}{did_you_mean(split, splits)}", name, f"the splits are {', '.join(splits)}"
        )
    if split is None and len(splits) > 1:
        raise InputError("holds several splits", name, f"choose one by --option split=NAME: {', '.join(splits)}")
    chosen = [(os.path.join(folder, one), part) for part, of, one in found
              if part in ("collection", "run") or of in ("", split or "", *splits[: split is None])]  # fmt: skip
    if not chosen:
        raise InputError(
            "holds no file with a name of MS MARCO", name, "name them collection.tsv, queries.dev.tsv, qrels.dev.tsv"
        )
    return chosen


class _Held:
    """What the files hold, part by part."""

    def __init__(self, name: str, wishes: Wishes) -> None:
        self.losses, self.facts = Losses(name), list[str]()
        self.runs: dict[str, Block] = {}
        self._grades = Grades(wishes.labels)
        self._run = wishes.options.get("run")
        self._tables: dict[type, Gathered] = {}
        self._known: dict[tuple[type, str], str] = {}

    def tables(self) -> dict[type, Block]:
        return {row: rows.block() for row, rows in self._tables.items() if len(rows)}

    def read(self, source: Source, part: str | None) -> None:
        lines = Tabbed(source)
        self.facts += lines.facts
        first = lines.first()
        separated = lines if len(first) > 1 else Tabbed(source, None)  # the document task's qrels have blanks
        part = part or _part(separated.first() if len(separated.first()) == 4 else first, lines.name)
        if part not in PARTS:
            raise InputError(
                f"MS MARCO has no part {part}{did_you_mean(part, PARTS)}",
                lines.name,
                f"the parts are {', '.join(PARTS)}",
            )
        if part == "run":
            run = Gathered(Hit, lines.name, "query_id", "doc_id", "rank")
            for at, (query, doc, rank) in lines.rows(_COLUMNS["run"]):
                run.add(at, query, doc, rank)
            self.runs[self._run or _stem(lines.name)] = run.block()
            return
        used = separated if part == "qrels" else lines
        for at, cells in used.rows(_COLUMNS[part]):
            self._add(part, at, cells, lines.name)

    def _add(self, part: str, at: int, cells: list[str], name: str) -> None:
        if part == "collection":
            self._table(Document, name, "doc_id", "text").add(at, *cells)
        elif part == "queries":
            self._table(Topic, name, "query_id", "text").add(at, *cells)
        elif part == "qrels":
            query, _, doc, grade = cells
            judged = self._table(Judgment, name, "query_id", "doc_id", "grade")
            judged.add(at, query, doc, self._grades(grade, at, name))
        else:
            query, doc, text, passage = cells
            self._once(Topic, query, text, at, name)
            self._once(Document, doc, passage, at, name)
            self._table(Pair, name, "query_id", "doc_id").add(at, query, doc)

    def _once(self, row: type, one: str, text: str, at: int, name: str) -> None:
        before = self._known.get((row, one))
        if before is None:
            self._known[row, one] = text
            self._table(row, name, "query_id" if row is Topic else "doc_id", "text").add(at, one, text)
        elif before != text:
            what = f"{'query' if row is Topic else 'passage'} {one} has another text here than before"
            raise InputError(what, f"{name}:{at}", "keep one text an id", line=text[:80])

    def _table(self, row: type, name: str, *fields: str) -> Gathered:
        if row is Pair and row not in self._tables:
            self.facts.append(f"{name}: its pairs are candidates for reranking in no order; they are no run")
        return self._tables.setdefault(row, Gathered(row, name, *fields))


def _part(first: list[str], name: str) -> str:
    if len(first) == 4:
        return "qrels" if first[1] in ("0", "Q0") and len(first[3]) < 8 else "top1000"
    if len(first) == 3 and first[2].strip().isdigit():
        return "run"
    named = _NAMED.fullmatch(os.path.basename(name))
    if len(first) == 2 and named is not None and named[1] in ("collection", "queries"):
        return named[1]
    what = "has two columns, which are a collection or queries" if len(first) == 2 else f"has {_columns(len(first))}"
    raise InputError(what, name, f"say which it is by --option part=PART: {', '.join(PARTS)}")


def _columns(count: int) -> str:
    return "one column" if count == 1 else f"{count} columns"


def _stem(name: str) -> str:
    return os.path.basename(name).split(".")[0] or "run"


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """One part to a file whose name ends in .tsv or .txt, or as the option `part` says; else all to a new folder."""
    losses = Losses(carried.name)
    part = wishes.options.get("part")
    if part is not None and part not in PARTS[:4]:
        raise InputError(f"cannot write the part {part}{did_you_mean(part, PARTS[:4])}", "--option part",
                         f"choose {', '.join(PARTS[:4])}")  # fmt: skip
    held = {"collection": Document in carried.tables, "queries": Topic in carried.tables,
            "qrels": Judgment in carried.tables, "run": bool(carried.runs)}  # fmt: skip
    there = [name for name, is_there in held.items() if is_there]
    if (part is None and os.fspath(target).endswith((".tsv", ".txt"))) or os.fspath(target) == "-":
        part = part or (there[0] if len(there) == 1 else None)
        if part is None:
            raise InputError(
                "one file holds one part", os.fspath(target), f"choose by --option part=PART: {', '.join(there)}"
            )
    row = {"collection": Document, "queries": Topic, "qrels": Judgment, "run": Hit}
    untaken(carried, [row[one] for one in ([part] if part else there)], TITLE, losses)
    contents = {one: _content(one, carried, wishes, losses) for one in ([part] if part else there)}
    if part is not None:
        with replacing(target) as file:
            file.write(contents[part])
        return losses.all()
    with making(target) as folder:
        for one, content in contents.items():
            (Path(folder) / f"{one}.tsv").write_bytes(content)
    return losses.all()


def _content(part: str, carried: Carried, wishes: Wishes, losses: Losses) -> bytes:
    name = carried.name
    rows: list[tuple[str, ...]]
    if part == "run":
        _, block = one_run(carried, TITLE, wishes.options.get("run", ""))
        if block.empty:
            losses.add("queries that returned nothing", "a row needs a passage", count=len(block.empty))
        if "score" in block.columns:
            losses.add("scores", f"{TITLE} holds ranks alone", count=len(block))
        rows = [
            (query, doc, str(rank)) for query, hits in ranked(block).items() for rank, (doc, _, _) in enumerate(hits, 1)
        ]
    elif part == "qrels":
        judged = pairs(carried, TITLE, losses)
        rows = [(q, "0", d, str(number(g))) for q, docs in judged.items() for d, g in docs.items()]
    else:
        row, key = (Document, "doc_id") if part == "collection" else (Topic, "query_id")
        held = table(carried, row, TITLE)
        rows = []
        titles = held.get("title", [""] * len(held[key]))
        for one, title, text in zip(held[key], titles, held["text"], strict=True):
            joined = f"{title}. {text}" if title else text
            if flat(joined) != joined:
                losses.add("tabs and line ends in texts", "a line holds none: they became blanks", one)
            rows.append((one, flat(joined)))
        if any(titles):
            losses.add("titles", "a passage has no title: it stands before the text", count=sum(map(bool, titles)))
        unheld(carried, row, (key, "title", "text"), TITLE, losses)
    return "".join("\t".join(cell(one, "the id", name) for one in line) + "\n" for line in rows).encode("utf-8")


def _is_marco(path: str, inside: tuple[str, ...]) -> bool:
    if inside:
        parts = {match[1] for one in inside if (match := _NAMED.fullmatch(one))}
        return "qrels" in parts and bool(parts & {"collection", "top1000"})
    named = _NAMED.fullmatch(os.path.basename(path))
    return named is not None and named[1] in ("collection", "top1000")


register(
    Outside(
        "msmarco", "MS MARCO passage files (TSV without quoting)", (Topic, Judgment, Document, Hit, Pair), read, write,
        lambda look: _is_marco(look.path, look.inside),
        {"part": "which file it is: collection, queries, qrels, run or top1000 (known from names and columns)",
         "split": "which split of a folder: dev, train, ...", "run": "what the run is called"},
        "https://microsoft.github.io/msmarco/Datasets",
    )
)  # fmt: skip
