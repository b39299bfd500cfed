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
    rows = [row for row in tally if row["refused"] is None]
    rows.sort(key=lambda row: (row["app"] is None, row["app"] or "", -row["n"], row["kind"]))
    return [Happened(row["app"] or "", row["kind"], row["n"], row["first"], row["last"]) for row in rows]


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
