"""Average precision where only a sample of the pool was judged: infAP."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError
from assay.measures.foot import level
from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.ranking.ranking import F64, Ranking

EPSILON = 1e-5
"""Keeps the share of relevant documents defined where nothing above was judged; trec_eval's value."""


def _precisions(r: Ranking, rel: float | None) -> F64:
    """The inferred precision at each relevant hit."""
    if r.judged.pool is not None:
        raise InputError(
            "infAP reads a grade below 0 as pooled and not judged, and these were left out as if never pooled",
            remedy="pass --negative judged for infAP",
        )
    if r.is_averaged:
        return _averaged(r, rel)
    is_relevant = r.is_relevant(rel)
    is_waiting = (r.grade < 0) & ~is_relevant
    relevant = (r.so_far(is_relevant.astype(np.int64)) - is_relevant)[is_relevant]
    waiting = r.so_far(is_waiting.astype(np.int64))[is_relevant]
    rank = r.rank[is_relevant]
    pooled = rank - 1 if r.judged.unlisted == "not-relevant" else r.position()[is_relevant]
    judged = pooled - waiting
    share = (relevant + EPSILON) / (judged + 2 * EPSILON)
    return np.where(rank == 1, 1.0, 1.0 / rank + pooled / rank * share)


def _averaged(r: Ranking, rel: float | None) -> F64:
    """The same where ties are averaged: the mean of each relevant hit over all orders."""
    is_relevant = r.is_relevant(rel)
    is_waiting = (r.grade < 0) & ~is_relevant
    groups = r.groups()
    start = np.cumsum(groups.hits) - groups.hits
    found = np.add.reduceat(is_relevant, start, dtype=np.int64) if len(start) else start
    unread = np.add.reduceat(is_waiting, start, dtype=np.int64) if len(start) else start
    before = [(r.so_far(which.astype(np.int64)) - which)[start] for which in (is_relevant, is_waiting)]
    all_judged = r.judged.unlisted == "not-relevant"
    above = groups.first - 1 if all_judged else groups.before
    each = np.zeros(len(start))
    for g in np.flatnonzero(found).tolist():
        others = (groups.size[g] if all_judged else groups.hits[g]) - unread[g] - 1  # judged beside the hit itself
        each[g] = _mean_in_group(
            int(groups.first[g]), int(groups.size[g]), int(found[g]) - 1, int(others), int(unread[g]),
            int(before[0][g]), int(above[g] - before[1][g]), int(before[1][g]),
        )  # fmt: skip
    return np.repeat(each, groups.hits)[is_relevant]


def _mean_in_group(
    first: int, size: int, relevant: int, judged: int, waiting: int, relevant_above: int, judged_above: int,
    waiting_above: int,
) -> float:  # fmt: skip
    """The inferred precision at a relevant document of a group, over all of its places.

    With t of the others above it, j of these are judged (hypergeometric); of those a share is relevant, of the rest a
    share was pooled, and the precision is linear in both numbers.

    `first` and `size` are the ranks of the group; `relevant`, `judged` and `waiting` say how many of the others are
    relevant, judged at all, and pooled without judgment; the last three say the same of the groups above.
    """
    rest = size - 1
    j = np.arange(judged + 1, dtype=np.float64)
    chance = np.zeros(judged + 1)
    chance[0] = 1.0
    share = (relevant_above + j * (relevant / max(judged, 1)) + EPSILON) / (judged_above + j + 2 * EPSILON)
    total = 0.0
    for t in range(size):
        rank = first + t
        pooled = judged_above + waiting_above + j + (t - j) * (waiting / max(rest - judged, 1))
        total += 1.0 if rank == 1 else 1.0 / rank + float((chance * pooled * share).sum()) / rank
        if t < rest:
            moved = chance * (judged - j) / (rest - t)
            chance = chance - moved
            chance[1:] += moved[:-1]
    return total / size


def _steps(r: Ranking, rel: float | None = None) -> Steps:
    adds = np.zeros(len(r.rank))
    adds[r.is_relevant(rel)] = _precisions(r, rel)
    return Steps(adds, float(adds.sum()), float(r.judged.relevant(rel)[0]))


@measure(
    "infAP",
    sees="all",
    extremes="unknown",
    all_relevant=True,
    reads_pool=True,
    foot=lambda rel: (
        "precision at each relevant document, estimated from the judged part of the pool above it, summed, divided by "
        f"all relevant documents; a grade below 0 was pooled and not judged{level(rel)}"
    ),
    steps=_steps,
    says="what AP would be if the whole pool had been judged, and not a sample of it",
    blind_to=(
        "how relevant a document is",
        "documents outside the pool: they count as not relevant",
        "judgments that are no random sample of the pool: the estimate is then of nothing in particular",
    ),
    use_for="qrels of a sampled pool, which name each pooled document and give -1 to those left out. Others: AP, Bpref",
    agrees="trec_eval 9.0.8 and 10.0 infAP, ir_measures infAP",
    source="Yilmaz & Aslam, CIKM 2006, with the 0.00001 of trec_eval",
    example=Example("infAP", (0, 3, -1, "?", 1), (3, 1, 1, 0, -1)),
)
def inferred_ap(r: Ranking, rel: float | None = None) -> Values:
    """Average precision inferred from a sample of the pool, per query.

    Args:
        r: one run joined with its qrels; a grade below 0 is a document of the pool that was not judged.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.

    Raises:
        InputError: the ranking is without the grades below 0 of its judgments; `Measure.judgments` says which it needs.
    """
    return divide(r.relevant(rel).per_query(_precisions(r, rel)), r.judged.relevant(rel))
