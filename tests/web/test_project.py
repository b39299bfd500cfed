"""The lead's page, and the pilot's gate."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import assay.web.project
from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from web.answered import fields, label, rater
from web.labelled import RUBRIC, project
from web.visiting import Visitor

Visit = Callable[..., Visitor]


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


def test_a_large_project_is_counted_behind_its_page(
    folder: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.flows.progress.LARGE", 3)
    monkeypatch.setattr("assay.web.behind.PATIENCE_S", 0.05)
    may_end = threading.Event()
    count = assay.web.project.progress_of
    monkeypatch.setattr("assay.web.project.progress_of", lambda *what: may_end.wait(20) and count(*what))
    project(folder)
    label(visit, "rater", {})
    lead = visit()
    lead.sign_in("lead")
    page = lead.get("/project/winter").text
    assert "The judgments are being counted" in page
    assert '<meta http-equiv="refresh" content="2">' in page
    may_end.set()
    for _ in range(400):
        page = " ".join(lead.get("/project/winter").text.split())
        if "being counted" not in page:
            break
        time.sleep(0.01)
    assert "8 of 16 judgments, of 8 pairs." in page
    assert re.search(r"Counted 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", page)
