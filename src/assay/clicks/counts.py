"""Counts that know where in its list a click was: down to the first and the last click, and since the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.clicks.pairs import F64, I64, check_counts, check_pairs, counted, named
from assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl

CASCADE = ("impressions", "unclicked", "to_first", "to_last", "clicks", "first_clicks", "last_clicks")


@dataclass(frozen=True, eq=False)
class CascadeCounts:
    """How far lists were read, by query-document pair and position.

    Args:
        pair: i64[n], the query-document pair, from 0.
        position: i64[n], from 1.
        impressions: f64[n], how often it was shown there.
        unclicked: f64[n], of these in lists where nothing was clicked.
        to_first: f64[n], of these at or above the first click of a list with a click.
        to_last: f64[n], of these at or above the last click of a list with a click.
        clicks: f64[n], how often it was clicked there.
        first_clicks, last_clicks: f64[n], of these the first, the last click of its list.
        query: i64[n_pairs], the query of each pair, from 0.
        query_ids: the name of each query; empty where not known.
        doc_ids: the name of each pair's document; empty where not known.

    Raises:
        InputError: the counts contradict one another.
    """

    pair: I64
    position: I64
    impressions: F64
    unclicked: F64
    to_first: F64
    to_last: F64
    clicks: F64
    first_clicks: F64
    last_clicks: F64
    query: I64
    query_ids: Sequence[str] = ()
    doc_ids: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_counts(
            self.position,
            (
                ("impressions", self.impressions, "impressions", self.impressions),
                ("unclicked", self.unclicked, "impressions", self.impressions),
                ("to_last", self.to_last, "impressions", self.impressions - self.unclicked),
                ("to_first", self.to_first, "to_last", self.to_last),
                ("clicks", self.clicks, "to_last", self.to_last),
                ("first_clicks", self.first_clicks, "clicks", self.clicks),
                ("last_clicks", self.last_clicks, "clicks", self.clicks),
            ),
        )
        check_pairs(self.pair, self.query, self.query_ids, self.doc_ids)

    @classmethod
    def from_frame(cls, frame: pl.DataFrame) -> CascadeCounts:
        """Counts of a frame with columns query_id, doc_id, position and those of CASCADE; equal keys are added up.

        Raises:
            InputError: a column is absent, a value is missing, or the counts cannot be.
        """
        found = counted(frame, ["position"], CASCADE, "cascade counts")
        sums = {name: found.real(name) for name in CASCADE}
        return cls(
            found.whole("pair"), found.whole("position"), query=found.query, query_ids=found.query_ids,
            doc_ids=found.doc_ids, **sums,
        )  # fmt: skip

    def frame(self) -> pl.DataFrame:
        """The counts with their names, one row each."""
        import polars as pl

        columns = named(self.query, self.query_ids, self.doc_ids, self.pair) | {"position": self.position}
        return pl.DataFrame(columns | {name: getattr(self, name) for name in CASCADE})

    def __add__(self, other: CascadeCounts) -> CascadeCounts:
        """The counts of both, matched by their names."""
        import polars as pl

        return CascadeCounts.from_frame(pl.concat([self.frame(), other.frame()]))


@dataclass(frozen=True, eq=False)
class LastClickCells:
    """Impressions and clicks by query-document pair, position, and the position of the last click above it.

    Args:
        pair: i64[n], the query-document pair, from 0.
        position: i64[n], from 1.
        last: i64[n], the nearest position above that was clicked; 0 where none was.
        impressions: f64[n], how often it was shown so.
        clicks: f64[n], how often it was clicked then.
        query: i64[n_pairs], the query of each pair, from 0.
        query_ids: the name of each query; empty where not known.
        doc_ids: the name of each pair's document; empty where not known.

    Raises:
        InputError: the counts contradict one another, or a last click is not above its position.
    """

    pair: I64
    position: I64
    last: I64
    impressions: F64
    clicks: F64
    query: I64
    query_ids: Sequence[str] = ()
    doc_ids: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_counts(
            self.position,
            (("impressions", self.impressions, "impressions", self.impressions),
             ("clicks", self.clicks, "impressions", self.impressions)),
        )  # fmt: skip
        if len(self.last) and ((self.last < 0) | (self.last >= self.position)).any():
            raise InputError("the last click is not above its position", where="last", remedy="0 stands for none above")
        check_pairs(self.pair, self.query, self.query_ids, self.doc_ids)

    @classmethod
    def from_frame(cls, frame: pl.DataFrame) -> LastClickCells:
        """Cells of a frame with columns query_id, doc_id, position, last, impressions, clicks; equal keys are added up.

        Raises:
            InputError: a column is absent, a value is missing, or the counts cannot be.
        """
        found = counted(frame, ["position", "last"], ["impressions", "clicks"], "cells by last click")
        counts = (found.real("impressions"), found.real("clicks"))
        keys = (found.whole("pair"), found.whole("position"), found.whole("last"))
        return cls(*keys, *counts, found.query, found.query_ids, found.doc_ids)

    def frame(self) -> pl.DataFrame:
        """The cells with their names, one row each."""
        import polars as pl

        columns = named(self.query, self.query_ids, self.doc_ids, self.pair)
        columns |= {"position": self.position, "last": self.last}
        return pl.DataFrame(columns | {"impressions": self.impressions, "clicks": self.clicks})

    def __add__(self, other: LastClickCells) -> LastClickCells:
        """The cells of both, matched by their names."""
        import polars as pl

        return LastClickCells.from_frame(pl.concat([self.frame(), other.frame()]))
