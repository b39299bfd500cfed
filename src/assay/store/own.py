"""What one rater said in a project, row by row, and what it is held against."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from assay.store.schema import ITEMS, JUDGMENTS


class Own(NamedTuple):
    """One row that a rater wrote: an answer, or what takes one back; `id` is in the order in which rows were written.

    Where two documents are compared, `preference` is first, second, tie or both-bad, `doc_id` is the first of them, and
    `left_doc_id` the one that the rater saw on the left.
    """

    uid: str
    item: int
    turn: int
    grade: float | None
    cannot_tell: str | None
    took_ms: int | None
    takes_back: str | None
    id: int = 0
    rater: str = ""
    preference: str | None = None
    doc_id: str = ""
    left_doc_id: str = ""


_COLUMNS = tuple(JUDGMENTS.c[name] for name in Own._fields)


def rows(connection: sa.Connection, project: str, rater: str) -> list[Own]:
    """Every row of a rater, in the order in which it was written; not what the rater settled as an adjudicator."""
    select = (
        sa.select(*_COLUMNS)
        .where(JUDGMENTS.c.project == project, JUDGMENTS.c.rater == rater, JUDGMENTS.c.role == "rater")
        .order_by(JUDGMENTS.c.id)
    )
    return [Own(*row) for row in connection.execute(select)]


def known(connection: sa.Connection, project: str) -> dict[int, float]:
    """The known answer of each item that has one, see `NewItem.gold`."""
    select = sa.select(ITEMS.c.id, ITEMS.c.gold).where(ITEMS.c.project == project, ITEMS.c.gold.is_not(None))
    return {int(item): float(grade) for item, grade in connection.execute(select)}


def of_peers(connection: sa.Connection, project: str, rater: str) -> list[Own]:
    """Every first answer of other raters, and what takes one back, on the items that the rater has judged."""
    mine = sa.select(JUDGMENTS.c.item).where(JUDGMENTS.c.project == project, JUDGMENTS.c.rater == rater)
    select = sa.select(*_COLUMNS).where(
        JUDGMENTS.c.project == project, JUDGMENTS.c.rater != rater, JUDGMENTS.c.role == "rater",
        JUDGMENTS.c.source == "human", JUDGMENTS.c.turn == 0, JUDGMENTS.c.item.in_(mine),
    )  # fmt: skip
    return [Own(*row) for row in connection.execute(select.order_by(JUDGMENTS.c.id))]
