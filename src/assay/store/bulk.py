"""Many rows at once, those that are there already left as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

AT_ONCE = 20_000
"""Rows of one statement."""

MANY = 1_000
"""So many new rows may change how a table is best searched."""


def insert_new(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds the rows whose unique columns nobody has; rows of one shape.

    Args:
        connection: inside a write.
        table: where they go.
        rows: by column; the first row says which.
    """
    if not rows:
        return
    if connection.dialect.name != "postgresql":
        from sqlalchemy.dialects.sqlite import insert

        connection.execute(insert(table).on_conflict_do_nothing(), [dict(row) for row in rows])
        return
    for start in range(0, len(rows), AT_ONCE):
        connection.execute(_from_arrays(table, rows[start : start + AT_ONCE]))
    if len(rows) >= MANY:
        # PostgreSQL plans by what it counted last, which for a table that was empty a moment ago is nothing.
        connection.execute(sa.text(f"analyze {table.name}"))


def _from_arrays(table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> Any:
    """One array a column: a statement for each row takes PostgreSQL twice as long."""
    from sqlalchemy.dialects.postgresql import ARRAY, insert

    names = list(rows[0])
    arrays = [sa.bindparam(name, [row[name] for row in rows], type_=ARRAY(table.c[name].type)) for name in names]
    columns = [sa.column(name, table.c[name].type) for name in names]
    given = sa.func.unnest(*arrays).table_valued(*columns).render_derived(name="given")
    select = sa.select(*(given.c[name] for name in names))
    return insert(table).from_select(names, select).on_conflict_do_nothing()
