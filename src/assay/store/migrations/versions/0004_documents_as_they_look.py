"""What raters see of a document beside its text: markup, a picture, its language."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Adds the columns and the pictures; documents that are there have a title, a text and fields."""
    op.add_column("documents", sa.Column("html", sa.Text(), server_default="", nullable=False))
    op.add_column("documents", sa.Column("image", sa.Text(), server_default="", nullable=False))
    op.add_column("documents", sa.Column("language", sa.Text(), nullable=True))
    op.create_table(
        "images",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("image_hash", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("bytes", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_images")),
        sa.UniqueConstraint("tenant", "image_hash", name=op.f("uq_images_tenant_image_hash")),
    )
