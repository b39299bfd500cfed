"""Runs migrations on the connection that the store hands over; offline scripts are not used."""

from __future__ import annotations

from alembic import context

from assay.store.schema import TABLES

context.configure(connection=context.config.attributes["connection"], target_metadata=TABLES, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
