"""Where documents stand in a list, as AP sees it: what a relevant one adds with each other one.

With ties averaged, a document is at each rank of its group with equal chance (McSherry & Najork, ECIR 2008): it adds
the mean of 1 / rank for each relevant document above the group, and with a relevant fellow of the group what the two
add on average over their orders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compare.lists import Places
from assay.ranking.ranking import F64, I64, Ranking


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """Some documents of a list; all three arrays have one shape.

    Args:
        rank: where each stands, or where its group of equal scores begins; 0 where it is not shown above the cutoff.
        above: what it adds for each relevant document above it.
        fellow: what it and another relevant document of its group add together.
    """

    rank: I64
    above: F64
    fellow: F64

    def each(self, change: Callable[[Any], Any]) -> Standing:
        """With every array changed alike."""
        return Standing(change(self.rank), change(self.above), change(self.fellow))

    def only(self, index: Any) -> Standing:
        """Some of the documents."""
        return self.each(lambda x: x[index])

    def shaped(self, width: int) -> Standing:
        """As tables of so many columns."""
        return self.each(lambda x: x.reshape(-1, width))

    def column(self, i: int) -> Standing:
        """One column of a table, still a table."""
        return self.each(lambda x: x[:, [i]])

    def with_each(self, other: Standing) -> F64:
        """What two relevant documents add beyond what each adds alone."""
        deeper = np.where(self.rank > other.rank, self.above, other.above)
        both = np.where(self.rank == other.rank, self.fellow, deeper)
        return np.where((self.rank > 0) & (other.rank > 0), both, 0.0)


def standing(places: Places | Ranking, cutoff: int | None) -> Standing:
    """Where documents stand: unjudged ones, or judged hits."""
    rank, first, last = places.rank, places.first, places.last
    if first is None or last is None:
        seen = rank if cutoff is None else np.where(rank <= cutoff, rank, 0)
        return Standing(seen, 1.0 / np.maximum(seen, 1), np.zeros(len(seen)))
    seen = np.where((rank > 0) & ((cutoff is None) | (first <= (cutoff or 0))), first, 0)
    end = last if cutoff is None else np.minimum(last, cutoff)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, int(last.max(initial=0)) + 1))])
    size = np.maximum(last - first + 1, 1)
    begin = np.maximum(first - 1, 0)
    inverse = np.where(seen > 0, harmonic[np.maximum(end, begin)] - harmonic[begin], 0.0)
    later = np.where(seen > 0, np.maximum(end - begin, 0) - first * inverse, 0.0)  # sum of (t - first) / t
    fellow = np.where(size > 1, 2.0 * later / (size * np.maximum(size - 1, 1)), 0.0)
    return Standing(seen, inverse / size, fellow)
