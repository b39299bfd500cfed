"""Steps, each named after its number."""
