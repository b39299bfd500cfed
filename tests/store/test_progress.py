"""The pilot's gate and the settling of disputes, on both databases."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.flows.people import Person
from assay.flows.project import next_dispute, open_queue, progress_of, settle, settled
from assay.store.database import Store
from assay.store.judgments import Given
from store.made import TENANT, ask, give, project
from web.labelled import RUBRIC

LEAD, JUDGE = Person("lead", "lead", TENANT), Person("judge", "adjudicator", TENANT)


def piloted(store: Store, second: tuple[float, ...]) -> None:
    """A pilot of 24 pairs of 12 queries that rater a grades 0, 2, 0, 2 ...; b grades as `second` says, in turn."""
    row = project(store, items=26, queries=13, wanted=2, pilot=24, rubric=RUBRIC)
    for rater, grades in (("a", (0.0, 2.0)), ("b", second)):
        for item in ask(store, row, rater, 24):
            give(store, item["id"], rater, grades[int(item["doc_id"][1:]) % len(grades)], took_ms=3_000)
        assert ask(store, row, rater) == []  # the queue is closed


def test_raters_who_agree_open_the_queue(store: Store) -> None:
    piloted(store, (0.0, 2.0))
    found = progress_of(store, LEAD, "Shop")
    assert found.agreement is not None
    assert (found.agreement.deciding.value, found.agreement.deciding.low) == (1.0, 1.0)
    assert (found.is_open, found.reaches, found.disputed, found.boundaries) == (False, True, 0, ())
    assert (found.given, found.wanted) == (0, 4)  # two pairs stand behind the pilot
    open_queue(store, LEAD, "Shop", "")
    assert progress_of(store, LEAD, "Shop").is_open
    with pytest.raises(InputError, match="the queue is open"):
        open_queue(store, LEAD, "Shop", "again")


def test_raters_who_do_not_agree_keep_it_closed_until_a_lead_says_why(store: Store) -> None:
    piloted(store, (2.0, 0.0))  # always the opposite: kappa is -1
    found = progress_of(store, LEAD, "Shop")
    assert found.agreement is not None
    assert found.agreement.deciding.value == pytest.approx(-1)
    assert (found.reaches, found.disputed, found.boundaries) == (False, 24, ((0.0, 2.0, 24),))
    with pytest.raises(InputError, match="do not agree enough"):
        open_queue(store, LEAD, "Shop", "  ")
    open_queue(store, LEAD, "Shop", "a demo")
    assert progress_of(store, LEAD, "Shop").is_open


def test_one_rater_alone_opens_nothing(store: Store) -> None:
    row = project(store, items=6, pilot=4, rubric=RUBRIC)
    for item in ask(store, row, "a", 4):
        give(store, item["id"], "a", cannot_tell="language", grade=None)
    found = progress_of(store, LEAD, "Shop")
    assert (found.agreement, found.reaches) == (None, False)
    assert [(one.name, one.given, one.cannot_tell, one.median_s) for one in found.raters] == [("a", 0, 4, None)]


def test_a_dispute_leaves_the_queue_when_it_is_settled(store: Store) -> None:
    row = project(store, items=1, queries=1, rubric=RUBRIC)
    for rater, grade in (("a", 0.0), ("b", 2.0)):
        give(store, ask(store, row, rater)[0]["id"], rater, grade, note="theirs")
    found = next_dispute(store, JUDGE, "Shop")
    assert found is not None
    assert set(found) == {"item", "query", "document"}
    assert "theirs" not in str(found)
    with pytest.raises(InputError, match="give your own grade first"):
        settled(store, JUDGE, "Shop", found["item"])
    settle(store, JUDGE, "Shop", Given("judged-1", found["item"], "judge", "adjudicator", grade=1.0))
    assert next_dispute(store, JUDGE, "Shop") is None
    seen = settled(store, JUDGE, "Shop", found["item"])
    assert seen["own"]["grade"] == 1.0
    assert [(one["rater"], one["grade"], one["note"]) for one in seen["labels"]] == [
        ("a", 0.0, "theirs"), ("b", 2.0, "theirs"),
    ]  # fmt: skip
    assert next_dispute(store, Person("other", "adjudicator", TENANT), "Shop") is None
