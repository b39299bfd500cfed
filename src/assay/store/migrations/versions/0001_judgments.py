"""People, projects, items and judgments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "api_keys",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("key", name=op.f("uq_api_keys_key")),
    )
    op.create_table(
        "audit",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_table(
        "documents",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("doc_hash", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), server_default="{}", nullable=False),
        sa.Column("captured_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("tenant", "doc_id", "doc_hash", name=op.f("uq_documents_tenant_doc_id_doc_hash")),
    )
    op.create_table(
        "invitations",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Text(), nullable=False),
        sa.Column("used_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token", name=op.f("uq_invitations_token")),
    )
    op.create_table(
        "people",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=True),
        sa.Column("session", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("tenant", "name", name=op.f("uq_people_tenant_name")),
    )
    op.create_table(
        "projects",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("rubric", sa.Text(), nullable=False),
        sa.Column("rubric_version", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("raters_each", sa.Integer(), nullable=False),
        sa.Column("needs_enter", sa.Boolean(), nullable=False),
        sa.Column("pilot", sa.Integer(), nullable=False),
        sa.Column("pilot_limit", sa.Float(), nullable=False),
        sa.Column("gold_share", sa.Float(), nullable=False),
        sa.Column("repeat_share", sa.Float(), nullable=False),
        sa.Column("refresh_days", sa.Integer(), nullable=True),
        sa.Column("opened_at", sa.Text(), nullable=True),
        sa.Column("opened_by", sa.Text(), nullable=True),
        sa.Column("opened_why", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
        sa.UniqueConstraint("tenant", "name", name=op.f("uq_projects_tenant_name")),
    )
    op.create_table(
        "flags",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("rater", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("flagged_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name=op.f("fk_flags_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flags")),
    )
    op.create_table(
        "items",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
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
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name=op.f("fk_items_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint("project", "query_id", "doc_id", "other_doc_id", "doc_hash", name="uq_items_pair"),
    )
    op.create_index(
        "ix_items_gold",
        "items",
        ["project", "gold"],
        unique=False,
        sqlite_where=sa.text("gold IS NOT NULL"),
        postgresql_where=sa.text("gold IS NOT NULL"),
    )
    op.create_index(
        "ix_items_open",
        "items",
        ["project", "is_pilot", "place", "id"],
        unique=False,
        sqlite_where=sa.text("taken < wanted"),
        postgresql_where=sa.text("taken < wanted"),
    )
    op.create_table(
        "queries",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("need", sa.Text(), server_default="", nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("segment", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name=op.f("fk_queries_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queries")),
        sa.UniqueConstraint("project", "query_id", name=op.f("uq_queries_project_query_id")),
    )
    op.create_table(
        "claims",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("item", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("rater", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), server_default="0", nullable=False),
        sa.Column("claimed_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_claims_item")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_claims")),
        sa.UniqueConstraint("item", "rater", "turn", name=op.f("uq_claims_item_rater_turn")),
    )
    op.create_index(op.f("ix_claims_rater_ended_at"), "claims", ["rater", "ended_at"], unique=False)
    op.create_table(
        "judgments",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("item", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("rater", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("grade", sa.Float(), nullable=True),
        sa.Column("dimensions", sa.Text(), server_default="{}", nullable=False),
        sa.Column("preference", sa.Text(), nullable=True),
        sa.Column("cannot_tell", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("rubric_version", sa.Text(), nullable=False),
        sa.Column("doc_hash", sa.Text(), nullable=False),
        sa.Column("judged_at", sa.Text(), nullable=False),
        sa.Column("took_ms", sa.Integer(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), server_default="0", nullable=False),
        sa.Column("takes_back", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["item"], ["items.id"], name=op.f("fk_judgments_item")),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name=op.f("fk_judgments_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgments")),
        sa.UniqueConstraint("tenant", "uid", name=op.f("uq_judgments_tenant_uid")),
    )
    op.create_index(op.f("ix_judgments_project_item"), "judgments", ["project", "item"], unique=False)
    op.create_index(op.f("ix_judgments_project_rater"), "judgments", ["project", "rater"], unique=False)
