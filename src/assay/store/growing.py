"""What a project that is under way holds already, so that pairs can be added to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import sqlalchemy as sa

from assay.store.schema import DOCUMENTS, ITEMS, QUERIES

AT_ONCE = 5_000
"""Names in one statement: every database takes so many."""


def places(connection: sa.Connection, project: str) -> dict[str, int]:
    """The place in the queue of each query of a project; gold items have none of their own."""
    select = (
        sa.select(ITEMS.c.query_id, sa.func.min(ITEMS.c.place))
        .where(ITEMS.c.project == project, ITEMS.c.gold.is_(None))
        .group_by(ITEMS.c.query_id)
    )
    return {str(query): int(place) for query, place in connection.execute(select)}


def queries(connection: sa.Connection, project: str) -> set[str]:
    """The ids of the queries whose text a project has."""
    return set(connection.execute(sa.select(QUERIES.c.query_id).where(QUERIES.c.project == project)).scalars())


def pairs(connection: sa.Connection, project: str) -> set[tuple[str, str]]:
    """Every (query_id, doc_id) that is an item of a project, whatever the version of the document."""
    select = sa.select(ITEMS.c.query_id, ITEMS.c.doc_id).where(ITEMS.c.project == project).distinct()
    return {(str(query), str(doc)) for query, doc in connection.execute(select)}


def latest(connection: sa.Connection, tenant: str, documents: Iterable[str]) -> dict[str, str]:
    """The hash of the latest snapshot of each document that the store holds.

    One of which nobody gave more than the id says nothing of how the document looks: it counts where there is no other.
    """
    found: dict[str, str] = {}
    columns = (DOCUMENTS.c.title, DOCUMENTS.c.text, DOCUMENTS.c.html, DOCUMENTS.c.image)
    is_bare = sa.and_(*(column == "" for column in columns), DOCUMENTS.c.fields == "{}")
    for part in _parts(sorted(set(documents))):
        select = (
            sa.select(DOCUMENTS.c.doc_id, DOCUMENTS.c.doc_hash)
            .where(DOCUMENTS.c.tenant == tenant, DOCUMENTS.c.doc_id.in_(part))
            .order_by(sa.case((is_bare, 0), else_=1), DOCUMENTS.c.id)
        )
        found |= {str(doc): str(at) for doc, at in connection.execute(select)}
    return found


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[at : at + AT_ONCE] for at in range(0, len(names), AT_ONCE))


def texts(connection: sa.Connection, project: str, queries: Iterable[str]) -> Iterator[tuple[int, str, str, str, str]]:
    """(item, its query, its document, title, text) of every pair of queries, in the order in which they were added."""
    same = sa.and_(
        DOCUMENTS.c.tenant == ITEMS.c.tenant, DOCUMENTS.c.doc_id == ITEMS.c.doc_id,
        DOCUMENTS.c.doc_hash == ITEMS.c.doc_hash,
    )  # fmt: skip
    columns = (ITEMS.c.id, ITEMS.c.query_id, ITEMS.c.doc_id, DOCUMENTS.c.title, DOCUMENTS.c.text)
    for part in _parts(sorted(set(queries))):
        select = sa.select(*columns).join(DOCUMENTS, same).where(ITEMS.c.project == project, ITEMS.c.query_id.in_(part))
        for row in connection.execute(select.order_by(ITEMS.c.id)):
            yield row[0], row[1], row[2], row[3], row[4]


def alike(connection: sa.Connection, project: str, query: str) -> dict[int, int | None]:
    """What each item of a query is alike."""
    select = sa.select(ITEMS.c.id, ITEMS.c.alike).where(ITEMS.c.project == project, ITEMS.c.query_id == query)
    return {int(item): number for item, number in connection.execute(select)}


def next_alike(connection: sa.Connection, project: str) -> int:
    """A number that no documents of a project are alike by, nor any above it."""
    last = connection.execute(sa.select(sa.func.max(ITEMS.c.alike)).where(ITEMS.c.project == project)).scalar()
    return 0 if last is None else int(last) + 1


def set_alike(connection: sa.Connection, numbers: Mapping[int, int | None]) -> None:
    """Says of items what they are alike."""
    if numbers:
        change = sa.update(ITEMS).where(ITEMS.c.id == sa.bindparam("item")).values(alike=sa.bindparam("number"))
        connection.execute(change, [{"item": item, "number": number} for item, number in numbers.items()])
