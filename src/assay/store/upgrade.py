"""Brings a store up to date, copies it, and looks whether it is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.errors import InputError
from assay.store.database import Check, Store
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS, TABLES

HEAD = "0004"
"""The last step of the chain of migrations."""

AT_ONCE = 10_000


def revision_of(connection: sa.Connection) -> str | None:
    """The step that a store is at; None where it is empty."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("select version_num from alembic_version")).scalar()
    return None if found is None else str(found)


def upgraded(connection: sa.Connection) -> None:
    """Runs the steps that are missing, on a connection inside a transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def backup(store: Store, target: Path) -> int:
    """Copies every row into a new SQLite file, whichever database the store is in; how many rows.

    Args:
        store: what is copied, as it stands at one moment.
        target: a file that does not exist.

    Raises:
        InputError: the file exists.
    """
    if target.exists():
        raise InputError("exists already", str(target), "name another file")
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    copied = 0
    try:
        with Store.open(str(unfinished)) as copy, store.reading() as source:
            if source.dialect.name == "postgresql":
                source.execute(sa.text("set transaction isolation level repeatable read read only"))
            for table in TABLES.sorted_tables:
                rows = source.execution_options(yield_per=AT_ONCE).execute(sa.select(table)).mappings()
                for part in rows.partitions(AT_ONCE):
                    copied += _copied(copy, table, [dict(row) for row in part])
        _folded(unfinished)
        unfinished.replace(target)
    finally:
        for name in (unfinished, *(unfinished.with_name(unfinished.name + end) for end in ("-wal", "-shm"))):
            name.unlink(missing_ok=True)
    return copied


def _copied(copy: Store, table: sa.Table, rows: list[dict[str, Any]]) -> int:
    copy.write(lambda connection: connection.execute(sa.insert(table), rows)).result()
    return len(rows)


def _folded(path: Path) -> None:
    """The write-ahead log goes into the file, so that the copy is one file."""
    import sqlite3

    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode=DELETE").close()
    finally:
        connection.close()


def check(store: Store) -> list[Check]:
    """Looks whether the database is whole and what it holds belongs together."""
    found = []
    with store.reading() as connection:
        if connection.dialect.name == "sqlite":
            said = [row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check")]
            found.append(Check("pages", said == ["ok"], "; ".join(said[:3]) if said != ["ok"] else ""))
            loose = list(connection.exec_driver_sql("PRAGMA foreign_key_check"))
            found.append(Check("references", not loose, f"{len(loose):,} rows point to nothing" if loose else ""))
        at = revision_of(connection)
        found.append(Check("step", at == HEAD, "" if at == HEAD else f"at {at}, this assay is at {HEAD}"))
        twice = connection.execute(
            sa.select(sa.func.count()).select_from(
                sa.select(JUDGMENTS.c.uid).group_by(JUDGMENTS.c.tenant, JUDGMENTS.c.uid)
                .having(sa.func.count() > 1).subquery()
            )
        ).scalar_one()  # fmt: skip
        found.append(Check("unique judgments", not twice, f"{twice:,} are there twice" if twice else ""))
        held = sa.select(CLAIMS.c.item, sa.func.count().label("n")).where(
            CLAIMS.c.turn == 0, sa.or_(CLAIMS.c.outcome.is_(None), CLAIMS.c.outcome == "judged")
        ).group_by(CLAIMS.c.item).subquery()  # fmt: skip
        wrong = connection.execute(
            sa.select(sa.func.count()).select_from(ITEMS.outerjoin(held, held.c.item == ITEMS.c.id))
            .where(ITEMS.c.taken != sa.func.coalesce(held.c.n, 0))
        ).scalar_one()  # fmt: skip
        found.append(Check("claims", not wrong, f"{wrong:,} items count claims wrongly" if wrong else ""))
    return found


def step_at(url: str) -> str | None:
    """The step that the store at an address is at; None where there is none yet."""
    from assay.store.database import without_writer

    with without_writer(url) as connection:
        return revision_of(connection)
