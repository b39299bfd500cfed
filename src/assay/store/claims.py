"""Who holds which item: taken, answered, put off, given back; all inside one transaction of `Store.write`."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from assay.store.schema import CLAIMS, ITEMS


def take(connection: sa.Connection, row: dict[str, Any], rater: str, turn: int, now: str) -> bool:
    """Claims an item; False where the quota is full."""
    if turn == 0:
        taken = connection.execute(
            sa.update(ITEMS)
            .where(ITEMS.c.id == row["id"], ITEMS.c.taken < ITEMS.c.wanted)
            .values(taken=ITEMS.c.taken + 1)
        ).rowcount
        if not taken:
            return False
    old = connection.execute(
        sa.update(CLAIMS)
        .where(CLAIMS.c.item == row["id"], CLAIMS.c.rater == rater, CLAIMS.c.turn == turn)
        .values(claimed_at=now, ended_at=None, outcome=None)
    ).rowcount
    if not old:
        connection.execute(
            sa.insert(CLAIMS).values(tenant=row["tenant"], item=row["id"], rater=rater, turn=turn, claimed_at=now)
        )
    return True


def had(connection: sa.Connection, item: int, rater: str) -> bool:
    """Whether an item was ever handed to a rater."""
    select = sa.select(CLAIMS.c.id).where(CLAIMS.c.item == item, CLAIMS.c.rater == rater)
    return connection.execute(select).first() is not None


def end(connection: sa.Connection, item: int, rater: str, turn: int, outcome: str, now: str) -> bool:
    """Ends a claim: "judged", "skipped" or "expired"; False where there is none. What is given back is open again."""
    ended = connection.execute(
        sa.update(CLAIMS)
        .where(CLAIMS.c.item == item, CLAIMS.c.rater == rater, CLAIMS.c.turn == turn, CLAIMS.c.ended_at.is_(None))
        .values(ended_at=now, outcome=outcome)
    ).rowcount
    if ended and turn == 0 and outcome != "judged":
        connection.execute(sa.update(ITEMS).where(ITEMS.c.id == item).values(taken=ITEMS.c.taken - 1))
    return bool(ended)


def answered(connection: sa.Connection, item: int, rater: str, turn: int, now: str) -> None:
    """Ends the rater's claim of an item by an answer; what was put off or given back meanwhile is taken again."""
    if end(connection, item, rater, turn, "judged", now):
        return
    again = connection.execute(
        sa.update(CLAIMS)
        .where(CLAIMS.c.item == item, CLAIMS.c.rater == rater, CLAIMS.c.turn == turn,
               CLAIMS.c.outcome.in_(("skipped", "expired")))
        .values(ended_at=now, outcome="judged")
    ).rowcount  # fmt: skip
    if again and turn == 0:
        connection.execute(sa.update(ITEMS).where(ITEMS.c.id == item).values(taken=ITEMS.c.taken + 1))


def reopen(connection: sa.Connection, item: int, rater: str, turn: int, now: str) -> None:
    """The rater holds the item again: a judgment was taken back."""
    connection.execute(
        sa.update(CLAIMS)
        .where(CLAIMS.c.item == item, CLAIMS.c.rater == rater, CLAIMS.c.turn == turn)
        .values(claimed_at=now, ended_at=None, outcome=None)
    )


def expire(connection: sa.Connection, project: str, before: str, now: str) -> int:
    """Gives back what raters claimed before a time and never answered; how many items."""
    select = (
        sa.select(CLAIMS.c.item, CLAIMS.c.rater, CLAIMS.c.turn)
        .join(ITEMS, CLAIMS.c.item == ITEMS.c.id)
        .where(ITEMS.c.project == project, CLAIMS.c.ended_at.is_(None), CLAIMS.c.claimed_at < before)
    )
    rows = connection.execute(select).all()
    return sum(end(connection, item, rater, turn, "expired", now) for item, rater, turn in rows)
