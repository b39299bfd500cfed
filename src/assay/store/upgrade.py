"""Brings a store up to date, copies it, and looks whether it is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.errors import InputError
from assay.store.database import Check, Store, engine_at
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS

HEAD = "0008"
"""The last step of the chain of migrations."""

AT_ONCE = 10_000
"""Rows that are copied together."""

LARGE = {"documents": 200, "images": 20}
"""The same of tables whose rows are large."""


def revision_of(connection: sa.Connection) -> str | None:
    """The step that a store is at; None where it is empty."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("select version_num from alembic_version")).scalar()
    return None if found is None else str(found)


def upgraded(connection: sa.Connection, to: str = "head") -> None:
    """Runs the steps that are missing, on a connection inside a transaction."""
    from alembic import command

    config = _chain()
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def steps() -> tuple[str, ...]:
    """Every step of the chain, the first one first."""
    from alembic.script import ScriptDirectory

    return tuple(reversed([one.revision for one in ScriptDirectory.from_config(_chain()).walk_revisions()]))


def _chain() -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def backup(url: str, target: Path) -> int:
    """Copies every row into a new SQLite file, whichever database the store is in and at whichever step it is.

    Args:
        url: of what is copied, as it stands at one moment; as for `Store.open`. The copy is at the same step.
        target: a file that does not exist.

    Returns:
        How many rows.

    Raises:
        InputError: the file exists or its folder does not, or there is no store, or it is newer than this program.
        EngineError: the database does not answer.
    """
    if target.exists():
        raise InputError("exists already", str(target), "name another file")
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with engine_at(url) as (source, name), source.connect() as reader:
            if reader.dialect.name == "postgresql":
                reader.execute(sa.text("set transaction isolation level repeatable read read only"))
            step = revision_of(reader)
            if step is None:
                raise InputError("there is no store yet", name, "make one: `assay db upgrade`")
            if step not in steps():
                raise InputError(f"the store is at step {step}, newer than this assay", name, "install a newer assay")
            with engine_at(str(unfinished)) as (made, _), made.begin() as writer:
                upgraded(writer, step)
                copied = _copied(reader, writer)
        _folded(unfinished)
        unfinished.replace(target)
    finally:
        for file in (unfinished, *(unfinished.with_name(unfinished.name + end) for end in ("-wal", "-shm"))):
            file.unlink(missing_ok=True)
    return copied


def _copied(reader: sa.Connection, writer: sa.Connection) -> int:
    """Copies all rows between stores of one step, whose tables may not be those of this program's schema."""
    there = sa.MetaData()
    there.reflect(writer)
    copied = 0
    for table in there.sorted_tables:
        if table.name == "alembic_version":
            continue
        n = LARGE.get(table.name, AT_ONCE)
        rows = reader.execution_options(yield_per=n).execute(sa.select(table)).mappings()
        for part in rows.partitions(n):
            writer.execute(sa.insert(table), [dict(row) for row in part])
            copied += len(part)
    return copied


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
