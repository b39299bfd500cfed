"""Disputes that are settled blind, the lead's page, and the pilot's gate."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.flows.keeping import open_store
from assay.flows.people import add_person
from assay.flows.workbench import Workbench
from web.labelled import project
from web.visiting import PASSWORD, Visitor

Visit = Callable[..., Visitor]
NOTE = "a note of the rater"


def label(visit: Visit, name: str, grades: dict[str, float], other: float = 1, most: int = 50) -> None:
    """Somebody labels what comes."""
    who = visit()
    assert who.sign_in(name).status_code == 303
    found = re.search(r'data-csrf="([^"]+)"', who.get("/label/winter").text)
    assert found is not None
    for _ in range(most):
        items: list[dict[str, Any]] = who.get("/v1/projects/winter/items?n=1").json()["items"]
        if not items:
            return
        doc = items[0]["document"]["doc_id"]
        said = {"uid": f"{name}-{doc}", "item": items[0]["item"], "turn": 0, "grade": grades.get(doc, other),
                "note": NOTE, "took_ms": 4_000}  # fmt: skip
        assert who.post("/v1/grades", json=said, headers={"x-csrf-token": found[1]}).status_code == 200


def rater(folder: Path, name: str) -> None:
    with open_store(Workbench.open(str(folder))) as store:
        add_person(store, name, "rater", PASSWORD, by="test")


def disputed(folder: Path, visit: Visit) -> Visitor:
    """Two raters who dispute q1-d0 (0 against 2) and q1-d1 (0 against 1), and an adjudicator who comes in."""
    project(folder)
    rater(folder, "second")
    label(visit, "rater", {"q1-d0": 0, "q1-d1": 0})
    label(visit, "second", {"q1-d0": 2})
    who = visit()
    assert who.sign_in("adjudicator").status_code == 303
    return who


def fields(text: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]+)"', text))


def test_a_dispute_is_shown_without_labels_until_the_own_grade_is_given(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    page = who.get("/adjudicate/winter").text
    assert "Jacket q1-d0" in page
    assert NOTE not in page
    assert "second" not in page
    given = fields(page)
    assert who.get(f"/adjudicate/winter?item={given['item']}").status_code == 422  # no peeking first
    answer = who.post("/adjudicate/winter", data=given | {"grade": "1", "note": "as the rubric says"})
    assert answer.status_code == 303
    shown = who.get(answer.headers["location"]).text
    assert shown.count(NOTE) == 2
    assert ">second<" in shown
    assert "as the rubric says" in shown
    assert "Jacket q1-d1" in who.get("/adjudicate/winter").text  # the next one


def test_a_settled_pair_is_no_dispute_and_its_grade_comes_out(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    for _ in range(2):
        given = fields(who.get("/adjudicate/winter").text)
        assert who.post("/adjudicate/winter", data=given | {"grade": "2"}).status_code == 303
        assert who.post("/adjudicate/winter", data=given | {"grade": "2"}).status_code == 303  # sent again: once
    assert "No dispute is left" in who.get("/adjudicate/winter").text
    lead = visit()
    lead.sign_in("lead")
    rows = list(csv.DictReader(lead.get("/project/winter/labels.csv").text.splitlines()))
    assert [(row["doc_id"], row["grade"]) for row in rows if row["role"] == "adjudicator"] == [
        ("q1-d0", "2"), ("q1-d1", "2"),
    ]  # fmt: skip
    assert len(rows) == 18
    page = " ".join(lead.get("/project/winter").text.split())
    assert "16 of 16 judgments, of 8 pairs. 0 disputed, 2 settled." in page
    assert '<td class="num">8</td><td class="num">0</td><td class="num">4.0</td>' in page
    assert '<td>0 no</td><td>2 yes</td><td class="num">1</td>' in page


def test_a_grade_is_corrected_by_a_new_one(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    given = fields(who.get("/adjudicate/winter").text)
    seen = who.post("/adjudicate/winter", data=given | {"grade": "2"}).headers["location"]
    again = fields(who.get(seen).text)
    assert again["uid"] != given["uid"]
    assert who.post("/adjudicate/winter", data=again | {"grade": "0"}).status_code == 303
    assert '<th scope="row">you</th><td class="num">0</td>' in who.get(seen).text


def test_nobody_settles_what_they_labelled_or_what_is_no_dispute(folder: Path, visit: Visit) -> None:
    project(folder)
    label(visit, "rater", {"q1-d0": 0})
    label(visit, "lead", {"q1-d0": 2})
    lead, other = visit(), visit()
    lead.sign_in("lead")
    other.sign_in("adjudicator")
    assert "No dispute is left" in lead.get("/adjudicate/winter").text
    given = fields(other.get("/adjudicate/winter").text)
    own = given | {"csrf": lead.token("/adjudicate/winter"), "uid": "another-uid", "grade": "1"}
    answer = lead.post("/adjudicate/winter", data=own)
    assert (answer.status_code, answer.json()["what"]) == (422, "you labelled this one yourself")
    agreed = given | {"item": str(int(given["item"]) + 1), "grade": "1"}
    assert other.post("/adjudicate/winter", data=agreed).json()["what"] == "this one is settled already"
    assert (
        other.post("/adjudicate/winter", data=given | {"grade": "3"}).json()["what"] == "that is no grade of the rubric"
    )


def test_the_queue_behind_the_pilot_opens_for_a_reason(folder: Path, visit: Visit) -> None:
    project(folder, pilot=2)
    label(visit, "rater", {})
    lead = visit()
    lead.sign_in("lead")
    page = lead.get("/project/winter").text
    given = fields(page)
    assert "Every rater labels the same 2 pairs first." in page
    assert lead.post("/project/winter/open", data=given).status_code == 422
    assert lead.post("/project/winter/open", data=given | {"why": "the launch is near"}).status_code == 303
    assert "the launch is near" in lead.get("/project/winter").text
    assert lead.post("/project/winter/open", data=given | {"why": "x"}).json()["what"] == "the queue is open"
    who = visit()
    who.sign_in("rater")
    assert len(who.get("/v1/projects/winter/items?n=1").json()["items"]) == 1
