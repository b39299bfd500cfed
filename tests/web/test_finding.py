"""A rater looks for further documents of a query, and adds one to the own list."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.flows.keeping import open_store
from assay.flows.workbench import Workbench
from assay.store.schema import AUDIT, CLAIMS, EVENTS, FLAGS, ITEMS
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


def test_who_was_stopped_gets_no_document_by_the_search_either(folder: Path, visit: Visit) -> None:
    project(folder, docs=7, min_seconds=1.0)
    who, head = rater(visit)
    for n, one in enumerate(items(who, 12)[:10]):  # ten answers, and no list was asked for since
        assert answered(who, head, one, f"too-fast-{n}", grade=1, took_ms=10).status_code == 200
    held = {row["item"] for row in rows(folder, CLAIMS)}
    doc = looked(who, "Jacket")[0]
    told = add(who, head, doc, "q2" if doc["doc_id"].startswith("q1") else "q1")
    assert told.status_code == 422
    assert told.json()["what"] == "most of your last answers came faster than anybody reads"
    assert {row["item"] for row in rows(folder, CLAIMS)} == held
    assert not any(row["is_found"] for row in rows(folder, ITEMS))
    assert [row["kind"] for row in rows(folder, EVENTS)] == ["stopped"]  # the refusal does not undo the note of it
    assert who.post("/v1/projects/winter/go-on", headers=head).json() == {"goes_on": True}
    assert add(who, head, doc, "q2" if doc["doc_id"].startswith("q1") else "q1").json()["state"] == "added"


def test_a_document_that_was_found_is_set_apart_from_those_that_say_nearly_the_same(folder: Path, visit: Visit) -> None:
    from assay.flows.labelling import create_project
    from assay.rubric import Rubric
    from web.labelled import RUBRIC

    tube = "Inner tube 28 inch with a long Presta valve for deep rims, sold as a single piece in a box"
    texts = {"tube": f"{tube}, 60 mm", "tube-80": f"{tube}, 80 mm", "pump": "Floor pump with a gauge, for all valves"}
    bench = Workbench.open(str(folder))
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", by="test", rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, repeat_share=0.0,
            pairs=[{"query_id": "q1", "doc_id": "tube"}, {"query_id": "q1", "doc_id": "pump"},
                   {"query_id": "q2", "doc_id": "tube-80"}],
            documents=[{"doc_id": doc, "title": "", "text": text} for doc, text in texts.items()],
        )  # fmt: skip
    who, head = rater(visit)
    assert [row["alike"] for row in rows(folder, ITEMS)] == [None] * 3
    (doc,) = looked(who, "tube 80")
    assert add(who, head, doc).json()["state"] == "added"
    alike = {(row["query_id"], row["doc_id"]): row["alike"] for row in rows(folder, ITEMS)}
    assert alike["q1", "tube"] == alike["q1", "tube-80"] is not None
    assert (alike["q1", "pump"], alike["q2", "tube-80"]) == (None, None)
