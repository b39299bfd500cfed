"""The judgments of a project out of the store: as a table of judgments for every verb, and as a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.keeping import TENANT, open_store, store_url
from assay.flows.workbench import PROJECT, Workbench, is_project
from assay.formats.nested import number
from assay.keys import fingerprint
from assay.store import growing, judgments, projects
from assay.tables import Block, Judgment, Topic, formulas
from assay.tables.door import block_of

if TYPE_CHECKING:
    from assay.store.database import Store

COLUMNS = ("query_id", "doc_id", "rater", "role", "source", "dimension", "grade", "rubric", "judged_at", "doc_hash",
           "note", "took_ms", "is_fast", "is_found")  # fmt: skip

HISTORY = ("uid", "query_id", "doc_id", "rater", "role", "source", "grade", "dimensions", "preference", "left_doc_id",
           "cannot_tell",
           "note", "rubric_version", "doc_hash", "judged_at", "took_ms", "turn", "takes_back", "item", "is_gold",
           "is_fast", "is_found", "stands")  # fmt: skip
"""Columns of every row as it was written, see `history`."""


def export(store: Store, tenant: str, name: str) -> list[dict[str, Any]]:
    """What stands in a project, one row a judgment and dimension, in the order in which it was given.

    Hidden repeats, gold items and answers without a grade are left out; of a pair that was labelled again, what its
    last round says stands. Note, duration and `is_fast` (it was
    too short, see `assay.flows.pace`) stand in the row of the grade alone; `is_found` says that a rater found
    the document by the search of the page, whatever systems returned.
    """
    project = _graded(store, tenant, name)
    gold = judgments.gold_items(store, project["id"])
    found = judgments.found_items(store, project["id"])
    rows = []
    told = [
        row for row in judgments.current(store, tenant, project["id"])
        if row["grade"] is not None and not row["turn"] and row["item"] not in gold
    ]  # fmt: skip
    for row in _last_round(told):
        base = {
            "query_id": row["query_id"], "doc_id": row["doc_id"], "rater": row["rater"], "role": row["role"],
            "source": row["source"], "rubric": row["rubric_version"], "judged_at": row["judged_at"],
            "doc_hash": row["doc_hash"], "is_found": row["item"] in found,
        }  # fmt: skip
        more = {"note": row["note"] or None, "took_ms": row["took_ms"], "is_fast": row["is_fast"]}
        rows.append(base | {"dimension": "relevance", "grade": row["grade"]} | more)
        silent = {"note": None, "took_ms": None, "is_fast": None}
        rows += [base | {"dimension": at, "grade": value} | silent for at, value in row["dimensions"].items()]
    return rows


def _graded(store: Store, tenant: str, name: str) -> dict[str, Any]:
    project = projects.find(store, tenant, name)
    if project["mode"] == "pairwise":
        raise InputError(
            "raters of this project compared documents, and gave no grades", project["name"],
            "take its preferences: `assay label export`",
        )  # fmt: skip
    return project


def _last_round(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The judgments of the last item of each pair that has any; items are numbered as they are made."""
    last: dict[tuple[str, str], int] = {}
    for row in rows:
        pair = (row["query_id"], row["doc_id"])
        last[pair] = max(last.get(pair, -1), row["item"])
    return [row for row in rows if row["item"] == last[(row["query_id"], row["doc_id"])]]


