"""Projects in the hands of their lead, on both databases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.flows.adding import TERMINAL, Added, add_pairs
from assay.flows.exported import export
from assay.flows.labelling import next_items
from assay.flows.leading import close_project, make, open_project
from assay.flows.people import Person
from assay.flows.project_state import state_of
from assay.flows.workbench import Workbench
from assay.results import dump, load
from assay.store import audit, judgments, progress, projects
from assay.store.database import Store
from web.labelled import RUBRIC

ANN = Person("ann", "rater")
PAIRS = [{"query_id": q, "doc_id": d} for q in ("q1", "q2") for d in ("a", "b")]
DOCUMENTS = [{"doc_id": d, "title": d.upper()} for d in ("a", "b", "c")]


@pytest.fixture
def rubric(tmp_path: Path) -> str:
    path = tmp_path / "rubric.md"
    path.write_text(RUBRIC, "utf-8")
    return str(path)


def winter(store: Store, rubric: str, **options: Any) -> Any:
    plain: dict[str, Any] = {"raters_each": 1, "repeat_share": 0.0, "documents": DOCUMENTS, "pairs": PAIRS}
    return make(store, Workbench(), name="winter", rubric=rubric, **(plain | options))


def held(store: Store, who: Person = ANN) -> list[tuple[str, str, str]]:
    """(query, document, title) of all that a rater gets at once."""
    found = next_items(store, who, "winter", 12, b"secret")
    return sorted((one["query"]["query_id"], one["document"]["doc_id"], one["document"]["title"]) for one in found)


def label(store: Store, grade: float = 1.0) -> None:
    for one in next_items(store, ANN, "winter", 12, b"secret"):
        given = judgments.Given(f"ann-{one['item']}", one["item"], "ann", grade=grade)
        store.write(lambda c, given=given: judgments.append(c, "default", given, "v", "2026-03-01")).result()  # type: ignore[misc]


def standing(store: Store) -> int:
    """Judgments that stand."""
    return len(judgments.current(store, "default", projects.find(store, "default", "winter")["id"]))


def add(store: Store, *pairs: str, **options: Any) -> Added:
    rows = [{"query_id": pair[:2], "doc_id": pair[2:]} for pair in pairs]
    return add_pairs(store, Workbench(), name="winter", pairs=rows, **options)


def test_all_that_a_project_can_hold_is_kept(store: Store, rubric: str) -> None:
    made = winter(
        store, rubric, raters_each=3, mode="mixed", pilot=2, pilot_limit=0.7, gold=[{"query_id": "q1", "doc_id": "a",
        "grade": 2}], gold_share=0.2, repeat_share=0.1, needs_enter=True, refresh_days="180,news=7",
        topics=[{"query_id": "q1", "text": "rain", "segment": "news"}],
    )  # fmt: skip
    row = projects.find(store, "default", "winter")
    names = ("mode", "raters_each", "pilot", "pilot_limit", "gold_share", "repeat_share", "needs_enter", "refresh_days")
    assert [row[name] for name in names] == ["mixed", 3, 2, 0.7, 0.2, 0.1, True, 180]
    assert json.loads(row["refresh_classes"]) == {"news": 7}
    assert (made.items, made.queries, made.judgments) == (3, 2, 9)  # the gold item is none of them
    assert made.notes == (
        "every rater labels the same 2 pairs first; the others wait until the raters agree; it has pairs of fewer than "
        "10 queries, so no agreement is sure and a lead has to open it",
    )
    assert sorted(item["gold"] for item in progress.items(store, row["id"]) if item["gold"] is not None) == [2.0]


def test_a_pilot_is_the_default_where_raters_can_differ(store: Store, rubric: str) -> None:
    many = [{"query_id": f"q{i}", "doc_id": "a"} for i in range(60)]
    assert winter(store, rubric, raters_each=2, pairs=many).notes == (
        "every rater labels the same 50 pairs first; the others wait until the raters agree",
    )
    assert make(store, Workbench(), name="alone", rubric=rubric, pairs=many, raters_each=1).notes == ()
    assert [projects.find(store, "default", name)["pilot"] for name in ("winter", "alone")] == [50, 0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"gold": [{"query_id": "q1", "doc_id": "a", "grade": 7}]}, "gold items, row 1: 7 is no grade of the rubric"),
        ({"gold": [{"query_id": "q1", "doc_id": "a", "grade": g} for g in (1, 2)]}, "q1 a has two grades"),
        ({"gold": [{"query_id": "q1", "doc_id": "a", "grade": 1, "dimension": "fit"}]}, "holds no grade"),
        ({"refresh_days": "1.5"}, "1.5 is no number of days"),
        ({"refresh_days": "180,news=0"}, "news=0 is no number of days"),
        ({"refresh_days": "soon"}, "'soon' is not DAYS or SEGMENT=DAYS"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_made(
    store: Store, rubric: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        winter(store, rubric, **options)
    assert projects.every(store, "default") == []


def test_what_is_there_stays_and_new_pairs_come(store: Store, rubric: str) -> None:
    winter(store, rubric)
    label(store)
    made = add(store, "q1a", "q1c", "q3b", "q3x", topics=[{"query_id": "q3", "text": "snow"}])
    assert made == Added("winter", 3, 0, 1, 1, 1, 3)  # x has no document; c is taken as the store has it
    assert held(store) == [("q1", "c", "C"), ("q3", "b", "B"), ("q3", "x", "")]
    assert standing(store) == 4
    assert add(store, "q1c").pairs == 0
    assert [line["what"] for line in audit.read(store, "default")][:2] == ["winter: 0", "winter: 3"]


def test_a_document_that_changed_makes_a_new_item_and_one_that_did_not_makes_none(store: Store, rubric: str) -> None:
    winter(store, rubric)
    label(store)
    made = add(store, "q1a", "q1b", documents=[{"doc_id": "a", "title": "new"}, {"doc_id": "b", "title": "B"}])
    assert (made.pairs, made.again, made.there) == (1, 1, 1)
    assert held(store) == [("q1", "a", "new")]
    assert add(store, "q1a").pairs == 0  # no document is given: whatever version was labelled stays
    assert add(store, "q2a").pairs == 0
    assert add(store, "q3a").pairs == 1
    assert ("q3", "a", "new") in held(store)  # a new pair is shown with the latest snapshot


def test_a_document_that_looks_again_as_it_did_first_is_labelled_again(store: Store, rubric: str) -> None:
    winter(store, rubric)
    label(store)
    for title in ("new", "A"):
        made = add(store, "q1a", documents=[{"doc_id": "a", "title": title}])
        assert (made.pairs, made.again, made.judgments) == (1, 1, 1)
        assert held(store) == [("q1", "a", title)]
        label(store)
    assert add(store, "q1a", documents=[{"doc_id": "a", "title": "A"}]).pairs == 0
    rows = export(store, "default", "winter")
    assert len([row for row in rows if (row["query_id"], row["doc_id"]) == ("q1", "a")]) == 1  # the last round


def test_the_older_text_goes_to_nobody_else_and_who_has_it_may_answer(store: Store, rubric: str) -> None:
    winter(store, rubric, raters_each=2, pilot=0)
    label(store)  # ann; a second rater is wanted of each pair
    before = projects.counts(store, projects.find(store, "default", "winter")["id"])["wanted"]
    add(store, "q1a", documents=[{"doc_id": "a", "title": "new"}])
    ben = Person("ben", "rater")
    assert held(store, ben) == [("q1", "a", "new"), ("q1", "b", "B"), ("q2", "a", "A"), ("q2", "b", "B")]
    assert held(store) == [("q1", "a", "new")]
    assert projects.counts(store, projects.find(store, "default", "winter")["id"])["wanted"] == before - 1 + 2
    add(store, "q1b", documents=[{"doc_id": "b", "title": "late"}])  # ben has the older text on the screen
    assert ("q1", "b", "B") in held(store, ben)
    assert ("q1", "b", "late") in held(store, ben)
    assert standing(store) == 4


def test_that_the_store_has_a_later_text_is_said_and_changes_nothing(store: Store, rubric: str) -> None:
    winter(store, rubric)
    label(store)
    make(store, Workbench(), name="spring", rubric=rubric, pairs=PAIRS[:1], raters_each=1,
         documents=[{"doc_id": "a", "title": "later"}])  # fmt: skip
    made = add(store, "q1a", "q1b", "q2a")
    assert (made.pairs, made.there, made.older) == (0, 3, 2)
    assert held(store) == []


def test_a_known_pair_stays_hidden_when_its_document_looks_otherwise(store: Store, rubric: str) -> None:
    winter(store, rubric)
    known = [{"query_id": "q9", "doc_id": "a", "grade": 1}]
    add_pairs(store, Workbench(), name="winter", gold=known)
    made = add(store, "q9a", documents=[{"doc_id": "a", "title": "new"}])
    assert (made.pairs, made.there) == (0, 1)


def test_a_pilot_does_not_grow(store: Store, rubric: str) -> None:
    winter(store, rubric, pilot=2)
    add(store, "q1c")
    row = projects.find(store, "default", "winter")
    assert sum(item["is_pilot"] for item in progress.items(store, row["id"])) == 2


def test_a_closed_project_hands_out_nothing_takes_what_was_handed_out_and_opens_again(
    store: Store, rubric: str
) -> None:
    winter(store, rubric)
    (one,) = next_items(store, ANN, "winter", 1, b"secret")
    close_project(store, "winter", "enough")
    assert held(store) == []
    given = judgments.Given("ann-late", one["item"], "ann", grade=1.0)
    store.write(lambda c: judgments.append(c, "default", given, "v", "2026-03-01")).result()
    assert standing(store) == 1
    with pytest.raises(InputError, match="the project is closed"):
        add(store, "q1c")
    with pytest.raises(InputError, match="the project is closed"):
        close_project(store, "winter")
    assert open_project(store, "winter") == "winter is open again"
    assert len(held(store)) == 3
    with pytest.raises(InputError, match="the queue is open"):
        open_project(store, "winter")
    assert [(line["person"], line["action"], line["what"]) for line in audit.read(store, "default")][:2] == [
        ("the terminal", "opened a project again", "winter"), ("the terminal", "closed a project", "winter: enough"),
    ]  # fmt: skip


def test_the_state_tells_what_the_queue_waits_for(store: Store, rubric: str) -> None:
    winter(store, rubric, pilot=2, refresh_days="90")
    label(store)
    found = state_of(store, TERMINAL, "winter")
    assert found.pilot is not None
    assert (found.pilot.pairs, found.pilot.is_labelled, found.pilot.steps) == (2, False, ())
    assert (found.pairs, found.wanted, found.given, found.refresh, found.opened) == (4, 2, 0, {"": 90}, ())
    assert [(one.name, one.grades, one.pilot_left) for one in found.raters] == [("ann", 2, 0)]
    assert load(dump(found), "state.assay") == found
    open_project(store, "winter", "one rater is enough here")
    opened = state_of(store, TERMINAL, "winter")
    assert (opened.pilot, opened.opened[1:]) == (None, ("the terminal", "one rater is enough here"))
