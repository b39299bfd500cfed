"""What is wrong with some rows, gathered: the first few in full, all of them counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import SHOWN, InputError
from assay.tables.names import KEY, ONE_OF
from assay.tables.values import Odd

Place = Callable[[int], str]
"""Row number, from 0, to its place."""


@dataclass
class Faults:
    """What is wrong, by row: the first few in full, all of them counted."""

    place: Place
    line: Callable[[int], str] = lambda row: ""
    found: dict[int, Odd] = field(default_factory=dict)
    count: int = 0

    def add(self, row: int, odd: Odd) -> None:
        """One more fault; of one row, the first is shown."""
        self.count += 1
        self.found.setdefault(row, odd)

    def check(self) -> None:
        """Ends here when anything was wrong."""
        if not self.found:
            return
        (row, first), *others = sorted(self.found.items())[:SHOWN]
        more = [f"{self.place(other)}: {odd.what}" for other, odd in others]
        raise InputError(
            first.what,
            self.place(row),
            first.remedy,
            line=self.line(row),
            more=more,
            count=max(self.count, 1 + len(more)),
        )


def need_one_of(held: Mapping[str, Any] | Sequence[str], row: type, where: str) -> None:
    """Refuses a run without a score and without a rank, and the like."""
    one_of = ONE_OF.get(row, ())
    if one_of and not any(field in held for field in one_of):
        raise InputError(f"no row has a {' or a '.join(one_of)}", where, f"give every row a {one_of[0]}")


def need_distinct(checked: Mapping[str, Sequence[Any]], row: type, faults: Faults) -> None:
    """Finds ids that appear twice in a table that says one thing about each id."""
    key = KEY.get(row)
    if key is None or len(set(checked[key])) == len(checked[key]):
        return
    first: dict[Any, int] = {}
    for at, value in enumerate(checked[key]):
        if value is not None and first.setdefault(value, at) != at:
            faults.add(
                at, Odd(f"{key} {value} appears twice (first at {faults.place(first[value])})", "remove one of the two")
            )
