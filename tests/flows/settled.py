"""A project that two raters labelled and an adjudicator settled: what follows from it was worked out by hand.

| pair  | ann | bo | cy, adjudicator | settled, else the mean |
|-------|-----|----|-----------------|------------------------|
| q1-d0 | 2   | 2  |                 | 2                      |
| q1-d1 | 0   | 2  | 0               | 0                      |
| q2-d0 | 1   | 2  |                 | 1.5                    |
| q2-d1 | 0   | 0  |                 | 0                      |
"""

from __future__ import annotations

from pathlib import Path

from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import next_items
from assay.flows.people import Person
from assay.flows.workbench import Workbench
from assay.store import judgments
from assay.store.judgments import Given
from web.labelled import project

AT = "2026-03-01T00:00:00.000Z"
GIVEN = {
    "ann": {"q1-d0": 2.0, "q1-d1": 0.0, "q2-d0": 1.0, "q2-d1": 0.0},
    "bo": {"q1-d0": 2.0, "q1-d1": 2.0, "q2-d0": 2.0, "q2-d1": 0.0},
}
BEFORE = {"q1": {"q1-d1": 2.0, "q1-d0": 1.0}, "q2": {"q2-d0": 2.0, "q2-d1": 1.0}}
AFTER = {"q1": {"q1-d0": 2.0, "q1-d1": 1.0}, "q2": {"q2-d1": 2.0, "q2-d0": 1.0}}


def settled_project(folder: Path, name: str = "winter", at: str = AT, **options: object) -> Workbench:
    """A workspace with the project, labelled and settled."""
    (folder / "assay.toml").touch()
    project(folder, name, docs=2, **options)
    bench = Workbench.open(str(folder))
    with open_store(bench) as store:
        items = {}
        for rater, grades in GIVEN.items():
            for one in next_items(store, Person(rater, "rater", TENANT), name, 12, b"secret"):
                doc = one["document"]["doc_id"]
                items[doc] = one["item"]
                give(store, Given(f"{name}-{rater}-{doc}", one["item"], rater, grade=grades[doc], took_ms=1500), at)
        told = Given(f"{name}-cy", items["q1-d1"], "cy", "adjudicator", grade=0.0, note="of another season")
        give(store, told, at)
    return bench


def give(store: object, given: Given, at: str = AT) -> None:
    """Writes a judgment as of a time."""
    store.write(lambda connection: judgments.append(connection, TENANT, given, "v1", at)).result()  # type: ignore[attr-defined]


def runs(folder: Path) -> None:
    """Two runs of the project's queries: the first documents of q1 and q2 change places."""
    for name, run in (("before", BEFORE), ("after", AFTER)):
        lines = [f"{query} Q0 {doc} 1 {score} {name}\n" for query, docs in run.items() for doc, score in docs.items()]
        (folder / f"{name}.run").write_text("".join(lines), "utf-8")
