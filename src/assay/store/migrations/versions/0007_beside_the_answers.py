"""What raters do beside answering: stops of who answers too fast, and live pages that were opened."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Adds the columns and the table; projects that are there stop nobody and open no live page."""
    op.add_column("projects", sa.Column("min_seconds", sa.Float(), server_default="0", nullable=False))
    op.add_column("projects", sa.Column("live_links", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("judgments", sa.Column("is_fast", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "events",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("rater", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("judgment", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name=op.f("fk_events_project")),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_events_item")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("tenant", "uid", name=op.f("uq_events_tenant_uid")),
    )
    op.create_index(op.f("ix_events_project_rater_id"), "events", ["project", "rater", "id"])
