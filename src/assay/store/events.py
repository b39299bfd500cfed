"""What raters do beside answering: they are stopped, go on, and open live pages."""

from __future__ import annotations

import uuid
from functools import cache
from typing import Any

import sqlalchemy as sa

from assay.store.schema import DOCUMENTS, EVENTS, ITEMS, JUDGMENTS

STOPPED, WENT_ON, OPENED = "stopped", "went on", "opened"


def letters(connection: sa.Connection, tenant: str, item: int) -> int:
    """How many letters of title and text a rater sees of an item; none where nobody gave its document."""
    found = connection.execute(_letters(), {"tenant": tenant, "item": item}).scalar()
    return int(found or 0)


@cache
def _letters() -> sa.Select[Any]:
    """Built once, as are those below: they run beside each answer."""
    return (
        sa.select(sa.func.length(DOCUMENTS.c.title) + sa.func.length(DOCUMENTS.c.text))
        .join(ITEMS, sa.and_(ITEMS.c.doc_id == DOCUMENTS.c.doc_id, ITEMS.c.doc_hash == DOCUMENTS.c.doc_hash))
        .where(DOCUMENTS.c.tenant == sa.bindparam("tenant"), ITEMS.c.id == sa.bindparam("item"))
    )


def last(connection: sa.Connection, project: str, rater: str) -> tuple[str, int]:
    """Whether a rater was stopped or went on last, and which judgment was the rater's last then; "" and 0 at first."""
    found = connection.execute(_last(), {"project": project, "rater": rater}).first()
    return ("", 0) if found is None else (str(found[0]), int(found[1] or 0))


@cache
def _last() -> sa.Select[Any]:
    return (
        sa.select(EVENTS.c.kind, EVENTS.c.judgment)
        .where(EVENTS.c.project == sa.bindparam("project"), EVENTS.c.rater == sa.bindparam("rater"),
               EVENTS.c.kind.in_((STOPPED, WENT_ON)))
        .order_by(EVENTS.c.id.desc())
        .limit(1)
    )  # fmt: skip


def pace(connection: sa.Connection, project: str, rater: str, since: int, n: int) -> list[bool]:
    """Of the rater's last answers after a judgment, the latest first and at most `n`: whether each was too fast."""
    asked = {"project": project, "rater": rater, "since": since, "n": n}
    return [bool(row) for row in connection.execute(_pace(), asked).scalars()]


@cache
def _pace() -> sa.Select[Any]:
    return (
        sa.select(JUDGMENTS.c.is_fast)
        .where(JUDGMENTS.c.project == sa.bindparam("project"), JUDGMENTS.c.rater == sa.bindparam("rater"),
               JUDGMENTS.c.id > sa.bindparam("since"), JUDGMENTS.c.role == "rater", JUDGMENTS.c.takes_back.is_(None))
        .order_by(JUDGMENTS.c.id.desc())
        .limit(sa.bindparam("n"))
    )  # fmt: skip


def note(
    connection: sa.Connection, tenant: str, project: str, rater: str, kind: str, now: str, *, item: int | None = None,
    uid: str = "",
) -> None:  # fmt: skip
    """Writes what a rater did; what was written by the same id is there already.

    Args:
        connection: inside a write.
        tenant: whose.
        project: its id.
        rater: who.
        kind: `STOPPED`, `WENT_ON` or `OPENED`.
        now: the time.
        item: whose live page was opened.
        uid: made by the client, where it may send twice.
    """
    uid = uid or uuid.uuid4().hex
    there = sa.select(EVENTS.c.id).where(EVENTS.c.tenant == tenant, EVENTS.c.uid == uid)
    if connection.execute(there).first() is not None:
        return
    mine = (JUDGMENTS.c.project == project, JUDGMENTS.c.rater == rater)
    at = connection.execute(sa.select(sa.func.max(JUDGMENTS.c.id)).where(*mine)).scalar()
    connection.execute(
        sa.insert(EVENTS).values(
            tenant=tenant, uid=uid, project=project, rater=rater, kind=kind, item=item, judgment=at, at=now
        )
    )


def counts(connection: sa.Connection, project: str) -> dict[tuple[str, str], int]:
    """How often each rater was stopped or opened a live page, by rater and kind."""
    select = (
        sa.select(EVENTS.c.rater, EVENTS.c.kind, sa.func.count())
        .where(EVENTS.c.project == project)
        .group_by(EVENTS.c.rater, EVENTS.c.kind)
    )
    return {(str(rater), str(kind)): int(n) for rater, kind, n in connection.execute(select)}
