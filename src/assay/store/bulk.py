"""Many rows at once, those that are there already left as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from assay.store.direct import driver, raised

AT_ONCE = 20_000
"""Rows of one statement."""

MANY = 1_000
"""So many new rows may change how a table is best searched."""


def insert_new(connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    """Adds the rows whose unique columns nobody has; how many these are.

    Args:
        connection: inside a write.
        table: where they go.
        names: of the columns that are given.
        rows: their values, in the order of the names.
    """
    if not rows:
        return 0
    if connection.dialect.name != "postgresql":
        return _one_by_one(connection, table, names, rows)
    if len(rows) < MANY:
        return _from_arrays(connection, table, names, rows)
    n = _copied(connection, table, names, rows)
    if n is None:
        n = sum(_from_arrays(connection, table, names, rows[at : at + AT_ONCE]) for at in range(0, len(rows), AT_ONCE))
    # PostgreSQL plans by what it counted last, which for a table that was empty a moment ago is nothing.
    connection.execute(sa.text(f"analyze {table.name}"))
    return n


def _one_by_one(connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    """The driver of SQLite takes the rows as they are, without a look at each by SQLAlchemy."""
    from sqlalchemy.dialects import sqlite

    insert = sqlite.insert(table).inline().values({name: sa.bindparam(name) for name in names}).on_conflict_do_nothing()
    compiled: Any = insert.compile(dialect=connection.dialect)
    at = [names.index(name) for name in compiled.positiontup]
    given = rows if at == list(range(len(names))) else ([row[i] for i in at] for row in rows)
    with raised(connection, str(compiled)):
        return int(driver(connection).executemany(str(compiled), given).rowcount)


def _copied(
    connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> int | None:
    """COPY, which takes a third of the time of any INSERT; None, and nothing written, where a row is there already."""
    raw, dialect = driver(connection), connection.dialect
    quoted = ", ".join(dialect.identifier_preparer.quote(name) for name in names)
    text = f"copy {table.name} ({quoted}) from stdin"
    with raised(connection, text):
        raw.execute("savepoint rows_given")
        try:
            with raw.cursor() as cursor, cursor.copy(text) as copy:
                for row in rows:
                    copy.write_row(row)
        except dialect.loaded_dbapi.errors.UniqueViolation:
            raw.execute("rollback to savepoint rows_given")
            raw.execute("release savepoint rows_given")
            return None
        raw.execute("release savepoint rows_given")
    return len(rows)


def _from_arrays(
    connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> int:
    """One array a column: a statement for each row takes PostgreSQL twice as long."""
    from sqlalchemy.dialects.postgresql import ARRAY, insert

    columns = [sa.column(name, table.c[name].type) for name in names]
    arrays = [
        sa.bindparam(one.name, list(values), type_=ARRAY(one.type))
        for one, values in zip(columns, zip(*rows, strict=True), strict=True)
    ]
    given = sa.func.unnest(*arrays).table_valued(*columns).render_derived(name="given")
    select = sa.select(*(given.c[name] for name in names))
    new = insert(table).from_select(names, select).on_conflict_do_nothing()
    return connection.execute(new.execution_options(preserve_rowcount=True)).rowcount
