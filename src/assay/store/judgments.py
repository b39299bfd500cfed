"""Judgments: appended, never changed. What stands now is what was not taken back, the latest of each rater and item."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa

from assay.errors import InputError
from assay.store import claims
from assay.store.database import Store
from assay.store.direct import Direct
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS, PROJECTS

SPREAD = 2.0
"""Grades that lie so far apart are a dispute, as are grades on both sides of relevant."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a rater says of an item.

    Args:
        uid: made by the client, once for each answer: the same answer sent again counts once.
        item: which item was on the screen.
        rater: who.
        role: the rater's: rater or adjudicator.
        turn: 0, or 1 for a hidden repeat.
        grade: the grade; None where the rater cannot tell, or prefers.
        dimensions: name to value, of dimensions judged apart.
        preference: first, second, tie or both-bad, in pairwise projects.
        left_doc_id: the document that was on the left, there.
        cannot_tell: why no grade can be given.
        note: what else the rater says.
        took_ms: from showing to answering.
        is_fast: whether that is less than anybody needs to read, see `assay.flows.pace`.
        source: human, model or clicks.
    """

    uid: str
    item: int
    rater: str
    role: str = "rater"
    turn: int = 0
    grade: float | None = None
    dimensions: Mapping[str, float] = field(default_factory=dict)
    preference: str | None = None
    left_doc_id: str = ""
    cannot_tell: str | None = None
    note: str = ""
    took_ms: int | None = None
    is_fast: bool = False
    source: str = "human"


def append(connection: sa.Connection, tenant: str, given: Given, rubric_version: str, now: str) -> dict[str, Any]:
    """Writes a judgment and ends the claim; the row, be it new or the one that the same uid wrote before.

    Raises:
        InputError: the item does not exist or the rater does not hold it, or the uid was used for something else.
    """
    asked = {"tenant": tenant, "item": given.item, "rater": given.rater, "turn": given.turn}
    found = _SITUATION.first(connection, asked)
    at = None if found is None else _Situation(*found)
    if at is None or (at.claim is None and given.role == "rater"):
        if known := _said(connection, tenant, given):
            return known
        what = "there is no such item" if at is None else "nobody gave you this item"
        raise InputError(what, f"item {given.item}", "ask for the next one")
    row = {
        "tenant": tenant, "uid": given.uid, "project": at.project, "item": given.item,
        "query_id": at.query_id, "doc_id": at.doc_id, "rater": given.rater, "role": given.role,
        "grade": given.grade, "dimensions": _as_json(given.dimensions),
        "preference": given.preference, "left_doc_id": given.left_doc_id, "cannot_tell": given.cannot_tell,
        "note": given.note,
        "rubric_version": rubric_version, "doc_hash": at.doc_hash, "judged_at": now, "took_ms": given.took_ms,
        "is_fast": given.is_fast, "source": given.source, "turn": given.turn, "takes_back": None,
    }  # fmt: skip
    if not _INSERT.run(connection, row):
        known = _said(connection, tenant, given)
        if known is None:
            raise RuntimeError(f"{given.uid} was neither written nor there")
        return known
    if at.claim is not None and (at.ended_at is not None or not claims.judged(connection, at.claim, now)):
        claims.answered(connection, given.item, given.rater, given.turn, now)
    if at.is_disputed or (at.is_judged and at.gold is None):  # one answer alone is no dispute
        _mark(connection, tenant, given.item, at.gold, bool(at.is_disputed))
    return row


def _said(connection: sa.Connection, tenant: str, given: Given) -> dict[str, Any] | None:
    """The row that the answer's id wrote before; None where it is new.

    Raises:
        InputError: it was another answer.
    """
    known = by_uid(connection, tenant, given.uid)
    if known is not None and (known["item"], known["rater"], known["takes_back"]) != (given.item, given.rater, None):
        raise InputError("this answer's id was used for another one", given.uid, "make a new id for each answer")
    return known


def _as_json(dimensions: Mapping[str, float]) -> str:
    return json.dumps(dict(dimensions), sort_keys=True) if dimensions else "{}"


def take_back(connection: sa.Connection, tenant: str, uid: str, of: str, rater: str, now: str) -> dict[str, Any]:
    """Undoes one of the rater's own judgments by a new row, and gives the item back to the rater.

    Args:
        connection: inside a write.
        tenant: whose.
        uid: of this undoing, made by the client.
        of: uid of the judgment.
        rater: who.
        now: the time.

    Returns:
        The row of the judgment that was taken back.

    Raises:
        InputError: there is no such judgment of this rater.
    """
    judgment = by_uid(connection, tenant, of)
    if judgment is None or judgment["rater"] != rater or judgment["takes_back"] is not None:
        raise InputError("there is no such judgment of yours", of, "reload the page")
    again = by_uid(connection, tenant, uid)
    if again is not None:
        if (again["takes_back"], again["rater"]) != (of, rater):
            raise InputError("this answer's id was used for another one", uid, "make a new id for each answer")
        return judgment
    if is_taken_back(connection, tenant, of):
        return judgment
    left = {name: judgment[name] for name in _COPIED}
    connection.execute(sa.insert(JUDGMENTS).values(**left, uid=uid, judged_at=now, takes_back=of))
    claims.reopen(connection, judgment["item"], rater, judgment["turn"], now)
    item = item_of(connection, tenant, judgment["item"])
    _mark(connection, tenant, item["id"], item["gold"], item["is_disputed"])
    return judgment


_COPIED = ("tenant", "project", "item", "query_id", "doc_id", "rater", "role", "rubric_version", "doc_hash", "source",
           "turn")  # fmt: skip


def by_uid(connection: sa.Connection, tenant: str, uid: str) -> dict[str, Any] | None:
    """The row that a client's id wrote."""
    select = sa.select(JUDGMENTS).where(JUDGMENTS.c.tenant == tenant, JUDGMENTS.c.uid == uid)
    found = connection.execute(select).mappings().first()
    return None if found is None else dict(found)


