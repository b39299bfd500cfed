"""A project of pairs of documents in the application of a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.flows.keeping import open_store
from assay.flows.labelling import Made
from assay.flows.pairs import create_project
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from web.labelled import HOSTILE, RUBRIC


def comparing(folder: Path, name: str = "duel", docs: int = 4, **options: Any) -> Made:
    """Two queries, every two of whose documents are compared; text that would run if it were not taken as text."""
    bench = Workbench.open(str(folder))
    pool = [{"query_id": q, "doc_id": f"{q}-d{i}"} for q in ("q1", "q2") for i in range(docs)]
    topics = [{"query_id": "q1", "text": f"rain jacket {HOSTILE}"}, {"query_id": "q2", "text": "سترة المطر"}]
    documents = [
        {"doc_id": one["doc_id"], "title": f"Jacket {one['doc_id']}", "text": f"For rain. {HOSTILE}\n\nSecond part."}
        for one in pool
    ]
    with open_store(bench) as store:
        return create_project(
            store, bench, name=name, pairs=pool, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="test",
            topics=topics, documents=documents, **({"repeat_share": 0.0, "min_seconds": 0.0} | options),
        )  # fmt: skip
