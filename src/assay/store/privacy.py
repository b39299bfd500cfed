"""Finds, hands out and takes away what the store holds about a person, and what is older than it may be.

Judgments stay: whose they are becomes a name that leads to nobody, so that counts and agreement hold. What the person
wrote in their own words goes.
"""

from __future__ import annotations

import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from assay.errors import InputError
from assay.store.database import Store, without_writer
from assay.store.schema import API_KEYS, AUDIT, CLAIMS, EVENTS, FLAGS, INVITATIONS, JUDGMENTS, PEOPLE, PROJECTS, TABLES

WHOSE: tuple[tuple[sa.Column[Any], tuple[sa.Column[Any], ...]], ...] = (
    (JUDGMENTS.c.rater, (JUDGMENTS.c.note, JUDGMENTS.c.cannot_tell)),
    (CLAIMS.c.rater, ()),
    (FLAGS.c.rater, (FLAGS.c.why,)),
    (EVENTS.c.rater, ()),
    (PROJECTS.c.opened_by, (PROJECTS.c.opened_why,)),
    (AUDIT.c.person, ()),
    (PEOPLE.c.name, ()),
    (API_KEYS.c.person, (API_KEYS.c.name,)),
    (INVITATIONS.c.made_by, ()),
    (INVITATIONS.c.name, ()),
)
"""Every column that names a person, and the columns of the same row that hold the person's own words."""

SHORT = 20
"""Letters from which words tell who wrote them."""

HIDDEN = ("password", "token", "key")
"""Hashes, which are handed out to nobody."""


@dataclass(frozen=True, slots=True)
class Age:
    """What may be forgotten by its age.

    Args:
        rows: which rows, given the time before which they are too old.
        words: columns that are emptied; the rows go where there are none.
    """

    rows: Callable[[str], sa.ColumnElement[bool]]
    words: tuple[sa.Column[Any], ...] = ()


AGES: dict[str, tuple[sa.Table, Age]] = {
    "audit": (AUDIT, Age(lambda before: AUDIT.c.at < before)),
    "invitations": (INVITATIONS, Age(lambda before: INVITATIONS.c.expires_at < before)),
    "api_keys": (API_KEYS, Age(lambda before: API_KEYS.c.ended_at < before)),
    "flags": (FLAGS, Age(lambda before: FLAGS.c.flagged_at < before)),
    "events": (EVENTS, Age(lambda before: EVENTS.c.at < before)),
    "notes": (JUDGMENTS, Age(lambda before: sa.and_(JUDGMENTS.c.judged_at < before, JUDGMENTS.c.note != ""),
                             (JUDGMENTS.c.note,))),
}  # fmt: skip


def found(store: Store, tenant: str, name: str) -> dict[str, list[dict[str, Any]]]:
    """Every row that names a person, by table; without hashes of passwords and keys."""
    rows: dict[str, list[dict[str, Any]]] = {}
    with store.reading() as connection:
        for table in TABLES.sorted_tables:
            named = [column for column, _ in WHOSE if column.table is table]
            clause = sa.or_(sa.false(), *(column == name for column in named), *(_mentions(table, name)))
            select = sa.select(table).where(table.c.tenant == tenant, clause)
            if "id" in table.c:
                select = select.order_by(table.c.id)
            held = [dict(row) for row in connection.execute(select).mappings()]
            held = [row for row in held if any(row[column.name] == name for column in named) or _says(row, name)]
            if held:
                rows[table.name] = [{key: text for key, text in row.items() if key not in HIDDEN} for row in held]
    return rows


def elsewhere(store: Store, tenant: str, name: str) -> dict[str, int]:
    """Rows in which the name stands as a word of what is not about persons, such as the name of a project, by column.

    An erase leaves these: a query or a document that was changed would no longer be what raters saw.
    """
    kept = {column for column, _ in WHOSE}
    told: dict[str, int] = {}
    with store.reading() as connection:
        for table in TABLES.sorted_tables:
            said = _texts(table)
            other = [who.is_distinct_from(name) for who in kept if who.table is table]  # one's own rows are told apart
            for column in table.c:
                if not isinstance(column.type, sa.Text) or column in kept or column in said or column.name in HIDDEN:
                    continue
                holds = column.contains(name, autoescape=True)
                select = sa.select(column).where(table.c.tenant == tenant, holds, *other)
                n = sum(_pattern(name).search(text) is not None for (text,) in connection.execute(select))
                if n:
                    told[f"{table.name}.{column.name}"] = n
    return told


def words(store: Store, tenant: str, name: str) -> tuple[str, ...]:
    """What the person wrote and the store keeps: notes, reasons of flags and of an opening, names of keys.

    What is shorter than `SHORT` is left out, as are the reasons why one cannot tell: those are anybody's words.
    """
    found: dict[str, None] = {}
    for column, own in WHOSE:
        for word in (word for word in own if word is not JUDGMENTS.c.cannot_tell):
            select = sa.select(word).where(column.table.c.tenant == tenant, column == name).distinct()
            found |= dict.fromkeys(row[word.name] or "" for row in store.rows(select))
    return tuple(sorted(text for text in found if len(text) >= SHORT))


