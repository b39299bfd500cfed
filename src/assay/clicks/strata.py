"""A log whose segments look at positions differently, as one log for each: queries apart by segment, places by curve.

A query of two segments is two queries, and each of them has its documents, exposures and attractions for itself.
Nothing is then assumed of how segments compare: not that they look at position 1 as often, nor that the same attracts
them. What it costs is evidence: a document counts as known in a segment only where that segment saw it.

Places are positions of the first segment, then of the second, and so on, so that one list of propensities holds the
curves of all. Each segment has one place more than its curve, without a propensity, for what stands further down.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.clicks.aim import asked_by_position
from assay.clicks.cells import Cells
from assay.clicks.pairs import F64, I64
from assay.clicks.propensity import Propensities


@dataclass(frozen=True, eq=False)
class Curves:
    """Propensities of all segments in one list.

    Args:
        theta, df: f64[segments x slots]; NaN where not known.
        cov: f64[segments x slots, segments x slots] of log theta, 0 between segments; NaN where not known.
        slots: places of one segment.
    """

    theta: F64
    cov: F64
    df: F64
    slots: int

    def places(self, segment: I64, position: I64) -> I64:
        """i64[n], from 1: where each position, from 1, stands in the list."""
        found: I64 = segment * self.slots + np.minimum(position, self.slots)
        return found


def curves(each: Sequence[Propensities | str]) -> Curves:
    """The curves of segments, by their numbers; a segment with a reason in place of a curve knows nothing."""
    slots = max((len(one.theta) for one in each if isinstance(one, Propensities)), default=0) + 1
    theta, df = np.full(slots * len(each), np.nan), np.full(slots * len(each), np.nan)
    cov = np.full((len(theta), len(theta)), np.nan)
    for at, one in enumerate(each):
        if isinstance(one, Propensities):
            place = slice(at * slots, at * slots + len(one.theta))
            theta[place], df[place] = one.theta, one.df
            cov[place, :] = 0.0
            cov[place, place] = one.cov
    return Curves(theta, cov, df, slots)


@dataclass(frozen=True, eq=False)
class Strata:
    """Counts on which a ranking is valued, with queries apart by segment, or as they are.

    Args:
        cells: whose queries are told apart.
        seen: the same with places in place of positions.
        query_ids: the query in the log of each query of `cells`.
        segment: i64[queries of `cells`], the number of its segment; None where segments do not differ.
        segments: their names; empty where they do not differ.
        why: why each segment is left out; empty where it has a curve to be weighed by.
        slots: places of one segment; 0 where they do not differ.
    """

    cells: Cells
    seen: Cells
    query_ids: Sequence[str]
    segment: I64 | None = None
    segments: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    slots: int = 0

    def counts(self, at: int) -> bool:
        """Whether a query of `cells` is of a segment with a curve."""
        return self.segment is None or not self.why[int(self.segment[at])]

    def lists(self, lists: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
        """The ranking by the names of the queries of `cells`: the same for each segment that has a curve."""
        return {name: lists[query] for at, (name, query) in enumerate(zip(self.cells.query_ids, self.query_ids,
                                                                          strict=True))
                if query in lists and self.counts(at)}  # fmt: skip

    def knows(self, name: str) -> bool:
        """Whether that segment has a curve."""
        return not self.why[self.segments.index(name)]

    def searches(
        self, found: Mapping[tuple[str, str | None], float] | None, lists: Collection[str] | None = None
    ) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        """Searches of each query of `cells` with a curve; and by segment those of all others, and what of these counts.

        Args:
            found: searches by query, and by segment (None where these do not differ); from the most impressions that a
                position has when None.
            lists: queries whose searches count; all when None.
        """
        asked = self._asked(found)
        counts = {name: n for at, (name, n) in enumerate(zip(self.cells.query_ids, asked, strict=True))
                  if self.counts(at)}  # fmt: skip
        left: dict[str, float] = {}
        counted: dict[str, float] = {}
        for at, n in enumerate(asked):
            if not self.counts(at):
                name = self.segments[int(self.segment[at])]  # type: ignore[index] # all count where segments are none
                left[name] = left.get(name, 0.0) + n
                if lists is None or self.query_ids[at] in lists:
                    counted[name] = counted.get(name, 0.0) + n
        return counts, left, counted

    def left_out(self, found: Mapping[tuple[str, str | None], float] | None) -> set[str]:
        """Queries with searches in segments without a curve; `found` as for `searches`."""
        return {self.query_ids[at] for at, n in enumerate(self._asked(found)) if n > 0 and not self.counts(at)}

    def _asked(self, found: Mapping[tuple[str, str | None], float] | None) -> list[float]:
        """Searches of each query of `cells`."""
        if found is None:
            asked: list[float] = asked_by_position(self.cells).tolist()
            return asked
        return [found.get((query, self.segment_of(at)), 0.0) for at, query in enumerate(self.query_ids)]

    def segment_of(self, at: int) -> str | None:
        """The name of the segment of a query of `cells`; None where segments do not differ."""
        return None if self.segment is None else self.segments[int(self.segment[at])]

    def positions(self, places: I64) -> I64:
        """i64[n], from 1: positions on the page."""
        return places if self.segment is None else (places - 1) % self.slots + 1

    def by_place(self, discounts: F64) -> F64:
        """What ranks from 1 on are worth, laid out as places are."""
        if self.segment is None:
            return discounts
        one = np.zeros(self.slots)
        one[: min(len(discounts), self.slots)] = discounts[: self.slots]
        return np.tile(one, len(self.segments))


def as_they_are(cells: Cells) -> Strata:
    """One curve for all."""
    return Strata(cells, cells, cells.query_ids)


def by_strata(cells: Cells, each: Sequence[Propensities | str], against: Sequence[str] = ()) -> Strata:
    """Queries apart by segment.

    Args:
        cells: that know their segments and the names of their queries.
        each: the propensities of each segment, by its number, or why there are none.
        against: what speaks against those of each; such a segment is left out as well. None does when empty.
    """
    assert cells.segment is not None  # the caller has asked
    many = len(each)
    keys, pair = np.unique(cells.pair * many + cells.segment, return_inverse=True)
    old, segment = keys // many, keys % many
    strata, query = np.unique(cells.query[old] * many + segment, return_inverse=True)
    of_query, of_segment = strata // many, strata % many
    query_ids = [cells.query_ids[at] for at in of_query.tolist()]
    apart = replace(
        cells, pair=pair, query=query, doc_ids=[cells.doc_ids[at] for at in old.tolist()], segment=None, segments=(),
        query_ids=[f"{at} {name}" for at, name in zip(of_segment.tolist(), query_ids, strict=True)],
    )  # fmt: skip
    laid = curves(each)
    seen = replace(apart, position=laid.places(cells.segment, cells.position))
    why = tuple(one.splitlines()[0] if isinstance(one, str) else said
                for one, said in zip(each, against or [""] * many, strict=True))  # fmt: skip
    return Strata(apart, seen, query_ids, of_segment, tuple(cells.segments), why, laid.slots)
