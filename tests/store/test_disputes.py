"""The settling of disputes, on both databases."""

from __future__ import annotations

import threading
import time

import pytest
import sqlalchemy as sa

from assay.errors import InputError
from assay.flows.disputes import dispute, settle, settled, take_back, waiting
from assay.flows.people import Person
from assay.store import judgments
from assay.store.database import Store
from assay.store.judgments import Given
from assay.store.schema import ITEMS, JUDGMENTS
from store.conftest import emptied
from store.made import NOW, TENANT, ask, give, project
from web.labelled import DIMENSIONS, RUBRIC

JUDGE, OTHER = Person("judge", "adjudicator", TENANT), Person("other", "adjudicator", TENANT)
KEY = b"secret"


def left(store: Store, who: Person = JUDGE) -> list[int]:
    return [row["item"] for row in waiting(store, who, "Shop", KEY)]


def test_a_dispute_leaves_the_queue_when_it_is_settled(store: Store) -> None:
    row = project(store, items=1, queries=1, rubric=RUBRIC)
    for rater, grade in (("a", 0.0), ("b", 2.0)):
        give(store, ask(store, row, rater)[0]["id"], rater, grade, note="theirs")
    (item,) = left(store)
    found = dispute(store, JUDGE, "Shop", item, KEY)
    assert set(found) == {"item", "query", "documents"}
    assert "theirs" not in str(found)
    with pytest.raises(InputError, match="give your own answer first"):
        settled(store, JUDGE, "Shop", item, KEY)
    settle(store, JUDGE, "Shop", Given("judged-1", item, "judge", grade=1.0))
    assert left(store) == left(store, OTHER) == []
    seen = settled(store, JUDGE, "Shop", item, KEY)
    assert (seen["own"]["grade"], seen["own"]["role"]) == (1.0, "adjudicator")
    assert [(one["rater"], one["grade"], one["note"]) for one in seen["labels"]] == [
        ("a", 0.0, "theirs"), ("b", 2.0, "theirs"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="not disputed"):
        dispute(store, OTHER, "Shop", item, KEY)


def test_whoever_cannot_tell_leaves_it_to_another_and_an_undo_opens_it_again(store: Store) -> None:
    row = project(store, items=1, queries=1, rubric=RUBRIC)
    for rater, grade in (("a", 0.0), ("b", 2.0)):
        give(store, ask(store, row, rater)[0]["id"], rater, grade)
    (item,) = left(store)
    settle(store, JUDGE, "Shop", Given("judged-1", item, "judge", cannot_tell="language"))
    assert (left(store), left(store, OTHER)) == ([], [item])
    assert take_back(store, JUDGE, "Shop", "undo-1", "judged-1") == (item, False)
    assert left(store) == [item]
    settle(store, OTHER, "Shop", Given("judged-2", item, "other", grade=2.0))
    assert left(store) == left(store, OTHER) == []
    settle(store, OTHER, "Shop", Given("judged-3", item, "other", grade=1.0))
    assert take_back(store, OTHER, "Shop", "undo-3", "judged-3") == (item, True)
    assert settled(store, OTHER, "Shop", item, KEY)["own"]["grade"] == 2.0  # what was corrected stands again
    take_back(store, OTHER, "Shop", "undo-2", "judged-2")
    assert left(store) == left(store, OTHER) == [item]
    assert len(store.rows(sa.select(JUDGMENTS))) == 8  # nothing is changed: every word is a row


def test_each_dimension_is_settled(store: Store) -> None:
    row = project(store, items=1, queries=1, rubric=DIMENSIONS)
    for rater, fit in (("a", 0.0), ("b", 2.0)):
        give(store, ask(store, row, rater)[0]["id"], rater, fit, dimensions={"fit": fit, "fresh": 1.0})
    (item,) = left(store)
    with pytest.raises(InputError, match="nothing is said of fresh"):
        settle(store, JUDGE, "Shop", Given("judged-1", item, "judge", dimensions={"fit": 2.0}))
    with pytest.raises(InputError, match="nothing is said of fit, fresh"):
        settle(store, JUDGE, "Shop", Given("judged-1", item, "judge", grade=2.0))
    settle(store, JUDGE, "Shop", Given("judged-1", item, "judge", dimensions={"fit": 2.0, "fresh": 0.0}))
    own = settled(store, JUDGE, "Shop", item, KEY)["own"]
    assert (own["grade"], own["dimensions"]) == (0.0, {"fit": 2.0, "fresh": 0.0})  # stale: the cap holds it at 0


def test_disputes_come_in_an_order_of_the_persons_own(store: Store) -> None:
    row = project(store, items=12, queries=1, rubric=RUBRIC)
    for rater, grade in (("a", 0.0), ("b", 2.0)):
        for item in ask(store, row, rater, 12):
            give(store, item["id"], rater, grade)
    assert sorted(left(store)) == sorted(left(store, OTHER))
    assert left(store) != left(store, OTHER)
    assert left(store) != sorted(left(store))


@pytest.mark.postgres
def test_two_first_answers_of_two_servers_at_one_moment_are_a_dispute(server: str) -> None:
    """The second is written, or waits, while the first one's transaction is open."""
    says, gate = threading.Event(), threading.Event()
    url = emptied(server)

    def append(connection: sa.Connection, rater: str, grade: float) -> None:
        judgments.append(connection, TENANT, Given(rater, item, rater, grade=grade), "v1", NOW)

    def first(connection: sa.Connection) -> None:
        append(connection, "ann", 0.0)
        says.set()
        assert gate.wait(20)

    with Store.open(url) as store, Store.open(url) as other:
        row = project(store, items=1, queries=1)
        (item,) = {ask(store, row, rater)[0]["id"] for rater in ("ann", "ben")}
        one = store.write(first)
        assert says.wait(20)
        two = other.write(lambda connection: append(connection, "ben", 2.0))
        waits = sa.select(sa.func.count()).select_from(sa.text("pg_locks where not granted"))
        while not two.done() and not next(iter(store.rows(waits)[0].values())):
            time.sleep(0.01)
        gate.set()
        one.result()
        two.result()
        assert [found["is_disputed"] for found in store.rows(sa.select(ITEMS))] == [True]
