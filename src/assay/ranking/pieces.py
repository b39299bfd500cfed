"""A large run that is already in memory, cut where the query changes: pieces that fit the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from assay.ranking.ranking import I64
from assay.tables import Block

if TYPE_CHECKING:
    import polars as pl

ROWS = 1 << 18
"""Rows of a piece: seven million rows cost twice as much in one piece."""


class Pieces:
    """One block as several, each query's rows in one of them wherever they stand together.

    Args:
        block: rows of a run, held as a polars frame.
        rows: rows of a piece, more where a query has more.
    """

    def __init__(self, block: Block, rows: int = ROWS) -> None:
        self.name = block.name
        self._block, self._rows = block, rows

    def __iter__(self) -> Iterator[Block]:
        frame = self._block.polars()
        start = 0
        while start < frame.height:
            end = _cut(frame["query_id"], start, start + self._rows)
            yield Block(frame.slice(start, end - start), self._place_from(start), self.name)
            start = end

    def _place_from(self, start: int) -> Callable[[int], str]:
        return lambda row: self._block.place(start + row)

    def whole(self) -> Block:
        """The block itself."""
        return self._block


class ByQuery:
    """A block in which the rows of some query do not stand together, as several in which they do.

    What is worked out on the way to a ranking takes twice the room of the rows; so it is done a piece at a time.

    Args:
        block: rows of a run, held as a polars frame.
        rows: rows of a piece, more where a query has more.
    """

    def __init__(self, block: Block, rows: int = ROWS) -> None:
        self._block, self._rows = block, rows

    def __iter__(self) -> Iterator[Block]:
        """The queries in the order in which they first appear, their rows in the order of the block."""
        from assay.ranking.frames import together

        frame = self._block.polars()
        order, ends = together(frame["query_id"])
        start = 0
        while start < len(order):
            found = int(np.searchsorted(ends, start + self._rows, "right"))
            end = int(ends[found - 1]) if found and ends[found - 1] > start else int(ends[found])
            rows = order[start:end]
            yield Block(frame[rows], self._place_of(rows), self._block.name)
            start = end

    def _place_of(self, rows: I64) -> Callable[[int], str]:
        return lambda row: self._block.place(int(rows[row]))


def _cut(queries: pl.Series, start: int, end: int) -> int:
    """The last row up to `end` at which the query changes; later ones when it does not change before."""
    while end < len(queries):
        size = 1 << 12
        while True:
            window = queries.slice(max(start, end - size), min(size, end - start))
            others = (window != queries[end]).arg_true()
            if len(others):
                return max(start, end - size) + int(others[-1]) + 1
            if size >= end - start:
                break
            size *= 8
        end += end - start  # one query fills the piece
    return len(queries)
