"""What a project of pairs of documents says, with both documents of each."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from assay.store.database import Store
from assay.store.judgments import standing
from assay.store.schema import ITEMS


def preferences(store: Store, tenant: str, project: str) -> list[dict[str, Any]]:
    """What stands in a project, hidden repeats too, in the order in which it was given; rows of judgments.

    Each with `other_doc_id` and `other_doc_hash` of its item, whether that `is_pilot`, and its `gold`.
    """
    said = standing(tenant, project).subquery()
    select = (
        sa.select(said, ITEMS.c.other_doc_id, ITEMS.c.other_doc_hash, ITEMS.c.is_pilot, ITEMS.c.gold)
        .join(ITEMS, ITEMS.c.id == said.c.item)
        .order_by(said.c.id)
    )
    return store.rows(select)


def compared(connection: sa.Connection, project: str) -> set[tuple[str, str, str]]:
    """Every (query_id, document, other document) of a project, the documents by their names."""
    select = sa.select(ITEMS.c.query_id, ITEMS.c.doc_id, ITEMS.c.other_doc_id).where(ITEMS.c.project == project)
    return {(str(query), *sorted((str(doc), str(other)))) for query, doc, other in connection.execute(select)}  # type: ignore[misc] # two names
