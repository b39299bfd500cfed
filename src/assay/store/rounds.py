"""Pairs that were labelled and shall be labelled again: what a project holds of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from assay.store.growing import AT_ONCE
from assay.store.judgments import standing
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS


@dataclass(frozen=True, slots=True)
class Round:
    """One item of a pair.

    Args:
        item: its id; the last one of a pair has the highest.
        doc_hash: of the document that it shows.
        number: how often the pair was put back with this very document.
        is_judged: whether a grade of it stands.
    """

    item: int
    doc_hash: str
    number: int
    is_judged: bool


def of_pairs(
    connection: sa.Connection, tenant: str, project: str, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], list[Round]]:
    """The items of some pairs in a project, the first one first; hidden gold items are none."""
    wanted = set(pairs)
    queries = sorted({query for query, _ in wanted})
    found: dict[tuple[str, str], list[Round]] = {}
    for at in range(0, len(queries), AT_ONCE):
        part = queries[at : at + AT_ONCE]
        judged = set(connection.execute(_judged(tenant, project).where(JUDGMENTS.c.query_id.in_(part))).scalars())
        columns = (ITEMS.c.query_id, ITEMS.c.doc_id, ITEMS.c.id, ITEMS.c.doc_hash, ITEMS.c.round)
        select = (
            sa.select(*columns)
            .where(ITEMS.c.project == project, ITEMS.c.query_id.in_(part), ITEMS.c.gold.is_(None))
            .order_by(ITEMS.c.id)
        )
        for query, doc, item, doc_hash, number in connection.execute(select):
            if (query, doc) in wanted:
                found.setdefault((query, doc), []).append(Round(item, doc_hash, number, item in judged))
    return found


@dataclass(frozen=True, slots=True)
class Shown:
    """One item of a pair, as it was queued.

    Args:
        item: its id; the last one of a pair has the highest.
        docs: its document, or its two documents in the order in which it holds them.
        hashes: of these.
        number: how often the pair was put back with this very first document.
    """

    item: int
    docs: tuple[str, ...]
    hashes: tuple[str, ...]
    number: int


def of_queries(connection: sa.Connection, project: str, queries: Iterable[str]) -> dict[tuple[str, ...], list[Shown]]:
    """The items of queries, the first one first, by query and documents, the documents of each by their names.

    Hidden items with known answers are none.
    """
    found: dict[tuple[str, ...], list[Shown]] = {}
    names = sorted(set(queries))
    for at in range(0, len(names), AT_ONCE):
        columns = (ITEMS.c.id, ITEMS.c.query_id, ITEMS.c.doc_id, ITEMS.c.other_doc_id, ITEMS.c.doc_hash,
                   ITEMS.c.other_doc_hash, ITEMS.c.round)  # fmt: skip
        select = sa.select(*columns).where(
            ITEMS.c.project == project, ITEMS.c.query_id.in_(names[at : at + AT_ONCE]), ITEMS.c.gold.is_(None)
        )
        for item, query, doc, other, doc_hash, other_hash, number in connection.execute(select.order_by(ITEMS.c.id)):
            docs, hashes = ((doc, other), (doc_hash, other_hash)) if other else ((doc,), (doc_hash,))
            found.setdefault((query, *sorted(docs)), []).append(Shown(item, docs, hashes, number))
    return found


def retire(connection: sa.Connection, items: Iterable[int]) -> None:
    """Lets nobody else have items, whose documents look otherwise now; whoever has one may answer it.

    Those of a pilot stay: it is decided by what every rater says of the very same pairs. As many raters are wanted as
    have answered, not as have it: what one of them puts off or lets lie would be open to others.
    """
    names = sorted(items)
    answers = (
        sa.select(sa.func.count())
        .where(CLAIMS.c.item == ITEMS.c.id, CLAIMS.c.turn == 0, CLAIMS.c.outcome == "judged")
        .scalar_subquery()
    )
    for at in range(0, len(names), AT_ONCE):
        which = ITEMS.c.id.in_(names[at : at + AT_ONCE])
        connection.execute(sa.update(ITEMS).where(which, ITEMS.c.is_pilot.is_(False)).values(wanted=answers))


def _judged(tenant: str, project: str) -> sa.Select[tuple[int]]:
    given = standing(tenant, project).where(JUDGMENTS.c.turn == 0, JUDGMENTS.c.grade.is_not(None))
    return given.with_only_columns(JUDGMENTS.c.item).distinct()
