"""Disputes: an adjudicator answers blind, dimension by dimension where there are some, and may change or take back."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import create_project, give, next_items
from assay.flows.people import Person
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.judgments import Given
from assay.store.schema import CLAIMS
from web.answered import NOTE, fields, label, rater
from web.labelled import DIMENSIONS, RUBRIC, project
from web.visiting import Visitor

Visit = Callable[..., Visitor]


def adjudicator(visit: Visit, name: str = "adjudicator") -> Visitor:
    who = visit()
    assert who.sign_in(name).status_code == 303
    return who


def disputed(folder: Path, visit: Visit) -> Visitor:
    """Two raters who dispute q1-d0 (0 against 2) and q1-d1 (0 against 1), and an adjudicator who comes in."""
    project(folder)
    rater(folder, "second")
    label(visit, "rater", {"q1-d0": 0, "q1-d1": 0})
    label(visit, "second", {"q1-d0": 2})
    return adjudicator(visit)


def dimensional(folder: Path, visit: Visit) -> Visitor:
    """One pair of which two raters say other things of each dimension."""
    project(folder, rubric=DIMENSIONS, docs=1)
    with open_store(Workbench.open(str(folder))) as store:
        for name, fit, fresh in (("rater", 2.0, 1.0), ("admin", 0.0, 0.0)):
            who = Person(name, "rater", TENANT)
            (one,) = [item for item in next_items(store, who, "winter", 2, b"s") if item["query"]["query_id"] == "q1"]
            give(store, who, Given(f"{name}-0001", one["item"], name, dimensions={"fit": fit, "fresh": fresh}))
    return adjudicator(visit)


def listed(who: Visitor) -> list[str]:
    """The disputes that the page names, in their order."""
    return re.findall(r"\?dispute=(\d+)", who.get("/adjudicate/winter").text)


def test_a_dispute_is_shown_without_labels_until_the_own_answer_is_given(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    seen = set()
    for left in (2, 1):
        page = who.get("/adjudicate/winter").text
        seen.add(re.search(r"Jacket (q1-d\d)", page)[1])  # type: ignore[index] # one is shown
        assert len(listed(who)) == left
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
    assert seen == {"q1-d0", "q1-d1"}
    assert "No dispute is left" in who.get("/adjudicate/winter").text


def test_a_settled_pair_is_no_dispute_and_its_grade_comes_out(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    for _ in range(2):
        given = fields(who.get("/adjudicate/winter").text)
        assert who.post("/adjudicate/winter", data=given | {"grade": "2"}).status_code == 303
        assert who.post("/adjudicate/winter", data=given | {"grade": "2"}).status_code == 303  # sent again: once
    lead = adjudicator(visit, "lead")
    rows = list(csv.DictReader(lead.get("/project/winter/labels.csv").text.splitlines()))
    settled = sorted((row["doc_id"], row["grade"]) for row in rows if row["role"] == "adjudicator")
    assert settled == [("q1-d0", "2"), ("q1-d1", "2")]
    assert len(rows) == 18
    page = " ".join(lead.get("/project/winter").text.split())
    assert "16 of 16 judgments, of 8 pairs. 0 disputed, 2 settled." in page
    assert '<td class="num">8</td><td class="num">0</td><td class="num">4.0</td><td class="num">none</td>' in page
    assert '<td>0 no</td><td>2 yes</td><td class="num">1</td>' in page


def test_a_grade_is_corrected_by_a_new_one(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    given = fields(who.get("/adjudicate/winter").text)
    seen = who.post("/adjudicate/winter", data=given | {"grade": "2"}).headers["location"]
    assert ">Settled: 2 yes</h1>" in who.get(seen).text
    again = fields(who.get(seen).text)
    assert again["uid"] != given["uid"]
    assert who.post("/adjudicate/winter", data=again | {"grade": "0"}).status_code == 303
    assert ">Settled: 0 no</h1>" in who.get(seen).text


def test_an_answer_is_taken_back_and_the_pair_is_a_dispute_again(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    given = fields(who.get("/adjudicate/winter").text)
    seen = who.post("/adjudicate/winter", data=given | {"grade": "2"}).headers["location"]
    assert len(listed(who)) == 1
    back = {"csrf": given["csrf"], "uid": "undo-0001", "of": given["uid"]}
    answer = who.post("/adjudicate/winter/undo", data=back)
    assert answer.headers["location"].endswith(f"?dispute={given['item']}")
    page = who.get(answer.headers["location"]).text
    assert fields(page)["item"] == given["item"]
    assert NOTE not in page
    assert len(listed(who)) == 2
    assert who.get(seen).status_code == 422  # blind again
    other = adjudicator(visit, "lead")
    stolen = {"csrf": other.token("/"), "uid": "undo-0002", "of": "rater-q1-d0"}
    assert other.post("/adjudicate/winter/undo", data=stolen).json()["what"] == "there is no such judgment of yours"


def test_what_is_skipped_comes_last_and_stays_so_on_another_machine(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    first, second = listed(who)

    def skip(number: str) -> str:
        page = who.get("/adjudicate/winter").text
        assert fields(page)["item"] == number
        answer = who.post("/adjudicate/winter/skip", data={"csrf": fields(page)["csrf"], "item": number})
        return str(who.get(answer.headers["location"]).text)

    page = skip(first)
    assert (fields(page)["item"], page.count(">put off<")) == (second, 1)
    assert listed(adjudicator(visit)) == [second, first]  # another browser of the same person
    page = skip(second)
    assert (listed(who), page.count(">put off<")) == ([first, second], 2)  # both put off, the earliest first
    skip(first)
    assert listed(who) == [second, first]
    assert not any(row["outcome"] == "skipped" for row in claims(folder) if row["turn"] == 0)
    assert who.post("/adjudicate/winter/skip", data={"csrf": who.token("/"), "item": 999}).status_code == 422
    other = adjudicator(visit, "lead")
    assert "put off" not in other.get("/adjudicate/winter").text


def claims(folder: Path) -> list[dict[str, Any]]:
    with open_store(Workbench.open(str(folder))) as store:
        return store.rows(sa.select(CLAIMS))


def test_a_dispute_is_opened_by_its_number(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    first, second = listed(who)
    assert fields(who.get(f"/adjudicate/winter?dispute={second}").text)["item"] == second
    assert fields(who.get("/adjudicate/winter?dispute=999").text)["item"] == first  # settled meanwhile: the next one


LINES = RUBRIC.replace(
    'name = "some"', 'name = "some"\ndefinition = "part of it"\ngood = "one of two"\nborderline = "an <i>old</i> one"'
)


def test_the_lines_of_the_rubric_stand_at_the_answer_and_after_it_those_between_the_raters(
    folder: Path, visit: Visit
) -> None:
    project(folder, rubric=LINES, docs=2)
    rater(folder, "second")
    label(visit, "rater", {"q1-d0": 0})
    label(visit, "second", {"q1-d0": 1})
    who = adjudicator(visit)
    page = who.get("/adjudicate/winter").text
    assert page.count("an &lt;i&gt;old&lt;/i&gt; one") == page.count("one of two") == 1
    assert "Judge the document." in page
    assert "read in two ways" not in page  # it would tell what they said
    shown = who.get(who.post("/adjudicate/winter", data=fields(page) | {"grade": "2"}).headers["location"]).text
    between = shown.split("The lines that the raters read in two ways")[1].split("</ul>")[0]
    assert "0 no" in between
    assert "1 some" in between
    assert "2 yes" not in between


def test_long_documents_are_folded_and_short_ones_are_not(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    assert 'class="whole"' not in who.get("/adjudicate/winter").text
    bench = Workbench.open(str(folder))
    documents = [{"doc_id": "long", "title": "Long", "text": "word " * 399 + "words"}]
    with open_store(bench) as store:
        create_project(store, bench, name="long", pairs=[{"query_id": "q", "doc_id": "long"}], documents=documents,
                       rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="test")  # fmt: skip
        for name, grade in (("rater", 0.0), ("second", 2.0)):
            (one,) = next_items(store, Person(name, "rater", TENANT), "long", 1, b"s")
            give(store, Person(name, "rater", TENANT), Given(f"{name}-long-01", one["item"], name, grade=grade))
    page = who.get("/adjudicate/long").text
    assert '<details class="whole">' in page
    assert "Show all of it: 2,000 letters" in page


def test_who_cannot_tell_says_why_and_leaves_it_to_others(folder: Path, visit: Visit) -> None:
    who = disputed(folder, visit)
    given = fields(who.get("/adjudicate/winter").text)
    answer = who.post("/adjudicate/winter", data=given | {"grade": "2", "cannot_tell": "language", "note": "Welsh?"})
    shown = who.get(answer.headers["location"]).text
    assert "You can&#39;t tell" in shown or "You can't tell" in shown
    assert "Welsh?" in shown
    assert given["item"] not in listed(who)
    assert given["item"] in listed(adjudicator(visit, "lead"))


def test_nobody_settles_what_they_labelled_or_what_is_no_dispute(folder: Path, visit: Visit) -> None:
    project(folder)
    label(visit, "rater", {"q1-d0": 0})
    label(visit, "lead", {"q1-d0": 2})
    lead, other = adjudicator(visit, "lead"), adjudicator(visit)
    assert "No dispute is left" in lead.get("/adjudicate/winter").text
    given = fields(other.get("/adjudicate/winter").text)
    own = given | {"csrf": lead.token("/"), "uid": "another-uid", "grade": "1"}
    answer = lead.post("/adjudicate/winter", data=own)
    assert (answer.status_code, answer.json()["what"]) == (422, "you labelled this one yourself")
    agreed = given | {"item": str(int(given["item"]) % 8 + 1), "grade": "1"}  # any other of the eight
    assert other.post("/adjudicate/winter", data=agreed).json()["what"] == "this one is settled already"
    wrong = other.post("/adjudicate/winter", data=given | {"grade": "3"})
    assert wrong.json()["what"] == "3 is no grade of the rubric"
    nothing = other.post("/adjudicate/winter", data=given)
    assert nothing.json()["what"].startswith("an answer says one thing")


def test_each_dimension_is_settled_and_the_grade_follows_by_the_rule(folder: Path, visit: Visit) -> None:
    who = dimensional(folder, visit)
    page = who.get("/adjudicate/winter").text
    assert re.findall(r'data-dimension="(\w+)"', page) == ["fit", "fresh"]
    assert 'name="grade"' not in page
    given = fields(page)
    half = who.post("/adjudicate/winter", data=given | {"d0": "2"})
    assert (half.status_code, half.json()["what"]) == (422, "nothing is said of fresh")
    for told, what in (("9", "fresh 9 is not of the rubric"), ("x", "'x' is no value of fresh")):
        assert who.post("/adjudicate/winter", data=given | {"d0": "2", "d1": told}).json()["what"] == what
    answer = who.post("/adjudicate/winter", data=given | {"d0": "2", "d1": "0", "note": "a year old"})
    shown = " ".join(who.get(answer.headers["location"]).text.split())
    assert ">Settled: 0 no</h1>" in shown  # fit 2, and stale: at most 0
    assert shown.count('<span class="quiet">fresh</span>') == 3
    rows = list(csv.DictReader(adjudicator(visit, "lead").get("/project/winter/labels.csv").text.splitlines()))
    mine = {row["dimension"]: float(row["grade"]) for row in rows if row["role"] == "adjudicator"}
    assert mine == {"relevance": 0.0, "fit": 2.0, "fresh": 0.0}
    assert "No dispute is left" in who.get("/adjudicate/winter").text
