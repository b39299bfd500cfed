"""Statements that run beside every answer: compiled once for each kind of database, then run by its driver.

SQLAlchemy takes ten times as long to prepare a statement and to read its result as SQLite takes to run it. What is run
here is still written and compiled by SQLAlchemy, inside the transaction of the connection that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter, methodcaller
from typing import Any

import sqlalchemy as sa


class Direct:
    """A statement whose values are all named: `sa.bindparam` for what changes, constants otherwise.

    Args:
        build: the statement, for the name of a dialect.
    """

    def __init__(self, build: Callable[[str], sa.Executable]) -> None:
        self._build = build
        self._compiled: dict[str, tuple[str, dict[str, Any]]] = {}
        self._names: list[str] = []
        self._booleans: list[str] = []

    def run(self, connection: sa.Connection, values: Mapping[str, Any]) -> int:
        """How many rows the statement wrote.

        Args:
            connection: inside a transaction.
            values: by name; there may be more of them than the statement has names.

        Raises:
            DBAPIError: what the driver raised, as SQLAlchemy would have; so do those below.
        """
        return int(self._fetch(connection, values, _written))

    def first(self, connection: sa.Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row that is found, in the types of the driver: SQLite has no booleans."""
        found: tuple[Any, ...] | None = self._fetch(connection, values, _first)
        return found

    def all(self, connection: sa.Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Every row that is found, in the types of the driver."""
        found: list[tuple[Any, ...]] = self._fetch(connection, values, _all)
        return found

    def rows(self, connection: sa.Connection, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Every row that is found, as SQLAlchemy has it: by column, with booleans."""
        rows = [dict(zip(self._names, row, strict=True)) for row in self.all(connection, values)]
        if connection.dialect.name == "sqlite":
            for row in rows:
                row.update({name: bool(row[name]) for name in self._booleans if row[name] is not None})
        return rows

    def _fetch(self, connection: sa.Connection, values: Mapping[str, Any], fetch: Callable[[Any], Any]) -> Any:
        dialect = connection.dialect
        text, constants = self._compiled.get(dialect.name) or self._for(dialect)
        try:
            return fetch(driver(connection).execute(text, {**constants, **values} if constants else values))
        except dialect.loaded_dbapi.Error as error:
            raise _as_ours(connection, text, error) from error

    def _for(self, dialect: sa.Dialect) -> tuple[str, dict[str, Any]]:
        if dialect.name == "sqlite":
            from sqlalchemy.dialects import sqlite

            dialect = sqlite.dialect(paramstyle="named")  # by name, as psycopg has them
        statement: Any = self._build(dialect.name)
        if isinstance(statement, sa.Select):
            chosen = statement.selected_columns
            self._names = [str(one.key) for one in chosen]
            self._booleans = [str(one.key) for one in chosen if isinstance(one.type, sa.Boolean)]
        compiled: Any = statement.compile(dialect=dialect)
        constants = {name: bound.value for name, bound in compiled.binds.items() if not bound.required}
        self._compiled[dialect.name] = str(compiled), constants
        return self._compiled[dialect.name]


_written, _first, _all = attrgetter("rowcount"), methodcaller("fetchone"), methodcaller("fetchall")


def driver(connection: sa.Connection) -> Any:
    """The connection as the driver has it; both of ours run a statement by `execute`."""
    return connection.connection.dbapi_connection


@contextmanager
def raised(connection: sa.Connection, text: str) -> Iterator[None]:
    """What the driver raises inside comes out as SQLAlchemy would have raised it.

    Args:
        connection: whose driver is asked.
        text: what it is asked.
    """
    try:
        yield
    except connection.dialect.loaded_dbapi.Error as error:
        raise _as_ours(connection, text, error) from error


def _as_ours(connection: sa.Connection, text: str, error: Exception) -> BaseException:
    """Without the values, which may hold what a person wrote."""
    dialect = connection.dialect
    return sa.exc.DBAPIError.instance(text, None, error, dialect.loaded_dbapi.Error, dialect=dialect)
