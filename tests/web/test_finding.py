"""A rater looks for further documents of a query, and adds one to the own list."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.flows.keeping import open_store
from assay.flows.workbench import Workbench
from assay.store.schema import AUDIT, FLAGS, ITEMS
from web.labelled import project
from web.test_label import answered, items, rater
from web.visiting import Visitor

Visit = Callable[..., Visitor]


def looked(who: Visitor, words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = who.get("/v1/projects/winter/documents", params={"q": words}).json()["documents"]
    return found


def add(who: Visitor, head: dict[str, str], doc: dict[str, Any], query: str = "q1") -> Any:
    content = {"query_id": query, "doc_id": doc["doc_id"], "doc_hash": doc["doc_hash"]}
    return who.post("/v1/projects/winter/found", json=content, headers=head)


def rows(folder: Path, table: Any) -> list[Any]:
    import sqlalchemy as sa

    with open_store(Workbench.open(str(folder))) as store:
        return store.rows(sa.select(table).order_by(table.c.id))


def test_a_document_that_was_found_is_labelled_and_goes_to_the_others_too(folder: Path, visit: Visit) -> None:
    project(folder, docs=2)
    who, head = rater(visit)
    (doc,) = looked(who, "q2-d1")
    told = [add(who, head, doc).json() for _ in range(2)]  # asked twice, it counts once
    assert told[0] == told[1]
    assert told[0]["state"] == "added"
    one = told[0]["item"]
    assert (one["query"]["query_id"], one["document"]["doc_id"]) == ("q1", "q2-d1")
    assert set(one) == {"item", "count", "query", "document"}
    assert one["item"] in [held["item"] for held in items(who)]
    (made,) = [row for row in rows(folder, ITEMS) if row["is_found"]]
    assert (made["query_id"], made["doc_id"], made["wanted"], made["taken"]) == ("q1", "q2-d1", 2, 1)
    assert [row["person"] for row in rows(folder, AUDIT) if row["action"] == "found a document"] == ["rater"]
    assert answered(who, head, one, "abcdefgh-1").json()["grade"] == 1
    assert add(who, head, doc).json() == {"state": "labelled", "item": None}
    other, _ = rater(visit, "lead")
    theirs = [(held["query"]["query_id"], held["document"]["doc_id"]) for held in items(other, 12)]
    assert theirs.count(("q1", "q2-d1")) == 1
    page = " ".join(other.get("/project/winter").text.split())
    assert "<caption>By the search of their page: 1</caption>" in page
    assert '<tr><td dir="auto">q1</td><td dir="auto">q2-d1</td><td>1 some</td></tr>' in page
    told = list(csv.DictReader(other.get("/project/winter/labels.csv").text.splitlines()))
    assert [(row["doc_id"], row["is_found"]) for row in told] == [("q2-d1", "True")]


def test_what_is_in_the_queue_already_is_not_marked_and_quotas_hold(folder: Path, visit: Visit) -> None:
    project(folder, docs=2, raters_each=1)
    who, head = rater(visit)
    (doc,) = looked(who, "q1-d0")
    assert add(who, head, doc).json()["state"] == "added"
    assert not any(row["is_found"] for row in rows(folder, ITEMS))
    other, others = rater(visit, "lead")
    assert add(other, others, doc).json() == {"state": "enough", "item": None}


def test_what_cannot_be_added_is_said(folder: Path, visit: Visit) -> None:
    project(folder, docs=2)
    who, head = rater(visit)
    (doc,) = looked(who, "q1-d0")
    assert "asks no query q9" in add(who, head, doc, "q9").json()["what"]
    assert "no document nine" in add(who, head, doc | {"doc_id": "nine"}).json()["what"]
    assert add(who, {}, doc).status_code == 403
    project(folder, name="piloted", pilot=2)
    content = {"query_id": "q1", "doc_id": doc["doc_id"], "doc_hash": doc["doc_hash"]}
    told = who.post("/v1/projects/piloted/found", json=content, headers=head)
    assert told.status_code == 422
    assert "the pilot is labelled as it is" in told.json()["what"]


def test_documents_are_found_as_they_look_now_in_any_case_of_letters(folder: Path, visit: Visit) -> None:
    from assay.flows.labelling import create_project
    from assay.rubric import Rubric
    from web.labelled import RUBRIC

    bench = Workbench.open(str(folder))
    with open_store(bench) as store:
        for name, title in (("winter", "ÄRMEL alt"), ("spring", "ÄRMEL neu")):
            create_project(
                store, bench, name=name, pairs=[{"query_id": "q", "doc_id": "d"}], rubric=Rubric.parse(RUBRIC),
                rubric_text=RUBRIC, by="test", documents=[{"doc_id": "d", "title": title}],
            )  # fmt: skip
    who, _ = rater(visit)
    assert [row["title"] for row in looked(who, "ärmel")] == ["ÄRMEL neu"]
    assert looked(who, "alt") == []


def test_the_same_flag_sent_again_is_noted_once(folder: Path, visit: Visit) -> None:
    project(folder)
    who, head = rater(visit)
    flag = {"project": "winter", "query_id": "q1", "why": "two questions"}
    for why in ("two questions", "two questions", "another reason"):
        assert who.post("/v1/flags", json=flag | {"why": why}, headers=head).json() == {"flagged": True}
    assert [row["why"] for row in rows(folder, FLAGS)] == ["two questions", "another reason"]


def test_what_another_persons_tab_sends_is_not_taken_for_ones_own(folder: Path, visit: Visit) -> None:
    project(folder)
    who, head = rater(visit)
    one = items(who)[0]
    told = answered(who, head | {"x-rater": "somebody%20else"}, one, "abcdefgh-1")
    assert told.status_code == 403
    assert "somebody else has signed in" in told.json()["what"]
    assert answered(who, head | {"x-rater": "rater"}, one, "abcdefgh-1").status_code == 200
