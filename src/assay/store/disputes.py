"""What is disputed in a project, what stands at one item, and what of it a person may still settle."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from assay.store.database import Store
from assay.store.judgments import standing
from assay.store.schema import CLAIMS, DOCUMENTS, ITEMS, JUDGMENTS, QUERIES

COLUMNS = (ITEMS.c.id, ITEMS.c.query_id, ITEMS.c.doc_id, ITEMS.c.doc_hash, ITEMS.c.other_doc_id, ITEMS.c.other_doc_hash)

PUT_OFF = -1
"""The turn of a claim that says no more than that an adjudicator put a dispute off."""


def left(store: Store, tenant: str, project: str, person: str) -> list[dict[str, Any]]:
    """Disputed items at which nothing of the person stands: ids, query_id, its text, documents and their hashes.

    With the `title` of the (first) document, and `put_off`: None, or a number that is higher the later the person put
    the dispute off.
    """
    own, undone = JUDGMENTS.alias(), JUDGMENTS.alias()
    is_undone = sa.select(undone.c.id).where(undone.c.tenant == tenant, undone.c.takes_back == own.c.uid).exists()
    stands = (
        sa.select(own.c.id)
        .where(own.c.item == ITEMS.c.id, own.c.rater == person, own.c.takes_back.is_(None), ~is_undone)
        .exists()
    )
    of_document = sa.and_(
        DOCUMENTS.c.tenant == ITEMS.c.tenant, DOCUMENTS.c.doc_id == ITEMS.c.doc_id,
        DOCUMENTS.c.doc_hash == ITEMS.c.doc_hash,
    )  # fmt: skip
    select = (
        sa.select(
            *COLUMNS, ITEMS.c.tenant, ITEMS.c.project, QUERIES.c.text, DOCUMENTS.c.title, CLAIMS.c.id.label("put_off")
        )
        .outerjoin(QUERIES, sa.and_(QUERIES.c.project == ITEMS.c.project, QUERIES.c.query_id == ITEMS.c.query_id))
        .outerjoin(DOCUMENTS, of_document)
        .outerjoin(CLAIMS, _put_off(ITEMS.c.id, person))
        .where(ITEMS.c.tenant == tenant, ITEMS.c.project == project, ITEMS.c.is_disputed.is_(True), ~stands)
    )
    return store.rows(select)


def put_off(connection: sa.Connection, tenant: str, number: int, person: str, now: str) -> None:
    """Notes that a person puts a dispute off: it comes after all that the person put off before."""
    connection.execute(sa.delete(CLAIMS).where(_put_off(number, person)))
    row = {"tenant": tenant, "item": number, "rater": person, "turn": PUT_OFF, "claimed_at": now, "ended_at": now,
           "outcome": "skipped"}  # fmt: skip
    connection.execute(sa.insert(CLAIMS).values(**row))


def _put_off(number: sa.ColumnElement[int] | int, person: str) -> sa.ColumnElement[bool]:
    return sa.and_(CLAIMS.c.item == number, CLAIMS.c.rater == person, CLAIMS.c.turn == PUT_OFF)


def item(connection: sa.Connection, tenant: str, project: str, number: int) -> dict[str, Any] | None:
    """The row of an item of a project."""
    select = sa.select(ITEMS).where(ITEMS.c.tenant == tenant, ITEMS.c.project == project, ITEMS.c.id == number)
    found = connection.execute(select).mappings().first()
    return None if found is None else dict(found)


def labels(connection: sa.Connection, tenant: str, number: int) -> list[dict[str, Any]]:
    """What stands at an item, hidden repeats left out, in the order in which it was given."""
    select = standing(tenant).where(JUDGMENTS.c.item == number, JUDGMENTS.c.turn == 0).order_by(JUDGMENTS.c.id)
    rows = connection.execute(select).mappings().all()
    return [dict(row) | {"dimensions": json.loads(row["dimensions"])} for row in rows]
