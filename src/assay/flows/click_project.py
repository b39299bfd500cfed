"""Labels from clicks in the store of a workspace: a closed project of their own, beside those that people label."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence
from assay.flows.keeping import TENANT, now, open_store, store_url
from assay.flows.snapshot import document_row, documents_of, queries_of
from assay.rubric import Rubric
from assay.store import audit, graded, projects, queue

if TYPE_CHECKING:
    import polars as pl

    from assay.clicks.grading import Cuts
    from assay.flows.workbench import Workbench

BY = "the terminal"
"""Who the audit says made the project."""


def check_project(bench: Workbench, name: str) -> None:
    """Looks before anything is computed.

    Raises:
        InputError: there is no workspace, or a project of that name.
    """
    store_url(bench)
    with open_store(bench) as store:
        if any(row["name"] == name for row in projects.every(store, TENANT)):
            raise InputError(f"there is a project {name} already", "--project", "take another name")


def keep_labels(
    bench: Workbench, name: str, labels: pl.DataFrame, cuts: Cuts, calibration: str, topics: Any, documents: Any
) -> int:  # fmt: skip
    """Makes a closed project of labels: nobody is asked for them, and no person's labels are mixed with them.

    Its rubric says which attraction is which grade; the note of each judgment says what it rests on.

    Args:
        bench: with a workspace.
        name: of the project.
        labels: the rows that have a grade, as the flow of labels writes them.
        cuts: of the grades.
        calibration: tells them from others.
        topics: the queries' texts; their ids stand for them when None.
        documents: as they are now, so that labels go stale when they change; their ids alone when None.

    Returns:
        How many labels were kept.

    Raises:
        InputError: there is a project of that name.
        NotEnoughEvidence: there are no labels.
    """
    if not labels.height:
        raise NotEnoughEvidence("no pair has a grade: there is nothing to keep in a project")
    project, at = uuid.uuid4().hex[:12], now()
    text = rubric_text(cuts, calibration)
    rubric = Rubric.parse(text, "rubric of clicks")
    held = documents_of(bench, documents, TENANT)
    rows = list(labels.iter_rows(named=True))
    for row in rows:
        doc = row["doc_id"]
        held.setdefault(doc, document_row(TENANT, doc, "", "", {}, None))
    place = {query: i for i, query in enumerate(dict.fromkeys(row["query_id"] for row in rows))}
    items = [queue.NewItem(row["query_id"], row["doc_id"], held[row["doc_id"]]["doc_hash"], place[row["query_id"]])
             for row in rows]  # fmt: skip
    asks = queries_of(bench, topics)
    grades = {(row["query_id"], row["doc_id"]): (row["grade"], note_of(row)) for row in rows}
    stamp = graded.Stamp("clicks", "clicks", rubric.version, rows[0]["judged_at"] or at)

    def job(connection: Any) -> int:
        projects.add(connection, {
            "tenant": TENANT, "id": project, "name": name, "rubric": text, "rubric_version": rubric.version,
            "mode": "query", "raters_each": 1, "needs_enter": False, "pilot": 0, "pilot_limit": 0.0,
            "gold_share": 0.0, "repeat_share": 0.0, "created_at": at, "ended_at": at,
        })  # fmt: skip
        projects.add_queries(connection, [{"tenant": TENANT, "project": project, "query_id": query} | asks(query)
                                          for query in place])  # fmt: skip
        projects.add_documents(connection, [held[doc] for doc in dict.fromkeys(row["doc_id"] for row in rows)])
        queue.add(connection, TENANT, project, items, 1, at)
        audit.note(connection, TENANT, BY, "made a project of labels from clicks", name, at)
        return graded.add(connection, TENANT, project, grades, stamp)

    with open_store(bench) as store:
        return int(store.write(job).result())


def rubric_text(cuts: Cuts, calibration: str) -> str:
    """The rubric that cuts are: which attraction is which grade."""
    return "\n".join(["+++", f'name = "Attraction from clicks, {calibration}"', *_grades(cuts), "+++",
                      "Attraction is the chance of a click when seen. It is not relevance.", ""])  # fmt: skip


def _grades(cuts: Cuts) -> Iterator[str]:
    starts = (0.0, *cuts.at)
    for place, level in enumerate(cuts.levels):
        end = cuts.at[place] if place < len(cuts.at) else None
        said = f"from {starts[place]:.4g}" + ("" if end is None else f" to below {end:.4g}")
        yield f'[grade."{level:g}"]\nname = "attraction {level:g}"\ndefinition = "attraction {said}"'


def note_of(row: dict[str, Any]) -> str:
    """What a label rests on, in one line."""
    high = "?" if row["high"] is None else f"{row['high']:.4g}"
    said = [f"{row['rubric']}, {row['model']} model", f"{row['clicks']} clicks in {row['impressions']} impressions",
            f"attraction {row['attraction']:.4g} (se {row['se']:.2g}, {row['low']:.4g} to {high})"]  # fmt: skip
    if row["log_from"] and row["log_to"]:
        said.append(f"log {row['log_from']} to {row['log_to']}")
    if row["despite_misfit"]:
        said.append(f"the model does not fit: {row['despite_misfit']}")
    return "; ".join(said)
