"""List patterns: a list of documents shown for a query, and which of them were clicked; equal ones are counted.

The cell counts of every click model can be taken from them. Models that follow a reader down the list need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.clicks.cells import Cells
from assay.clicks.counts import CascadeCounts, LastClickCells
from assay.clicks.pairs import F64, I64, check_pairs, counted, total
from assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Bool = NDArray[np.bool_]

DEEPEST = 62
"""A click mask has one bit a position, in a signed whole number of 64 bits."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Distinct lists with their clicks, and how often each occurred.

    Args:
        pair: i64[n, K], the query-document pair at each position; -1 below the end of a shorter list.
        clicked: bool[n, K], whether it was clicked.
        count: f64[n], how often this list with these clicks occurred.
        query: i64[n_pairs], the query of each pair, from 0.
        query_ids: the name of each query; empty where not known.
        doc_ids: the name of each pair's document; empty where not known.

    Raises:
        InputError: shapes differ, a list has a hole, a click below its end, or documents of several queries.
    """

    pair: I64
    clicked: Bool
    count: F64
    query: I64
    query_ids: Sequence[str] = ()
    doc_ids: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.pair.shape != self.clicked.shape or len(self.count) != len(self.pair):
            raise InputError(
                f"documents {self.pair.shape}, clicks {self.clicked.shape} and counts {self.count.shape} differ"
            )
        check_pairs(self.pair[self.pair != -1], self.query, self.query_ids, self.doc_ids)
        if not self.pair.size:
            return
        query = self.query[self.pair]
        faults = (
            ("a list is empty or has a hole", (self.pair[:, 0] < 0) | (np.diff(self.shown.astype(np.int8)) > 0).any(1)),
            ("a click is below the end of its list", (self.clicked & ~self.shown).any(1)),
            ("a list has documents of several queries", ((query != query[:, :1]) & self.shown).any(1)),
            ("a count is below 0 or not finite", ~((self.count >= 0) & np.isfinite(self.count))),
        )
        for what, wrong in faults:
            if wrong.any():
                raise InputError(what, where=f"list {int(np.flatnonzero(wrong)[0])}", count=int(wrong.sum()))

    @cached_property
    def shown(self) -> Bool:
        """bool[n, K]: where a document is."""
        return self.pair >= 0

    @cached_property
    def last(self) -> I64:
        """i64[n, K]: the nearest position above that was clicked, 0 where none was."""
        n, depth = self.pair.shape
        at = np.where(self.clicked, np.arange(1, depth + 1), 0)
        above = np.concatenate([np.zeros((n, 1), np.int64), at[:, :-1]], axis=1)
        return np.maximum.accumulate(above, axis=1)

    @property
    def depth(self) -> int:
        """How long the longest list is."""
        return int(self.pair.shape[1])

    @classmethod
    def from_frame(cls, frame: pl.DataFrame) -> Lists:
        """Lists of a frame with columns query_id, doc_ids (in the order shown), clicks (bit mask) and count.

        Bit 0 of `clicks` is position 1. Equal rows are added up; the order of rows does not matter.

        Raises:
            InputError: a column is absent, a value is missing, or a list is impossible.
        """
        return cls.from_frames([frame])[0]

    @classmethod
    def from_frames(cls, frames: Sequence[pl.DataFrame]) -> list[Lists]:
        """Lists of several frames, such as an earlier and a later one, with one numbering of pairs.

        Raises:
            InputError: a column is absent, a value is missing, or a list is impossible.
        """
        import polars as pl

        for frame in frames:
            _check_frame(frame)
        rows = pl.concat([frame.select("query_id", "doc_ids", "clicks", "count") for frame in frames])
        rows = rows.with_row_index("row")
        long = rows.select("row", "query_id", doc_id="doc_ids").explode("doc_id")
        long = long.with_columns(position=pl.int_range(pl.len()).over("row"), n=pl.lit(1))
        found = counted(long, ["row", "position"], ["n"], "lists")
        depth = 1 + int(found.frame["position"].max() or 0)  # type: ignore[arg-type] # a column of whole numbers
        if depth > DEEPEST:
            raise InputError(f"a list of {depth} documents", where="lists", remedy=f"cut lists at {DEEPEST} positions")
        pair = np.full((rows.height, depth), -1, np.int64)
        pair[found.whole("row"), found.whole("position")] = found.whole("pair")
        mask = rows["clicks"].to_numpy().astype(np.int64)
        if ((mask < 0) | (mask >> depth > 0)).any():
            raise InputError("a click is below the end of every list", where="clicks", remedy="bit 0 is position 1")
        whole = cls(
            pair, (mask[:, None] >> np.arange(depth) & 1).astype(bool), rows["count"].to_numpy().astype(np.float64),
            found.query, found.query_ids, found.doc_ids,
        )  # fmt: skip
        ends = np.cumsum([0, *(frame.height for frame in frames)])
        return [whole.where(np.arange(ends[at], ends[at + 1])).distinct() for at in range(len(frames))]

    @classmethod
    def split(cls, frame: pl.DataFrame, at: Any, column: str = "day") -> tuple[Lists, Lists]:
        """Lists of a frame before a time, to fit models to, and those from it on, to test them.

        Args:
            frame: as for `from_frame`, with one more column.
            at: the first time of the later lists, of the type of the column.
            column: of the time; lists of other times are counted apart.

        Raises:
            InputError: the column is absent or has holes, no list is on one of the sides, or as for `from_frame`.
        """
        import polars as pl

        if column not in frame.columns or frame[column].null_count():
            raise InputError(f"no column {column}, or a value is missing", where="lists", remedy="count lists by day")
        parts = [frame.filter(pl.col(column) < at), frame.filter(pl.col(column) >= at)]
        if not parts[0].height or not parts[1].height:
            raise InputError(
                f"all lists are {'from' if parts[1].height else 'before'} {at}", where=column,
                remedy="split between " + " and ".join(str(end) for end in (frame[column].min(), frame[column].max())),
            )  # fmt: skip
        earlier, later = cls.from_frames(parts)
        return earlier, later

    def where(self, kept: Bool | I64) -> Lists:
        """Some of the lists, by bool[n] or by their numbers; pairs keep their numbers."""
        return replace(self, pair=self.pair[kept], clicked=self.clicked[kept], count=self.count[kept])

    def distinct(self) -> Lists:
        """Equal lists with equal clicks as one, with the sum of their counts; sorted."""
        bits = self.clicked @ (1 << np.arange(self.depth, dtype=np.int64))
        key = np.column_stack([self.pair, bits])
        order = np.lexsort(key.T[::-1])
        new = np.ones(len(key), bool)
        new[1:] = (key[order][1:] != key[order][:-1]).any(1)
        return replace(self.where(order[new]), count=total(np.cumsum(new) - 1, self.count[order], int(new.sum())))

    def __add__(self, other: Lists) -> Lists:
        """The lists of both, which must share their numbering of pairs (see `from_frames`).

        Raises:
            InputError: they have other pairs.
        """
        if self.query is not other.query and not np.array_equal(self.query, other.query):
            raise InputError("two sets of lists number other pairs", remedy="make both with Lists.from_frames")
        depth = max(self.depth, other.depth)
        ends = [((0, 0), (0, depth - one.depth)) for one in (self, other)]
        pair = [np.pad(one.pair, end, constant_values=-1) for one, end in zip((self, other), ends, strict=True)]
        clicked = [np.pad(one.clicked, end) for one, end in zip((self, other), ends, strict=True)]
        count = np.concatenate([self.count, other.count])
        return replace(self, pair=np.concatenate(pair), clicked=np.concatenate(clicked), count=count).distinct()

    def cells(self) -> Cells:
        """Impressions and clicks by pair and position."""
        keys, at = self._keys()
        shown, clicked = (self._sum(at, flag, len(keys)) for flag in (self.shown, self.clicked))
        pair, position = np.divmod(keys, self.depth + 1)
        return Cells(pair, position, shown, clicked, self.query, query_ids=self.query_ids, doc_ids=self.doc_ids)

    def by_last_click(self) -> LastClickCells:
        """Impressions and clicks by pair, position and last click above."""
        keys, at = self._keys(self.last)
        shown, clicked = (self._sum(at, flag, len(keys)) for flag in (self.shown, self.clicked))
        keys, last = np.divmod(keys, self.depth + 1)
        pair, position = np.divmod(keys, self.depth + 1)
        return LastClickCells(pair, position, last, shown, clicked, self.query, self.query_ids, self.doc_ids)

    def cascade(self) -> CascadeCounts:
        """How far lists were read, by pair and position."""
        here, none = self.clicked, ~self.clicked.any(1, keepdims=True)
        from_here = np.cumsum(here[:, ::-1], axis=1)[:, ::-1]  # clicks at this position or below
        first_to_here = self.last == 0
        flags = {
            "impressions": self.shown,
            "unclicked": self.shown & none,
            "to_first": self.shown & first_to_here & ~none,
            "to_last": from_here > 0,
            "clicks": here,
            "first_clicks": here & first_to_here,
            "last_clicks": here & (from_here == 1),
        }
        keys, at = self._keys()
        sums = {name: self._sum(at, flag, len(keys)) for name, flag in flags.items()}
        pair, position = np.divmod(keys, self.depth + 1)
        return CascadeCounts(pair, position, query=self.query, query_ids=self.query_ids, doc_ids=self.doc_ids, **sums)

    def _keys(self, more: I64 | None = None) -> tuple[I64, I64]:
        """The distinct keys (pair, position[, more]) of what was shown, and which of them each place has."""
        key = self.pair * (self.depth + 1) + np.arange(1, self.depth + 1)
        if more is not None:
            key = key * (self.depth + 1) + more
        keys, at = np.unique(key[self.shown], return_inverse=True)
        return keys, at

    def _sum(self, at: I64, flag: Bool, n: int) -> F64:
        return total(at, (self.count[:, None] * flag)[self.shown], n)


def _check_frame(frame: pl.DataFrame) -> None:
    import polars as pl

    absent = [name for name in ("query_id", "doc_ids", "clicks", "count") if name not in frame.columns]
    if absent:
        raise InputError(
            f"no column {', '.join(absent)}", where="lists", remedy="give query_id, doc_ids, clicks, count"
        )
    holes = frame.select(pl.col("query_id", "doc_ids", "clicks", "count").null_count()).row(0)
    empty = int((frame["doc_ids"].list.len() == 0).sum())
    if any(holes) or empty:
        raise InputError(
            "a list is empty or a value is missing", where="lists", remedy="leave such rows out and count them",
            count=sum(holes) + empty,
        )  # fmt: skip
