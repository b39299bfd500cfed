"""A rater's last answer, what was said of an item and what took it back are found at once, among any number."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Indices by what is looked for: no query walks over all answers of a project."""
    op.create_index(op.f("ix_judgments_project_rater_id"), "judgments", ["project", "rater", "id"])
    op.drop_index(op.f("ix_judgments_project_rater"), table_name="judgments")
    op.create_index(op.f("ix_judgments_item_rater_turn"), "judgments", ["item", "rater", "turn"])
    op.drop_index(op.f("ix_judgments_project_item"), table_name="judgments")
    is_undoing = sa.text("takes_back IS NOT NULL")
    op.create_index("ix_judgments_takes_back", "judgments", ["takes_back"], sqlite_where=is_undoing,
                    postgresql_where=is_undoing)  # fmt: skip
