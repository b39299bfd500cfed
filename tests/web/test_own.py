"""A rater's own page: own figures, others as counts alone, and nothing of any one document."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.flows import own as flow
from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import create_project, give, next_items, undo
from assay.flows.people import Person
from assay.flows.project import open_queue
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.database import Store
from assay.store.judgments import Given
from assay.store.schema import JUDGMENTS
from web.answered import rater
from web.labelled import RUBRIC
from web.visiting import Visitor, key

Visit = Callable[..., Visitor]
MANY = 150
SECRET = b"the secret of this test"


def people(*names: str) -> list[Person]:
    return [Person(name, "rater", TENANT) for name in names]


def project(folder: Path, pairs: int = MANY, name: str = "winter", **options: Any) -> None:
    bench = Workbench.open(str(folder))
    asked = [{"query_id": f"q{n % 5}", "doc_id": f"d{n}"} for n in range(pairs)]
    with open_store(bench) as store:
        create_project(store, bench, name=name, pairs=asked, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC,
                       by="test", **({"repeat_share": 0.0, "raters_each": 3} | options))  # fmt: skip


def labelled(folder: Path, who: Person, grade: Callable[[int], float], most: int = 10_000) -> int:
    """One rater answers what comes, by the number of the document; how many answers."""
    n = 0
    with open_store(Workbench.open(str(folder))) as store:
        while n < most and answers(store, who, grade):
            n += 1
    return n


def answers(store: Store, who: Person, grade: Callable[[int], float]) -> bool:
    """One rater answers what comes next; whether anything came."""
    items = next_items(store, who, "winter", 1, SECRET)
    for one in items:
        said = Given(f"{who.name}-{one['item']}-{one['turn']}", one["item"], who.name, turn=one["turn"],
                     grade=grade(int(one["document"]["doc_id"][1:])), took_ms=3_000)  # fmt: skip
        give(store, who, said)
    return bool(items)


def by_key(folder: Path, name: str = "rater") -> dict[str, str]:
    return {"authorization": f"Bearer {key(folder, name, 'rater')}"}


def figures(guest: Visitor, head: dict[str, str]) -> dict[str, Any]:
    answer = guest.get("/v1/projects/winter/own", headers=head)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def no_one_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "LEFT_OUT", 0.0)


@pytest.mark.usefixtures("no_one_left_out")
def test_own_grades_stand_beside_those_of_peers_as_counts_by_grade(folder: Path, visit: Visit) -> None:
    """150 documents: the rater says 2 of even numbers and else 0, the other one too, but 1 of those that 10 divides."""
    project(folder)
    (mine, theirs), guest, head = people("rater", "lead"), visit(), by_key(folder)
    assert labelled(folder, theirs, lambda n: 1 if n % 10 == 0 else 2 * (n % 2 == 0)) == MANY
    assert figures(guest, head)["peers"] is None
    assert labelled(folder, mine, lambda n: 2 * (n % 2 == 0)) == MANY
    found = figures(guest, head)
    # 75 answers of each grade, three batches of 20; the first 60 of each in the order in which they came.
    low, high = found["peers"]["rows"]
    assert (low, high["grade"], sum(high["counts"])) == ({"grade": 0, "counts": [60, 0, 0]}, 2, 60)
    assert 0 < high["counts"][1] <= 15
    assert high["counts"][0] == 0
    assert (found["peers"]["n"], found["peers"]["same"]) == (120, 120 - high["counts"][1])
    assert (found["done"], found["of"], found["grades"], found["cannot_tell"]) == (MANY, MANY, MANY, 0)
    assert (found["median_s"], found["mean_s"]) == (3.0, 3.0)
    assert (found["known"], found["again"]) == (None, None)  # there are none


@pytest.mark.usefixtures("no_one_left_out")
def test_a_figure_moves_by_twenty_answers_and_a_known_grade_or_a_repeat_by_none(folder: Path, visit: Visit) -> None:
    gold = {(f"q{n % 5}", f"d{n}"): 2.0 for n in range(1_000, 1_040)}
    project(folder, gold=gold, gold_share=0.3, repeat_share=0.2)
    (mine,), guest, head = people("rater"), visit(), by_key(folder)
    seen, moved = figures(guest, head), 0
    with open_store(Workbench.open(str(folder))) as store:
        for n in range(1, 141):
            assert answers(store, mine, lambda _: 2)
            now = figures(guest, head)
            assert now["done"] == n
            is_same = all(now[name] == seen[name] for name in ("known", "again", "peers"))
            assert is_same or n % flow.BATCH == 0, f"answer {n} moved a figure"
            moved += not is_same
            seen = now
    assert moved >= 3
    assert seen["known"]["rows"] == [{"grade": 2.0, "counts": [0, 0, seen["known"]["n"]]}]
    assert seen["known"]["n"] >= flow.FEWEST_KNOWN
    assert seen["again"]["same"] == seen["again"]["n"] >= flow.FEWEST_AGAIN


def test_one_answer_in_five_is_never_counted(folder: Path, visit: Visit) -> None:
    project(folder, pairs=200)
    mine, theirs = people("rater", "lead")
    for who in (theirs, mine):
        labelled(folder, who, lambda _: 2)
    n = figures(visit(), by_key(folder))["peers"]["n"]
    assert 120 <= n <= 180  # 160 of 200, and 5.7 a standard deviation; in whole batches
    # that all of them are alike does not say which ones they are


def test_nothing_of_others_or_of_known_grades_is_told_while_the_pilot_is_under_way(folder: Path, visit: Visit) -> None:
    rater(folder, "ann")
    rater(folder, "late")  # who never answers, so that the pilot stays closed
    project(folder, pilot=60)
    for who in people("rater", "ann"):
        assert labelled(folder, who, lambda _: 2) == 60
    guest, head = visit(), by_key(folder)
    found = figures(guest, head)
    assert (found["is_pilot"], found["peers"], found["known"]) == (True, None, None)
    assert "This comes when the pilot is over" in guest.get("/own/winter", headers=head).text
    with open_store(Workbench.open(str(folder))) as store:
        open_queue(store, Person("lead", "lead", TENANT), "winter", "it is late")
    assert figures(guest, head)["peers"]["n"] >= flow.FEWEST_PEERS
    assert labelled(folder, *people("late"), lambda _: 2, most=45) == 45  # of the 60 that the others have labelled
    assert figures(guest, by_key(folder, "late"))["peers"] is None
    assert labelled(folder, *people("late"), lambda _: 2, most=16) == 16
    assert figures(guest, by_key(folder, "late"))["peers"]["n"] >= flow.FEWEST_PEERS


def test_the_page_is_linked_and_shows_own_figures_and_no_name_of_another(folder: Path, visit: Visit) -> None:
    rater(folder, "somebody-else")
    project(folder)
    for who in people("somebody-else", "rater"):
        labelled(folder, who, lambda n: 2 * (n % 2 == 0))
    guest = visit()
    assert guest.sign_in("rater").status_code == 303
    link = re.search(r'href="(/own/[0-9a-f]+)">Your labels in winter<', guest.get("/").text)
    assert link is not None
    page = guest.get(link[1]).text
    assert "<b>" in page.split('id="peers-h"')[1].split("</section>")[0]
    assert "2 yes" in page
    assert "somebody-else" not in page
    assert not re.search(r"\bd\d+\b|\bq\d\b", page)  # no document and no query
    assert guest.get("/own/nothing").status_code == 422


def test_two_raters_see_each_their_own(folder: Path, visit: Visit) -> None:
    project(folder)
    mine, theirs = people("rater", "lead")
    labelled(folder, mine, lambda _: 2, most=30)
    labelled(folder, theirs, lambda _: 0, most=10)
    guest = visit()
    assert (figures(guest, by_key(folder))["grades"], figures(guest, by_key(folder, "lead"))["grades"]) == (30, 10)


@pytest.mark.usefixtures("no_one_left_out")
def test_what_a_peer_says_later_moves_a_figure_by_twenty_and_what_the_peer_takes_back_by_none(
    folder: Path, visit: Visit
) -> None:
    project(folder, pairs=40)
    (mine, theirs), guest, head = people("rater", "lead"), visit(), by_key(folder)
    assert labelled(folder, mine, lambda _: 2) == 40  # two batches
    seen, moved = figures(guest, head), []
    assert seen["peers"] is None
    with open_store(Workbench.open(str(folder))) as store:
        for n in range(1, 41):
            assert answers(store, theirs, lambda doc: doc % 3)
            now = figures(guest, head)
            if now["peers"] != seen["peers"]:
                moved.append((n, now["peers"]["n"]))
            seen = now
        assert moved == [(20, 20), (40, 40)]
        last = store.rows(sa.select(JUDGMENTS).where(JUDGMENTS.c.rater == "lead").order_by(JUDGMENTS.c.id.desc()))[0]
        undo(store, theirs, "take-it-back", last["uid"])
    assert figures(guest, head)["peers"] == seen["peers"]
    assert seen["peers"]["rows"] == [
        {"grade": 2, "counts": [14, 13, 13]}
    ]  # of 0 to 39, by their rest when divided by 3


@pytest.mark.usefixtures("no_one_left_out")
def test_what_peers_say_of_known_pairs_fills_no_batch_of_what_is_shown(folder: Path, visit: Visit) -> None:
    """30 known pairs come first, then 50 others: the 20th and the 40th of these move the figure, and nothing else."""
    gold = {(f"q{n % 5}", f"d{n}"): 2.0 for n in range(1_000, 1_030)}
    project(folder, pairs=50, gold=gold, gold_share=1.0)
    (mine, theirs), guest, head = people("rater", "lead"), visit(), by_key(folder)
    assert labelled(folder, mine, lambda _: 2) == 80
    seen, moved = figures(guest, head), []
    with open_store(Workbench.open(str(folder))) as store:
        for n in range(1, 81):
            assert answers(store, theirs, lambda doc: 2 * (doc >= 1_000))
            if n % 10:
                continue
            now = figures(guest, head)
            if now["peers"] != seen["peers"]:
                moved.append((n, now["peers"]["n"]))
            seen = now
    assert moved == [(50, 20), (70, 40)]
    assert seen["peers"]["rows"] == [{"grade": 2, "counts": [40, 0, 0]}]
