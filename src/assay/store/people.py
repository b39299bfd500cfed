"""Accounts, invitations and API keys. Only hashes of passwords, invitations and keys are kept."""

from __future__ import annotations

import hashlib
import secrets
import threading
from typing import Any

import sqlalchemy as sa

from assay.errors import InputError, MissingExtra
from assay.store.database import Store
from assay.store.schema import API_KEYS, INVITATIONS, PEOPLE, ROLES

SHORTEST_PASSWORD = 10
AT_ONCE = 2
"""Passwords that are hashed at the same time: each takes 64 MiB, and forty threads at once would eat the machine."""

_hashing = threading.BoundedSemaphore(AT_ONCE)

LONGEST_NAME = 80

NO_INVITATION = "this invitation is unknown, used or over"
"""One sentence, so that it tells nothing to whoever tries invitations."""


def hashed(password: str) -> str:
    """A password as it is kept (argon2id).

    Raises:
        InputError: it is too short.
    """
    if len(password) < SHORTEST_PASSWORD:
        raise InputError(
            f"a password of {len(password)} characters is too short", "password", f"take {SHORTEST_PASSWORD} or more"
        )
    with _hashing:
        return str(_hasher().hash(password))


def is_password(known: str | None, password: str) -> bool:
    """Whether a password is the one that is kept; takes as long where there is none, so that names are not told."""
    from argon2.exceptions import InvalidHashError, VerificationError

    with _hashing:
        try:
            return bool(_hasher().verify(known or _NOBODY, password)) and known is not None
        except (VerificationError, InvalidHashError):
            return False


def _hasher() -> Any:
    try:
        from argon2 import PasswordHasher
    except ModuleNotFoundError:
        raise MissingExtra("argon2-cffi", "web", "signing in") from None
    return PasswordHasher()


_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b+dWRWJTmaasWrSAf0yIFQKZkY"
"""The hash of nothing that anybody types."""


def token_hash(token: str) -> str:
    """A random token as it is kept: it has 256 bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def checked_name(name: str) -> str:
    """A name without blanks around it.

    Raises:
        InputError: it is empty, too long, or holds what does not print.
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError("is no name", "name", f"write 1 to {LONGEST_NAME} letters")
    return name


def checked_role(role: str) -> str:
    """A role that exists."""
    from assay.errors import did_you_mean

    if role not in ROLES:
        raise InputError(f"unknown role {role}{did_you_mean(role, ROLES)}", "role", f"choose {', '.join(ROLES)}")
    return role


def add(connection: sa.Connection, tenant: str, name: str, role: str, password: str | None, now: str) -> None:
    """Adds a person; `password` is a hash.

    Raises:
        InputError: the name is taken.
    """
    name = checked_name(name)
    if find(connection, tenant, name) is not None:
        raise InputError(f"the name {name} is taken", "name", "take another name")
    connection.execute(
        sa.insert(PEOPLE).values(
            tenant=tenant, name=name, role=checked_role(role), password=password, created_at=now, session=0
        )
    )


def find(connection: sa.Connection, tenant: str, name: str) -> dict[str, Any] | None:
    """The row of a person, also of one who left."""
    select = sa.select(PEOPLE).where(PEOPLE.c.tenant == tenant, PEOPLE.c.name == name)
    found = connection.execute(select).mappings().first()
    return None if found is None else dict(found)


def change(connection: sa.Connection, tenant: str, name: str, **values: Any) -> None:
    """Changes a person's role, password or end, or nothing; every session of the person ends.

    Raises:
        InputError: there is no such person.
    """
    done = connection.execute(
        sa.update(PEOPLE)
        .where(PEOPLE.c.tenant == tenant, PEOPLE.c.name == name)
        .values(**values, session=PEOPLE.c.session + 1)
    ).rowcount
    if not done:
        raise InputError(f"there is no {name}", "name", "`assay people list` shows who is there")


