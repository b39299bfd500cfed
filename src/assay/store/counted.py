"""What the progress of a project is counted from, as few columns as it takes: a project may hold 200,000 judgments."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from assay.store.judgments import standing
from assay.store.schema import ITEMS, JUDGMENTS


class Counted(NamedTuple):
    """One item."""

    id: int
    query_id: str
    doc_id: str
    wanted: int
    is_pilot: bool
    is_disputed: bool
    gold: float | None
    is_found: bool


class Said(NamedTuple):
    """One judgment that stands."""

    item: int
    rater: str
    role: str
    turn: int
    grade: float | None
    took_ms: int | None
    is_fast: bool


def items(connection: sa.Connection, project: str) -> list[Counted]:
    """Every item of a project."""
    columns = (ITEMS.c[name] for name in Counted._fields)
    return [Counted(*row) for row in connection.execute(sa.select(*columns).where(ITEMS.c.project == project))]


def said(connection: sa.Connection, tenant: str, project: str) -> list[Said]:
    """What stands in a project, in the order in which it was given."""
    select = standing(tenant, project).with_only_columns(*(JUDGMENTS.c[name] for name in Said._fields))
    return [Said(*row) for row in connection.execute(select.order_by(JUDGMENTS.c.id))]


def has_more(connection: sa.Connection, project: str, items: int) -> bool:
    """Whether a project has more items than so many; looks at no more of them."""
    one_more = sa.select(ITEMS.c.id).where(ITEMS.c.project == project).offset(items).limit(1)
    return connection.execute(one_more).first() is not None
