"""What is to be valued from a log, on the counts of the log: the discounts of a ranking, and how documents were seen.

A ranking is worth, for each search, the sum over its documents of discount(rank) times attraction. How often a document
was looked at, for each search of its query, is its exposure: the mean over all those searches of the propensity of the
position where it stood, 0 where it was not shown. Averaged so, it is right for logs of several rankers, too.

Source: Joachims, Swaminathan and Schnabel, Unbiased learning-to-rank with biased feedback, WSDM 2017 (propensities of
positions); Oosterhuis and de Rijke, Policy-aware unbiased learning to rank for top-k rankings, SIGIR 2020 (exposure).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.clicks.cells import Bool, Cells
from assay.clicks.pairs import F64, I64, total
from assay.errors import SHOWN, InputError, NotEnoughEvidence


@dataclass(frozen=True, eq=False)
class Aim:
    """The ranking to be valued, as discounts of the pairs of a log.

    Args:
        discount: f64[pairs], what the attraction of each pair is multiplied by; 0 where the ranking does not have it.
        unseen: f64[queries], the sum of the discounts of documents that the log never showed for the query.
        holes: i64[queries], how many documents these are.
        searches: f64[queries], searches of each query that count; 0 for queries that the ranking does not have.
        all_searches: how many the log has, of any query.
        ranks: discounts of the first ranks, for the ideal order; empty where none is needed.
    """

    discount: F64
    unseen: F64
    holes: I64
    searches: F64
    all_searches: float
    ranks: F64

    @property
    def n(self) -> float:
        """Searches that count."""
        return float(self.searches.sum())

    @property
    def has_ideal(self) -> bool:
        """Whether the sum of each query is divided by that of its best order."""
        return len(self.ranks) > 0


def aim(
    cells: Cells,
    lists: Mapping[str, Sequence[str]],
    discounts: F64,
    *,
    is_ideal: bool = False,
    searches: Mapping[str, float] | None = None,
    absent_count: bool = False,
    names: tuple[Iterable[str], Iterable[str]] | None = None,
) -> Aim:
    """A ranking on the pairs of cells.

    Args:
        cells: with the names of queries and documents.
        lists: query to its documents from the top, each once.
        discounts: f64[cutoff], of ranks 1, 2, ...; ranks below count nothing.
        is_ideal: whether each query is divided by the best order of what the log has for it.
        searches: searches of each query; by default the most impressions that any position has, as every search shows
            one document at a position.
        absent_count: whether searches of queries that the ranking does not have count, with 0.
        names: of queries, of the ranking and of the log, for a message; those of `lists` and `cells` when None.

    Raises:
        InputError: cells do not know their names, or a document stands twice in a list.
        NotEnoughEvidence: no query of the ranking was ever asked.
    """
    if len(cells.doc_ids) != cells.pairs or not len(cells.query_ids):
        raise InputError("these counts do not know the names of their queries and documents", "cells",
                         "give query_ids and doc_ids")  # fmt: skip
    queries = len(cells.query_ids)
    asked = asked_by_position(cells) if searches is None else np.array([searches.get(q, 0.0) for q in cells.query_ids])
    counts = np.array([query in lists for query in cells.query_ids], bool)
    places = {(int(cells.query[at]), cells.doc_ids[at]): at for at in np.flatnonzero(counts[cells.query]).tolist()}
    discount, unseen, holes = np.zeros(cells.pairs), np.zeros(queries), np.zeros(queries, np.int64)
    for number in np.flatnonzero(counts).tolist():
        query = cells.query_ids[number]
        docs = lists[query]
        if len(set(docs)) < len(docs):
            raise InputError("a document stands twice in a list", f"query {query}", "leave the second one out")
        for doc, worth in zip(docs, discounts.tolist(), strict=False):
            at = places.get((number, doc))
            if at is None:
                unseen[number] += worth
                holes[number] += worth > 0
            else:
                discount[at] = worth
    if not counts.any() or not asked[counts].sum():
        ours, theirs = (", ".join(map(repr, sorted(ids)[:SHOWN])) for ids in names or (lists, cells.query_ids))
        what = f"no query of the ranking was asked in the log: the ranking has {ours}, the log {theirs}"
        raise NotEnoughEvidence(f"{what}\n    mend: write the ids of queries as the log does")
    kept = asked if absent_count else np.where(counts, asked, 0.0)
    ranks = np.asarray(discounts, np.float64) if is_ideal else np.zeros(0)
    return Aim(discount, unseen, holes, kept, float(asked.sum()), ranks)


def asked_by_position(cells: Cells) -> F64:
    """f64[queries]: the most impressions that one position has."""
    queries, depth = len(cells.query_ids), cells.depth
    at = cells.query[cells.pair] * depth + cells.position - 1
    found: F64 = total(at, cells.impressions, queries * depth).reshape(queries, depth).max(1, initial=0)
    return found


@dataclass(frozen=True, eq=False)
class Seen:
    """How often each pair was looked at and clicked, at positions with a propensity.

    Args:
        cells: one for each pair and position, of queries that count.
        theta: f64[K], propensities.
        examined: f64[pairs], impressions times propensity; 0 where never shown, or only where nothing is known.
        clicks: f64[pairs].
        searches: f64[pairs], those of the pair's query.
        unknown: impressions at positions without a propensity.
    """

    cells: Cells
    theta: F64
    examined: F64
    clicks: F64
    searches: F64
    unknown: float

    @property
    def query(self) -> I64:
        """i64[pairs]."""
        return self.cells.query

    @property
    def is_supported(self) -> Bool:
        """bool[pairs]: whether anything is known of it."""
        return self.examined > 0

    @property
    def exposure(self) -> F64:
        """f64[pairs]: the chance that a search of the query looks at it."""
        return np.divide(self.examined, self.searches, out=np.zeros(len(self.examined)), where=self.searches > 0)

    @property
    def attraction(self) -> F64:
        """f64[pairs]: clicks by examinations; 0 where not supported."""
        return np.divide(self.clicks, self.examined, out=np.zeros(len(self.examined)), where=self.examined > 0)

    def at_cells(self) -> F64:
        """f64[cells]: the propensity of each cell's position."""
        return self.theta[self.cells.position - 1]


