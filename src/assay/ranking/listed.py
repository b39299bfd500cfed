"""A run as lists: every query's documents in their final order, judged or not, with the ranks of equal scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.ranking.align import Facts, align, judged
from assay.ranking.conventions import Conventions
from assay.ranking.ranking import I64
from assay.tables import Block


@dataclass(frozen=True, eq=False)
class List:
    """The list of one query.

    Args:
        docs: the documents by rank.
        first, last: the ranks that the group of equal scores of each document spans, int64 of shape (n_docs,).
    """

    docs: tuple[str, ...]
    first: I64
    last: I64


@dataclass(frozen=True, eq=False)
class Listed:
    """A run as lists.

    Args:
        lists: query id to its list, in the order of the run; a query that returned nothing has an empty one.
        left_out: (kind, rows) of what is neither organic nor included.
        dropped: later copies of a document, left out by `duplicates="keep-first"`.
        has_ties: whether some query has equal scores.
    """

    lists: dict[str, List]
    left_out: tuple[tuple[str, int], ...]
    dropped: int
    has_ties: bool


EMPTY = List((), np.zeros(0, np.int64), np.zeros(0, np.int64))


def listed(blocks: Iterable[Block], conventions: Conventions) -> Listed:
    """The lists of a whole run, ordered by the same rules as for any measure.

    Args:
        blocks: the rows of the run; see `measures.score.score`.
        conventions: order, ties, width of scores, duplicates and kinds to include.

    Raises:
        InputError: as `ranking.align.align`.
    """
    if conventions.order == "rank" and hasattr(blocks, "wants_rank"):
        blocks.wants_rank = True
    lists: dict[str, List] = {}
    facts: list[Facts] = []
    for block in blocks:
        found, fact = _listed(block, conventions)
        again = next((query for query in found if query in lists), None)
        if again is not None or fact.scattered:
            if hasattr(blocks, "whole"):
                lists, fact = _listed(blocks.whole(), conventions)
                facts = [fact]
                break
            if again is not None:
                raise InputError("a query stands in several blocks", block.name, "give each query's rows in one block")
        lists |= found
        facts.append(fact)
    if not facts:
        raise InputError("the run has no rows", getattr(blocks, "name", ""), "check that it is the right file")
    kinds: dict[str, int] = {}
    for fact in facts:
        for kind, rows in fact.left_out:
            kinds[kind] = kinds.get(kind, 0) + rows
    has_ties = any(bool(fact.first_tie.any()) for fact in facts)
    return Listed(lists, tuple(sorted(kinds.items())), sum(fact.dropped for fact in facts), has_ties)


def _listed(block: Block, conventions: Conventions) -> tuple[dict[str, List], Facts]:
    """Every row is taken as judged, so that `align` places all of them by its own rules."""
    if not len(block):
        empty = Facts(0, (), 0, 0, (), np.zeros(0, np.int64), None, False)
        return dict.fromkeys(block.empty, EMPTY), empty
    frame: Any = block.frame
    if block.is_small:
        own: Any = {"query_id": frame["query_id"], "doc_id": frame["doc_id"], "grade": [0.0] * len(block)}
    else:
        import polars as pl

        own = block.polars().select("query_id", "doc_id", pl.lit(0.0).alias("grade"))
    plain = conventions.but(negative="judged", unlisted="unjudged", rel=None)
    known = judged(Block(own, block.place, block.name), plain)
    strict = plain.but(ties="docid") if conventions.ties == "expected" else plain
    placed = align(block, known, strict, check_rank=False)
    r = placed.ranking
    first, last = r.rank, r.rank
    if placed.facts.first_tie.any():
        first, last = _groups(block, known, plain, r.judgment)
    docs: Any = known.docs
    names = [docs[i] for i in r.judgment.tolist()] if block.is_small else docs.gather(r.judgment).to_list()
    bounds = np.searchsorted(r.query, np.arange(known.n + 1)).tolist()
    by_code = {
        query: List(tuple(names[low:high]), first[low:high], last[low:high])
        for query, low, high in zip(known.queries, bounds[:-1], bounds[1:], strict=True)
    }
    order = list(dict.fromkeys(frame["query_id"])) if block.is_small else frame["query_id"].unique(maintain_order=True)
    lists = {query: by_code[query] for query in order}
    return lists | dict.fromkeys((q for q in block.empty if q not in lists), EMPTY), placed.facts


def _groups(block: Block, known: Any, conventions: Conventions, judgment: I64) -> tuple[I64, I64]:
    """The ranks that the group of each document spans, for the documents in another order."""
    tied = align(block, known, replace(conventions, ties="expected"), check_rank=False).ranking
    assert tied.first is not None
    assert tied.last is not None
    first, last = np.zeros(len(known.grade), np.int64), np.zeros(len(known.grade), np.int64)
    first[tied.judgment], last[tied.judgment] = tied.first, tied.last
    return first[judgment], last[judgment]
