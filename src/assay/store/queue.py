"""What is labelled next, by whom: quotas that hold when many raters ask at once, hidden gold and repeats, skips.

Everything here runs inside one transaction of `Store.write`, which takes the lock of the database before it looks: two
raters who ask at the same moment never get more claims of a pair than it wants.
"""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from assay.keys import coin
from assay.store import claims
from assay.store.bulk import insert_new
from assay.store.direct import Direct
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS

AHEAD = 400
"""Open items that are looked at when the next ones are chosen: the whole of a query, in most projects."""

EVERYONE = 1_000_000
"""How many raters an item wants that each rater shall label: pilot and gold items."""

APART = 20
"""A rater's own item is not repeated before so many others were judged."""

CERTAIN = 2**64

HELD = timedelta(days=1)
"""How long an item that nobody answers is kept for the rater who has it, where another one asks for it."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """A pair that shall be labelled.

    Args:
        query_id: of the query.
        doc_id: of the document.
        doc_hash: of what the rater sees of it.
        place: in the queue; the documents of a query have the place of the query.
        other_doc_id, other_doc_hash: of the second document, in pairwise projects.
        is_pilot: whether every rater labels it before the queue opens.
        gold: the known grade of a hidden gold item; pairwise its place in first, second, tie, both-bad.
        is_found: whether a rater searched for it.
        round: how often the pair was put back with this very document; 0 at first.
        alike: one number, within the project, for documents of a query that say nearly the same; None for others.
    """

    query_id: str
    doc_id: str
    doc_hash: str
    place: int
    other_doc_id: str = ""
    other_doc_hash: str = ""
    is_pilot: bool = False
    gold: float | None = None
    is_found: bool = False
    round: int = 0
    alike: int | None = None


class Open(NamedTuple):
    """An item that a rater may get: its place, its id, and what it is alike."""

    place: int
    id: int
    alike: int | None


def add(connection: sa.Connection, tenant: str, project: str, items: Sequence[NewItem], wanted: int, now: str) -> int:
    """Queues pairs; those that are there already stay as they are. How many are new.

    The numbers that items get tell no more than their place: a page shows them to raters, and the pairs may come in
    the order of a pool, with known grades at their end.
    """
    if not items:
        return 0
    rng = random.Random(secrets.token_bytes(16))
    # Items of one place stay together: without any order, the index of a large project would be written all over.
    places = [(one if one.gold is None else rng.choice(items)).place + rng.random() for one in items]
    items = [items[at] for at in sorted(range(len(items)), key=places.__getitem__)]
    rows = [
        (tenant, project, one.query_id, one.doc_id, one.doc_hash, one.other_doc_id, one.other_doc_hash, one.place,
         EVERYONE if one.is_pilot or one.gold is not None else wanted, one.is_pilot, one.gold, one.is_found, one.round,
         one.alike, now)
        for one in items
    ]  # fmt: skip
    return insert_new(connection, ITEMS, _COLUMNS, rows)


_COLUMNS = ("tenant", "project", "query_id", "doc_id", "doc_hash", "other_doc_id", "other_doc_hash", "place", "wanted",
            "is_pilot", "gold", "is_found", "round", "alike", "created_at")  # fmt: skip


def claim(
    connection: sa.Connection, project: dict[str, Any], rater: str, n: int, now: str, secret: bytes
) -> list[dict[str, Any]]:
    """The next items of a rater, claimed: those that are open already, then new ones; rows of items with their `turn`.

    Args:
        connection: inside a write.
        project: its row.
        rater: who asks.
        n: how many items the rater shall hold.
        now: the time.
        secret: of the order, so that it tells nothing.
    """
    held = _held(connection, project["id"], rater)
    while len(held) < n:
        more = _next(connection, project, rater, n - len(held), secret, held)
        if not more:
            break
        held += [
            row | {"turn": turn, "taken": row["taken"] + (turn == 0)}
            for row, turn in more
            if claims.take(connection, row, rater, turn, now)
        ]
    # Nothing is left but what somebody else holds: what was held long enough is for whoever asks.
    if not held and claims.expire(connection, project["id"], _before(now), now):
        return claim(connection, project, rater, n, now, secret)
    return held


def _before(now: str) -> str:
    return (datetime.fromisoformat(now) - HELD).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _held(connection: sa.Connection, project: str, rater: str) -> list[dict[str, Any]]:
    """Items that the rater claimed and has not answered, the earliest claim first."""
    return _HELD.rows(connection, {"project": project, "rater": rater})


def _next(
    connection: sa.Connection,
    project: dict[str, Any],
    rater: str,
    n: int,
    secret: bytes,
    held: Sequence[dict[str, Any]],
) -> list[tuple[dict[str, Any], int]]:
    """Items with the turn that they would be: now and then a gold item or an own one again, else what is open."""
    in_pilot = is_in_pilot(connection, project, rater)
    if not in_pilot and project["pilot"] and not project["opened_at"]:  # closed until agreement opens it
        return [(row, 0) for row in _skipped(connection, project["id"], rater, n)]
    shares = project["gold_share"], project["repeat_share"]
    if not in_pilot and any(shares):
        # The rater's last answer and what is held grow with every item: each has a lot of its own, and keeps it.
        at = _last_answer(connection, project["id"], rater) + len(held)
        lot = coin(secret, "what comes", project["id"], rater, str(at)) / CERTAIN
        if lot < shares[0] and (row := _gold(connection, project["id"], rater, secret)):
            return [(row, 0)]
        if lot > 1 - shares[1] and (row := _own(connection, project["id"], rater, secret)):
            return [(row, 1)]
    if any(shares):
        n = 1  # the next lot may fall on a hidden item
    found, before = _open(connection, project, rater, in_pilot, held=held)
    fresh = _ordered(found, before, n, rater, secret, by_query=project["mode"] != "mixed")
    chosen = _items(connection, fresh) or _skipped(connection, project["id"], rater, n)
    return [(row, 0) for row in chosen]


def _ordered(
    found: Sequence[Open], before: int | None, n: int, rater: str, secret: bytes, *, by_query: bool
) -> list[int]:
    """The first n ids in the rater's own order: within each place, or over all that was found.

    Args:
        found: what is open.
        before: what the document before them is alike.
        n: how many.
        rater: whose order it is.
        secret: of the order.
        by_query: whether one place comes after the other.
    """
    groups: dict[int, list[Open]] = {}
    for one in found:
        groups.setdefault(one.place if by_query else 0, []).append(one)
    chosen: list[Open] = []
    for _, group in sorted(groups.items()):
        group.sort(key=lambda one: coin(secret, "order", rater, str(one.id)))
        chosen += _apart(group, chosen[-1].alike if chosen else before, n - len(chosen))
        if len(chosen) >= n:
            break
    return [one.id for one in chosen]


def _apart(ordered: Sequence[Open], before: int | None, n: int) -> list[Open]:
    """The first n of an order in which, where it can be, no two that are alike follow each other.

    What comes next is the first that is not alike the one before. Where more than half of what is left is alike, it is
    one of these: put off, some of them would follow each other in the end.
    """
    left = list(ordered)
    counts: Counter[int | None] = Counter(one.alike for one in left if one.alike is not None)
    chosen: list[Open] = []
    while left and len(chosen) < n:
        most = next((alike for alike, held in counts.items() if 2 * held > len(left) and alike != before), None)
        fits = (at for at, one in enumerate(left)
                if (one.alike == most if most is not None else one.alike is None or one.alike != before))  # fmt: skip
        one = left.pop(next(fits, 0))
        counts.subtract([one.alike])
        before = one.alike
        chosen.append(one)
    return chosen


def _items(connection: sa.Connection, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Whole rows, in the order of their ids as given."""
    if not ids:
        return []
    if len(ids) == 1:
        return _ITEM.rows(connection, {"item": ids[0]})
    found = connection.execute(sa.select(ITEMS).where(ITEMS.c.id.in_(ids))).mappings()
    by_id = {row["id"]: dict(row) for row in found}
    return [by_id[i] for i in ids]


