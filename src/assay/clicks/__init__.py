"""Arithmetic of clicks, on counts that logs were shrunk to."""
