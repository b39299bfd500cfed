"""A result is described once and rendered five ways."""
