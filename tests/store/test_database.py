from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.errors import EngineError, InputError
from assay.store.database import Store
from assay.store.schema import AUDIT, ITEMS, TABLES
from assay.store.upgrade import HEAD, check, revision_of
from store.made import NOW, TENANT, ask, project


def line(person: str) -> sa.Insert:
    return sa.insert(AUDIT).values(tenant=TENANT, person=person, action="came", at=NOW)


def test_a_new_store_has_every_table_of_the_schema(store: Store) -> None:
    with store.reading() as connection:
        assert revision_of(connection) == HEAD
        there = sa.inspect(connection)
        for table in TABLES.sorted_tables:
            columns = {column["name"]: column["nullable"] for column in there.get_columns(table.name)}
            assert columns == {column.name: column.nullable for column in table.columns}
            assert "tenant" in columns


def test_the_steps_make_what_the_schema_says(store: Store) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), TABLES) == []


def test_what_was_answered_is_there_after_opening_again(url: str) -> None:
    with Store.open(url) as store:
        store.write(lambda connection: connection.execute(line("a"))).result()
    with Store.open(url) as store:
        assert [row["person"] for row in store.rows(sa.select(AUDIT))] == ["a"]


def test_a_job_that_fails_undoes_its_own_rows_only(store: Store) -> None:
    def fails(connection: sa.Connection) -> None:
        connection.execute(line("lost"))
        raise InputError("no")

    gate = threading.Event()
    futures = [store.write(lambda connection: gate.wait(5))]  # the others are then committed together
    futures += [store.write(lambda connection, i=i: connection.execute(line(f"p{i}"))) for i in range(5)]  # type: ignore[misc]
    failing = store.write(fails)
    last = store.write(lambda connection: connection.execute(line("last")))
    gate.set()
    for future in (*futures, last):
        future.result()
    with pytest.raises(InputError):
        failing.result()
    assert {row["person"] for row in store.rows(sa.select(AUDIT))} == {*(f"p{i}" for i in range(5)), "last"}


def test_closing_writes_what_is_queued_and_then_refuses(url: str) -> None:
    store = Store.open(url)
    futures = [store.write(lambda connection, i=i: connection.execute(line(f"p{i}"))) for i in range(50)]  # type: ignore[misc]
    store.close()
    assert all(future.done() for future in futures)
    with pytest.raises(EngineError, match="the store is closed"):
        store.write(lambda connection: None)
    with Store.open(url) as again:
        assert len(again.rows(sa.select(AUDIT))) == 50


def test_a_reader_sees_what_is_committed_while_another_writes(store: Store) -> None:
    inside, gate = threading.Event(), threading.Event()

    def slow(connection: sa.Connection) -> None:
        connection.execute(line("slow"))
        inside.set()
        assert gate.wait(10)

    future = store.write(slow)
    assert inside.wait(10)
    assert store.rows(sa.select(AUDIT)) == []
    gate.set()
    future.result()
    assert len(store.rows(sa.select(AUDIT))) == 1


def test_two_processes_may_write_to_one_store(url: str) -> None:
    with Store.open(url) as one, Store.open(url) as other:
        futures = [s.write(lambda connection: connection.execute(line("x"))) for s in (one, other) * 20]
        for future in futures:
            future.result()
        assert len(one.rows(sa.select(AUDIT))) == 40


def test_a_sound_store_is_well_and_a_wrong_count_is_seen(store: Store) -> None:
    row = project(store)
    ask(store, row, "ann", 3)
    assert all(one.is_well for one in check(store))
    store.write(lambda connection: connection.execute(sa.update(ITEMS).values(taken=2))).result()
    assert [one.what for one in check(store) if not one.is_well] == ["claims"]


def test_a_store_of_another_step_is_not_opened(url: str) -> None:
    with Store.open(url) as store:
        store.write(lambda c: c.execute(sa.text("update alembic_version set version_num = '9999'"))).result()
    with pytest.raises(InputError, match="the store is at step 9999 and this assay at"):
        Store.open(url)


@pytest.mark.parametrize(
    ("address", "error", "said"),
    [
        ("mysql://a/b", InputError, "a store is not kept in mysql"),
        ("sqlite://", InputError, "a store in memory forgets everything"),
        ("http:/x://", InputError, "is no address of a database"),
        ("/no/such/folder/a.db", InputError, "the folder of the store does not exist"),
        ("postgresql://who:hidden@/none?host=/no/such/socket", EngineError, "who:***@"),
    ],
)
def test_addresses_that_lead_nowhere(address: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        Store.open(address)
    assert said in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"not a database at all, but long enough to be read as one" * 50)
    with pytest.raises(EngineError, match=r"a.db: file is not a database"):
        Store.open(str(tmp_path / "a.db"))
