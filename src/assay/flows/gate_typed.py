"""What is typed in for the plan of a gate instead of two runs: how much differences spread, and how many queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import InputError


def spreads(given: Any) -> dict[str, float]:
    """Standard deviations by measure; "" is that of all others.

    >>> spreads("0.15")
    {'': 0.15}
    """
    found = {}
    for name, value in _by_name(given, "--sd", "0.15 or nDCG@10=0.15").items():
        try:
            found[name] = float(value)
        except (TypeError, ValueError):
            found[name] = float("nan")
        if not 0 < found[name] < float("inf"):
            raise InputError(f"--sd {value} is no size above 0", remedy="write --sd 0.15 or --sd nDCG@10=0.15")
    return found


def counts(given: Any) -> dict[str, int]:
    """Numbers of queries by segment; "" is all of them.

    >>> counts(["200", "tail=80"])
    {'': 200, 'tail': 80}
    """
    found = {}
    for name, value in _by_name(given, "--queries", "200 or tail=80").items():
        text = str(value).replace(",", "")
        if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
            raise InputError(f"--queries {value} is no number of queries", remedy="write --queries 200 or tail=80")
        found[name] = int(text)
    return found


def _by_name(given: Any, option: str, example: str) -> dict[str, Any]:
    """`VALUE` and `NAME=VALUE`, one or several, or a mapping."""
    if given is None or (isinstance(given, (list, tuple)) and not given):
        raise InputError(f"a plan without runs needs {option}", remedy=f"write {option} {example}")
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    found: dict[str, Any] = {}
    for one in given if isinstance(given, (list, tuple)) else [given]:
        name, _, value = one.rpartition("=") if isinstance(one, str) else ("", "", one)
        if name in found:
            raise InputError(f"{option} is given twice{f' for {name}' if name else ''}", remedy="give it once")
        found[name] = value
    return found