def is_in_pilot(connection: sa.Connection, project: dict[str, Any], rater: str) -> bool:
    """Whether the rater has pilot items left: who comes when the queue is open labels these first too."""
    if not project["pilot"]:
        return False
    asked = {"project": project["id"], "rater": rater, "pilot": True, "most": 1}
    return _OPEN.first(connection, asked) is not None


def _open(
    connection: sa.Connection, project: dict[str, Any], rater: str, pilot: bool, most: int = AHEAD,
    held: Sequence[dict[str, Any]] = (),
) -> tuple[list[Open], int | None]:  # fmt: skip
    """Open items that the rater never had, from where the rater stands, then from the beginning.

    Beside them stands what the document before them is alike.
    """
    asked = {"project": project["id"], "rater": rater, "pilot": pilot, "most": most}
    ahead = [row["place"] for row in held if row["gold"] is None and not row["turn"] and row["is_pilot"] == pilot]
    last = None if ahead else _LAST.first(connection, asked)
    start = max(ahead) if ahead else None if last is None else last[0]
    before = held[-1]["alike"] if held else None if last is None else last[1]
    found = [] if start is None else _OPEN_FROM.all(connection, asked | {"start": start})
    return [Open(*row) for row in found or _OPEN.all(connection, asked)], before


def _items_held(_: str) -> sa.Executable:
    return (
        sa.select(ITEMS, CLAIMS.c.turn)
        .join(CLAIMS, CLAIMS.c.item == ITEMS.c.id)
        .where(ITEMS.c.project == sa.bindparam("project"), CLAIMS.c.rater == sa.bindparam("rater"),
               CLAIMS.c.ended_at.is_(None))
        .order_by(CLAIMS.c.claimed_at, CLAIMS.c.id)
    )  # fmt: skip


