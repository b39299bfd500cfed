"""How often judged documents stand in the wrong order: Bpref, for incomplete judgments."""

from __future__ import annotations

import numpy as np

from assay.measures.foot import level
from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.ranking.ranking import F64, Ranking


def _upto(x: F64, limit: F64) -> F64:
    """Sum of min(i, limit) over i = 0..x; 0 for x = -1."""
    low = np.minimum(x, limit)
    total: F64 = low * (low + 1) / 2 + (x - low) * limit
    return total


def _above(r: Ranking, rel: float | None) -> tuple[F64, F64]:
    """For each relevant hit: the non-relevant documents in the groups above its own, and those in its group."""
    hits = r.relevant(rel)
    if not r.is_averaged:
        before = hits.rank - 1 if r.judged.unlisted == "not-relevant" else r.position()[r.is_relevant(rel)]
        return (before - hits.position()).astype(np.float64), np.zeros(len(before))
    groups, relevant = r.groups(), hits.groups()
    if r.judged.unlisted == "not-relevant":
        above, inside = relevant.first - 1 - relevant.before, relevant.size - relevant.hits
    else:
        at = np.searchsorted(groups.query * 2**40 + groups.first, relevant.query * 2**40 + relevant.first)
        above, inside = groups.before[at] - relevant.before, groups.hits[at] - relevant.hits
    return np.repeat(above, relevant.hits).astype(np.float64), np.repeat(inside, relevant.hits).astype(np.float64)


def _worth(r: Ranking, rel: float | None) -> F64:
    """What each relevant hit adds: 1 less the share of non-relevant documents above it.

    Among the non-relevant documents of its group of ties a relevant one stands anywhere with equal chance: the mean
    of min(above + i, R) over i = 0..inside.
    """
    query = r.relevant(rel).query
    relevant = r.judged.relevant(rel).astype(np.float64)[query]
    bound = relevant  # any number of documents is not relevant where absent pairs are: min(R, N) is R
    if r.judged.unlisted != "not-relevant":
        bound = np.minimum(r.judged.nonrelevant(rel)[query], relevant)
    above, inside = _above(r, rel)
    if r.is_averaged:
        missed = (_upto(above + inside, relevant) - _upto(above - 1, relevant)) / (inside + 1)
    else:
        missed = np.minimum(above, relevant)
    return 1.0 - divide(missed, bound, otherwise=0.0)


def _steps(r: Ranking, rel: float | None = None) -> Steps:
    adds = np.zeros(len(r.rank))
    adds[r.is_relevant(rel)] = _worth(r, rel)
    return Steps(adds, float(adds.sum()), float(r.judged.relevant(rel)[0]))


@measure(
    "Bpref",
    sees="all",
    extremes="relevant",
    foot=lambda rel: (
        "for each relevant document, 1 less the share of judged non-relevant ones above it (of at most R), "
        "divided by all relevant documents" + level(rel)
    ),
    steps=_steps,
    says="how often relevant documents stand above those judged not relevant",
    blind_to=("documents that nobody judged", "how relevant a document is", "how far apart two documents stand"),
    use_for="old collections run with new systems, where much is unjudged. Complete judgments: AP",
    agrees="trec_eval 10.0 bpref",
    source="Buckley & Voorhees, SIGIR 2004, with the bound min(R, N) of trec_eval 8 and later",
    example=Example("Bpref", (0, 3, "?", 2, 0), (3, 2, 1, 0, 0)),
)
def bpref(r: Ranking, rel: float | None = None) -> Values:
    """Share of judged non-relevant documents that stand below each relevant one, per query.

    Args:
        r: one run joined with its qrels.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    return divide(r.relevant(rel).per_query(_worth(r, rel)), r.judged.relevant(rel))
