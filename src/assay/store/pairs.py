"""What a project of pairs of documents says, with both documents of each."""

from __future__ import annotations

from collections.abc import Sequence
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


def last_round(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of rows of `preferences`, those of the last item of each two documents that has any, whichever stands first."""
    pairs = {row["item"]: (row["query_id"], *sorted((row["doc_id"], row["other_doc_id"]))) for row in rows}
    last: dict[tuple[str, ...], int] = {}
    for item, pair in pairs.items():
        last[pair] = max(last.get(pair, -1), item)
    return [row for row in rows if row["item"] == last[pairs[row["item"]]]]


def compared(connection: sa.Connection, project: str) -> set[tuple[str, str, str]]:
    """Every (query_id, document, other document) of a project, the documents by their names."""
    select = sa.select(ITEMS.c.query_id, ITEMS.c.doc_id, ITEMS.c.other_doc_id).where(ITEMS.c.project == project)
    return {(str(query), *sorted((str(doc), str(other)))) for query, doc, other in connection.execute(select)}  # type: ignore[misc] # two names
