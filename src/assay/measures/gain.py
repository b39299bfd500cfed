"""Gains of grades, summed, discounted by rank and divided by the best possible: CG, DCG, IDCG, nDCG."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.measures.foot import condensed
from assay.measures.measure import Example, Steps, Values, measure, with_gain
from assay.ranking.discounts import WRITTEN, DiscountName, Gain, GainMap, discount_function, gain_function
from assay.ranking.ranking import F64, Ranking

Ideal = Literal["judged", "returned"]

EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (3, 2, "?")
EXAMPLE_JUDGED: tuple[float, ...] = (3, 3, 2, 0)


def _gain_words(gain: Gain) -> str:
    if isinstance(gain, GainMap):
        return f"gain {gain} of grades"
    return "linear gain" if gain == "linear" else "gain 2^grade - 1"


def _foot(
    cutoff: int | None, gain: Gain, discount: str = "none", ideal: str = "", judged_only: bool = False, what: str = ""
) -> str:
    parts = [_gain_words(gain)]
    if discount != "none":
        parts.append(WRITTEN[discount] if discount == "log2" else f"divided by {WRITTEN[discount]}")
    elif ideal:
        parts.append("no discount")
    if ideal:
        whose = "all judged" if ideal == "judged" else "the returned"
        parts.append(f"ideal over {whose} documents" + ("" if cutoff is None else f" cut at {cutoff}"))
    else:
        parts.append(what + ("" if cutoff is None else f" over the first {cutoff}"))
    return ", ".join(parts) + condensed(judged_only)


def _sum(r: Ranking, cutoff: int | None, gain: Gain, discount: str) -> F64:
    hits = r.top(cutoff)
    return hits.per_query(gain_function(gain)(hits.grade) * hits.weighted(discount_function(discount), cutoff))


def _sum_steps(r: Ranking, cutoff: int | None, gain: Gain, discount: str) -> Steps:
    worth, weight = gain_function(gain)(r.grade), r.weighted(discount_function(discount), cutoff)
    return Steps(worth * weight, float((worth * weight).sum()), gain=worth, discount=weight)


def _best(r: Ranking, cutoff: int | None, gain: Gain, discount: str, ideal: str) -> F64:
    worth, weight = gain_function(gain), discount_function(discount)
    return (r.judged if ideal == "judged" else r).best_sum(worth, weight, cutoff)


def _best_order(r: Ranking, cutoff: int | None, gain: Gain, discount: str, ideal: str) -> tuple[F64, F64, F64]:
    """Grade, gain and discount of each document of the best order of one query."""
    grade = r.judged.grade if ideal == "judged" else r.grade
    worth = gain_function(gain)(grade)
    order = np.lexsort((-grade, -worth))[:cutoff]
    return grade[order], worth[order], discount_function(discount)(np.arange(1, len(order) + 1, dtype=np.float64))


def _cg_steps(r: Ranking, cutoff: int | None = None, gain: Gain = "linear", judged_only: bool = False) -> Steps:
    return _sum_steps(r.condensed() if judged_only else r, cutoff, gain, "none")


@measure(
    "CG",
    sees="no",
    needs="gain",
    extremes="gain",
    grades=True,
    range="0 to the sum of all gains",
    foot=lambda cutoff, gain, judged_only: _foot(cutoff, gain, judged_only=judged_only, what="summed"),
    steps=_cg_steps,
    says="how much the first k are worth together",
    blind_to=("the order inside the first k", "how much there was to find"),
    use_for="checking one list by hand. Means over queries: nDCG, since queries with more good documents weigh more",
    undefined="n/a when a query has no document with a positive gain; counted, not averaged",
    agrees="scikit-learn dcg_score without its discount",
    source="Järvelin & Kekäläinen, SIGIR 2000",
    example=Example("CG@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def cg(r: Ranking, cutoff: int | None = None, gain: Gain = "linear", judged_only: bool = False) -> Values:
    """Sum of the gains of the first k documents, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        gain: "linear" is the grade, "exp" 2**grade - 1, or a map of grades to gains.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), at least 0.
    """
    return _sum(r.condensed() if judged_only else r, cutoff, gain, "none")


def _dcg_steps(
    r: Ranking,
    cutoff: int | None = None,
    gain: Gain = "linear",
    discount: DiscountName = "log2",
    judged_only: bool = False,
) -> Steps:
    return _sum_steps(r.condensed() if judged_only else r, cutoff, gain, discount)


@measure(
    "DCG",
    sees="all",
    needs="gain",
    extremes="gain",
    grades=True,
    range="0 to that of the best order",
    foot=lambda cutoff, gain, discount, judged_only: _foot(cutoff, gain, discount, "", judged_only, "summed"),
    steps=_dcg_steps,
    says="how much the first k are worth together when lower ranks count less",
    blind_to=("how much there was to find", "documents that nobody judged (no gain: read Judged@10 beside it)"),
    use_for="checking one list by hand. Means over queries: nDCG, since queries with more good documents weigh more",
    undefined="n/a when a query has no document with a positive gain; counted, not averaged",
    agrees="scikit-learn dcg_score; trec_eval 10.0 dcg",
    source="Järvelin & Kekäläinen, TOIS 20(4), 2002, log2(rank + 1); gain=exp as in Burges et al., ICML 2005",
    example=Example("DCG@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def dcg(
    r: Ranking,
    cutoff: int | None = None,
    gain: Gain = "linear",
    discount: DiscountName = "log2",
    judged_only: bool = False,
) -> Values:
    """Sum of the gains of the first k documents, each divided by its discount, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        gain: "linear" is the grade, "exp" 2**grade - 1, or a map of grades to gains.
        discount: divides by log2(rank + 1) ("log2"), the rank ("zipf"), max(1, log2(rank)) ("jarvelin") or 1 ("none").
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), at least 0.
    """
    return _sum(r.condensed() if judged_only else r, cutoff, gain, discount)


def _idcg_steps(
    r: Ranking,
    cutoff: int | None = None,
    gain: Gain = "linear",
    discount: DiscountName = "log2",
    ideal: Ideal = "judged",
) -> Steps:
    value = float(_best(r, cutoff, gain, discount, ideal)[0])
    order = _best_order(r, cutoff, gain, discount, ideal)
    return Steps(np.zeros(len(r.rank)), value, ideal=order)


@measure(
    "IDCG",
    sees="no",
    needs="gain",
    extremes="gain",
    all_relevant=True,
    grades=True,
    best="neither",
    range="0 or more",
    foot=lambda cutoff, gain, discount, ideal: _foot(cutoff, gain, discount, ideal),
    steps=_idcg_steps,
    says="how much the best order of what is judged would be worth",
    blind_to=("the run, unless ideal=returned",),
    use_for="checking an nDCG by hand",
    undefined="n/a when a query has no document with a positive gain; counted, not averaged",
    agrees="trec_eval 10.0 ideal_dcg",
    source="Järvelin & Kekäläinen, TOIS 20(4), 2002",
    example=Example("IDCG@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def idcg(
    r: Ranking,
    cutoff: int | None = None,
    gain: Gain = "linear",
    discount: DiscountName = "log2",
    ideal: Ideal = "judged",
) -> Values:
    """Discounted gain of the best order, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        gain: "linear" is the grade, "exp" 2**grade - 1, or a map of grades to gains.
        discount: divides by log2(rank + 1) ("log2"), the rank ("zipf"), max(1, log2(rank)) ("jarvelin") or 1 ("none").
        ideal: the best order of all "judged" documents, or of those "returned".

    Returns:
        float64 of shape (n,), at least 0.
    """
    return _best(r, cutoff, gain, discount, ideal)


def _ndcg_steps(
    r: Ranking,
    cutoff: int | None = None,
    gain: Gain = "linear",
    discount: DiscountName = "log2",
    ideal: Ideal = "judged",
    judged_only: bool = False,
) -> Steps:
    r = r.condensed() if judged_only else r
    steps = _sum_steps(r, cutoff, gain, discount)
    best = float(_best(r, cutoff, gain, discount, ideal)[0])
    order = _best_order(r, cutoff, gain, discount, ideal)
    return Steps(steps.adds, steps.total, best, gain=steps.gain, discount=steps.discount, ideal=order)


@measure(
    "nDCG",
    sees="all",
    needs="gain",
    extremes="gain",
    all_relevant=True,
    grades=True,
    foot=_foot,
    steps=_ndcg_steps,
    says="how near the first k come to the best order of all judged documents",
    blind_to=(
        "documents that nobody judged (no gain: read Judged@10 beside it)",
        "relevant documents below the cutoff (read R@100 beside it)",
        "queries whose judged documents all have one grade",
    ),
    use_for="exploratory queries with graded judgments. Known item: RR",
    undefined="n/a when a query has no document with a positive grade; counted, not averaged",
    agrees="trec_eval 10.0 ndcg_cut. gain=exp as in Burges et al. 2005; ideal=returned as scikit-learn ndcg_score",
    source="Järvelin & Kekäläinen, TOIS 20(4), 2002",
    example=Example("nDCG@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def ndcg(
    r: Ranking,
    cutoff: int | None = None,
    gain: Gain = "linear",
    discount: DiscountName = "log2",
    ideal: Ideal = "judged",
    judged_only: bool = False,
) -> Values:
    """Discounted gain divided by the best possible, per query.

    Args:
        r: one run joined with its qrels; unjudged documents have no gain.
        cutoff: ranks 1..cutoff are counted, also in the ideal; None counts all.
        gain: "linear" is the grade, "exp" 2**grade - 1, or a map of grades to gains.
        discount: divides by log2(rank + 1) ("log2"), the rank ("zipf"), max(1, log2(rank)) ("jarvelin") or 1 ("none").
        ideal: the best order of all "judged" documents, or of those "returned" (also below the cutoff).
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document has a positive gain.
    """
    r = r.condensed() if judged_only else r
    best = _best(r, cutoff, gain, discount, ideal)
    values = np.zeros(r.n)
    np.divide(_sum(r, cutoff, gain, discount), best, out=values, where=best > 0)
    # the order of the sums can leave the quotient of a perfect list one bit above 1
    return np.where(with_gain(r.judged, gain) > 0, np.minimum(values, 1.0), np.nan)