def everyone(store: Store, tenant: str) -> list[dict[str, Any]]:
    """Everybody, by name, without passwords."""
    columns = (PEOPLE.c.name, PEOPLE.c.role, PEOPLE.c.created_at, PEOPLE.c.ended_at)
    return store.rows(sa.select(*columns).where(PEOPLE.c.tenant == tenant).order_by(PEOPLE.c.name))


def invite(connection: sa.Connection, tenant: str, role: str, name: str | None, made_by: str, expires_at: str) -> str:
    """Makes an invitation; the token, which is told once and kept as a hash."""
    token = secrets.token_urlsafe(32)
    connection.execute(
        sa.insert(INVITATIONS).values(
            tenant=tenant, token=token_hash(token), role=checked_role(role), made_by=made_by, expires_at=expires_at,
            name=None if name is None else checked_name(name),
        )
    )  # fmt: skip
    return token


def invitation(connection: sa.Connection, token: str, now: str) -> dict[str, Any]:
    """The invitation of a token.

    Raises:
        InputError: it is unknown, used or over.
    """
    select = sa.select(INVITATIONS).where(INVITATIONS.c.token == token_hash(token))
    found = connection.execute(select).mappings().first()
    if found is None or found["used_at"] is not None or found["expires_at"] < now:
        raise InputError(NO_INVITATION, "invitation", "sign in if you have used it, or ask for a new one")
    return dict(found)


def accept(connection: sa.Connection, token: str, name: str, password: str, now: str) -> dict[str, Any]:
    """Uses an invitation: a new person; `password` is a hash. The person's row."""
    held = invitation(connection, token, now)
    chosen = held["name"] or checked_name(name)
    used = connection.execute(
        sa.update(INVITATIONS)
        .where(INVITATIONS.c.id == held["id"], INVITATIONS.c.used_at.is_(None))
        .values(used_at=now)
    ).rowcount
    if not used:
        raise InputError(NO_INVITATION, "invitation", "sign in if you have used it, or ask for a new one")
    add(connection, held["tenant"], chosen, held["role"], password, now)
    found = find(connection, held["tenant"], chosen)
    assert found is not None  # it was added above
    return found


def make_key(connection: sa.Connection, tenant: str, name: str, person: str, role: str, now: str) -> str:
    """Makes an API key; the key, which is told once and kept as a hash."""
    key = "assay_" + secrets.token_urlsafe(32)
    connection.execute(
        sa.insert(API_KEYS).values(
            tenant=tenant, key=token_hash(key), name=checked_name(name), person=person, role=checked_role(role),
            created_at=now,
        )
    )  # fmt: skip
    return key


def by_key(connection: sa.Connection, key: str) -> dict[str, Any] | None:
    """The row of a key that holds, and whose person is still there; `person_role` is that of the person."""
    select = (
        sa.select(API_KEYS, PEOPLE.c.role.label("person_role"))
        .join(PEOPLE, sa.and_(PEOPLE.c.tenant == API_KEYS.c.tenant, PEOPLE.c.name == API_KEYS.c.person))
        .where(API_KEYS.c.key == token_hash(key), API_KEYS.c.ended_at.is_(None), PEOPLE.c.ended_at.is_(None))
    )
    found = connection.execute(select).mappings().first()
    return None if found is None else dict(found)


def end_key(connection: sa.Connection, tenant: str, name: str, now: str) -> None:
    """Ends every key of that name.

    Raises:
        InputError: there is none.
    """
    done = connection.execute(
        sa.update(API_KEYS)
        .where(API_KEYS.c.tenant == tenant, API_KEYS.c.name == name, API_KEYS.c.ended_at.is_(None))
        .values(ended_at=now)
    ).rowcount
    if not done:
        raise InputError(f"there is no key {name}", "name", "`assay people keys` shows which there are")


def keys(store: Store, tenant: str) -> list[dict[str, Any]]:
    """Every key, in the order in which they were made, without itself."""
    columns = (API_KEYS.c.name, API_KEYS.c.person, API_KEYS.c.role, API_KEYS.c.created_at, API_KEYS.c.ended_at)
    return store.rows(sa.select(*columns).where(API_KEYS.c.tenant == tenant).order_by(API_KEYS.c.id))
