"""The documents behind a comparison: the first of each list as they are kept, and those that no first stage brought."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.compare.comparison import Lists
from assay.ranking.ranking import I64
from assay.ranking.shown import Shown


def first_documents(shown: Shown, depth: int, run: str) -> Lists:
    """The first documents of each judged query in their final order, the unjudged ones among them.

    Args:
        shown: the run with its unjudged documents, at least as deep.
        depth: how many of each query.
        run: what the run is called.
    """
    hits = shown.ranking
    judged, unjudged = np.flatnonzero(hits.rank <= depth), np.flatnonzero(shown.rank <= depth)
    query = np.concatenate([hits.query[judged], shown.query[unjudged]])
    rank = np.concatenate([hits.rank[judged], shown.rank[unjudged]])
    grade = np.concatenate([hits.grade[judged], np.full(len(unjudged), np.nan)])
    docs = taken(hits.judged.docs, hits.judgment[judged]) + [shown.docs[i] for i in unjudged.tolist()]
    order = np.lexsort((rank, query))
    start = np.concatenate([[0], np.bincount(query, minlength=hits.n).cumsum()]).astype(np.int64)
    return Lists(run, depth, start, np.array([docs[i] for i in order.tolist()], dtype=np.str_), grade[order])


def outside(final: Shown, firsts: Sequence[tuple[Shown, int | None]]) -> I64:
    """Documents of the final list of each query that no first stage brought within its depth, int64 of shape (n,).

    Args:
        final: the final run, with all of its unjudged documents.
        firsts: (run, depth) of each first stage, with its unjudged documents down to that depth.
    """
    hits = final.ranking
    brought = np.concatenate([first.ranking.top(depth).judgment for first, depth in firsts])
    alone = ~np.isin(hits.judgment, brought)
    counts = np.bincount(hits.query[alone], minlength=hits.n)
    there = {
        (query, doc)
        for first, depth in firsts  # of equal scores across the depth any may have been read
        for query, rank, doc in zip(
            first.query.tolist(), (first.rank if first.first is None else first.first).tolist(), first.docs, strict=True
        )
        if depth is None or rank <= depth
    }
    for query, doc in zip(final.query.tolist(), final.docs, strict=True):
        counts[query] += (query, doc) not in there
    return counts.astype(np.int64)


def taken(docs: Any, index: I64) -> list[str]:
    """Some of the judged documents' ids."""
    return [docs[i] for i in index.tolist()] if isinstance(docs, list) else list(docs.gather(index).to_list())