def _open_items(_: str) -> sa.Select[Any]:
    mine = sa.select(CLAIMS.c.id).where(CLAIMS.c.item == ITEMS.c.id, CLAIMS.c.rater == sa.bindparam("rater")).exists()
    return (
        sa.select(ITEMS.c.place, ITEMS.c.id, ITEMS.c.alike)
        .where(
            ITEMS.c.project == sa.bindparam("project"), ITEMS.c.is_pilot == sa.bindparam("pilot"),
            ITEMS.c.taken < ITEMS.c.wanted, ITEMS.c.gold.is_(None), ~mine,
        )
        .order_by(ITEMS.c.place, ITEMS.c.id)
        .limit(sa.bindparam("most"))
    )  # fmt: skip


def _last_place(_: str) -> sa.Executable:
    """Where the rater stands: place and likeness of the last answer, found without a walk over all of them."""
    return (
        sa.select(ITEMS.c.place, ITEMS.c.alike)
        .join(JUDGMENTS, JUDGMENTS.c.item == ITEMS.c.id)
        .where(
            JUDGMENTS.c.project == sa.bindparam("project"), JUDGMENTS.c.rater == sa.bindparam("rater"),
            JUDGMENTS.c.turn == 0, ITEMS.c.is_pilot == sa.bindparam("pilot"), ITEMS.c.gold.is_(None),
        )
        .order_by(JUDGMENTS.c.id.desc())
        .limit(1)
    )  # fmt: skip


def _last_judgment(_: str) -> sa.Executable:
    return (
        sa.select(JUDGMENTS.c.id)
        .where(JUDGMENTS.c.project == sa.bindparam("project"), JUDGMENTS.c.rater == sa.bindparam("rater"))
        .order_by(JUDGMENTS.c.id.desc())
        .limit(1)
    )