def erase(store: Store, tenant: str, name: str) -> tuple[str, dict[str, int]]:
    """Takes a person out of every row.

    Args:
        store: where.
        tenant: whose.
        name: of the person.

    Returns:
        The name that stands there now, and the number of changed rows by table.

    Raises:
        InputError: nothing names that person.
    """
    nobody = f"erased-{secrets.token_hex(8)}"

    def job(connection: sa.Connection) -> dict[str, int]:
        changed: dict[str, int] = {}
        _forget_uids(connection, tenant, name)
        for column, words in WHOSE:
            emptied: dict[str, Any] = {word.name: None if word.nullable else "" for word in words}
            if JUDGMENTS.c.cannot_tell in words:  # that there was a reason stays
                emptied["cannot_tell"] = sa.case((JUDGMENTS.c.cannot_tell.is_(None), None), else_="erased")
            table = column.table
            values: dict[str, Any] = {column.name: nobody} | emptied
            if table is PEOPLE:
                values |= {"password": None, "session": PEOPLE.c.session + 1, "ended_at": PEOPLE.c.created_at}
            if column is API_KEYS.c.person:
                values |= {"name": nobody, "ended_at": API_KEYS.c.created_at}
            where = (table.c.tenant == tenant, column == name)
            if n := connection.execute(sa.update(table).where(*where).values(**values)).rowcount:
                changed[table.name] = changed.get(table.name, 0) + n
        for table in TABLES.sorted_tables:
            if n := _mentions_replaced(connection, table, tenant, name, nobody):
                changed[table.name] = changed.get(table.name, 0) + n
        return changed

    changed = store.write(job).result()
    if not changed:
        raise InputError(f"nothing here names {name}", "the store", "look at the spelling: assay people list")
    return nobody, changed


def _forget_uids(connection: sa.Connection, tenant: str, name: str) -> None:
    """New ids for answers whose ids, which a client may make of anything, hold the name of who gave them."""
    ids = (JUDGMENTS.c.uid, JUDGMENTS.c.takes_back)
    whose = (JUDGMENTS.c.tenant == tenant, JUDGMENTS.c.rater == name)
    for column in ids:
        select = sa.select(column).where(*whose, sa.func.lower(column).contains(name.lower(), autoescape=True))
        for held in sorted({row[0] for row in connection.execute(select)}):
            new = secrets.token_hex(16)
            for one in ids:
                connection.execute(sa.update(JUDGMENTS).where(*whose, one == held).values({one.name: new}))


def expire(store: Store, tenant: str, before: dict[str, str]) -> dict[str, int]:
    """Forgets what is older than it may be; how many rows, by what they are.

    Args:
        store: where.
        tenant: whose.
        before: "audit", "invitations", "api_keys", "flags" or "notes" to the time before which they are too old.
    """

    def job(connection: sa.Connection) -> dict[str, int]:
        gone = {}
        for name, time in before.items():
            table, age = AGES[name]
            where = (table.c.tenant == tenant, age.rows(time))
            change: Any = sa.delete(table).where(*where)
            if age.words:
                change = sa.update(table).where(*where).values({word.name: "" for word in age.words})
            gone[name] = int(connection.execute(change).rowcount)
        return gone

    return store.write(job).result()


def scrub(url: str) -> None:
    """Takes the bytes of changed and deleted rows out of the files of the database; needs the store for itself.

    A database marks old rows as free and leaves their bytes; here its files are written anew.
    """
    with without_writer(url) as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA secure_delete=ON").close()
            connection.exec_driver_sql("VACUUM").close()
            busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one()
            if busy:
                raise InputError(
                    "somebody else has the store open, so old bytes stay in its log", "the store",
                    "end the server, then run `assay privacy expire`, which cleans it",
                )  # fmt: skip
        else:
            for table in TABLES.sorted_tables:
                connection.execute(sa.text(f'VACUUM (FULL, ANALYZE) "{table.name}"'))
            # What the planner knew of the old rows holds their commonest values; the owner alone may clean it.
            connection.execute(sa.text("VACUUM FULL pg_statistic"))


def texts_of(path: Path) -> Iterator[str]:
    """Every text in a SQLite file, such as a backup: in its bytes, one text ends where the next begins."""
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)
    try:
        names = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        for name in names:
            quoted = name.replace('"', '""')
            for row in connection.execute(f'select * from "{quoted}"'):
                yield from (text for text in row if isinstance(text, str))
    finally:
        connection.close()


def is_store(path: Path) -> bool:
    """Whether a SQLite file is a store or a copy of one."""
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)
    try:
        names = {row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")}
    finally:
        connection.close()
    return {"alembic_version", JUDGMENTS.name, PEOPLE.name} <= names


def _texts(table: sa.Table) -> list[sa.Column[Any]]:
    """Columns with words of people in them, in which a name may stand among others."""
    return [column for column in table.c if (table.name, column.name) in SAID]


SAID = (("audit", "what"), ("judgments", "note"), ("flags", "why"), ("projects", "opened_why"), ("api_keys", "name"))


def _mentions(table: sa.Table, name: str) -> list[sa.ColumnElement[bool]]:
    return [column.contains(name, autoescape=True) for column in _texts(table)]


def _pattern(name: str) -> re.Pattern[str]:
    """A name as a word of its own: `ann` does not stand in `channel`."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _says(row: dict[str, Any], name: str) -> bool:
    return any(isinstance(text, str) and _pattern(name).search(text) for text in row.values())


def _mentions_replaced(connection: sa.Connection, table: sa.Table, tenant: str, name: str, nobody: str) -> int:
    changed = 0
    for column in _texts(table):
        select = sa.select(table.c.id, column).where(table.c.tenant == tenant, column.contains(name, autoescape=True))
        for row, text in connection.execute(select).all():
            new = _pattern(name).sub(nobody, text)
            if new != text:
                connection.execute(sa.update(table).where(table.c.id == row).values({column.name: new}))
                changed += 1
    return changed
