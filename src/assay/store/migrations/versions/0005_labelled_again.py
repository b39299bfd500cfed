"""A pair may be labelled again as it is: items count their rounds."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

PAIR = ["project", "query_id", "doc_id", "other_doc_id", "doc_hash", "round"]


def upgrade() -> None:
    """Adds the column and takes it into what makes an item one of a kind; what is there is the first round."""
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("items", sa.Column("round", sa.Integer(), server_default="0", nullable=False))
        op.drop_constraint("uq_items_pair", "items", type_="unique")
        op.create_unique_constraint("uq_items_pair", "items", PAIR)
        return
    _made_anew()


def _made_anew() -> None:
    """SQLite cannot change what is unique: a table of the new shape takes the rows and the name."""
    columns: list[sa.Column[Any]] = [
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("doc_hash", sa.Text(), nullable=False),
        sa.Column("other_doc_id", sa.Text(), server_default="", nullable=False),
        sa.Column("other_doc_hash", sa.Text(), server_default="", nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("taken", sa.Integer(), server_default="0", nullable=False),
        sa.Column("is_pilot", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("gold", sa.Float(), nullable=True),
        sa.Column("is_found", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("is_disputed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
    ]
    names = ", ".join(f'"{column.name}"' for column in columns)
    op.create_table(
        "items_anew",
        *columns,
        sa.Column("round", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name=op.f("fk_items_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint(*PAIR, name="uq_items_pair"),
    )
    op.execute(f"insert into items_anew ({names}) select {names} from items")
    op.drop_table("items")
    op.rename_table("items_anew", "items")
    op.create_index("ix_items_open", "items", ["project", "is_pilot", "place", "id"],
                    sqlite_where=sa.text("taken < wanted"))  # fmt: skip
    op.create_index("ix_items_gold", "items", ["project", "gold"], sqlite_where=sa.text("gold IS NOT NULL"))
