"""Projects: a rubric, its queries, the documents as they were captured, and how they are labelled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from assay.errors import InputError
from assay.store.database import Store
from assay.store.schema import DOCUMENTS, FLAGS, IMAGES, ITEMS, JUDGMENTS, PROJECTS, QUERIES, WANTED

PICTURES_AT_ONCE = 20
"""Pictures that are in memory together."""

MOST_FOUND = 10
"""Documents that a search of a rater shows."""


def add(connection: sa.Connection, row: Mapping[str, Any]) -> None:
    """Adds a project.

    Raises:
        InputError: there is one of that name.
    """
    if by_name(connection, row["tenant"], row["name"]) is not None:
        raise InputError(f"there is a project {row['name']} already", "name", "take another name")
    connection.execute(sa.insert(PROJECTS).values(**row))


def add_queries(connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds the queries of a project; each once."""
    if rows:
        connection.execute(sa.insert(QUERIES), [dict(row) for row in rows])


def add_documents(connection: sa.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Adds documents as raters see them, with their pictures; a document that looks as it did is there already.

    Args:
        connection: inside a write.
        rows: columns of the table; `picture` is a row of the table of pictures whose `bytes` are called for when they
            are written, and what is of neither is passed over.
    """
    insert: Any
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert
    held = list(rows)
    names = [column.name for column in DOCUMENTS.c if column.name != "id"]
    pictures = {row["picture"]["image_hash"]: row["picture"] for row in held if row.get("picture")}
    wanted = list(pictures.values())
    for start in range(0, len(wanted), PICTURES_AT_ONCE):
        read = [picture | {"bytes": picture["bytes"]()} for picture in wanted[start : start + PICTURES_AT_ONCE]]
        connection.execute(insert(IMAGES).on_conflict_do_nothing(), read)
    if held:
        rows_of = [{name: row[name] for name in names if name in row} for row in held]
        connection.execute(insert(DOCUMENTS).on_conflict_do_nothing(), rows_of)


def image(store: Store, tenant: str, image_hash: str) -> tuple[str, bytes] | None:
    """The kind and the bytes of a picture; None where there is none."""
    select = sa.select(IMAGES.c.kind, IMAGES.c.bytes).where(
        IMAGES.c.tenant == tenant, IMAGES.c.image_hash == image_hash
    )
    found = store.rows(select)
    return (str(found[0]["kind"]), bytes(found[0]["bytes"])) if found else None


def by_name(connection: sa.Connection, tenant: str, name: str) -> dict[str, Any] | None:
    """The row of a project by its name or id."""
    select = sa.select(PROJECTS).where(
        PROJECTS.c.tenant == tenant, sa.or_(PROJECTS.c.name == name, PROJECTS.c.id == name)
    )
    found = connection.execute(select).mappings().first()
    return None if found is None else dict(found)


def find(store: Store, tenant: str, name: str) -> dict[str, Any]:
    """The row of a project by its name or id.

    Raises:
        InputError: there is none.
    """
    with store.reading() as connection:
        found = by_name(connection, tenant, name)
    if found is None:
        from assay.errors import did_you_mean

        known = [row["name"] for row in every(store, tenant)]
        remedy = f"the projects are {', '.join(known)}" if known else "make one by `assay label create`"
        raise InputError(f"there is no project {name}{did_you_mean(name, known)}", "project", remedy)
    return found


def every(store: Store, tenant: str) -> list[dict[str, Any]]:
    """Every project, the latest first."""
    return store.rows(sa.select(PROJECTS).where(PROJECTS.c.tenant == tenant).order_by(PROJECTS.c.created_at.desc()))


def set_gold_share(connection: sa.Connection, project: str, share: float) -> None:
    """Says which share of what a rater sees is hidden items whose answer is known."""
    connection.execute(sa.update(PROJECTS).where(PROJECTS.c.id == project).values(gold_share=share))


def counts(store: Store, project: str, rater: str | None = None) -> dict[str, int]:
    """How many judgments a project wants, how many claims of it are taken, and how many that a rater gave stand."""
    wanted = sa.select(
        sa.func.coalesce(sa.func.sum(WANTED), 0).label("wanted"),
        sa.func.coalesce(sa.func.sum(ITEMS.c.taken), 0).label("taken"),
    ).where(ITEMS.c.project == project, ITEMS.c.gold.is_(None), ITEMS.c.is_pilot.is_(False))
    found = {name: int(value) for name, value in store.rows(wanted)[0].items()}
    standing = sa.func.coalesce(sa.func.sum(sa.case((JUDGMENTS.c.takes_back.is_(None), 1), else_=-1)), 0)
    own = sa.select(standing.label("n")).where(JUDGMENTS.c.project == project)
    if rater is not None:
        own = own.where(JUDGMENTS.c.rater == rater)
    return found | {"given": int(store.rows(own)[0]["n"])}


def shown(store: Store, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What raters see of items: query and documents; nothing else of an item leaves this room.

    Returns:
        one dict an item: `query` and `document` (and `other` in pairwise projects), as rows.
    """
    if not items:
        return []
    project = items[0]["project"]
    asked = {item["query_id"] for item in items}
    queries = {
        row["query_id"]: row
        for row in store.rows(
            sa.select(QUERIES.c.query_id, QUERIES.c.text, QUERIES.c.need, QUERIES.c.language).where(
                QUERIES.c.project == project, QUERIES.c.query_id.in_(asked)
            )
        )
    }
    hashes = {item[name] for item in items for name in ("doc_hash", "other_doc_hash") if item[name]}
    select = sa.select(DOCUMENTS).where(DOCUMENTS.c.tenant == items[0]["tenant"], DOCUMENTS.c.doc_hash.in_(hashes))
    documents = {(row["doc_id"], row["doc_hash"]): _document(row) for row in store.rows(select)}
    return [
        {
            "query": queries.get(item["query_id"], {"query_id": item["query_id"], "text": item["query_id"]}),
            "document": documents.get((item["doc_id"], item["doc_hash"])),
            "other": documents.get((item["other_doc_id"], item["other_doc_hash"])),
        }
        for item in items
    ]


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    return dict(row) | {"fields": json.loads(row["fields"])}


def search(store: Store, tenant: str, words: str) -> list[dict[str, Any]]:
    """Documents whose title or text holds all the words; of a document that changed, how it looks now."""
    later = DOCUMENTS.alias()
    is_old = sa.select(later.c.id).where(
        later.c.tenant == DOCUMENTS.c.tenant, later.c.doc_id == DOCUMENTS.c.doc_id, later.c.id > DOCUMENTS.c.id
    )
    select = sa.select(DOCUMENTS).where(DOCUMENTS.c.tenant == tenant, ~is_old.exists())
    for word in words.split()[:8]:
        # SQLite folds the case of A to Z alone.
        spelled = {word} if word.isascii() else {word, word.lower(), word.upper(), word.capitalize()}
        likes = [f"%{one.replace('!', '!!').replace('%', '!%').replace('_', '!_')}%" for one in sorted(spelled)]
        columns = (DOCUMENTS.c.title, DOCUMENTS.c.text)
        select = select.where(sa.or_(*(column.ilike(like, escape="!") for column in columns for like in likes)))
    return [_document(row) for row in store.rows(select.order_by(DOCUMENTS.c.id).limit(MOST_FOUND))]


def flag(connection: sa.Connection, tenant: str, project: str, query_id: str, rater: str, why: str, now: str) -> None:
    """Notes that a rater finds a query bad; the same said again is noted once."""
    held = sa.select(FLAGS.c.id).where(
        FLAGS.c.tenant == tenant, FLAGS.c.project == project, FLAGS.c.query_id == query_id, FLAGS.c.rater == rater,
        FLAGS.c.why == why,
    )  # fmt: skip
    if connection.execute(held).first() is not None:
        return
    connection.execute(
        sa.insert(FLAGS).values(tenant=tenant, project=project, query_id=query_id, rater=rater, why=why, flagged_at=now)
    )


def queries(store: Store, project: str) -> list[dict[str, Any]]:
    """The queries of a project, in the order in which they came."""
    return store.rows(sa.select(QUERIES).where(QUERIES.c.project == project).order_by(QUERIES.c.id))


def has_query(connection: sa.Connection, project: str, query_id: str) -> bool:
    """Whether a project asks a query."""
    select = sa.select(QUERIES.c.id).where(QUERIES.c.project == project, QUERIES.c.query_id == query_id)
    return connection.execute(select).first() is not None
