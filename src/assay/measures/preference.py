"""How often judged documents stand in the wrong order: Bpref, for incomplete judgments."""

from __future__ import annotations

import numpy as np

from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.ranking.ranking import F64, Ranking, position_in_group


def _upto(x: F64, limit: F64) -> F64:
    """Sum of min(i, limit) over i = 0..x; 0 for x = -1."""
    low = np.minimum(x, limit)
    total: F64 = low * (low + 1) / 2 + (x - low) * limit
    return total


def _worth(r: Ranking, rel: float | None) -> F64:
    """What each hit adds: for a relevant one, 1 less the share of judged non-relevant documents above it."""
    is_relevant = r.is_relevant(rel)
    relevant = r.judged.relevant(rel).astype(np.float64)[r.query]
    if r.judged.unlisted == "not-relevant":
        nonrelevant = relevant  # any number of them: the bound min(R, N) is R
    else:
        nonrelevant = r.judged.nonrelevant(rel).astype(np.float64)[r.query]
    groups = r.groups()
    group = np.repeat(np.arange(len(groups.query)), groups.hits)
    found = np.bincount(group, is_relevant, minlength=len(groups.query))  # relevant in each group of ties
    so_far = r.so_far(is_relevant.astype(np.int64))
    start = np.cumsum(groups.hits) - groups.hits
    relevant_above = (so_far - is_relevant)[start]
    if r.judged.unlisted == "not-relevant":
        above = (groups.first - 1 - relevant_above).astype(np.float64)
        inside = groups.size - found
    else:
        above = (position_in_group(r.query)[start] - relevant_above).astype(np.float64)
        inside = groups.hits - found
    # Among the judged non-relevant documents of its group a relevant one stands anywhere with equal chance: the
    # mean of min(above + i, R) over i = 0..inside.
    above, inside = above[group], inside[group]
    missed = (_upto(above + inside, relevant) - _upto(above - 1, relevant)) / (inside + 1)
    bound = np.minimum(nonrelevant, relevant)
    return np.where(is_relevant, 1.0 - divide(missed, bound, otherwise=0.0), 0.0)


def _steps(r: Ranking, rel: float | None = None) -> Steps:
    adds = _worth(r, rel)
    return Steps(adds, float(adds.sum()), float(r.judged.relevant(rel)[0]))


@measure(
    "Bpref",
    sees="all",
    extremes="relevant",
    all_relevant=True,
    foot=lambda rel: (
        "for each relevant document, 1 less the share of judged non-relevant ones above it (of at most R), "
        "divided by all relevant documents" + ("" if rel is None else f", grade >= {rel:g} is relevant")
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
    return divide(r.per_query(_worth(r, rel)), r.judged.relevant(rel))
