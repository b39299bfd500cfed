"""Who did what: appended, never changed."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from assay.store.database import Store
from assay.store.schema import AUDIT


def note(connection: sa.Connection, tenant: str, person: str, action: str, what: str, now: str) -> None:
    """Writes one line, in the transaction of what it is about.

    Args:
        connection: inside a write.
        tenant: whose.
        person: who did it.
        action: a verb, such as "signed in" or "opened the queue".
        what: of what, without secrets.
        now: the time.
    """
    connection.execute(sa.insert(AUDIT).values(tenant=tenant, person=person, action=action, what=what, at=now))


def read(store: Store, tenant: str, most: int = 1_000) -> list[dict[str, Any]]:
    """The latest lines, the newest first."""
    return store.rows(sa.select(AUDIT).where(AUDIT.c.tenant == tenant).order_by(AUDIT.c.id.desc()).limit(most))
