"""Which document of a pair was on the left, where raters prefer one of two."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds the column; judgments that are there had one document."""
    op.add_column("judgments", sa.Column("left_doc_id", sa.Text(), server_default="", nullable=False))
