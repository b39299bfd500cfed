"""Documents that a rater looked for and wants to label: queued as any other pair, and marked as found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from assay.store import claims, queue
from assay.store.schema import CLAIMS, DOCUMENTS, ITEMS


def document(connection: sa.Connection, tenant: str, doc_id: str, doc_hash: str) -> dict[str, Any] | None:
    """Id and hash of a document as it was captured; None where there is none."""
    select = sa.select(DOCUMENTS.c.doc_id, DOCUMENTS.c.doc_hash).where(
        DOCUMENTS.c.tenant == tenant, DOCUMENTS.c.doc_id == doc_id, DOCUMENTS.c.doc_hash == doc_hash
    )
    found = connection.execute(select).mappings().first()
    return None if found is None else dict(found)


def add(
    connection: sa.Connection, project: Mapping[str, Any], rater: str, query_id: str, doc: Mapping[str, Any], now: str
) -> tuple[dict[str, Any], str]:
    """Gives a pair to the rater who looked for it, and queues it for others where it is new.

    Args:
        connection: inside a write.
        project: its row.
        rater: who.
        query_id: that the project asks.
        doc: id and hash of the document.
        now: the time.

    Returns:
        The row of the item with its `turn` and whether it `is_new` in the project, and what became of it: "added" or
        "held" (the rater holds it now, or did before), "labelled" (the rater has answered it) or "enough" (as many
        raters as the project wants have it).
    """
    item = _item(connection, project["id"], query_id, doc["doc_id"])
    if is_new := item is None:
        new = queue.NewItem(query_id, doc["doc_id"], doc["doc_hash"], _place(connection, project["id"], query_id),
                            is_found=True)  # fmt: skip
        queue.add(connection, project["tenant"], project["id"], [new], project["raters_each"], now)
        item = _item(connection, project["id"], query_id, doc["doc_id"])
    assert item is not None
    claim = connection.execute(
        sa.select(CLAIMS.c.outcome).where(CLAIMS.c.item == item["id"], CLAIMS.c.rater == rater, CLAIMS.c.turn == 0)
    ).first()
    row = item | {"turn": 0, "is_new": is_new}
    if claim is not None and claim.outcome is None:
        return row, "held"
    if claim is not None and claim.outcome == "judged":
        return row, "labelled"
    return row, "added" if claims.take(connection, item, rater, 0, now) else "enough"


def _item(connection: sa.Connection, project: str, query_id: str, doc_id: str) -> dict[str, Any] | None:
    """The pair as the project has it, as it looked last."""
    select = (
        sa.select(ITEMS)
        .where(
            ITEMS.c.project == project, ITEMS.c.query_id == query_id, ITEMS.c.doc_id == doc_id,
            ITEMS.c.other_doc_id == "",
        )
        .order_by(ITEMS.c.id.desc())
    )  # fmt: skip
    found = connection.execute(select).mappings().first()
    return None if found is None else dict(found)


def _place(connection: sa.Connection, project: str, query_id: str) -> int:
    """Where the other documents of the query stand in the queue."""
    select = sa.select(sa.func.max(ITEMS.c.place)).where(
        ITEMS.c.project == project, ITEMS.c.query_id == query_id, ITEMS.c.gold.is_(None)
    )
    return int(connection.execute(select).scalar() or 0)
