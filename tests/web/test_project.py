"""Disputes that are settled blind, the lead's page, and the pilot's gate."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.people import add_person
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from web.labelled import RUBRIC, project
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
    assert '<td class="num">8</td><td class="num">0</td><td class="num">4.0</td><td class="num">none</td>' in page
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
    said = " ".join(page.split())
    assert "The queue is closed. It opens by itself when every rater has labelled the same 2 pairs" in said
    assert "It takes two raters at least." in said
    assert lead.post("/project/winter/open", data=given).status_code == 422
    assert lead.post("/project/winter/open", data=given | {"why": "the launch is near"}).status_code == 303
    assert 'by lead: <span dir="auto">the launch is near</span>' in lead.get("/project/winter").text
    assert lead.post("/project/winter/open", data=given | {"why": "x"}).json()["what"] == "the queue is open"
    who = visit()
    who.sign_in("rater")
    assert len(who.get("/v1/projects/winter/items?n=1").json()["items"]) == 1


def many(folder: Path) -> list[dict[str, str]]:
    """A project of twelve queries with two documents each, all of them in the pilot but one query's."""
    pairs = [{"query_id": f"p{i:02}", "doc_id": f"p{i:02}-{end}"} for i in range(13) for end in "ab"]
    bench = Workbench.open(str(folder))
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", pairs=pairs, rubric=Rubric.parse(WORDS), rubric_text=WORDS, by="test",
            pilot=24, repeat_share=0.0,
        )  # fmt: skip
    return pairs


WORDS = RUBRIC.replace('name = "some"', 'name = "some"\ndefinition = "part of it"\nborderline = "an <i>old</i> one"')


def test_the_queue_opens_by_itself_when_all_agree(folder: Path, visit: Visit) -> None:
    pairs = many(folder)
    rater(folder, "second")
    grades = {pair["doc_id"]: 2.0 * (i % 2) for i, pair in enumerate(pairs)}
    label(visit, "rater", grades)
    first = visit()
    first.sign_in("rater")
    assert first.get("/v1/projects/winter/items").json() == {"items": [], "rater": "rater", "waits": "pilot"}
    lead = visit()
    lead.sign_in("lead")
    page = " ".join(lead.get("/project/winter").text.split())
    assert "Not every rater has labelled it." in page
    assert '<th scope="row" dir="auto">second</th><td class="num">24</td>' in page
    label(visit, "second", grades)  # takes all of the pilot, and then what lies behind it
    answer = first.get("/v1/projects/winter/items?n=5").json()
    assert (len(answer["items"]), answer["waits"]) == (2, "")
    page = " ".join(lead.get("/project/winter").text.split())
    assert 'by itself: <span dir="auto">2 raters agree on the pilot: kappa, quadratic 1.00, 95 % interval' in page
    assert "2 of 4 judgments behind the pilot" in page


def test_raters_who_differ_keep_it_closed_and_the_page_shows_the_lines(folder: Path, visit: Visit) -> None:
    pairs = many(folder)
    rater(folder, "second")
    label(visit, "rater", {pair["doc_id"]: 2.0 for pair in pairs})
    label(visit, "second", {pair["doc_id"]: 1.0 for pair in pairs})
    for name in ("rater", "second"):
        who = visit()
        who.sign_in(name)
        assert who.get("/v1/projects/winter/items").json()["waits"] == "pilot"
        assert "Lines of the rubric" not in who.get("/label/winter").text
        assert who.get("/project/winter").status_code == 403
    lead = visit()
    lead.sign_in("lead")
    page = " ".join(lead.get("/project/winter").text.split())
    assert "All have labelled it, and do not agree enough, or not surely: mend the rubric." in page
    assert "pairs of 24 with two grades or more" in page
    row = page.split("Lines of the rubric on which raters differ")[1].split("</tbody>")[0]
    assert "<b>1 some</b>: part of it<br>" in row
    assert "borderline: an &lt;i&gt;old&lt;/i&gt; one" in row
    assert "<b>2 yes</b>" in row
    assert row.endswith('<td class="num">24</td></tr>')
