"""How far a rater has come: counted by hand, and the same whatever hidden items were among the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.store import claims, queue, share
from assay.store.database import Store
from assay.store.projects import add_queries
from assay.store.schema import PROJECTS
from store.made import NOW, SECRET, TENANT, ask, give, project, undo
from store.test_growth import answered, counted


def of(store: Store, row: dict[str, Any], rater: str, *queries: str) -> dict[str, tuple[int, int]]:
    with store.reading() as connection:
        return share.of_queries(connection, row, rater, queries, SECRET)


def whole(store: Store, row: dict[str, Any], rater: str) -> tuple[int, int]:
    """Done, and how many pairs there are."""
    with store.reading() as connection:
        return share.of_project(connection, row, rater)[:2]


def golds(store: Store, *pairs: tuple[str, str]) -> None:
    new = [queue.NewItem(query, doc, f"h-{doc}", 0, gold=2.0) for query, doc in pairs]
    store.write(lambda connection: queue.add(connection, TENANT, "p", new, 1, NOW)).result()


def test_answers_undoings_and_what_is_put_off_are_counted(store: Store) -> None:
    row = project(store, items=6, wanted=2, queries=2)  # three documents each
    assert (of(store, row, "ann", "q0", "q1"), whole(store, row, "ann")) == ({"q0": (0, 3), "q1": (0, 3)}, (0, 6))
    first, second = ask(store, row, "ann", 2)
    give(store, first["id"], "ann", uid="first-answer")
    assert (of(store, row, "ann", "q0"), whole(store, row, "ann")) == ({"q0": (1, 3)}, (1, 6))
    store.write(lambda c: claims.end(c, second["id"], "ann", 0, "skipped", NOW)).result()
    assert (of(store, row, "ann", "q0"), whole(store, row, "ann")) == ({"q0": (1, 3)}, (1, 6))
    undo(store, "first-answer", "ann")
    assert (of(store, row, "ann", "q0"), whole(store, row, "ann")) == ({"q0": (0, 3)}, (0, 6))
    assert of(store, row, "ann") == {}


def test_what_others_filled_is_not_there_and_what_is_held_or_answered_is(store: Store) -> None:
    row = project(store, items=4, wanted=1, queries=1)
    mine, held = ask(store, row, "ann", 2)
    give(store, mine["id"], "ann")
    (theirs,) = ask(store, row, "ben")
    give(store, theirs["id"], "ben")
    assert (of(store, row, "ann", "q0"), whole(store, row, "ann")) == ({"q0": (1, 3)}, (1, 3))
    assert (of(store, row, "ben", "q0"), whole(store, row, "ben")) == ({"q0": (1, 2)}, (1, 2))
    store.write(lambda c: claims.end(c, held["id"], "ann", 0, "skipped", NOW)).result()  # open again, to both
    assert (whole(store, row, "ann"), whole(store, row, "ben")) == ((1, 3), (1, 3))
    (taken, last) = ask(store, row, "ben", 2)
    assert held["id"] in (taken["id"], last["id"])
    assert whole(store, row, "ann") == (1, 1)


def test_in_a_pilot_its_pairs_alone_are_there_and_then_the_others(store: Store) -> None:
    row = project(store, items=6, wanted=2, queries=1, pilot=2)
    assert (of(store, row, "ann", "q0"), whole(store, row, "ann")) == ({"q0": (0, 2)}, (0, 2))
    for item in ask(store, row, "ann", 2):
        give(store, item["id"], "ann")
    assert whole(store, row, "ann") == (2, 2)
    store.write(lambda c: c.execute(sa.update(PROJECTS).values(opened_at=NOW))).result()
    row = row | {"opened_at": NOW}
    assert (of(store, row, "ann", "q0"), whole(store, row, "ann")) == ({"q0": (2, 6)}, (2, 6))
    assert whole(store, row, "ben") == (0, 6)  # who comes later labels the pilot too
    for item in ask(store, row, "ben", 2):
        assert item["is_pilot"]
        give(store, item["id"], "ben")
    assert whole(store, row, "ben") == (2, 6)


@pytest.mark.parametrize("shares", [{"gold_share": 1.0}, {"repeat_share": 1.0}, {}])
def test_every_answer_counts_one_and_moves_nothing_else(store: Store, shares: dict[str, float]) -> None:
    """So that no rater sees in the numbers which answer was to a known grade or to an own item again."""
    row = project(store, items=60, wanted=1, queries=2, **shares)
    golds(store, *((f"q{i % 2}", f"g{i}") for i in range(6)))
    kinds = set()
    for n in range(40):
        assert whole(store, row, "ann") == (n, 60)
        (item,) = ask(store, row, "ann")
        ((before, there),) = of(store, row, "ann", item["query_id"]).values()
        give(store, item["id"], "ann", uid=f"answer-{n}", turn=item["turn"])
        assert of(store, row, "ann", item["query_id"]) == {item["query_id"]: (before + 1, 30)}
        assert there == 30
        kinds.add((item["gold"] is not None, item["turn"]))
    assert kinds == {(False, 0), *([(True, 0)] if "gold_share" in shares else []),
                     *([(False, 1)] if "repeat_share" in shares else [])}  # fmt: skip


def test_a_query_of_known_grades_alone_seems_as_large_as_another(store: Store) -> None:
    row = project(store, items=12, wanted=1, queries=3)  # four documents each
    golds(store, ("known", "g0"))
    asked = ("q0", "q1", "q2", "known")
    rows = [{"tenant": TENANT, "project": "p", "query_id": query, "text": query} for query in asked]
    store.write(lambda connection: add_queries(connection, rows)).result()
    assert of(store, row, "ann", "known") == {"known": (0, 4)}


def test_the_pace_is_of_the_last_answers_that_stand(store: Store) -> None:
    row = project(store, items=30, wanted=1, queries=1)
    for n in range(25):
        (item,) = ask(store, row, "ann")
        give(store, item["id"], "ann", uid=f"answer-{n}", took_ms=1_000 + n)
    undo(store, "answer-24", "ann")
    with store.reading() as connection:
        took = share.of_project(connection, row, "ann").took_ms
    assert took == [1_000 + n for n in range(3, 24)]  # the last 21 of the 24 that stand


def test_where_an_item_stands_costs_the_same_after_many_answers(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "assay.db")) as store:
        row = project(store, items=12_000, wanted=2, queries=120)
        costs = []
        for first, last, query in ((1, 550, "q5"), (1_501, 8_050, "q80")):
            answered(store, "ann", first, last)
            with store.reading() as connection, counted(connection) as n:
                assert share.of_queries(connection, row, "ann", [query], SECRET) == {query: (50, 100)}
                costs.append(n())
        assert costs[1] < 1.3 * costs[0], costs
