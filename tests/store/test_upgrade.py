"""A store of every earlier step is copied as it is and brought up to date without losing a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import EngineError, InputError
from assay.store import judgments
from assay.store.database import Store, engine_at
from assay.store.schema import ITEMS, JUDGMENTS, TABLES
from assay.store.upgrade import HEAD, backup, check, revision_of, steps, upgraded
from store.made import NOW, TENANT, ask, give, project

OLDER = steps()[:-1]


def made_at(url: str, step: str) -> dict[str, list[dict[str, Any]]]:
    """A store at an earlier step with a row in each table that a labelled project has; the rows by table."""
    base = {"tenant": TENANT}
    rows: dict[str, dict[str, Any]] = {
        "projects": base | {
            "id": "p", "name": "Shop", "rubric": "", "rubric_version": "v1", "mode": "query", "raters_each": 2,
            "needs_enter": False, "pilot": 0, "pilot_limit": 0.6, "gold_share": 0.0, "repeat_share": 0.0,
            "created_at": NOW,
        },
        "items": base | {
            "id": 7, "project": "p", "query_id": "q", "doc_id": "d", "doc_hash": "h", "place": 0, "wanted": 2,
            "taken": 1, "is_pilot": False, "created_at": NOW,
        },
        "claims": base | {"item": 7, "rater": "ann", "turn": 0, "claimed_at": NOW, "ended_at": NOW,
                          "outcome": "judged"},
        "judgments": base | {
            "uid": "u1", "project": "p", "item": 7, "query_id": "q", "doc_id": "d", "rater": "ann", "role": "rater",
            "grade": 2.0, "rubric_version": "v1", "doc_hash": "h", "judged_at": NOW, "source": "human",
        },
    }  # fmt: skip
    with engine_at(url) as (engine, _), engine.begin() as connection:
        upgraded(connection, step)
        there = sa.MetaData()
        there.reflect(connection)
        for name, row in rows.items():
            connection.execute(sa.insert(there.tables[name]).values(**row))
        return {name: everything(connection, there.tables[name]) for name in rows}


def everything(connection: sa.Connection, table: sa.Table) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(sa.select(table)).mappings()]


def holds(rows: list[dict[str, Any]], before: list[dict[str, Any]]) -> bool:
    """Whether the rows say all that they said."""
    return len(rows) == len(before) and all(
        old.items() <= new.items() for old, new in zip(before, rows, strict=True)
    )  # fmt: skip


@pytest.mark.parametrize("step", OLDER)
def test_an_older_store_is_brought_up_to_date_and_keeps_every_row(url: str, step: str) -> None:
    before = made_at(url, step)
    with pytest.raises(InputError, match=f"the store is at step {step} and this assay at {HEAD}"):
        Store.open(url)
    with Store.open(url, upgrade=True) as store:
        for name, rows in before.items():
            assert holds(store.rows(sa.select(TABLES.tables[name])), rows), name
        assert all(one.is_well for one in check(store))
        (standing,) = judgments.current(store, TENANT, "p")
        assert (standing["item"], standing["grade"]) == (7, 2.0)


@pytest.mark.parametrize("step", OLDER)
def test_an_older_store_is_copied_as_it_is_and_the_copy_is_brought_up_to_date(
    url: str, step: str, tmp_path: Path
) -> None:
    before = made_at(url, step)
    target = tmp_path / "copy.db"
    assert backup(url, target) == sum(map(len, before.values()))
    with engine_at(str(target)) as (engine, _), engine.connect() as connection:
        assert revision_of(connection) == step
        there = sa.MetaData()
        there.reflect(connection)
        assert all(everything(connection, there.tables[name]) == rows for name, rows in before.items())
    with Store.open(str(target), upgrade=True) as store:
        assert all(one.is_well for one in check(store))
        assert holds(store.rows(sa.select(JUDGMENTS)), before["judgments"])


def test_references_are_heeded_again_after_the_steps(url: str) -> None:
    made_at(url, OLDER[-1])
    with Store.open(url, upgrade=True) as store:
        lost = {"tenant": TENANT, "project": "none", "query_id": "q", "doc_id": "d", "doc_hash": "h", "place": 0,
                "wanted": 1, "created_at": NOW}  # fmt: skip
        with pytest.raises(sa.exc.IntegrityError):
            store.write(lambda connection: connection.execute(sa.insert(ITEMS).values(**lost))).result()


def test_a_copy_holds_everything_and_is_one_file(store: Store, url: str, tmp_path: Path) -> None:
    row = project(store)
    (item,) = ask(store, row, "ann")
    give(store, item["id"], "ann")
    target = tmp_path / "copy.db"
    copied = backup(url, target)
    assert copied == sum(len(store.rows(sa.select(table))) for table in TABLES.sorted_tables)
    assert [path.name for path in tmp_path.glob("copy*")] == ["copy.db"]
    with Store.open(str(target)) as copy:
        assert copy.rows(sa.select(JUDGMENTS)) == store.rows(sa.select(JUDGMENTS))
        assert judgments.current(copy, TENANT, "p") == judgments.current(store, TENANT, "p")
        assert all(one.is_well for one in check(copy))
    with pytest.raises(InputError, match="exists already"):
        backup(url, target)


def test_a_copy_goes_on_where_the_store_was(store: Store, url: str, tmp_path: Path) -> None:
    row = project(store, items=2, wanted=2)
    for item in ask(store, row, "ann", 2):
        give(store, item["id"], "ann")
    backup(url, tmp_path / "copy.db")
    with Store.open(str(tmp_path / "copy.db")) as copy:
        for item in ask(copy, row, "ben", 2):
            give(copy, item["id"], "ben")
        assert len(judgments.current(copy, TENANT, "p")) == 4
        assert all(one.is_well for one in check(copy))


def test_what_cannot_be_copied_is_said_and_leaves_no_file(url: str, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "copy.db"
    with pytest.raises(InputError, match="there is no store yet"):
        backup(url, tmp_path / "copy.db")
    with Store.open(url):
        pass
    with pytest.raises(InputError, match="the folder of the store does not exist"):
        backup(url, target)
    with engine_at(url) as (engine, _), engine.begin() as connection:
        connection.execute(sa.text("update alembic_version set version_num = '9999'"))
    with pytest.raises(InputError, match="the store is at step 9999, newer than this assay"):
        backup(url, tmp_path / "copy.db")
    with pytest.raises(EngineError):
        backup("postgresql://who@/none?host=/no/such/socket", tmp_path / "copy.db")
    assert list(tmp_path.glob("copy*")) == []
