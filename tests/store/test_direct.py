"""Statements that the driver runs itself: what they find and raise is what SQLAlchemy would, and how many they are."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import EngineError, InputError
from assay.store import claims, judgments, queue
from assay.store.database import Store
from assay.store.direct import Direct, driver
from assay.store.schema import AUDIT, CLAIMS, ITEMS, JUDGMENTS
from store.made import NOW, SECRET, TENANT, ask, give, project


def line(person: str | None) -> Callable[[sa.Connection], int]:
    """A job that writes a line of the audit by the driver."""
    names = ("tenant", "person", "action", "at")
    new = Direct(lambda _: sa.insert(AUDIT).inline().values({name: sa.bindparam(name) for name in names}))
    return lambda connection: new.run(connection, {"tenant": TENANT, "person": person, "action": "came", "at": NOW})


def people(store: Store) -> list[str]:
    return [row["person"] for row in store.rows(sa.select(AUDIT).order_by(AUDIT.c.id))]


def together(store: Store, *jobs: Callable[[sa.Connection], Any]) -> list[BaseException | None]:
    """What each of the jobs raised, which share one transaction."""
    runs, gate = threading.Event(), threading.Event()

    def holds(connection: sa.Connection) -> None:
        runs.set()
        assert gate.wait(20)

    store.write(holds)
    assert runs.wait(20)  # alone: a job that is put before would share its transaction
    futures = [store.write(job) for job in jobs]
    gate.set()
    return [future.exception() for future in futures]


def test_what_is_found_is_what_sqlalchemy_finds(store: Store) -> None:
    project(store, items=5, pilot=2)
    select = sa.select(ITEMS).where(ITEMS.c.place >= sa.bindparam("start")).order_by(ITEMS.c.id)
    direct = Direct(lambda _: select)
    with store.reading() as connection:
        theirs = [dict(row) for row in connection.execute(select, {"start": 0}).mappings()]
        ours = direct.rows(connection, {"start": 0, "more than it asks for": 1})
        assert ours == theirs
        assert [type(row["is_pilot"]) for row in ours] == [bool] * 5
        assert direct.first(connection, {"start": 99}) is None
        assert direct.all(connection, {"start": 99}) == []


def test_what_is_raised_is_what_sqlalchemy_raises_without_what_was_written(store: Store) -> None:
    update = Direct(lambda _: sa.update(AUDIT).values(at=sa.bindparam("at"), person=sa.bindparam("person")))
    store.write(line("ann")).result()
    with pytest.raises(sa.exc.IntegrityError) as caught:
        store.write(lambda connection: update.run(connection, {"at": None, "person": "a name"})).result()
    assert "a name" not in str(caught.value.statement) + str(caught.value.params)
    assert people(store) == ["ann"]


def test_a_job_alone_that_fails_leaves_nothing(store: Store) -> None:
    def fails(connection: sa.Connection) -> None:
        line("lost")(connection)
        raise InputError("no")

    with pytest.raises(InputError):
        store.write(fails).result()
    assert people(store) == []
    store.write(line("ann")).result()
    assert people(store) == ["ann"]


def test_a_job_among_others_that_fails_undoes_what_the_driver_wrote_for_it(store: Store) -> None:
    row = project(store, items=3, queries=1)

    def fails(connection: sa.Connection) -> None:
        (item,) = queue.claim(connection, row, "ann", 1, NOW, SECRET)
        judgments.append(connection, TENANT, judgments.Given("u1", item["id"], "ann", grade=1.0), "v1", NOW)
        raise InputError("no")

    first, failed, refused, last = together(store, line("first"), fails, line(None), line("last"))
    assert (first, last) == (None, None)
    assert isinstance(failed, InputError)
    assert isinstance(refused, sa.exc.IntegrityError)
    assert people(store) == ["first", "last"]
    assert store.rows(sa.select(JUDGMENTS)) == store.rows(sa.select(CLAIMS)) == []
    assert {one["taken"] for one in store.rows(sa.select(ITEMS.c.taken))} == {0}


def test_a_database_that_fails_keeps_nothing_of_those_that_wrote_together(store: Store) -> None:
    ends = "select pg_terminate_backend(pg_backend_pid())"
    text = ends if store.engine.dialect.name == "postgresql" else "select no_such_column"
    broken = Direct(lambda _: sa.text(text))
    said = together(store, line("before"), lambda connection: broken.first(connection, {}), line("after"))
    assert [type(one) for one in said] == [EngineError] * 3
    assert people(store) == []
    store.write(line("ann")).result()  # on a connection of its own, where that one is gone
    assert people(store) == ["ann"]


@pytest.fixture
def counted(tmp_path: Path) -> Any:
    """A store in SQLite, and what it was asked by the writer, in order; what SQLAlchemy asked stands there twice."""
    asked: list[str] = []
    with Store.open(str(tmp_path / "assay.db")) as store:
        listens = sa.event.listens_for(store.engine, "before_cursor_execute")
        listens(lambda connection, cursor, text, *_: asked.append(text))

        def run(job: Callable[[sa.Connection], Any]) -> tuple[Any, int]:
            def traced(connection: sa.Connection) -> Any:
                asked.clear()
                driver(connection).set_trace_callback(asked.append)
                try:
                    return job(connection), len(asked)
                finally:
                    driver(connection).set_trace_callback(None)

            return store.write(traced).result()

        yield store, run


def test_an_answer_takes_few_statements(counted: Any) -> None:
    store, run = counted
    row = project(store, items=3, wanted=2, queries=1, repeat_share=0.0)
    (item,), n = run(lambda connection: queue.claim(connection, row, "ann", 1, NOW, SECRET))
    assert n <= 6  # what is held, where the rater stands, what is open, the item, its quota, the claim
    for rater, statements in (("ann", 3), ("ben", 4)):  # the second answer of an item may be a dispute
        ask(store, row, rater, 3)
        given = judgments.Given(f"u-{rater}", item["id"], rater, grade=1.0)
        _, n = run(lambda connection, given=given: judgments.append(connection, TENANT, given, "v1", NOW))
        assert n == statements


def test_known_grades_are_no_dispute_whatever_raters_say(store: Store) -> None:
    row = project(store, items=1, queries=1)
    gold = [queue.NewItem("q0", "g", "h", 0, gold=2.0)]
    store.write(lambda connection: queue.add(connection, TENANT, "p", gold, 1, NOW)).result()
    for rater, grade in (("ann", 0.0), ("ben", 3.0)):
        (item,) = ask(store, row | {"gold_share": 1.0}, rater)
        assert item["doc_id"] == "g"
        give(store, item["id"], rater, grade)
    assert [one["is_disputed"] for one in store.rows(sa.select(ITEMS))] == [False, False]


def test_an_id_that_was_used_is_told_before_anything_else(store: Store) -> None:
    row = project(store)
    (item,) = ask(store, row, "ann")
    give(store, item["id"], "ann", uid="u1")
    for other, rater in ((9_999, "ann"), (item["id"], "ben")):
        with pytest.raises(InputError, match="this answer's id was used for another one"):
            give(store, other, rater, uid="u1")


def test_a_claim_that_was_put_off_is_open_when_it_is_taken_again(store: Store) -> None:
    row = project(store, items=1, queries=1)
    (item,) = ask(store, row, "ann")
    store.write(lambda c: claims.end(c, item["id"], "ann", 0, "skipped", NOW)).result()
    assert ask(store, row, "ann", now="2026-03-02T00:00:00Z")[0]["id"] == item["id"]
    (claim,) = store.rows(sa.select(CLAIMS))
    assert (claim["claimed_at"], claim["ended_at"], claim["outcome"]) == ("2026-03-02T00:00:00Z", None, None)
    assert [one["taken"] for one in store.rows(sa.select(ITEMS))] == [1]
