"""People of a workspace: added, invited, signed in; for the terminal and for pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.errors import AssayError
from assay.flows.keeping import TENANT, now
from assay.store import audit, people
from assay.store.database import Store
from assay.store.schema import ROLES

INVITATION_DAYS = 7


class NotAllowed(AssayError):  # noqa: N818 # the house says what happened
    """Whoever asks may not do that, or is not known."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in.

    Args:
        name: of the person.
        role: rater, adjudicator, lead or admin.
        tenant: whose people and projects are seen.
        session: number that rises when all sessions of the person end; None for an API key.
    """

    name: str
    role: str
    tenant: str = TENANT
    session: int | None = None

    def may(self, role: str) -> bool:
        """Whether the person may do what that role may."""
        return ROLES.index(self.role) >= ROLES.index(role)


def add_person(store: Store, name: str, role: str, password: str, *, by: str, tenant: str = TENANT) -> None:
    """Adds a person with a password."""
    known = people.hashed(password)
    at = now()

    def job(connection: Any) -> None:
        people.add(connection, tenant, name, role, known, at)
        audit.note(connection, tenant, by, "added a person", f"{name}, {role}", at)

    store.write(job).result()


def invite(store: Store, role: str, name: str | None = None, *, by: str, tenant: str = TENANT) -> str:
    """Makes an invitation for one person; the token that goes into the link."""
    at = now()
    ends = (datetime.now(UTC) + timedelta(days=INVITATION_DAYS)).isoformat(timespec="seconds")

    def job(connection: Any) -> str:
        token = people.invite(connection, tenant, role, name, by, ends.replace("+00:00", "Z"))
        audit.note(connection, tenant, by, "invited", f"{name or 'somebody'}, {role}", at)
        return token

    return store.write(job).result()


def invited(store: Store, token: str) -> str | None:
    """The name that an invitation is for; None where whoever comes chooses one.

    Raises:
        InputError: it is unknown, used or over; which of these is not told.
    """
    with store.reading() as connection:
        name: str | None = people.invitation(connection, token, now())["name"]
    return name


def accept(store: Store, token: str, name: str, password: str) -> Person:
    """A new person by an invitation."""
    with store.reading() as connection:
        people.invitation(connection, token, now())  # refused before a password is hashed
    known, at = people.hashed(password), now()

    def job(connection: Any) -> Person:
        row = people.accept(connection, token, name, known, at)
        audit.note(connection, row["tenant"], row["name"], "came by an invitation", row["role"], at)
        return _person(row)

    return store.write(job).result()


def sign_in(store: Store, name: str, password: str, *, tenant: str = TENANT) -> Person:
    """The person of a name and a password.

    Raises:
        NotAllowed: one of them is wrong; which one is not told.
    """
    with store.reading() as connection:
        row = people.find(connection, tenant, " ".join(name.split()))
    here = row is not None and row["ended_at"] is None
    fits = people.is_password(row["password"] if row is not None and here else None, password)
    if row is None or not fits:
        raise NotAllowed("this name and password do not belong together")
    at = now()
    store.write(lambda connection: audit.note(connection, tenant, row["name"], "signed in", "", at)).result()
    return _person(row)


def by_session(store: Store, name: str, session: int, *, tenant: str = TENANT) -> Person | None:
    """The person of a session that still holds."""
    with store.reading() as connection:
        row = people.find(connection, tenant, name)
    if row is None or row["ended_at"] is not None or row["session"] != session:
        return None
    return _person(row)


def by_key(store: Store, key: str) -> Person | None:
    """Whom an API key speaks for, with the role of the key."""
    with store.reading() as connection:
        row = people.by_key(connection, key)
    if row is None:
        return None
    role = min(row["role"], row["person_role"], key=ROLES.index)  # a person who may do less has no key that may more
    return Person(row["person"], role, row["tenant"])


def end_sessions(store: Store, who: Person) -> None:
    """Signs a person out everywhere."""
    at = now()

    def job(connection: Any) -> None:
        people.change(connection, who.tenant, who.name)
        audit.note(connection, who.tenant, who.name, "signed out", "", at)

    store.write(job).result()


def by_proxy(store: Store, name: str, *, tenant: str = TENANT) -> Person | None:
    """The person that a trusted proxy signed on; nobody is added by that."""
    with store.reading() as connection:
        row = people.find(connection, tenant, name)
    return None if row is None or row["ended_at"] is not None else _person(row)


def make_key(store: Store, name: str, person: Person, role: str) -> str:
    """An API key that speaks for a person, with at most the person's role.

    Raises:
        NotAllowed: the role is above the person's own.
    """
    if not person.may(people.checked_role(role)):
        raise NotAllowed(f"a {person.role} cannot make a key for a {role}")
    at = now()

    def job(connection: Any) -> str:
        key = people.make_key(connection, person.tenant, name, person.name, role, at)
        audit.note(connection, person.tenant, person.name, "made a key", f"{name}, {role}", at)
        return key

    return store.write(job).result()


def end_key(store: Store, name: str, *, by: Person) -> None:
    """Ends a key."""
    at = now()

    def job(connection: Any) -> None:
        people.end_key(connection, by.tenant, name, at)
        audit.note(connection, by.tenant, by.name, "ended a key", name, at)

    store.write(job).result()


def everyone(store: Store, tenant: str = TENANT) -> list[dict[str, Any]]:
    """Everybody, by name, without passwords."""
    return people.everyone(store, tenant)


def named(store: Store, name: str, tenant: str = TENANT) -> Person:
    """The person of a name.

    Raises:
        InputError: there is none, or the account has ended.
    """
    from assay.errors import InputError, did_you_mean

    with store.reading() as connection:
        row = people.find(connection, tenant, name)
    if row is None or row["ended_at"] is not None:
        known = [one["name"] for one in people.everyone(store, tenant) if one["ended_at"] is None]
        raise InputError(
            f"there is no {name}{did_you_mean(name, known)}", "person", "`assay people list` shows who is there"
        )
    return _person(row)


def keys(store: Store, tenant: str = TENANT) -> list[dict[str, Any]]:
    """Every key without itself."""
    return people.keys(store, tenant)


def change_person(
    store: Store, name: str, *, by: str, role: str | None = None, password: str | None = None, ends: bool = False,
    tenant: str = TENANT,
) -> None:  # fmt: skip
    """Changes a role or a password, or ends an account; all sessions of the person end."""
    values: dict[str, Any] = {}
    if role is not None:
        values["role"] = people.checked_role(role)
    if password is not None:
        values["password"] = people.hashed(password)
    if ends:
        values["ended_at"] = now()
    at = now()

    def job(connection: Any) -> None:
        people.change(connection, tenant, name, **values)
        what = ", ".join(key.replace("_at", "") for key in values)
        audit.note(connection, tenant, by, "changed a person", f"{name}: {what}", at)

    store.write(job).result()


def _person(row: dict[str, Any]) -> Person:
    return Person(row["name"], row["role"], row["tenant"], row["session"])
