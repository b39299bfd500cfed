"""Where the first relevant document stands: RR, RankOfFirst."""

from __future__ import annotations

import numpy as np

from assay.measures.foot import condensed, level, within
from assay.measures.measure import Example, Steps, Values, measure
from assay.ranking.ranking import F64, Groups, Ranking


def _first_groups(hits: Ranking) -> Groups:
    """The group of ties of each query that holds its first relevant document."""
    groups = hits.groups()
    return groups.only(groups.before == 0)


def _expected_reciprocal(first: Groups, cutoff: int | None) -> F64:
    """Mean of 1 / rank of the first relevant document over all orders of its group (McSherry & Najork, ECIR 2008).

    With m relevant among g documents it is the i-th of the group with probability
    m/g for i = 0, and (g - m - i) / (g - i - 1) times the one before for i + 1.
    """
    chance = first.hits / first.size
    value = np.zeros(len(chance))
    deepest = first.size - first.hits
    if cutoff is not None:
        deepest = np.minimum(deepest, cutoff - first.first)
    active = np.arange(len(chance))
    for step in range(int(deepest.max(initial=-1)) + 1):
        active = active[deepest[active] >= step]
        value[active] += chance[active] / (first.first[active] + step)
        size = first.size[active]
        chance[active] *= (size - first.hits[active] - step) / np.maximum(size - step - 1, 1)
    return value


def _shared(r: Ranking, rel: float | None, value: float) -> F64:
    """The value of a ranking of one query by document, where ties are averaged.

    The first relevant document is in the highest group that holds one, and each of that group is it as often.
    """
    relevant = r.is_relevant(rel)
    start = r.rank if r.first is None else r.first
    among = relevant & (start == start[relevant].min(initial=np.iinfo(np.int64).max))
    return np.where(among, value / max(int(among.sum()), 1), 0.0)


def _foot(cutoff: int | None, rel: float | None, judged_only: bool) -> str:
    inside = "" if cutoff is None else f" {within(cutoff)}"
    return f"1 / rank of the first relevant document{inside}, 0 without one{level(rel)}{condensed(judged_only)}"


def _steps(r: Ranking, cutoff: int | None = None, rel: float | None = None, judged_only: bool = False) -> Steps:
    value = float(reciprocal_rank(r, cutoff, rel, judged_only)[0])
    r = r.condensed() if judged_only else r
    if r.is_averaged:
        return Steps(_shared(r, rel, value), value)
    relevant = r.is_relevant(rel) & (r.within(cutoff) > 0)
    is_first = relevant & (np.cumsum(relevant) == 1)
    rank = r.rank[is_first]
    return Steps(np.where(is_first, 1.0 / r.rank, 0.0), value, written=f"1 / {rank[0]}" if len(rank) else "")


@measure(
    "RR",
    sees="first",
    extremes="relevant",
    foot=_foot,
    steps=_steps,
    says="how soon the reader meets the first relevant document",
    blind_to=(
        "everything after the first relevant document",
        "how relevant it is",
        "documents that nobody judged (read Judged@10 beside it)",
    ),
    use_for="known items and questions with one right answer. Several good answers: nDCG",
    agrees="trec_eval 10.0 recip_rank; RR@10 as MS MARCO's MRR@10 but for ties",
    source="Kantor & Voorhees, TREC-5, 1996; Voorhees, TREC-8 question answering, 1999",
    example=Example("RR", (0, "?", 2, 1), (2, 1, 0)),
)
def reciprocal_rank(
    r: Ranking, cutoff: int | None = None, rel: float | None = None, judged_only: bool = False
) -> Values:
    """One divided by the rank of the first relevant document, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; 0 where no relevant document was returned.
    """
    r = r.condensed() if judged_only else r
    hits = r.relevant(rel).top(cutoff)
    value = np.zeros(r.n)
    if r.is_averaged:
        first = _first_groups(hits)
        value[first.query] = _expected_reciprocal(first, cutoff)
    else:
        heads = np.flatnonzero(hits.position() == 0)
        value[hits.query[heads]] = 1.0 / hits.rank[heads]
    return value


def _rank_steps(r: Ranking, rel: float | None = None, judged_only: bool = False) -> Steps:
    value = float(rank_of_first(r, rel, judged_only)[0])
    r = r.condensed() if judged_only else r
    if r.is_averaged:
        return Steps(_shared(r, rel, 0.0 if np.isnan(value) else value), value)
    relevant = r.is_relevant(rel)
    return Steps(np.where(relevant & (np.cumsum(relevant) == 1), r.rank, 0.0), value)


@measure(
    "RankOfFirst",
    sees="first",
    best="low",
    extremes="relevant",
    foot=lambda rel, judged_only: (
        f"rank of the first relevant document, n/a without one{level(rel)}{condensed(judged_only)}"
    ),
    steps=_rank_steps,
    range="1 to the length of the list",
    says="how far the reader must go to the first relevant document",
    blind_to=("everything after the first relevant document", "queries where none was returned: they have no value"),
    use_for="reading one query beside another. Means: RR, HitRate, since a missing document has no rank",
    undefined="n/a when no relevant document was returned; counted, not averaged",
    agrees="1 / trec_eval 10.0 recip_rank where that is above 0",
    source="Voorhees, TREC-8 question answering, 1999",
    example=Example("RankOfFirst", (0, "?", 2, 1), (2, 1, 0)),
)
def rank_of_first(r: Ranking, rel: float | None = None, judged_only: bool = False) -> Values:
    """Rank of the first relevant document, per query.

    Args:
        r: one run joined with its qrels.
        rel: the lowest relevant grade; None leaves it to the judgments.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), at least 1; NaN where no relevant document was returned.
    """
    r = r.condensed() if judged_only else r
    first = _first_groups(r.relevant(rel))
    value = np.full(r.n, np.nan)
    # m relevant among g: the first of them is expected (g - m) / (m + 1) places below the top of the group
    value[first.query] = first.first + (first.size - first.hits) / (first.hits + 1)
    return value
