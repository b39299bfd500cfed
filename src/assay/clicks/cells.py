"""Cells: how often a document was shown at a position for a query, and how often it was clicked there.

Cells of several days or shards add up; all that is fitted to positions is fitted to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.clicks.pairs import F64, I64, check_counts, check_pairs, counted, named, total
from assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Bool = NDArray[np.bool_]

UNNAMED = "not named"
"""The ranker, or the segment, of rows that name none."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Impressions and clicks by query-document pair and position, and when known by ranker and segment.

    The same pair and position may occur in several cells; all arithmetic adds them up.

    Args:
        pair: i64[n], the query-document pair, from 0; documents of different queries are different pairs.
        position: i64[n], from 1.
        impressions: f64[n], how often it was shown there.
        clicks: f64[n], in how many of these it was clicked, at most impressions.
        query: i64[n_pairs], the query of each pair, from 0.
        ranker: i64[n], which ranker showed it; None where not known.
        segment: i64[n], such as the device; None where not known.
        query_ids: the name of each query; empty where not known.
        doc_ids: the name of each pair's document; empty where not known.
        rankers, segments: their names.

    Raises:
        InputError: lengths differ, a position is below 1, a count is negative or not finite, or there are
            more clicks than impressions.
    """

    pair: I64
    position: I64
    impressions: F64
    clicks: F64
    query: I64
    ranker: I64 | None = None
    segment: I64 | None = None
    query_ids: Sequence[str] = ()
    doc_ids: Sequence[str] = ()
    rankers: Sequence[str] = ()
    segments: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_counts(
            self.position,
            (("impressions", self.impressions, "impressions", self.impressions),
             ("clicks", self.clicks, "impressions", self.impressions)),
        )  # fmt: skip
        for name, values in (("pair", self.pair), ("ranker", self.ranker), ("segment", self.segment)):
            if values is not None and len(values) != len(self.position):
                raise InputError(f"{len(values)} values for {len(self.position)} cells", where=name)
        check_pairs(self.pair, self.query, self.query_ids, self.doc_ids)

    @classmethod
    def from_frame(cls, frame: pl.DataFrame) -> Cells:
        """Cells of a frame with columns query_id, doc_id, position, impressions, clicks, and perhaps ranker, segment.

        Rows of equal keys are added up; the order of rows does not matter. Rows that name no ranker are of one of their
        own, called `UNNAMED`, and so for segments.

        Raises:
            InputError: a column is absent, a value is missing, or the counts cannot be.
        """
        import polars as pl

        more = [name for name in ("ranker", "segment") if name in frame.columns]
        frame = frame.with_columns(frame[name].cast(pl.String).fill_null(UNNAMED) for name in more)
        found = counted(frame, ["position", *more], ["impressions", "clicks"], "cells")
        ranker, rankers = found.names("ranker") if "ranker" in more else (None, ())
        segment, segments = found.names("segment") if "segment" in more else (None, ())
        return cls(
            found.whole("pair"), found.whole("position"), found.real("impressions"), found.real("clicks"), found.query,
            ranker, segment, found.query_ids, found.doc_ids, rankers, segments,
        )  # fmt: skip

    def frame(self) -> pl.DataFrame:
        """The cells with their names, one row each.

        Raises:
            InputError: the names are not known.
        """
        import polars as pl

        columns = named(self.query, self.query_ids, self.doc_ids, self.pair)
        columns |= {"position": self.position, "impressions": self.impressions, "clicks": self.clicks}
        if self.ranker is not None:
            columns["ranker"] = pl.Series(self.rankers, dtype=pl.String).gather(self.ranker)
        if self.segment is not None:
            columns["segment"] = pl.Series(self.segments, dtype=pl.String).gather(self.segment)
        return pl.DataFrame(columns)

    def __add__(self, other: Cells) -> Cells:
        """The cells of both, matched by their names.

        Raises:
            InputError: names are not known, or only one of them knows rankers or segments.
        """
        import polars as pl

        for name in ("ranker", "segment"):
            if (getattr(self, name) is None) != (getattr(other, name) is None):
                raise InputError(
                    f"only one of two sets of cells knows the {name}", remedy=f"leave the {name} out of both"
                )
        return Cells.from_frame(pl.concat([self.frame(), other.frame()]))

    @property
    def depth(self) -> int:
        """The last position; 0 without cells."""
        return int(self.position.max()) if len(self.position) else 0

    @property
    def pairs(self) -> int:
        """How many query-document pairs there are."""
        return len(self.query)

    def where(self, kept: Bool) -> Cells:
        """The cells for which `kept`, bool[n], is true; pairs keep their numbers."""
        return replace(
            self,
            pair=self.pair[kept],
            position=self.position[kept],
            impressions=self.impressions[kept],
            clicks=self.clicks[kept],
            ranker=None if self.ranker is None else self.ranker[kept],
            segment=None if self.segment is None else self.segment[kept],
        )

    def of_segment(self, segment: int) -> Cells:
        """The cells of one segment, by its number; none where segments are not known."""
        return self.where(np.zeros(len(self.pair), bool) if self.segment is None else self.segment == segment)

    def summed(self) -> Cells:
        """One cell for each pair and position that was shown, over rankers and segments; sorted by pair, position."""
        key = self.pair * (self.depth + 1) + self.position
        kept = self.impressions > 0
        cells, at = np.unique(key[kept], return_inverse=True)
        return replace(
            self,
            pair=cells // (self.depth + 1),
            position=cells % (self.depth + 1),
            impressions=total(at, self.impressions[kept], len(cells)),
            clicks=total(at, self.clicks[kept], len(cells)),
            ranker=None,
            segment=None,
            rankers=(),
            segments=(),
        )
