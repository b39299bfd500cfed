"""How much of a project a rater has done, and how much is there for the rater: numbers for the foot of the page.

They are made so that no number moves otherwise with a known grade or a repeat than with any other answer: what was
done counts every answer, and what there is counts pairs without a known grade, whatever was answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from assay.keys import coin
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS, QUERIES

LAST = 21
"""Answers from which a pace is taken."""


class Share(NamedTuple):
    """What a project is for one rater.

    Args:
        done: answers that the rater gave and did not take back, of any kind.
        pairs: without a known grade, that the rater answered, holds, put off, or may still get.
        known: pairs with a known grade; of the project, whoever had them.
        took_ms: of the rater's last answers, at most `LAST`, the last one last.
    """

    done: int
    pairs: int
    known: int
    took_ms: list[int]


def is_closed(project: Mapping[str, Any]) -> bool:
    """Whether raters get pairs of the pilot alone."""
    return bool(project["pilot"]) and not project["opened_at"]


def of_queries(
    connection: sa.Connection, project: Mapping[str, Any], rater: str, queries: Sequence[str], secret: bytes
) -> dict[str, tuple[int, int]]:
    """For each query, how many answers the rater gave, and how many pairs are the rater's or open to the rater.

    A query that has known grades alone is said to have as many pairs as another query of the project: "1 of 1" would
    tell a rater what it is.

    Args:
        connection: to read.
        project: its row.
        rater: who.
        queries: ids; the cost grows with their pairs alone.
        secret: of the choice of that other query.
    """
    asked = {"project": project["id"], "rater": rater, "pilot": is_closed(project), "queries": list(queries)}
    return {
        str(query): (int(done), int(there) if plain else _size_of_another(connection, project["id"], query, secret))
        for query, done, there, plain in connection.execute(_by_query(), asked)
    }


def of_project(connection: sa.Connection, project: Mapping[str, Any], rater: str) -> Share:
    """What a project is for one rater: for when a page opens, as it looks at each open pair and each of the answers.

    Args:
        connection: to read.
        project: its row.
        rater: who.
    """
    asked = {"project": project["id"], "rater": rater, "pilot": is_closed(project)}
    open_pairs = int(connection.execute(_open_pairs(), asked).scalar_one())
    known = int(connection.execute(_known(), asked).scalar_one())
    done, mine = connection.execute(_mine_and_not_open(), asked).one()
    took = [int(ms) for ms in connection.execute(_took(), asked).scalars()]
    open_pairs -= 0 if is_closed(project) else known  # a known grade is open to everyone, and never of the pilot
    return Share(int(done or 0), open_pairs + int(mine or 0), known, took[::-1])


def _is_kept() -> sa.ColumnElement[bool]:
    """Of a claim: answered, held, or put off and not full meanwhile."""
    return sa.or_(CLAIMS.c.outcome.is_(None), CLAIMS.c.outcome == "judged", ITEMS.c.taken < ITEMS.c.wanted)


def _is_open() -> sa.ColumnElement[bool]:
    """Pairs of the pilot are for every rater, whenever one comes; the others while the pilot does not keep them."""
    is_pilot_alone = sa.bindparam("pilot", type_=sa.Boolean)
    return sa.and_(ITEMS.c.taken < ITEMS.c.wanted, sa.or_(ITEMS.c.is_pilot, sa.not_(is_pilot_alone)))


@cache
def _by_query() -> sa.Select[Any]:
    """Built once, as are those below: building them takes as long as running them."""
    mine = sa.and_(CLAIMS.c.item == ITEMS.c.id, CLAIMS.c.rater == sa.bindparam("rater"))
    is_there = sa.or_(sa.and_(CLAIMS.c.id.is_not(None), _is_kept()), _is_open())
    return (
        sa.select(
            ITEMS.c.query_id,
            sa.func.count(sa.case((CLAIMS.c.outcome == "judged", 1))),
            sa.func.count(sa.distinct(sa.case((sa.and_(ITEMS.c.gold.is_(None), is_there), ITEMS.c.id)))),
            sa.func.count(sa.case((ITEMS.c.gold.is_(None), 1))),
        )
        .join(CLAIMS, mine, isouter=True)
        .where(ITEMS.c.project == sa.bindparam("project"),
               ITEMS.c.query_id.in_(sa.bindparam("queries", expanding=True)))
        .group_by(ITEMS.c.query_id)
    )  # fmt: skip


@cache
def _open_pairs() -> sa.Select[Any]:
    """From the index of what is open alone."""
    return sa.select(sa.func.count()).select_from(ITEMS).where(ITEMS.c.project == sa.bindparam("project"), _is_open())


@cache
def _known() -> sa.Select[Any]:
    of = (ITEMS.c.project == sa.bindparam("project"), ITEMS.c.gold.is_not(None))
    return sa.select(sa.func.count()).select_from(ITEMS).where(*of)


@cache
def _mine_and_not_open() -> sa.Select[int, int]:
    """Answers of a rater, and the rater's pairs that are not among the open ones."""
    is_apart = sa.and_(CLAIMS.c.turn == 0, ITEMS.c.gold.is_(None), _is_kept(), sa.not_(_is_open()))
    return (
        sa.select(sa.func.count(sa.case((CLAIMS.c.outcome == "judged", 1))), sa.func.count(sa.case((is_apart, 1))))
        .select_from(CLAIMS)
        .join(ITEMS, ITEMS.c.id == CLAIMS.c.item)
        .where(CLAIMS.c.rater == sa.bindparam("rater"), ITEMS.c.project == sa.bindparam("project"))
    )


@cache
def _took() -> sa.Select[Any]:
    undone = JUDGMENTS.alias()
    is_undone = sa.select(undone.c.id).where(
        undone.c.tenant == JUDGMENTS.c.tenant, undone.c.takes_back == JUDGMENTS.c.uid
    )
    return (
        sa.select(JUDGMENTS.c.took_ms)
        .where(
            JUDGMENTS.c.project == sa.bindparam("project"), JUDGMENTS.c.rater == sa.bindparam("rater"),
            JUDGMENTS.c.role == "rater", JUDGMENTS.c.takes_back.is_(None), JUDGMENTS.c.took_ms.is_not(None),
            ~is_undone.exists(),
        )
        .order_by(JUDGMENTS.c.id.desc())
        .limit(LAST)
    )  # fmt: skip


def _size_of_another(connection: sa.Connection, project: str, query: str, secret: bytes) -> int:
    """The pairs of a query that has some without a known grade: always the same one for the same query."""
    plain = sa.select(ITEMS.c.id).where(
        ITEMS.c.project == project, ITEMS.c.query_id == QUERIES.c.query_id, ITEMS.c.gold.is_(None)
    )
    asked = sa.select(QUERIES.c.query_id).where(QUERIES.c.project == project, plain.exists()).order_by(QUERIES.c.id)
    others = connection.execute(asked).scalars().all()
    if not others:
        return 1
    other = others[coin(secret, "as many as", project, query) % len(others)]
    of = (ITEMS.c.project == project, ITEMS.c.query_id == other, ITEMS.c.gold.is_(None))
    return int(connection.execute(sa.select(sa.func.count()).select_from(ITEMS).where(*of)).scalar_one())
