"""The next item costs the same however many were answered: counted in steps of SQLite, which no other load moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.store import judgments, queue
from assay.store.database import Store
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS
from store.made import NOW, SECRET, TENANT, project

EACH = 50
"""Steps of SQLite between two counts."""


def answered(store: Store, rater: str, first: int, last: int) -> None:
    """The rows that stay when a rater has answered these items, counted from 1 in the order of the queue."""
    in_order = sa.select(ITEMS.c.id).order_by(ITEMS.c.place, ITEMS.c.id).offset(first - 1).limit(last - first + 1)
    these = ITEMS.c.id.in_(in_order.scalar_subquery())

    def job(connection: sa.Connection) -> None:
        rows = connection.execute(sa.select(ITEMS).where(these).order_by(ITEMS.c.place)).mappings().all()
        connection.execute(sa.update(ITEMS).where(these).values(taken=ITEMS.c.taken + 1))
        claims: list[dict[str, Any]] = [
            {"tenant": TENANT, "item": row["id"], "rater": rater, "claimed_at": NOW, "ended_at": NOW,
             "outcome": "judged"} for row in rows
        ]  # fmt: skip
        said: list[dict[str, Any]] = [
            {"tenant": TENANT, "uid": f"{rater}-{row['id']}-0", "project": "p", "item": row["id"],
             "query_id": row["query_id"], "doc_id": row["doc_id"], "rater": rater, "role": "rater", "grade": 1.0,
             "rubric_version": "v1", "doc_hash": "h", "judged_at": NOW, "source": "human"} for row in rows
        ]  # fmt: skip
        connection.execute(sa.insert(CLAIMS), claims)
        connection.execute(sa.insert(JUDGMENTS), said)

    store.write(job).result()


@contextmanager
def counted(connection: sa.Connection) -> Iterator[Callable[[], int]]:
    """How many steps SQLite takes inside."""
    n = 0

    def step() -> int:
        nonlocal n
        n += 1
        return 0

    raw: Any = connection.connection.driver_connection
    raw.set_progress_handler(step, EACH)
    try:
        yield lambda: n * EACH
    finally:
        raw.set_progress_handler(None, 0)


def steps(store: Store, row: dict[str, Any], rater: str) -> int:
    """Of the next item, answered, taken back and answered again."""

    def job(connection: sa.Connection) -> int:
        with counted(connection) as n:
            (item,) = queue.claim(connection, row, rater, 1, NOW, SECRET)
            for turn in ("first", "second"):
                given = judgments.Given(f"{rater}-{item['id']}-{turn}", item["id"], rater, turn=item["turn"], grade=1.0)
                judgments.append(connection, TENANT, given, "v1", NOW)
                if turn == "first":
                    judgments.take_back(connection, TENANT, f"undo-{item['id']}-{rater}", given.uid, rater, NOW)
            return n()

    return store.write(job).result()


@pytest.mark.parametrize(("mode", "repeats"), [("query", 0.0), ("mixed", 0.0), ("query", 1.0)])
def test_the_next_item_costs_the_same_after_many_answers(tmp_path: Path, mode: str, repeats: float) -> None:
    with Store.open(str(tmp_path / "assay.db")) as store:
        row = project(store, items=12_000, wanted=2, queries=120, mode=mode, repeat_share=repeats)
        costs = []
        for first, last in ((1, 500), (1_501, 8_000)):
            answered(store, "ann", first, last)
            answered(store, "ben", first, last - 50)
            costs.append(sum(steps(store, row, "ann") for _ in range(3)))
        assert costs[1] < 1.3 * costs[0], costs


def test_what_stands_in_a_project_costs_as_much_as_there_is_of_it(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "assay.db")) as store:
        project(store, items=4_000, wanted=2, queries=40)
        costs = []
        for first, last in ((1, 1_000), (1_001, 4_000)):
            answered(store, "ann", first, last)
            with store.reading() as connection, counted(connection) as n:
                assert len(connection.execute(judgments.standing(TENANT, "p")).all()) == last
                costs.append(n())
        assert costs[1] < 4.4 * costs[0], costs  # four times as many rows
