"""How much a list looks like the best possible one: Compat, rank-biased overlap with the nearest ideal ranking."""

from __future__ import annotations

import numpy as np

from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.measures.parameter import Between
from assay.ranking.ranking import F64, I64, Ranking

ABOVE_0 = float(np.nextafter(0.0, 1.0))
"""The level that every grade above 0 reaches, whatever the judgments call relevant."""


def _tail(p: float, deepest: int) -> F64:
    """tail[m]: p^(d-1) / d summed over d = m + 1..deepest, m = 0..deepest."""
    depth = np.arange(1, deepest + 1, dtype=np.float64)
    steps = np.power(p, depth - 1) / depth
    return np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])


def _good(r: Ranking) -> Ranking:
    return r.relevant(ABOVE_0)


def _better(r: Ranking, hits: Ranking) -> I64:
    """For each hit, how many judged documents of its query have a higher grade."""
    levels = np.unique(r.judged.grade[r.judged.grade > 0])
    above = np.zeros((len(levels) + 1, r.n), np.int64)
    for at in range(len(levels) - 1, -1, -1):
        above[at] = above[at + 1] + np.bincount(r.judged.query[r.judged.grade == levels[at]], minlength=r.n)
    return above[np.searchsorted(levels, hits.grade) + 1, hits.query]


def _among_equals(hits: Ranking) -> I64:
    """How many hits of the same query and grade stand above each hit."""
    order = np.lexsort((np.arange(len(hits.rank)), hits.grade, hits.query))
    query, grade = hits.query[order], hits.grade[order]
    begins = np.concatenate([[True], (query[1:] != query[:-1]) | (grade[1:] != grade[:-1])])[: len(order)]
    start = np.flatnonzero(begins)
    place = np.arange(len(order)) - np.repeat(start, np.diff(np.append(start, len(order))))
    back = np.empty(len(order), np.int64)
    back[order] = place
    return back


def _depth(r: Ranking) -> I64:
    """Where the comparison ends: at the end of the list or of the ideal one, whichever is longer."""
    return np.maximum(r.returned, r.judged.relevant(ABOVE_0))


def _adds(r: Ranking, hits: Ranking, p: float) -> F64:
    """What each good hit adds to the overlaps: it is in both lists from some depth on.

    In the ideal list that is nearest to the run, documents of one grade stand in the run's order, so the j-th of them
    there is the j-th of them in the run.
    """
    end = _depth(r)
    tail = _tail(p, int(end.max(initial=0)))
    ideal = _better(r, hits) + _among_equals(hits) + 1
    end_of = tail[end][hits.query]
    if not hits.is_averaged:
        return tail[np.maximum(hits.rank, ideal) - 1] - end_of  # type: ignore[no-any-return] # float64
    return _averaged(hits, ideal, tail) - end_of


def _averaged(hits: Ranking, ideal: I64, tail: F64) -> F64:
    """The mean over all orders of equal scores.

    The i-th of m documents of one grade among g stands at place t with chance C(t-1, i-1) C(g-t, m-i) / C(g, m).
    """
    groups = hits.groups()
    adds = tail[np.maximum(hits.rank, ideal) - 1]
    log = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, int(groups.size.max(initial=0)) + 1)))])
    start = np.cumsum(groups.hits) - groups.hits
    tied = np.flatnonzero(groups.size > 1)
    for begin, count, first, g in zip(
        start[tied].tolist(), groups.hits[tied].tolist(), groups.first[tied].tolist(), groups.size[tied].tolist(),
        strict=True,
    ):  # fmt: skip
        grades = hits.grade[begin : begin + count]
        for grade in np.unique(grades):
            which = begin + np.flatnonzero(grades == grade)
            m = len(which)
            for i, hit in enumerate(which.tolist(), 1):
                t = np.arange(i, g - m + i + 1)
                chance = np.exp(
                    log[t - 1] - log[i - 1] - log[t - i] + log[g - t] - log[m - i] - log[g - t - m + i]
                    - log[g] + log[m] + log[g - m]
                )  # fmt: skip
                adds[hit] = float((chance * tail[np.maximum(first + t - 1, ideal[hit]) - 1]).sum())
    return adds  # type: ignore[no-any-return] # float64


def _divisor(r: Ranking, p: float, normalize: bool) -> F64:
    """The overlaps of the ideal list with itself, or what a perfect overlap at every depth would give."""
    end = _depth(r)
    if not normalize:
        return (1.0 - np.power(p, end)) / (1.0 - p)
    deepest = int(end.max(initial=0))
    tail = _tail(p, deepest)
    good = r.judged.relevant(ABOVE_0)
    return np.concatenate([[0.0], np.cumsum(tail[:deepest])])[good] - good * tail[end]


def _steps(r: Ranking, p: float = 0.95, normalize: bool = True) -> Steps:
    hits = _good(r)
    each = _adds(r, hits, p)
    if hits.first is not None:  # documents of one score and grade are each of their places as often
        _, kind = np.unique(np.stack([hits.first.astype(np.float64), hits.grade]), axis=1, return_inverse=True)
        each = (np.bincount(kind.ravel(), each) / np.bincount(kind.ravel()))[kind.ravel()] if len(each) else each
    adds = np.zeros(len(r.rank))
    adds[r.grade > 0] = each
    return Steps(adds, float(adds.sum()), float(_divisor(r, p, normalize)[0]))


@measure(
    "Compat",
    sees="all",
    needs="gain",
    extremes="unknown",
    limits={"p": Between(0.0, 1.0, ends=False)},
    shows=("p",),
    all_relevant=True,
    grades=True,
    foot=lambda p, normalize: (
        f"rank-biased overlap (p {p:g}) with the best order of all documents with a grade above 0, equal grades in the "
        "order of the run, down to the end of the longer of the two"
        f"{', divided by that of the best order with itself' if normalize else ''}"
    ),
    steps=_steps,
    says="how much the list looks like the best one that the judgments allow",
    blind_to=(
        "how much better one grade is than another: only their order counts",
        "documents that nobody judged (read Judged@10 beside it)",
    ),
    use_for="preference judgments, and grades that are an order and no amounts. Amounts: nDCG",
    undefined="n/a when a query has no document with a positive grade; counted, not averaged",
    agrees="ir_measures 0.4.3 Compat but for ties",
    source="Clarke, Vtyurina & Smucker, TOIS 39(3), 2021; the overlap: Webber, Moffat & Zobel, TOIS 28(4), 2010",
    example=Example("Compat(p=0.9)", (2, "?", 3, 1), (3, 2, 1, 0)),
)
def compatibility(r: Ranking, p: float = 0.95, normalize: bool = True) -> Values:
    """Rank-biased overlap of the list with the nearest ideal ranking, per query.

    The overlap is summed down to the end of the list or of the ideal ranking, whichever is longer.

    Args:
        r: one run joined with its qrels; documents with a grade above 0 form the ideal ranking.
        p: how far down the reader looks, between 0 and 1: 0.9 is about ten ranks, 0.95 about twenty.
        normalize: divides by the value of the ideal ranking, since a short one cannot reach 1.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document has a grade above 0.
    """
    hits = _good(r)
    good = r.judged.relevant(ABOVE_0)
    values = divide(hits.per_query(_adds(r, hits, p)), _divisor(r, p, normalize))
    return np.where(good > 0, np.minimum(values, 1.0), np.nan)
