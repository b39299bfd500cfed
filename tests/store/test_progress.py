"""The pilot's gate, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import InputError
from assay.flows.people import Person
from assay.flows.pilot import ITSELF, Step, consider, gate_of
from assay.flows.progress import progress_of
from assay.flows.project import open_queue
from assay.store import audit, claims, judgments, people, projects, queue
from assay.store.database import Store
from assay.store.schema import CLAIMS, ITEMS
from store.made import NOW, TENANT, ask, give, project
from web.labelled import DIMENSIONS, RUBRIC

LEAD, JUDGE = Person("lead", "lead", TENANT), Person("judge", "adjudicator", TENANT)


def piloted(store: Store, second: tuple[float, ...], apart: int = 0) -> dict[str, Any]:
    """A pilot of 24 pairs of 12 queries that rater a grades 0, 2, 0, 2 ...; b grades as `second` says, in turn.

    The first `apart` of those that b would grade 2 get a 0.
    """
    row = project(store, items=26, queries=13, wanted=2, pilot=24, rubric=RUBRIC)
    for rater, grades in (("a", (0.0, 2.0)), ("b", second)):
        for item in ask(store, row, rater, 24):
            place = int(item["doc_id"][1:])
            grade = grades[place % len(grades)]
            give(store, item["id"], rater, 0.0 if rater == "b" and place < 2 * apart else grade, took_ms=3_000)
        assert ask(store, row, rater) == []  # the queue is closed
    return row


def test_raters_who_agree_open_the_queue(store: Store) -> None:
    row = piloted(store, (0.0, 2.0))
    gate = progress_of(store, LEAD, "Shop").gate
    assert gate is not None
    assert gate.agreement is not None
    assert (gate.agreement.deciding.value, gate.agreement.deciding.low) == (1.0, 1.0)
    assert (gate.reaches, gate.left, gate.steps, gate.shared) == (True, {"a": 0, "b": 0}, (), 24)
    assert consider(store, row)
    found = progress_of(store, LEAD, "Shop")
    assert (found.is_open, found.gate, found.disputed, found.boundaries) == (True, None, 0, ())
    assert (found.given, found.wanted) == (0, 4)  # two pairs stand behind the pilot
    opened = projects.find(store, TENANT, "Shop")
    assert opened["opened_by"] == ITSELF
    assert opened["opened_why"] == (
        "2 raters agree on the pilot: kappa, quadratic 1.00, 95 % interval 1.00 to 1.00; the project asks for 0.60"
    )
    assert [(line["person"], line["action"]) for line in audit.read(store, TENANT)] == [(ITSELF, "opened the queue")]
    assert not consider(store, row)  # as another answer that came at the same moment
    assert len(audit.read(store, TENANT)) == 1
    assert [item["is_pilot"] for item in ask(store, opened, "a", 9)] == [False, False]
    with pytest.raises(InputError, match="the queue is open"):
        open_queue(store, LEAD, "Shop", "again")


def test_raters_who_do_not_agree_keep_it_closed_until_a_lead_says_why(store: Store) -> None:
    row = piloted(store, (2.0, 0.0))  # always the opposite: kappa is -1
    found = progress_of(store, LEAD, "Shop")
    assert found.gate is not None
    assert found.gate.agreement is not None
    assert found.gate.agreement.deciding.value == pytest.approx(-1)
    assert (found.gate.is_labelled, found.gate.reaches) == (True, False)
    assert (found.disputed, found.boundaries) == (24, ((0.0, 2.0, 24),))
    # 0 and 2 stand on two sides of both lines of the rubric
    assert found.gate.steps == (Step("", 0.0, 1.0, 24), Step("", 1.0, 2.0, 24))
    assert not consider(store, row)
    with pytest.raises(InputError, match="do not agree enough"):
        open_queue(store, LEAD, "Shop", "  ")
    open_queue(store, LEAD, "Shop", "a demo")
    assert progress_of(store, LEAD, "Shop").is_open
    (line,) = audit.read(store, TENANT)
    assert (line["person"], line["action"], line["what"]) == ("lead", "opened the queue", "Shop: a demo")


def test_the_limit_is_held_against_the_lower_end(store: Store) -> None:
    """22 of 24 pairs alike: quadratic kappa is 0.83, and the lower end of its interval is below that."""
    row = piloted(store, (0.0, 2.0), apart=2)
    one = gate_of(store, row).agreement
    assert one is not None
    # by hand: 24 pairs, the first rater half and half; the second 0 instead of 2 twice; po = 1 - 2/24, grades 0 and 2:
    # second: 14 zeros of 24; pe = (12 * 14 + 12 * 10) / 24^2 = 0.5; kappa = 1 - (2/24) / 0.5
    assert one.deciding.value == pytest.approx(1 - (2 / 24) / 0.5)
    assert one.deciding.low is not None
    between = (one.deciding.low + one.deciding.value) / 2
    assert not consider(store, row | {"pilot_limit": between})
    assert consider(store, row | {"pilot_limit": one.deciding.low - 1e-9})


def test_it_waits_for_every_rater_that_has_an_account(store: Store) -> None:
    for name, role in (("a", "rater"), ("b", "rater"), ("late", "rater"), ("boss", "lead")):
        store.write(lambda c, name=name, role=role: people.add(c, TENANT, name, role, None, NOW)).result()  # type: ignore[misc]
    row = piloted(store, (0.0, 2.0))
    gate = gate_of(store, row)
    assert (gate.left, gate.is_labelled, gate.reaches) == ({"a": 0, "b": 0, "late": 24}, False, True)
    assert not consider(store, row)
    with pytest.raises(InputError, match="not labelled by every rater"):
        open_queue(store, LEAD, "Shop", "")
    store.write(lambda c: people.change(c, TENANT, "late", ended_at=NOW)).result()
    assert consider(store, row)


def test_a_pilot_pair_that_was_put_off_comes_again_before_anything_is_decided(store: Store) -> None:
    row = project(store, items=6, pilot=2, rubric=RUBRIC)
    (first,) = ask(store, row, "a")
    store.write(lambda c: claims.end(c, first["id"], "a", 0, "skipped", NOW)).result()
    (second,) = ask(store, row, "a")
    give(store, second["id"], "a")
    assert [item["id"] for item in ask(store, row, "a")] == [first["id"]]
    assert gate_of(store, row).left == {"a": 1}


def test_who_comes_when_the_queue_is_open_labels_the_pilot_first_and_is_held_against_those_before(
    store: Store,
) -> None:
    """Pairs 0 to 23 in turn got 0 and 2 of a and b. c says 1 of pair 1, and an adjudicator settled pair 0 as 2."""
    row = piloted(store, (0.0, 2.0))
    assert consider(store, row)
    opened = projects.find(store, TENANT, "Shop")
    number = {item["doc_id"]: item["id"] for item in ask(store, opened, "c", 24)}
    assert len(number) == 24
    assert "d24" not in number  # what lies behind the pilot comes when that is labelled
    give(store, number["d0"], "judge", 2.0, role="adjudicator")
    at = "2099-01-01T00:00:00Z"

    def answer(connection: sa.Connection) -> None:
        for doc, item in number.items():
            place = int(doc[1:])
            grade = 1.0 if place == 1 else (0.0, 2.0)[place % 2]
            judgments.append(connection, TENANT, judgments.Given(f"c-{doc}", item, "c", grade=grade), "v1", at)

    store.write(answer).result()
    assert {item["doc_id"] for item in ask(store, opened, "c", 9)} == {"d24", "d25"}
    (late,) = progress_of(store, LEAD, "Shop").late
    assert (late.rater, late.graded, late.known) == ("c", 24, 24)
    assert late.agreement is not None
    # c: 12 times 0, once 1, 11 times 2; those before: 11 times 0, 13 times 2; two pairs differ, by 2 and by 1
    crossed = 12 * (11 * 0 + 13 * 4) + 1 * (11 * 1 + 13 * 1) + 11 * (11 * 4 + 13 * 0)
    assert late.agreement.deciding.value == pytest.approx(1 - (4 + 1) / (crossed / 24))
    assert late.agreement.deciding.low is not None
    assert late.agreement.beside is not None


def test_the_consensus_is_the_lower_middle_grade_and_those_before_are_not_late(store: Store) -> None:
    row = piloted(store, (2.0, 2.0))  # a says 0, 2, 0, 2 and b always 2: the lower one is that of a
    open_queue(store, LEAD, "Shop", "they talked it over")
    opened = projects.find(store, TENANT, "Shop")
    assert progress_of(store, LEAD, "Shop").late == ()
    at = "2099-01-01T00:00:00Z"
    for item in ask(store, opened, "c", 3):
        given = judgments.Given(f"c-{item['id']}", item["id"], "c", grade=(0.0, 2.0)[int(item["doc_id"][1:]) % 2])
        store.write(lambda c, given=given: judgments.append(c, TENANT, given, "v1", at)).result()  # type: ignore[misc]
    (late,) = progress_of(store, LEAD, "Shop").late
    assert (late.rater, late.graded, late.known) == ("c", 3, 24)
    assert late.agreement is not None
    assert late.agreement.deciding.value in (1.0, None)  # None where the three have one grade
    assert row["opened_at"] is None


def test_what_an_adjudicator_says_of_the_pilot_is_no_agreement_of_raters(store: Store) -> None:
    row = piloted(store, (0.0, 2.0))
    before = gate_of(store, row)
    item = store.rows(sa.select(ITEMS).where(ITEMS.c.is_pilot.is_(True)))[0]
    for grade in (0.0, 2.0):  # one of them is not what both raters say
        give(store, item["id"], f"judge {grade}", grade, role="adjudicator")
    assert gate_of(store, row) == before
    assert (before.shared, before.steps, set(before.left)) == (24, (), {"a", "b"})


def test_one_rater_alone_opens_nothing(store: Store) -> None:
    row = project(store, items=6, pilot=4, rubric=RUBRIC)
    for item in ask(store, row, "a", 4):
        give(store, item["id"], "a", cannot_tell="language", grade=None)
    found = progress_of(store, LEAD, "Shop")
    assert found.gate is not None
    assert (found.agreement, found.gate.reaches, found.gate.left) == (None, False, {"a": 0})
    assert not consider(store, row)
    assert [(one.name, one.given, one.cannot_tell, one.median_s) for one in found.raters] == [("a", 0, 4, None)]


def test_known_grades_and_own_items_that_came_again_are_counted(store: Store) -> None:
    row = project(store, items=2, queries=1, wanted=1, rubric=RUBRIC)
    gold = [queue.NewItem("q0", f"g{i}", "h", 0, gold=2.0) for i in range(2)]
    store.write(lambda c: queue.add(c, TENANT, "p", gold, 1, NOW)).result()
    held = {item["doc_id"]: item["id"] for item in ask(store, row, "a", 2)}
    asked = row | {"gold_share": 1.0}
    held |= {item["doc_id"]: item["id"] for item in ask(store, asked, "a", 4)}
    for doc, grade in (("d0", 1.0), ("d1", 0.0), ("g0", 2.0), ("g1", 1.0)):
        give(store, held[doc], "a", grade)
    store.write(lambda c: c.execute(sa.insert(CLAIMS).values(
        [{"tenant": TENANT, "item": held[doc], "rater": "a", "turn": 1, "claimed_at": NOW} for doc in ("d0", "d1")]
    ))).result()  # fmt: skip
    give(store, held["d0"], "a", 1.0, turn=1)
    give(store, held["d1"], "a", 2.0, turn=1)
    (one,) = progress_of(store, LEAD, "Shop").raters
    assert (one.given, one.gold, one.repeats) == (2, (1, 2), (1, 2))


def test_dimensions_have_lines_of_their_own(store: Store) -> None:
    row = project(store, items=1, queries=1, pilot=1, rubric=DIMENSIONS)
    for rater, fit, fresh in (("a", 2.0, 1.0), ("b", 1.0, 0.0)):
        (item,) = ask(store, row, rater)
        give(store, item["id"], rater, fit if fresh else 0.0, dimensions={"fit": fit, "fresh": fresh})
    assert gate_of(store, row).steps == (
        Step("", 0.0, 1.0, 1), Step("", 1.0, 2.0, 1), Step("fit", 1.0, 2.0, 1), Step("fresh", 0.0, 1.0, 1),
    )  # fmt: skip