def seen(cells: Cells, theta: F64, aimed: Aim) -> Seen:
    """What a log says of the documents of queries that count.

    Args:
        cells: as `aim` was given.
        theta: f64[any], propensity of each position; NaN, or no value, where it is not known.
        aimed: what counts.

    Raises:
        InputError: a propensity is not above 0.
    """
    if (theta[~np.isnan(theta)] <= 0).any():
        at = int(np.flatnonzero(theta <= 0)[0]) + 1
        raise InputError(f"a propensity of {theta[at - 1]:g}", f"position {at}",
                         "leave positions out that nobody looks at: a click there would weigh without end")  # fmt: skip
    longer = np.full(max(cells.depth, len(theta)), np.nan)
    longer[: len(theta)] = theta
    counts = aimed.searches[cells.query][cells.pair] > 0
    known = ~np.isnan(longer[cells.position - 1])
    unknown = float(cells.impressions[counts & ~known].sum())
    one = cells.where(counts & known).summed()
    examined = total(one.pair, one.impressions * longer[one.position - 1], one.pairs)
    return Seen(one, longer, examined, total(one.pair, one.clicks, one.pairs), aimed.searches[cells.query], unknown)


def rel_hat(cells: Cells, theta: F64) -> F64:
    """f64[pairs]: clicks, each divided by the propensity of its position: a click at p = 0.16 weighs 6.25.

    Args:
        cells: the clicks.
        theta: f64[K], at least as many as positions with a click.
    """
    return total(cells.pair, cells.clicks / theta[cells.position - 1], cells.pairs)
