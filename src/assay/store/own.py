"""What one rater said in a project, row by row, and what it is held against."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from assay.store.judgments import standing
from assay.store.schema import ITEMS, JUDGMENTS


class Own(NamedTuple):
    """One row that a rater wrote: an answer, or what takes one back."""

    uid: str
    item: int
    turn: int
    grade: float | None
    cannot_tell: str | None
    took_ms: int | None
    takes_back: str | None


def rows(connection: sa.Connection, project: str, rater: str) -> list[Own]:
    """Every row of a rater, in the order in which it was written; not what the rater settled as an adjudicator."""
    select = (
        sa.select(*(JUDGMENTS.c[name] for name in Own._fields))
        .where(JUDGMENTS.c.project == project, JUDGMENTS.c.rater == rater, JUDGMENTS.c.role == "rater")
        .order_by(JUDGMENTS.c.id)
    )
    return [Own(*row) for row in connection.execute(select)]


def known(connection: sa.Connection, project: str) -> dict[int, float]:
    """The known grade of each item that has one."""
    select = sa.select(ITEMS.c.id, ITEMS.c.gold).where(ITEMS.c.project == project, ITEMS.c.gold.is_not(None))
    return {int(item): float(grade) for item, grade in connection.execute(select)}


def of_peers(connection: sa.Connection, tenant: str, project: str, rater: str) -> list[tuple[int, float]]:
    """Item and grade of what stands of other raters on the items that the rater has judged; nobody's name."""
    mine = sa.select(JUDGMENTS.c.item).where(JUDGMENTS.c.project == project, JUDGMENTS.c.rater == rater)
    said = standing(tenant, project).where(
        JUDGMENTS.c.rater != rater, JUDGMENTS.c.role == "rater", JUDGMENTS.c.source == "human", JUDGMENTS.c.turn == 0,
        JUDGMENTS.c.grade.is_not(None), JUDGMENTS.c.item.in_(mine),
    )  # fmt: skip
    found = connection.execute(said.with_only_columns(JUDGMENTS.c.item, JUDGMENTS.c.grade))
    return [(int(item), float(grade)) for item, grade in found]
