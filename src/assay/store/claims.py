"""Who holds which item: taken, answered, put off, given back; all inside one transaction of `Store.write`."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from assay.store.direct import Direct
from assay.store.schema import CLAIMS, ITEMS


def take(connection: sa.Connection, row: dict[str, Any], rater: str, turn: int, now: str) -> bool:
    """Claims an item; False where the quota is full, or the rater has it, as of another server a moment ago."""
    if turn == 0 and not _TAKE.run(connection, {"item": row["id"]}):
        return False
    claim = {"tenant": row["tenant"], "item": row["id"], "rater": rater, "turn": turn, "now": now}
    if _HOLD.run(connection, claim):
        return True
    if turn == 0:  # one rater is counted once
        connection.execute(sa.update(ITEMS).where(ITEMS.c.id == row["id"]).values(taken=ITEMS.c.taken - 1))
    return False


def _take(_: str) -> sa.Executable:
    """One more rater has an item, where it wants one more."""
    return (
        sa.update(ITEMS)
        .where(ITEMS.c.id == sa.bindparam("item"), ITEMS.c.taken < ITEMS.c.wanted)
        .values(taken=ITEMS.c.taken + 1)
    )


def _hold(dialect: str) -> sa.Executable:
    """A claim is made, or opened again where the rater put the item off or let it lie."""
    from sqlalchemy.dialects import postgresql, sqlite

    insert = sqlite.insert(CLAIMS) if dialect == "sqlite" else postgresql.insert(CLAIMS)
    given: dict[str, Any] = {name: sa.bindparam(name) for name in ("tenant", "item", "rater", "turn")}
    new = insert.inline().values(given | {"claimed_at": sa.bindparam("now")})
    return new.on_conflict_do_update(
        index_elements=["item", "rater", "turn"],
        set_={"claimed_at": new.excluded.claimed_at, "ended_at": None, "outcome": None},
        where=sa.and_(CLAIMS.c.ended_at.is_not(None), CLAIMS.c.outcome != "judged"),
    )


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


def _judged(_: str) -> sa.Executable:
    return (
        sa.update(CLAIMS)
        .where(CLAIMS.c.id == sa.bindparam("claim"), CLAIMS.c.ended_at.is_(None))
        .values(ended_at=sa.bindparam("now"), outcome="judged")
    )


_TAKE, _HOLD, _JUDGED = Direct(_take), Direct(_hold), Direct(_judged)


def judged(connection: sa.Connection, claim: int, now: str) -> bool:
    """Ends a claim that is open by an answer; False where it is open no longer."""
    return bool(_JUDGED.run(connection, {"claim": claim, "now": now}))


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
