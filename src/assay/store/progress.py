"""How far a project has come, what is disputed in it, and the opening of its queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from assay.store.database import Store
from assay.store.judgments import standing
from assay.store.schema import FLAGS, ITEMS, JUDGMENTS, PEOPLE, PROJECTS, WANTED


def items(store: Store, project: str) -> list[dict[str, Any]]:
    """What the progress of a project is counted from: id, wanted, is_pilot, is_disputed and gold of every item."""
    columns = (ITEMS.c.id, WANTED.label("wanted"), ITEMS.c.is_pilot, ITEMS.c.is_disputed, ITEMS.c.gold)
    return store.rows(sa.select(*columns).where(ITEMS.c.project == project))


def flags(store: Store, project: str) -> list[dict[str, Any]]:
    """Queries that raters found bad, the latest first."""
    columns = (FLAGS.c.query_id, FLAGS.c.rater, FLAGS.c.why)
    return store.rows(sa.select(*columns).where(FLAGS.c.project == project).order_by(FLAGS.c.id.desc()))


def pilot_left(store: Store, tenant: str, project: str) -> dict[str, int]:
    """How many pairs of the pilot each rater has still to answer.

    A rater of the pilot is whoever has an account as a rater that has not ended, and whoever answered one of its pairs
    and has not left.
    """
    said = standing(tenant, project).where(JUDGMENTS.c.turn == 0, JUDGMENTS.c.role != "adjudicator").subquery()
    answered = (
        sa.select(said.c.rater, sa.func.count().label("n"))
        .join(ITEMS, ITEMS.c.id == said.c.item)
        .where(ITEMS.c.is_pilot.is_(True))
        .group_by(said.c.rater)
    )
    people = sa.select(PEOPLE.c.name, PEOPLE.c.role, PEOPLE.c.ended_at).where(PEOPLE.c.tenant == tenant)
    pairs = sa.select(sa.func.count()).where(ITEMS.c.project == project, ITEMS.c.is_pilot.is_(True))
    with store.reading() as connection:
        done = {rater: int(n) for rater, n in connection.execute(answered)}
        accounts = connection.execute(people).all()
        all_of_them = int(connection.execute(pairs).scalar_one())
    left_us = {name for name, _, ended_at in accounts if ended_at is not None}
    raters = {name for name, role, _ in accounts if role == "rater"} | done.keys()
    return {name: all_of_them - done.get(name, 0) for name in sorted(raters - left_us)}


def pilot_said(store: Store, tenant: str, project: str) -> list[dict[str, Any]]:
    """The grades and choices that stand on the pilot, hidden repeats left out, in the order in which they were given.

    Each with item, query_id, rater, role, grade, preference and judged_at.
    """
    names = ("item", "query_id", "rater", "role", "grade", "preference", "judged_at")
    select = (
        standing(tenant, project)
        .with_only_columns(*(JUDGMENTS.c[name] for name in names))
        .join(ITEMS, ITEMS.c.id == JUDGMENTS.c.item)
        .where(ITEMS.c.is_pilot.is_(True), JUDGMENTS.c.turn == 0)
        .order_by(JUDGMENTS.c.id)
    )
    return [row for row in store.rows(select) if row["grade"] is not None or row["preference"] is not None]


def close(connection: sa.Connection, project: str, now: str | None) -> bool:
    """Ends a project, or goes on with it where no time is given; False where that changes nothing."""
    is_same = PROJECTS.c.ended_at.is_(None) if now is not None else PROJECTS.c.ended_at.is_not(None)
    return bool(
        connection.execute(sa.update(PROJECTS).where(PROJECTS.c.id == project, is_same).values(ended_at=now)).rowcount
    )


def open_queue(connection: sa.Connection, project: Mapping[str, Any], by: str, why: str, now: str) -> bool:
    """Opens the queue behind the pilot; False where it is open."""
    return bool(
        connection.execute(
            sa.update(PROJECTS)
            .where(PROJECTS.c.id == project["id"], PROJECTS.c.opened_at.is_(None))
            .values(opened_at=now, opened_by=by, opened_why=why)
        ).rowcount
    )
