"""For how many days labels are good, by class of queries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the column; projects that are there have no classes."""
    op.add_column("projects", sa.Column("refresh_classes", sa.Text(), server_default="{}", nullable=False))
