"""Grades that no person gave: written all at once, for the items of a project that is handed out to nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.keys import fingerprint
from assay.store.bulk import insert_new
from assay.store.schema import ITEMS, JUDGMENTS

_COLUMNS = ("tenant", "uid", "project", "item", "query_id", "doc_id", "rater", "role", "grade", "note",
            "rubric_version", "doc_hash", "judged_at", "source")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stamp:
    """What all grades of a project have in common.

    Args:
        rater: in whose place they stand, such as "clicks".
        source: model or clicks.
        rubric_version: under which they were given.
        judged_at: when.
    """

    rater: str
    source: str
    rubric_version: str
    judged_at: str


def add(
    connection: sa.Connection, tenant: str, project: str, grades: Mapping[tuple[str, str], tuple[float, str]],
    stamp: Stamp,
) -> int:  # fmt: skip
    """Writes the grade and the note of each pair that is an item of the project; how many were written.

    All items count as taken: also when the project is opened, nobody is asked for them.

    Args:
        connection: inside a write.
        tenant: whose.
        project: its id.
        grades: (query, document) to grade and note.
        stamp: of all.
    """
    columns = (ITEMS.c.id, ITEMS.c.query_id, ITEMS.c.doc_id, ITEMS.c.doc_hash)
    items = connection.execute(sa.select(*columns).where(ITEMS.c.project == project).order_by(ITEMS.c.id))
    rows: list[tuple[Any, ...]] = []
    for item, query, doc, doc_hash in items:
        if (query, doc) not in grades:
            continue
        grade, note = grades[query, doc]
        rows.append((tenant, fingerprint(project, query, doc)[:32], project, item, query, doc, stamp.rater, "model",
                     grade, note, stamp.rubric_version, doc_hash, stamp.judged_at, stamp.source))  # fmt: skip
    insert_new(connection, JUDGMENTS, _COLUMNS, rows)
    connection.execute(sa.update(ITEMS).where(ITEMS.c.project == project).values(taken=ITEMS.c.wanted))
    return len(rows)
