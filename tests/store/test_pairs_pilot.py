"""A pilot, hidden answers and further pairs where raters compare two documents, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import InputError
from assay.flows import pairs
from assay.flows.adding import Added, add_pairs
from assay.flows.known import known_preferences
from assay.flows.people import Person
from assay.flows.pilot import ITSELF, gate_of
from assay.flows.project import open_queue
from assay.flows.project_state import state_of
from assay.flows.workbench import Workbench
from assay.report.describe import describe
from assay.report.text import to_text
from assay.rubric import Rubric
from assay.store import judgments, projects
from assay.store.database import Store
from assay.store.schema import ITEMS, JUDGMENTS
from store.made import TENANT
from store.test_pairs import ANN, BEN, JUDGE, ask, made, prefer, side_of
from web.labelled import RUBRIC

CY = Person("cy", "rater", TENANT)


def named(store: Store, queries: int, **options: Any) -> None:
    """One pair of documents a query, dA and dB."""
    made(store, [{"query_id": f"q{i}", "doc_id": "dA", "other_doc_id": "dB"} for i in range(queries)], **options)


def compare(store: Store, who: Person, wishes: dict[str, str], n: int = 12) -> list[str]:
    """Somebody compares what comes: by query the document that is better, or another answer; the queries in order."""
    seen = []
    while items := ask(store, who, n):
        for one in items:
            query = one["query"]["query_id"]
            wish = wishes.get(query, "dA")
            prefer(store, who, one, side_of(one, wish) if wish in ("dA", "dB") else wish)
            seen.append(query)
    return seen


def row(store: Store) -> dict[str, Any]:
    return projects.find(store, TENANT, "Duel")


def test_raters_who_agree_on_the_pilot_open_the_queue(store: Store) -> None:
    named(store, 14, pilot=12)
    first = compare(store, ANN, {f"q{i}": "dB" for i in range(0, 14, 2)})
    assert len(first) == 12  # what lies behind the pilot waits
    state = state_of(store, JUDGE, "Duel")
    assert state.pilot is not None
    assert (state.pilot.pairs, state.pilot.is_labelled, state.raters[0].pilot_left) == (12, False, 0)
    second = compare(store, BEN, {f"q{i}": "dB" for i in range(0, 14, 2)})
    assert (len(second), set(second[:12])) == (14, set(first))  # the last of them opened it
    assert (row(store)["opened_by"], "alpha, nominal 1.00" in row(store)["opened_why"]) == (ITSELF, True)
    assert len(compare(store, ANN, {})) == 2


def test_raters_who_differ_keep_it_closed_until_a_lead_says_why(store: Store) -> None:
    """Of 12 pairs ann says always dA and ben dA six times: alpha by hand from 18 times dA and 6 times dB."""
    named(store, 14, pilot=12)
    first = compare(store, ANN, {})
    compare(store, BEN, {query: "dB" for query in first[:6]})
    gate = gate_of(store, row(store))
    assert (gate.shared, gate.opposed, gate.is_labelled, gate.reaches) == (12, 6, True, False)
    assert gate.agreement is not None
    expected = 2 * 18 * 6 / (24 * 23)  # chance of two different answers, drawn without replacement
    assert gate.agreement.deciding.value == pytest.approx(1 - (6 / 12) / expected)
    assert ask(store, ANN) == ask(store, BEN) == []
    assert "the queue is closed" in to_text(describe(state_of(store, JUDGE, "Duel")))
    open_queue(store, Person("lead", "lead", TENANT), "Duel", "the launch is near")
    assert len(ask(store, ANN)) == 2


def test_who_comes_later_compares_the_pilot_first_and_is_held_against_the_commonest_answer(store: Store) -> None:
    named(store, 14, pilot=12)
    first = compare(store, ANN, {})
    compare(store, BEN, {query: "dB" for query in first[:2]})  # of these two pairs there is no commonest answer
    (settled,) = (one for one in store.rows(sa.select(ITEMS)) if one["query_id"] == first[0])
    left, _ = pairs.sides(settled, "judge", 0, b"secret")
    given = pairs.Choice("judge-0001", settled["id"], "judge", left, choice="tie", role="adjudicator")
    project = row(store)
    store.write(lambda c: pairs.append(c, TENANT, given, project, b"secret", "2026-03-01T00:00:00Z")).result()
    open_queue(store, Person("lead", "lead", TENANT), "Duel", "enough")
    assert len(compare(store, ANN, {})) == 2  # what lies behind the pilot tells nothing of it
    asked = compare(store, CY, {first[0]: "tie", first[2]: "dB"})
    assert set(asked[:12]) == set(first)
    assert len(asked) == 14
    changed = sa.update(JUDGMENTS).where(JUDGMENTS.c.rater == "cy").values(judged_at="2099-01-01T00:00:00Z")
    store.write(lambda c: c.execute(changed)).result()
    (late,) = pairs.progress_of(store, JUDGE, "Duel").late
    assert (late.rater, late.graded, late.known) == ("cy", 11, 11)
    assert late.agreement is not None
    # 11 pairs: once both say tie, once dA against dB, nine times dA: 19 dA, 1 dB, 2 ties
    differ = 2 * (19 * 1 + 19 * 2 + 1 * 2) / (22 * 21)
    assert late.agreement.deciding.value == pytest.approx(1 - (1 / 11) / differ)


GOLD = [{"query_id": "g0", "doc_id": "dA", "other_doc_id": "dB", "preference": "first"},
        {"query_id": "g1", "doc_id": "dB", "other_doc_id": "dA", "preference": "first"},
        {"query_id": "g2", "doc_id": "dA", "other_doc_id": "dB", "preference": "tie"}]  # fmt: skip


def test_hidden_pairs_of_known_preference_come_among_the_others_and_stay_out_of_what_is_taken_out(store: Store) -> None:
    known = known_preferences(Workbench(workspace=None), GOLD)
    assert known == {("g0", "dA", "dB"): "first", ("g1", "dA", "dB"): "second", ("g2", "dA", "dB"): "tie"}
    named(store, 20, gold=known, gold_share=0.7, raters_each=1)
    seen = compare(store, ANN, {"g1": "dA"}, n=2)  # g0 as known, g1 and g2 not
    assert sorted(seen) == sorted([*(f"q{i}" for i in range(20)), "g0", "g1", "g2"])
    assert seen[-3:] != ["g0", "g1", "g2"]  # among the others
    assert pairs.gold_met(store, TENANT, row(store)["id"]) == {"ann": (1, 3)}
    assert {one["query_id"] for one in pairs.export(store, TENANT, "Duel")} == {f"q{i}" for i in range(20)}
    found = state_of(store, JUDGE, "Duel")
    assert [(one.name, one.grades, one.gold_met, one.gold) for one in found.raters] == [("ann", 20, 1, 3)]
    assert (pairs.progress_of(store, JUDGE, "Duel").pairs, found.wanted) == (20, 20)
    assert not [one for one in store.rows(sa.select(ITEMS)) if one["is_disputed"]]


def test_a_pair_that_is_known_is_not_asked_as_well(store: Store) -> None:
    known = known_preferences(Workbench(workspace=None), [GOLD[0] | {"query_id": "q0"}])
    named(store, 2, gold=known)
    assert [one["gold"] for one in store.rows(sa.select(ITEMS).order_by(ITEMS.c.query_id))] == [0.0, None]
    with pytest.raises(InputError, match="every pair is known already"):
        made(store, [{"query_id": "q0", "doc_id": "dB", "other_doc_id": "dA"}], gold=known)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([GOLD[0] | {"preference": "left"}], "'left' is no preference"),
        ([GOLD[0] | {"other_doc_id": "dA"}], "document dA of query g0 is compared with itself"),
        ([GOLD[0], GOLD[0] | {"doc_id": "dB", "other_doc_id": "dA"}], "g0 dB dA has two answers"),
        ([{"query_id": "q", "doc_id": "a", "other_doc_id": "b"}], "says of no pair what is right"),
    ],
)
def test_known_preferences_are_checked(rows: list[dict[str, str]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        known_preferences(Workbench(workspace=None), rows)


def test_pairs_and_known_ones_come_to_a_project_that_is_under_way(store: Store) -> None:
    named(store, 2, raters_each=1)
    lead = Person("lead", "lead", TENANT)
    new = [{"query_id": query, "doc_id": "dB", "other_doc_id": "dA"} for query in ("q1", "q2")]
    documents = [{"doc_id": "dA", "title": "A"}, {"doc_id": "dB", "title": "B"}]
    added = add_pairs(store, Workbench(workspace=None), name="Duel", pairs=new, documents=documents, who=lead,
                      gold=[*GOLD, GOLD[0] | {"query_id": "q0"}])  # fmt: skip
    # One is new; of the other nobody had given the documents, which raters see now.
    assert (added.pairs, added.again, added.there, added.queries, added.judgments) == (2, 1, 0, 4, 2)
    assert (added.known, added.known_there) == (3, 1)
    assert row(store)["gold_share"] == 0.05
    pool = [{"query_id": "q9", "doc_id": f"d{i}"} for i in range(4)]
    more = add_pairs(store, Workbench(workspace=None), name="Duel", pairs=pool, comparisons=3, who=lead, gold_share=1.0)
    assert (more.pairs, more.without_document, row(store)["gold_share"]) == (3, 3, 1.0)
    seen = compare(store, ANN, {}, n=1)
    assert {"g0", "g1", "g2", "q0", "q1", "q2", "q9"} == set(seen)
    (doc,) = {one["doc_hash"] for one in judgments.current(store, TENANT, row(store)["id"]) if one["query_id"] == "q2"}
    (item,) = [one for one in store.rows(sa.select(ITEMS)) if one["query_id"] == "q2"]
    assert (item["doc_id"], item["other_doc_id"], item["doc_hash"]) == ("dB", "dA", doc)
    with pytest.raises(InputError, match="there is nothing to add"):
        add_pairs(store, Workbench(workspace=None), name="Duel", who=lead)


def test_two_documents_come_again_when_either_looks_otherwise_and_the_last_answers_stand(store: Store) -> None:
    named(store, 2, raters_each=2, pilot=0)
    lead, pair = Person("lead", "lead", TENANT), [{"query_id": "q1", "doc_id": "dB", "other_doc_id": "dA"}]

    def add(**titles: str) -> Added:
        texts = [{"doc_id": doc, "title": title} for doc, title in titles.items()]
        return add_pairs(store, Workbench(workspace=None), name="Duel", pairs=pair, documents=texts, who=lead)

    def items() -> list[tuple[str, int, int]]:
        select = sa.select(ITEMS).where(ITEMS.c.query_id == "q1").order_by(ITEMS.c.id)
        return [(one["doc_id"], one["round"], one["wanted"]) for one in store.rows(select)]

    def told() -> list[str]:
        return [one["preference"] for one in pairs.export(store, TENANT, "Duel") if one["query_id"] == "q1"]

    assert (add(dA="A", dB="B").again, add(dA="A", dB="B").again) == (1, 0)
    assert items() == [("dA", 0, 0), ("dA", 0, 2)]  # nobody gets the ids alone any more
    compare(store, ANN, {"q1": "dA"})
    assert told() == ["first"]
    assert (add(dB="newer").again, add(dB="newer").again, add(dA="A").again) == (1, 0, 0)  # the second document alone
    assert items() == [("dA", 0, 0), ("dA", 0, 1), ("dA", 1, 2)]
    assert told() == ["first"]  # until somebody compares what they look like now
    compare(store, ANN, {"q1": "dB"})
    assert told() == ["second"]
    assert pairs.agreement_of(store, lead, "Duel") is not None  # one rater said two things of two looks


def test_known_grades_come_to_a_project_of_grades(store: Store) -> None:
    from assay.flows.labelling import create_project

    lead, bench = Person("lead", "lead", TENANT), Workbench(workspace=None)
    create_project(store, bench, name="Winter", pairs=[{"query_id": "q", "doc_id": "a"}], rubric=Rubric.parse(RUBRIC),
                   rubric_text=RUBRIC, by="test", tenant=TENANT)  # fmt: skip
    gold = [{"query_id": "q", "doc_id": "a", "grade": 1}, {"query_id": "q", "doc_id": "b", "grade": 2}]
    added = add_pairs(store, bench, name="Winter", gold=gold, who=lead)
    assert (added.pairs, added.known, added.known_there) == (0, 1, 1)
    found = projects.find(store, TENANT, "Winter")
    assert found["gold_share"] == 0.05
    held = {one["doc_id"]: one["gold"] for one in store.rows(sa.select(ITEMS))}
    assert held == {"a": None, "b": 2.0}
    with pytest.raises(InputError, match="9 is no grade of the rubric"):
        add_pairs(store, bench, name="Winter", gold=[gold[1] | {"grade": 9}], who=lead)
    with pytest.raises(InputError, match="documents are compared two by two in other projects"):
        add_pairs(store, bench, name="Winter", pairs=gold, comparisons=2, who=lead)