def history(store: Store, tenant: str, name: str) -> list[dict[str, Any]]:
    """Every judgment of a project as it was written, for an audit.

    With corrections, what was taken back (and by which row), hidden repeats (turn 1), gold items, and answers without a
    grade; `stands` says what counts today.
    """
    project = projects.find(store, tenant, name)
    gold = judgments.gold_items(store, project["id"])
    found = judgments.found_items(store, project["id"])
    stands = {row["uid"] for row in judgments.current(store, tenant, project["id"])}
    rows = judgments.every(store, tenant, project["id"])
    return [
        {name: row[name] for name in HISTORY if name in row}
        | {"is_gold": row["item"] in gold, "is_found": row["item"] in found, "stands": row["uid"] in stands}
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class Named:
    """A project of the store that was asked for by name.

    Args:
        row: of the project.
    """

    row: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self.row["name"])

    @property
    def grades(self) -> tuple[float, ...]:
        """Every grade of its rubric."""
        from assay.rubric import Rubric

        return tuple(Rubric.parse(self.row["rubric"], f"rubric of {self.name}").scale)

    @property
    def limit(self) -> float:
        """The agreement that it asks for."""
        return float(self.row["pilot_limit"])

    @property
    def refresh_days(self) -> dict[str, float]:
        """For how many days its labels are good, by class of queries; "" is for all others."""
        days = {str(name): float(value) for name, value in json.loads(self.row["refresh_classes"]).items()}
        return days if self.row["refresh_days"] is None else {"": float(self.row["refresh_days"])} | days

    def judgments(self, bench: Workbench) -> Block:
        """What stands in it."""
        return judgments_of(bench, self.name)

    def topics(self, bench: Workbench) -> Block:
        """Its queries, with their segments where these are known."""
        with open_store(bench) as store:
            rows = projects.queries(store, self.row["id"])
        told = [{name: row[name] for name in ("query_id", "text", "segment") if row[name]} for row in rows]
        return block_of(told, Topic, f"{PROJECT}{self.name}, queries")

    def seen_last(self, bench: Workbench) -> Block:
        """The version of each of its documents that the store saw last."""
        with open_store(bench) as store, store.reading() as connection:
            docs = {doc for _, doc in growing.pairs(connection, self.row["id"])}
            held = growing.latest(connection, TENANT, docs)
        frame = {"doc_id": list(held), "doc_hash": list(held.values())}
        return Block(frame, lambda at: f"{PROJECT}{self.name}, document {at + 1}", f"{PROJECT}{self.name}, documents")


def named(bench: Workbench, x: str) -> Named | None:
    """The project of that name, with `project:` before it or without; None where there is none and a file is meant.

    Raises:
        InputError: `project:` stands before it, and there is no such project.
    """
    if is_project(x):
        with open_store(bench) as store:
            return Named(projects.find(store, TENANT, x.removeprefix(PROJECT)))
    if bench.workspace is None or not _has_store(bench):
        return None
    with open_store(bench) as store, store.reading() as connection:
        row = projects.by_name(connection, TENANT, x)
    return None if row is None else Named(row)


def _has_store(bench: Workbench) -> bool:
    """Whether the workspace has a store, which asking for a name shall not make."""
    url = store_url(bench)
    return not url.startswith("sqlite:///") or Path(url.removeprefix("sqlite:///")).exists()


def judgments_of(bench: Workbench, name: str) -> Block:
    """What stands in a project, as rows of `Judgment`; results name the project and the hash of what it held.

    Raises:
        InputError: there is no such project, or nobody has graded anything in it.
    """
    name = name.removeprefix(PROJECT)
    with open_store(bench) as store:
        rows = export(store, TENANT, name)
    called = f"{PROJECT}{name}"
    if not rows:
        raise InputError("nobody has graded anything yet", called, "let raters label: assay serve")
    bench.note_rows(called, fingerprint(json.dumps(rows, sort_keys=True)))
    return as_block(rows, called)


def as_block(rows: Sequence[Mapping[str, Any]], called: str) -> Block:
    """Rows of `export` as rows of `Judgment`; each has its query, document and rater as place."""
    made = block_of([dict(row) for row in rows], Judgment, called)

    def place(at: int) -> str:
        row = rows[at]
        return f"{called}, {row['query_id']} {row['doc_id']} by {row['rater']}"

    return Block(made.frame, place, called, made.facts)


def as_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = COLUMNS) -> bytes:
    """Rows as CSV, guarded against formulas; whole numbers without a point."""
    cells = ([row[name] for name in columns] for row in rows)
    return formulas.as_csv(columns, ([number(x) if isinstance(x, float) else x for x in row] for row in cells))