def is_taken_back(connection: sa.Connection, tenant: str, uid: str) -> bool:
    """Whether a judgment was undone."""
    select = sa.select(JUDGMENTS.c.id).where(JUDGMENTS.c.tenant == tenant, JUDGMENTS.c.takes_back == uid)
    return connection.execute(select).first() is not None


def standing(tenant: str | sa.BindParameter[Any], project: str | None = None) -> sa.Select[Any]:
    """The query of what stands: not taken back, and the latest of each rater, item and turn."""
    later, undone = JUDGMENTS.alias(), JUDGMENTS.alias()
    is_undone = (
        sa.select(undone.c.id)
        .where(undone.c.tenant == JUDGMENTS.c.tenant, undone.c.takes_back == JUDGMENTS.c.uid)
        .exists()
    )
    later_undone = JUDGMENTS.alias()
    is_later = (
        sa.select(later.c.id)
        .where(
            later.c.item == JUDGMENTS.c.item, later.c.rater == JUDGMENTS.c.rater, later.c.turn == JUDGMENTS.c.turn,
            later.c.id > JUDGMENTS.c.id, later.c.takes_back.is_(None),
            ~sa.select(later_undone.c.id)
            .where(later_undone.c.tenant == later.c.tenant, later_undone.c.takes_back == later.c.uid)
            .exists(),
        )
        .exists()
    )  # fmt: skip
    select = sa.select(JUDGMENTS).where(
        JUDGMENTS.c.tenant == tenant, JUDGMENTS.c.takes_back.is_(None), ~is_undone, ~is_later
    )
    return select if project is None else select.where(JUDGMENTS.c.project == project)


def current(store: Store, tenant: str, project: str) -> list[dict[str, Any]]:
    """What stands in a project, in the order in which it was given; `dimensions` as a dict."""
    rows = store.rows(standing(tenant, project).order_by(JUDGMENTS.c.id))
    return [row | {"dimensions": json.loads(row["dimensions"])} for row in rows]


def every(store: Store, tenant: str, project: str) -> list[dict[str, Any]]:
    """Every row of a project as it was written, in that order, also what no longer stands."""
    select = sa.select(JUDGMENTS).where(JUDGMENTS.c.tenant == tenant, JUDGMENTS.c.project == project)
    return store.rows(select.order_by(JUDGMENTS.c.id))


def is_dispute(grades: list[float], relevant: float = 0.0) -> bool:
    """Whether grades of one item are so far apart that somebody must settle it.

    Args:
        grades: one a rater.
        relevant: grades above it are relevant.
    """
    if len(grades) < 2:
        return False
    low, high = min(grades), max(grades)
    return high - low >= SPREAD or low <= relevant < high


