"""A project to label in the application of a test."""

from __future__ import annotations

from pathlib import Path

from assay.flows.keeping import open_store
from assay.flows.labelling import Made, create_project
from assay.flows.workbench import Workbench
from assay.rubric import Rubric

RUBRIC = """\
+++
name = "Shop"
[grade.0]
name = "no"
[grade.1]
name = "some"
[grade.2]
name = "yes"
+++
Judge the document.
"""

DIMENSIONS = """\
+++
base = "fit"
[grade.0]
name = "no"
[grade.1]
name = "some"
[grade.2]
name = "yes"
[dimension.fit]
means = { 0 = "no", 1 = "some", 2 = "yes" }
[dimension.fresh]
means = { 0 = "old", 1 = "current" }
[cap.stale]
dimension = "fresh"
at_most = 0
grade = 0
+++
"""

HOSTILE = "<script>document.title='caught'</script><img src=x onerror=\"document.title='caught'\">"


def project(folder: Path, name: str = "winter", rubric: str = RUBRIC, docs: int = 4, **options: object) -> Made:
    """Two queries with so many documents each; text that would run if it were not taken as text."""
    bench = Workbench.open(str(folder))
    pairs = [{"query_id": q, "doc_id": f"{q}-d{i}"} for q in ("q1", "q2") for i in range(docs)]
    topics = [{"query_id": "q1", "text": f"rain jacket {HOSTILE}"}, {"query_id": "q2", "text": "سترة المطر"}]
    documents = [
        {"doc_id": pair["doc_id"], "title": f"Jacket {pair['doc_id']}", "text": f"For rain. {HOSTILE}\n\nSecond part."}
        for pair in pairs
    ]
    with open_store(bench) as store:
        return create_project(
            store, bench, name=name, pairs=pairs, rubric=Rubric.parse(rubric), rubric_text=rubric, by="test",
            topics=topics, documents=documents, **({"repeat_share": 0.0, "min_seconds": 0.0} | options),  # type: ignore[arg-type]
        )  # fmt: skip
