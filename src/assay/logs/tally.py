"""What a log recorded and what of it is refused, from one count of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Happened:
    """What an application recorded.

    Args:
        app: its name; empty where rows name none.
        kind: what happened.
        n: rows.
        first, last: microseconds since 1970; None where rows have no time.
    """

    app: str
    kind: str
    n: int
    first: int | None
    last: int | None


def happened(tally: Iterable[Mapping[str, Any]]) -> list[Happened]:
    """What was recorded, by application, the most frequent first.

    Args:
        tally: the rows of the query of that name.
    """
    parts: dict[tuple[str | None, str], list[Mapping[str, Any]]] = {}
    for row in tally:
        if row["refused"] is None:
            parts.setdefault((row["app"], row["kind"]), []).append(row)
    found = [(app is None, _added(app or "", kind, rows)) for (app, kind), rows in parts.items()]
    return [one for _, one in sorted(found, key=lambda pair: (pair[0], pair[1].app, -pair[1].n, pair[1].kind))]


def _added(app: str, kind: str, rows: Iterable[Mapping[str, Any]]) -> Happened:
    rows = list(rows)
    first = [row["first"] for row in rows if row["first"] is not None]
    last = [row["last"] for row in rows if row["last"] is not None]
    return Happened(app, kind, sum(row["n"] for row in rows), min(first, default=None), max(last, default=None))


def reasons(tally: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many rows are refused for each reason, the most frequent first.

    Args:
        tally: the rows of the query of that name.
    """
    found: Counter[str] = Counter()
    for row in tally:
        if row["refused"] is not None:
            found[row["refused"]] += row["n"]
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def unread(tally: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many rows count without what cannot be read in them, by the names of its fields as `log` gives them.

    Args:
        tally: the rows of the query of that name.
    """
    found: Counter[str] = Counter()
    for row in tally:
        if row["refused"] is None and row["unread"] is not None:
            found[row["unread"]] += row["n"]
    return dict(sorted(found.items()))
