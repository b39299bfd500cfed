"""Who answers faster than anybody reads is stopped, keeps every answer, and goes on when asked to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.pace import least_s
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.schema import EVENTS, JUDGMENTS
from web.labelled import RUBRIC
from web.visiting import Visitor, key

Visit = Callable[..., Visitor]
DOCUMENTS = 60


def test_the_least_time_is_that_of_the_project_or_of_the_first_letters() -> None:
    assert least_s(1.0, 0) == least_s(1.0, 120) == 1.0
    assert least_s(1.0, 240) == 2.0  # at 120 letters a second
    assert least_s(1.0, 360) == least_s(1.0, 100_000) == 3.0
    assert least_s(5.0, 100_000) == 5.0
    assert least_s(0.0, 100_000) == 0.0


def project(folder: Path, letters: int = 20, **options: Any) -> None:
    bench = Workbench.open(str(folder))
    pairs = [{"query_id": "q", "doc_id": f"d{n}"} for n in range(DOCUMENTS)]
    texts = [{"doc_id": pair["doc_id"], "title": "ten letter", "text": "x" * (letters - 10)} for pair in pairs]
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", pairs=pairs, documents=texts, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC,
            by="test", **({"repeat_share": 0.0, "raters_each": 3} | options),
        )  # fmt: skip


class Rater:
    """Somebody who labels by a key."""

    def __init__(self, guest: Visitor, folder: Path, name: str = "rater") -> None:
        self.guest, self.name, self.n = guest, name, 0
        self.head = {"authorization": f"Bearer {key(folder, name, 'rater')}"}

    def asks(self, n: int = 1) -> dict[str, Any]:
        answer = self.guest.get(f"/v1/projects/winter/items?n={n}", headers=self.head)
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    def answers(self, took_ms: int | None, times: int = 1) -> None:
        for _ in range(times):
            (one,) = self.asks()["items"]
            self.gives(one, took_ms)

    def gives(self, one: dict[str, Any], took_ms: int | None) -> None:
        self.n += 1
        said = {"uid": f"{self.name}-{self.n:06}", "item": one["item"], "grade": 1, "took_ms": took_ms}
        assert self.guest.post("/v1/grades", json=said, headers=self.head).status_code == 200

    def goes_on(self) -> None:
        answer = self.guest.post("/v1/projects/winter/go-on", headers=self.head)
        assert answer.json() == {"goes_on": True}


def judged(folder: Path) -> list[bool]:
    with open_store(Workbench.open(str(folder))) as store:
        return [bool(row["is_fast"]) for row in store.rows(sa.select(JUDGMENTS).order_by(JUDGMENTS.c.id))]


def test_six_of_ten_answers_that_are_too_fast_stop_a_rater_until_the_rater_goes_on(folder: Path, visit: Visit) -> None:
    project(folder)
    who = Rater(visit(), folder)
    who.answers(1_000, 4)
    who.answers(999, 6)
    assert judged(folder) == [False] * 4 + [True] * 6
    for _ in range(2):
        assert who.asks() == {"items": [], "rater": "rater", "waits": "pace"}
    who.goes_on()
    told = who.asks()
    assert (len(told["items"]), told["waits"]) == (1, "")
    who.answers(100, 9)  # counted anew: nine are no ten
    assert who.asks()["waits"] == ""
    who.answers(100)
    assert who.asks()["waits"] == "pace"
    assert len(judged(folder)) == 20  # none is lost


def test_five_of_ten_stop_nobody_and_no_time_is_no_speed(folder: Path, visit: Visit) -> None:
    project(folder)
    who = Rater(visit(), folder)
    for _ in range(8):
        who.answers(10)
        who.answers(4_000)
    who.answers(None, 20)
    assert who.asks()["waits"] == ""
    who.goes_on()  # nobody was stopped: nothing happens
    with open_store(Workbench.open(str(folder))) as store:
        assert store.rows(sa.select(EVENTS)) == []


def test_long_documents_take_longer_and_a_project_may_stop_nobody(folder: Path, visit: Visit) -> None:
    project(folder, letters=300)
    who = Rater(visit(), folder)
    who.answers(2_499, 5)
    who.answers(2_500, 5)
    assert judged(folder) == [True] * 5 + [False] * 5
    assert who.asks()["waits"] == ""


def test_with_no_least_time_nobody_is_stopped(folder: Path, visit: Visit) -> None:
    project(folder, min_seconds=0)
    who = Rater(visit(), folder)
    who.answers(1, 30)
    assert not any(judged(folder))
    assert len(who.asks()["items"]) == 1


def test_what_is_on_the_screen_may_be_answered_while_one_is_stopped(folder: Path, visit: Visit) -> None:
    project(folder)
    who = Rater(visit(), folder)
    held = who.asks(12)["items"]
    for one in held[:10]:
        who.gives(one, 10)
    assert who.asks(12)["waits"] == "pace"
    for one in held[10:]:
        who.gives(one, 4_000)
    assert len(judged(folder)) == 12
    who.goes_on()
    assert len(who.asks(12)["items"]) == 12


def test_one_rater_stops_no_other_and_the_lead_sees_it(folder: Path, visit: Visit) -> None:
    project(folder)
    guest = visit()
    fast, slow = Rater(guest, folder), Rater(guest, folder, "adjudicator")
    fast.answers(10, 10)
    slow.answers(4_000, 10)
    assert (fast.asks()["waits"], slow.asks()["waits"]) == ("pace", "")
    head = {"authorization": f"Bearer {key(folder, 'lead', 'lead')}"}
    page = guest.get("/project/winter", headers=head).text
    rows = dict(re.findall(r'<tr><th scope="row" dir="auto">(\w+)</th>(.*?)</tr>', page.split('id="raters-h"')[1]))
    last_two = {name: re.findall(r">([^<]+)</td>", row)[-2:] for name, row in rows.items()}
    assert last_two == {"rater": ["10", "1"], "adjudicator": ["0", "0"]}
    assert "These answers are kept and count" in page
    assert fast.guest.get("/project/winter", headers=fast.head).status_code == 403


@pytest.mark.parametrize("seconds", [-1, 61])
def test_the_command_takes_seconds_of_a_minute(seconds: int) -> None:
    from click.testing import CliRunner

    from assay.cli.label import label

    told = CliRunner().invoke(label, ["create", "x", "p.csv", "--rubric", "r.md", "--min-seconds", str(seconds)])
    assert told.exit_code == 2
    assert "0<=x<=60" in told.output
