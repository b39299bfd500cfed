"""What the labelling page speaks with the server."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import InputError
from assay.flows import exported
from assay.flows.keeping import TENANT, open_store
from assay.flows.workbench import Workbench
from web.labelled import DIMENSIONS, HOSTILE, project
from web.visiting import Visitor

Visit = Callable[..., Visitor]

SEEN = {"doc_id", "doc_hash", "title", "text", "html", "fields", "image", "language", "dir", "captured_at"}
"""What a page gets of a document."""


def rater(visit: Visit, name: str = "rater") -> tuple[Visitor, dict[str, str]]:
    """Somebody who is signed in, with the header that every write needs."""
    who = visit()
    assert who.sign_in(name).status_code == 303
    found = re.search(r'data-csrf="([^"]+)"', who.get("/label/winter").text)
    assert found is not None
    return who, {"x-csrf-token": found[1]}


def items(who: Visitor, n: int = 6, name: str = "winter") -> list[dict[str, Any]]:
    answer = who.get(f"/v1/projects/{name}/items?n={n}")
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def answered(who: Visitor, head: dict[str, str], item: dict[str, Any], uid: str, **said: Any) -> Any:
    content = {"uid": uid, "item": item["item"]} | (said or {"grade": 1})
    return who.post("/v1/grades", json=content, headers=head)


def test_an_item_shows_query_and_document_and_nothing_else(folder: Path, visit: Visit) -> None:
    project(folder)
    who, _ = rater(visit)
    for one in items(who):
        assert set(one) == {"item", "count", "query", "document"}
        assert set(one["query"]) == {"query_id", "text", "need", "language", "dir"}
        assert set(one["document"]) == SEEN


def test_labels_go_in_and_come_out_for_every_verb(folder: Path, visit: Visit, tmp_path: Path) -> None:
    made = project(folder)
    assert (made.items, made.queries, made.judgments, made.without_document) == (8, 2, 16, 0)
    grades = {"q1-d0": 2, "q1-d1": 0, "q1-d2": 1, "q1-d3": 0}
    for name in ("rater", "lead"):
        who, head = rater(visit, name)
        while found := items(who, 1):
            one = found[0]
            doc = one["document"]["doc_id"]
            grade = grades.get(doc, 1 if name == "lead" else 0)
            assert answered(who, head, one, f"{name}-{doc}", grade=grade).json()["grade"] == grade
    bench = Workbench.open(str(folder))
    with open_store(bench) as store:
        (tmp_path / "labels.csv").write_bytes(exported.as_csv(exported.export(store, TENANT, "winter")))
    rows = list(csv.DictReader((tmp_path / "labels.csv").read_text("utf-8").splitlines()))
    assert len(rows) == 16
    assert {row["source"] for row in rows} == {"human"}
    run = {"q1": {f"q1-d{i}": float(-i) for i in range(4)}, "q2": {f"q2-d{i}": float(-i) for i in range(4)}}
    assert assay.evaluate(run, str(tmp_path / "labels.csv"), "CG@1").only("q1").mean("CG@1") == 2.0
    agreed = assay.agree(str(tmp_path / "labels.csv"), grades=[0, 1, 2])
    assert agreed.pairs[0].coefficients[0].value == pytest.approx(0.5)  # alike on q1, never on q2


def test_the_same_answer_twice_counts_once(folder: Path, visit: Visit) -> None:
    project(folder)
    who, head = rater(visit)
    one = items(who)[0]
    first, again = (answered(who, head, one, "abcdefgh-1", grade=grade) for grade in (2, 0))
    assert first.json() == again.json() == {"uid": "abcdefgh-1", "item": one["item"], "grade": 2.0}
    assert len(items(who, 12)) == 7


def test_undo_gives_the_item_back(folder: Path, visit: Visit) -> None:
    project(folder)
    who, head = rater(visit)
    one = items(who)[0]
    answered(who, head, one, "abcdefgh-1")
    assert one["item"] not in [other["item"] for other in items(who)]
    told = who.post("/v1/undo", json={"uid": "abcdefgh-2", "of": "abcdefgh-1"}, headers=head)
    assert told.json()["item"] == one["item"]
    assert one["item"] in [other["item"] for other in items(who, 12)]


def test_skipping_and_flagging(folder: Path, visit: Visit) -> None:
    project(folder)
    who, head = rater(visit)
    one = items(who, 1)[0]
    assert who.post("/v1/skip", json={"item": one["item"]}, headers=head).json() == {"skipped": True}
    assert items(who, 1)[0]["item"] != one["item"]
    bad = {"project": "winter", "query_id": "q1", "why": "two questions"}
    assert who.post("/v1/flags", json=bad, headers=head).json() == {"flagged": True}
    other = who.post("/v1/flags", json=bad | {"query_id": "q9"}, headers=head)
    assert other.status_code == 422
    assert "asks no query q9" in other.json()["what"]


def test_a_rater_looks_for_documents_by_their_words(folder: Path, visit: Visit) -> None:
    project(folder)
    who, _ = rater(visit)

    def found(words: str) -> list[str]:
        rows = who.get("/v1/projects/winter/documents", params={"q": words}).json()["documents"]
        assert all(set(row) == SEEN for row in rows)
        return sorted(row["doc_id"] for row in rows)

    assert found("JACKET rain Q1-D2") == ["q1-d2"]
    assert found("jacket snow") == found("%") == found("   ") == []
    assert who.get("/v1/projects/winter/documents?q=").status_code == 422
    assert visit().get("/v1/projects/winter/documents?q=rain").status_code == 401


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"grade": 7}, "7 is no grade of the rubric"),
        ({"grade": 1, "cannot_tell": "other"}, "an answer says one thing"),
        ({"note": "nothing"}, "an answer says one thing"),
        ({"dimensions": {"smell": 1}}, "smell 1 is not of the rubric"),
    ],
)
def test_answers_that_the_rubric_does_not_know(folder: Path, visit: Visit, said: dict[str, Any], what: str) -> None:
    project(folder)
    who, head = rater(visit)
    told = answered(who, head, items(who)[0], "abcdefgh-1", **said)
    assert told.status_code == 422
    assert what in told.json()["what"]
    assert len(items(who, 12)) == 8


def test_nobody_grades_another_raters_item(folder: Path, visit: Visit) -> None:
    project(folder, raters_each=1)
    one = items(rater(visit)[0])[0]
    other, head = rater(visit, "lead")
    told = answered(other, head, one, "abcdefgh-1")
    assert told.status_code == 422
    assert "nobody gave you this item" in told.json()["what"]


def test_dimensions_make_the_grade_by_the_rule(folder: Path, visit: Visit) -> None:
    project(folder, rubric=DIMENSIONS)
    who, head = rater(visit)
    told = [
        answered(who, head, one, f"abcdefgh-{i}", dimensions={"fit": 2, "fresh": fresh}).json()["grade"]
        for i, (one, fresh) in enumerate(zip(items(who), (1, 0), strict=False))
    ]
    assert told == [2.0, 0.0]
    with open_store(Workbench.open(str(folder))) as store:
        rows = exported.export(store, TENANT, "winter")
    assert [row["dimension"] for row in rows] == ["relevance", "fit", "fresh"] * 2


def test_a_grade_without_its_token_or_a_session_is_refused(folder: Path, visit: Visit) -> None:
    project(folder)
    who, _ = rater(visit)
    one = items(who)[0]
    assert answered(who, {}, one, "abcdefgh-1").status_code == 403
    assert answered(visit(), {}, one, "abcdefgh-1").status_code == 401
    assert visit().get("/v1/projects/winter/items").status_code == 401


def test_texts_are_texts_on_every_page(folder: Path, visit: Visit) -> None:
    project(folder, name="winter")
    project(folder, name=HOSTILE)
    who, _ = rater(visit)
    for path in ("/", "/label/winter"):
        assert "<script>document" not in who.get(path).text
        assert "<img src=x" not in who.get(path).text


def test_projects_are_named_once_and_need_something_to_label(folder: Path) -> None:
    project(folder)
    with pytest.raises(InputError, match="there is a project winter already"):
        project(folder)
    with pytest.raises(InputError, match="holds no rows"):
        project(folder, name="none", docs=0)
    known = {(q, f"{q}-d{i}"): 1.0 for q in ("q1", "q2") for i in range(4)}
    with pytest.raises(InputError, match="there is nothing to label"):
        project(folder, name="none", gold=known)
    with open_store(Workbench.open(str(folder))) as store, pytest.raises(InputError, match="did you mean winter"):
        exported.export(store, TENANT, "wintr")


def test_hidden_gold_is_not_exported(folder: Path, visit: Visit) -> None:
    project(folder, gold={("q1", "q1-d0"): 2.0}, gold_share=1.0, raters_each=1)
    who, head = rater(visit)
    seen = []
    while found := items(who, 1):
        seen.append(found[0]["document"]["doc_id"])
        answered(who, head, found[0], f"abcdefgh-{len(seen)}")
    assert "q1-d0" in seen
    with open_store(Workbench.open(str(folder))) as store:
        assert "q1-d0" not in {row["doc_id"] for row in exported.export(store, TENANT, "winter")}


def test_names_that_a_spreadsheet_would_run_are_quoted() -> None:
    row = dict.fromkeys(exported.COLUMNS, "x") | {"rater": "=cmd()", "grade": 2.0}
    assert exported.as_csv([row]).decode().splitlines()[1].split(",")[2] == "'=cmd()"
