"""Worlds with known truth: for trying commands out, and for showing what they get wrong."""
