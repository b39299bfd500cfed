"""Pages for people who label, settle and lead; one application."""
