"""A project with items, and raters who answer."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from assay.store import judgments, queue
from assay.store.database import Store
from assay.store.schema import PROJECTS

TENANT, SECRET, NOW = "t", b"secret", "2026-03-01T00:00:00Z"


def project(store: Store, items: int = 6, wanted: int = 2, queries: int = 3, **changes: Any) -> dict[str, Any]:
    """A project with so many items, evenly over its queries."""
    row = {
        "tenant": TENANT, "id": "p", "name": "Shop", "rubric": "", "rubric_version": "v1", "mode": "query",
        "raters_each": wanted, "needs_enter": False, "pilot": 0, "pilot_limit": 0.6, "gold_share": 0.0,
        "repeat_share": 0.0, "created_at": NOW, "opened_at": None,
    } | changes  # fmt: skip
    new = [
        queue.NewItem(f"q{i * queries // items}", f"d{i}", f"h{i}", i * queries // items, is_pilot=i < row["pilot"])
        for i in range(items)
    ]

    def job(connection: sa.Connection) -> None:
        connection.execute(sa.insert(PROJECTS).values(**row))
        queue.add(connection, TENANT, "p", new, wanted, NOW)

    store.write(job).result()
    return row


def ask(store: Store, row: dict[str, Any], rater: str, n: int = 1, now: str = NOW) -> list[dict[str, Any]]:
    """The next items of a rater."""
    return store.write(lambda connection: queue.claim(connection, row, rater, n, now, SECRET)).result()


def give(store: Store, item: int, rater: str, grade: float | None = 1.0, uid: str = "", **more: Any) -> dict[str, Any]:
    """A judgment."""
    given = judgments.Given(uid or f"{rater}-{item}-{more.get('turn', 0)}", item, rater, grade=grade, **more)
    return store.write(lambda connection: judgments.append(connection, TENANT, given, "v1", NOW)).result()


def undo(store: Store, of: str, rater: str, uid: str = "") -> dict[str, Any]:
    """Takes a judgment back."""
    name = uid or f"undo-{of}"
    return store.write(lambda connection: judgments.take_back(connection, TENANT, name, of, rater, NOW)).result()
