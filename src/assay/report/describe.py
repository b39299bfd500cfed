"""Finds the view of a result."""

from __future__ import annotations

from typing import Any

from assay.report.page import VIEWS, Page


def describe(result: Any, **choices: Any) -> Page:
    """The page that shows a result, by the view of its class or of the nearest class above it.

    Args:
        result: what a verb gave back.
        choices: what the view lets the reader choose, such as `per_query=True`; a view says which it takes.
    """
    for kind in type(result).__mro__:
        if kind.__name__ in VIEWS:
            return VIEWS.find(kind.__name__)(result, **choices)
    raise TypeError(f"no view for {type(result).__name__}")
