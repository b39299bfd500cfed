"""What people give and decide, kept in SQL: SQLite in the workspace, or PostgreSQL by its address."""
