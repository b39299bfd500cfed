"""Which documents of a query say nearly the same, so that a rater does not see them one after the other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Adds the column; pairs that are there keep their order."""
    op.add_column("items", sa.Column("alike", sa.Integer(), nullable=True))