def _insert(dialect: str) -> sa.Executable:
    """A new row, or none where the uid wrote one already."""
    from sqlalchemy.dialects import postgresql, sqlite

    columns: dict[str, Any] = {one.name: sa.bindparam(one.name) for one in JUDGMENTS.c if one.name != "id"}
    insert = sqlite.insert(JUDGMENTS) if dialect == "sqlite" else postgresql.insert(JUDGMENTS)
    return insert.inline().values(columns).on_conflict_do_nothing(index_elements=["tenant", "uid"])


class _Situation(NamedTuple):
    """An item before an answer: whether anybody has judged it, and the rater's claim of it, if there is one."""

    project: str
    query_id: str
    doc_id: str
    doc_hash: str
    gold: float | None
    is_disputed: bool
    is_judged: bool
    claim: int | None
    ended_at: str | None


def _situation(_: str) -> sa.Executable:
    is_judged = sa.select(JUDGMENTS.c.id).where(JUDGMENTS.c.item == ITEMS.c.id).exists()
    is_the_raters = sa.and_(
        CLAIMS.c.item == ITEMS.c.id, CLAIMS.c.rater == sa.bindparam("rater"), CLAIMS.c.turn == sa.bindparam("turn")
    )
    return (
        sa.select(ITEMS.c.project, ITEMS.c.query_id, ITEMS.c.doc_id, ITEMS.c.doc_hash, ITEMS.c.gold,
                  ITEMS.c.is_disputed, is_judged, CLAIMS.c.id, CLAIMS.c.ended_at)
        .join_from(ITEMS, CLAIMS, is_the_raters, isouter=True)
        .where(ITEMS.c.id == sa.bindparam("item"), ITEMS.c.tenant == sa.bindparam("tenant"))
    )  # fmt: skip


def _at_item(_: str) -> sa.Executable:
    """What stands at one item."""
    here = standing(sa.bindparam("tenant")).where(JUDGMENTS.c.item == sa.bindparam("item"))
    return here.with_only_columns(JUDGMENTS.c.turn, JUDGMENTS.c.role, JUDGMENTS.c.grade, JUDGMENTS.c.preference)


_INSERT, _SITUATION, _AT_ITEM = Direct(_insert), Direct(_situation), Direct(_at_item)


def _mark(connection: sa.Connection, tenant: str, item: int, gold: float | None, is_disputed: bool) -> None:
    """Notes at an item whether its standing grades or choices are a dispute that no adjudicator has settled."""
    rows = _AT_ITEM.all(connection, {"tenant": tenant, "item": item})
    own = [(role, grade, choice) for turn, role, grade, choice in rows
           if turn == 0 and (grade is not None or choice is not None)]  # fmt: skip
    settled = any(role == "adjudicator" for role, _, _ in own)
    grades = [grade for _, grade, _ in own if grade is not None]
    is_opposed = {"first", "second"} <= {choice for _, _, choice in own}
    disputed = not settled and gold is None and (is_opposed or is_dispute(grades))
    if disputed != is_disputed:
        connection.execute(sa.update(ITEMS).where(ITEMS.c.id == item).values(is_disputed=disputed))


def item_of(connection: sa.Connection, tenant: str, item: int) -> dict[str, Any]:
    """The row of an item.

    Raises:
        InputError: there is none.
    """
    select = sa.select(ITEMS).where(ITEMS.c.id == item, ITEMS.c.tenant == tenant)
    found = connection.execute(select).mappings().first()
    if found is None:
        raise InputError("there is no such item", f"item {item}", "ask for the next one")
    return dict(found)


def project_of(connection: sa.Connection, tenant: str, item: int) -> dict[str, Any]:
    """The project of an item."""
    select = sa.select(PROJECTS).join(ITEMS, ITEMS.c.project == PROJECTS.c.id)
    found = connection.execute(select.where(ITEMS.c.id == item, ITEMS.c.tenant == tenant)).mappings().first()
    if found is None:
        raise InputError("there is no such item", f"item {item}", "ask for the next one")
    return dict(found)


def gold_items(store: Store, project: str) -> set[int]:
    """The ids of a project's hidden gold items."""
    rows = store.rows(sa.select(ITEMS.c.id).where(ITEMS.c.project == project, ITEMS.c.gold.is_not(None)))
    return {row["id"] for row in rows}


def found_items(store: Store, project: str) -> set[int]:
    """The ids of pairs whose document a rater found by the search of the page."""
    rows = store.rows(sa.select(ITEMS.c.id).where(ITEMS.c.project == project, ITEMS.c.is_found.is_(True)))
    return {row["id"] for row in rows}