_HELD, _ITEM = Direct(_items_held), Direct(lambda _: sa.select(ITEMS).where(ITEMS.c.id == sa.bindparam("item")))
_OPEN = Direct(_open_items)
_OPEN_FROM = Direct(lambda dialect: _open_items(dialect).where(ITEMS.c.place >= sa.bindparam("start")))
_LAST, _LAST_JUDGMENT = Direct(_last_place), Direct(_last_judgment)


def _last_answer(connection: sa.Connection, project: str, rater: str) -> int:
    found = _LAST_JUDGMENT.first(connection, {"project": project, "rater": rater})
    return 0 if found is None else int(found[0])


def _skipped(connection: sa.Connection, project: str, rater: str, n: int) -> list[dict[str, Any]]:
    """What the rater put off, the earliest first."""
    select = (
        sa.select(ITEMS)
        .join(CLAIMS, CLAIMS.c.item == ITEMS.c.id)
        .where(
            ITEMS.c.project == project, CLAIMS.c.rater == rater, CLAIMS.c.turn == 0,
            CLAIMS.c.outcome.in_(("skipped", "expired")), ITEMS.c.taken < ITEMS.c.wanted,
        )
        .order_by(CLAIMS.c.ended_at)
        .limit(n)
    )  # fmt: skip
    return [dict(row) for row in connection.execute(select).mappings()]


def _gold(connection: sa.Connection, project: str, rater: str, secret: bytes) -> dict[str, Any] | None:
    found = _GOLD.all(connection, {"project": project, "rater": rater, "most": AHEAD})
    return _least(connection, found, "gold", rater, secret)


def _own(connection: sa.Connection, project: str, rater: str, secret: bytes) -> dict[str, Any] | None:
    """An item that the rater judged long enough ago and not twice."""
    asked = {"project": project, "rater": rater, "first": APART, "most": AHEAD}
    return _least(connection, _OWN.all(connection, asked), "again", rater, secret)


def _least(
    connection: sa.Connection, found: Sequence[tuple[int]], what: str, rater: str, secret: bytes
) -> dict[str, Any] | None:
    """The first item in an order that nobody knows."""
    if not found:
        return None
    (row,) = _items(connection, [min((one for (one,) in found), key=lambda one: coin(secret, what, rater, str(one)))])
    return row


def _gold_items(_: str) -> sa.Executable:
    """Items with a known grade that the rater never had."""
    mine = sa.select(CLAIMS.c.id).where(CLAIMS.c.item == ITEMS.c.id, CLAIMS.c.rater == sa.bindparam("rater")).exists()
    return (
        sa.select(ITEMS.c.id)
        .where(ITEMS.c.project == sa.bindparam("project"), ITEMS.c.gold.is_not(None), ~mine)
        .limit(sa.bindparam("most"))
    )


def _own_items(_: str) -> sa.Executable:
    """Items that the rater judged once, the latest answers first, without so many of these."""
    again = CLAIMS.alias()
    # OFFSET 0: PostgreSQL would join what is asked here to the rest, and walk over all claims of the rater for it.
    twice = (
        sa.select(again.c.id)
        .where(again.c.item == ITEMS.c.id, again.c.rater == sa.bindparam("rater"), again.c.turn == 1)
        .offset(sa.literal_column("0"))
        .exists()
    )
    return (
        sa.select(ITEMS.c.id)
        .join(CLAIMS, CLAIMS.c.item == ITEMS.c.id)
        .where(
            ITEMS.c.project == sa.bindparam("project"), CLAIMS.c.rater == sa.bindparam("rater"), CLAIMS.c.turn == 0,
            CLAIMS.c.outcome == "judged", ITEMS.c.gold.is_(None), ~twice,
        )
        .order_by(CLAIMS.c.ended_at.desc())
        .offset(sa.bindparam("first"))
        .limit(sa.bindparam("most"))
    )  # fmt: skip


_GOLD, _OWN = Direct(_gold_items), Direct(_own_items)
