"""The rows that a rater's own figures are made of: the rater's, and the first answers of other people to the same."""

from __future__ import annotations

from assay.store import claims, own
from assay.store.database import Store
from store.made import NOW, TENANT, ask, give, project, undo


def uids(rows: list[own.Own]) -> list[str]:
    return [row.uid for row in rows]


def test_own_rows_are_those_of_the_rater_as_they_were_written(store: Store) -> None:
    row = project(store, items=3, wanted=4, queries=1)
    first, second, _ = (one["id"] for one in ask(store, row, "ann", 3))
    give(store, first, "ann", uid="a1")
    give(store, second, "ann", uid="a2", grade=None, cannot_tell="language")
    undo(store, "a1", "ann", "a3")
    give(store, first, "ann", uid="a4", grade=0.0, role="adjudicator")  # settled, and no label of the rater
    for one in ask(store, row, "ben", 1):
        give(store, one["id"], "ben", uid="b1")
    with store.reading() as connection:
        rows = own.rows(connection, "p", "ann")
    assert uids(rows) == ["a1", "a2", "a3"]
    assert [(one.grade, one.cannot_tell, one.takes_back) for one in rows] == [
        (1.0, None, None), (None, "language", None), (None, None, "a1"),
    ]  # fmt: skip


def test_of_others_count_first_answers_of_people_as_raters_to_what_the_rater_answered(store: Store) -> None:
    row = project(store, items=3, wanted=9, queries=1)
    first, second, third = (one["id"] for one in ask(store, row, "ann", 3))
    for item in (first, second):
        give(store, item, "ann")
    for name in ("ben", "model"):
        ask(store, row, name, 3)
    give(store, first, "ben", uid="b1", grade=2.0)
    undo(store, "b1", "ben", "b2")
    give(store, first, "ben", uid="b3", grade=0.0)
    give(store, third, "ben", uid="b4")  # ann has not said anything of it
    again = {"id": first, "tenant": TENANT}
    store.write(lambda connection: claims.take(connection, again, "ben", 1, NOW)).result()
    give(store, first, "ben", uid="b5", turn=1)
    give(store, second, "model", uid="m1", source="model")
    give(store, second, "cat", uid="c1", role="adjudicator")
    with store.reading() as connection:
        found = own.of_peers(connection, "p", "ann")
    assert uids(found) == ["b1", "b2", "b3"]
    assert [(one.rater, one.grade, one.takes_back) for one in found] == [
        ("ben", 2.0, None), ("ben", None, "b1"), ("ben", 0.0, None),
    ]  # fmt: skip
    assert [one.id for one in found] == sorted(one.id for one in found)
