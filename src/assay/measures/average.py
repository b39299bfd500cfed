"""Precision averaged over the relevant documents: AP, and the context precision of RAG toolkits."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.measures.foot import condensed, level, within
from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.ranking.ranking import F64, Groups, Ranking


def _sums(groups: Groups, cutoff: int | None) -> tuple[F64, F64, F64]:
    """Over the ranks t of each group that count: their number, the sum of 1 / t, the sum of (t - first) / t."""
    end = groups.last if cutoff is None else np.minimum(groups.last, cutoff)
    slots = np.maximum(end - groups.first + 1, 0)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, int(end.max(initial=0)) + 1))])
    inverse = np.where(slots > 0, harmonic[end] - harmonic[np.minimum(groups.first - 1, end)], 0.0)
    single = (groups.size == 1) & (slots == 1)
    inverse[single] = 1.0 / groups.first[single]  # exactly, not as a difference of sums
    return slots.astype(np.float64), inverse, np.where(single, 0.0, slots - groups.first * inverse)


def precision_sum(hits: Ranking, cutoff: int | None) -> F64:
    """Sum over the relevant documents in the first k of the precision at their rank, for each hit of `hits`.

    Args:
        hits: a ranking with its relevant hits alone.
        cutoff: ranks 1..cutoff are counted; None counts all.

    Where ties are averaged: a document is at each of the g ranks of its group with chance 1/g; at rank t the c
    documents above the group are before it, itself, and of its m - 1 fellows the share (t - first) / (g - 1) of the
    ranks above (McSherry & Najork, ECIR 2008). Such a group is one element of the answer, the others are 0.
    """
    if not hits.is_averaged:
        so_far = hits.position() + 1
        return np.where(hits.rank <= cutoff, so_far / hits.rank, 0.0) if cutoff is not None else so_far / hits.rank
    groups = hits.groups()
    _, inverse, above = _sums(groups, cutoff)
    m, g = groups.hits.astype(np.float64), groups.size.astype(np.float64)
    each = ((groups.before + 1) * inverse + (m - 1) / np.maximum(g - 1, 1) * above) / g
    return np.repeat(each, groups.hits)


def _found(r: Ranking, cutoff: int | None, rel: float | None) -> F64:
    hits = r.relevant(rel).top(cutoff)
    return hits.per_query(precision_sum(hits, cutoff))


def _adds(r: Ranking, cutoff: int | None, rel: float | None) -> F64:
    adds = np.zeros(len(r.rank))
    adds[r.is_relevant(rel)] = precision_sum(r.relevant(rel), cutoff)
    return adds


def _divisor(r: Ranking, cutoff: int | None, rel: float | None, norm: str) -> F64:
    relevant = r.judged.relevant(rel).astype(np.float64)
    return relevant if norm == "rel" or cutoff is None else np.minimum(relevant, cutoff)


def _ap_steps(
    r: Ranking, cutoff: int | None = None, rel: float | None = None, norm: str = "rel", judged_only: bool = False
) -> Steps:
    r = r.condensed() if judged_only else r
    adds = _adds(r, cutoff, rel)
    return Steps(adds, float(adds.sum()), float(_divisor(r, cutoff, rel, norm)[0]))


def _ap_foot(cutoff: int | None, rel: float | None, norm: str, judged_only: bool) -> str:
    inside = "" if cutoff is None else f" {within(cutoff)}"
    divisor = "all relevant documents" + (f", at most {cutoff}" if norm == "min" and cutoff is not None else "")
    said = f"precision at each relevant document{inside}, summed, divided by {divisor}"
    return said + level(rel) + condensed(judged_only)


@measure(
    "AP",
    sees="all",
    extremes="relevant",
    all_relevant=True,
    foot=_ap_foot,
    steps=_ap_steps,
    says="how early the relevant documents come, all of them counted",
    blind_to=("how relevant a document is", "relevant documents that nobody judged (they would enlarge the divisor)"),
    use_for="many right answers without grades. With grades: nDCG; one right answer: RR",
    agrees="trec_eval 10.0 map and map_cut; norm=min as LightGBM and XGBoost",
    source="Buckley & Voorhees, SIGIR 2000",
    example=Example("AP", (0, 3, 2, "?", 1), (3, 2, 1, 1, 0)),
)
def average_precision(
    r: Ranking,
    cutoff: int | None = None,
    rel: float | None = None,
    norm: Literal["rel", "min"] = "rel",
    judged_only: bool = False,
) -> Values:
    """Precision at the rank of each relevant document, averaged over all relevant documents, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.
        norm: divides by all relevant documents ("rel") or by the cutoff where that is less ("min").
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    r = r.condensed() if judged_only else r
    return divide(_found(r, cutoff, rel), _divisor(r, cutoff, rel, norm))


def _straddling(r: Ranking, cutoff: int, rel: float | None) -> F64:
    """Value of the queries whose ties straddle the cutoff, by the number of relevant documents that get in.

    Given that number x, they are anywhere among the s ranks left: the mean is taken over x, which is
    hypergeometric. NaN for the other queries.
    """
    hits = r.relevant(rel).top(cutoff)
    groups = hits.groups()
    inside = groups.only(groups.last <= cutoff)
    across = groups.only(groups.last > cutoff)
    each = precision_sum(hits, cutoff)
    above = hits.per_query(np.where(np.repeat(groups.last <= cutoff, groups.hits), each, 0.0))[across.query]
    before = np.bincount(inside.query, inside.hits, minlength=r.n)[across.query]
    slots, inverse, later = _sums(across, cutoff)
    m, g = across.hits.astype(np.float64), across.size.astype(np.float64)
    total, everything = np.zeros(len(m)), np.zeros(len(m))
    lowest = np.maximum(slots - (g - m), 0.0)
    weight = (lowest == 0).astype(np.float64)
    for x in range(int(np.minimum(m, slots).max(initial=0)) + 1):
        weight = np.where(x == lowest, 1.0, weight)  # in units of the chance of the fewest; scaled at the end
        weight = np.where((x < lowest) | (x > np.minimum(m, slots)), 0.0, weight)
        spread = np.where(slots > 1, (x - 1) / np.maximum(slots - 1, 1), 0.0)
        added = np.where(slots > 0, x / np.maximum(slots, 1), 0.0) * ((before + 1) * inverse + spread * later)
        everything += weight
        total += weight * divide(above + added, before + x, otherwise=0.0)
        weight = weight * divide((m - x) * (slots - x), (x + 1) * (g - m - slots + x + 1), otherwise=0.0)
    values = np.full(r.n, np.nan)
    values[across.query] = total / everything
    return values


def _cp_steps(
    r: Ranking, cutoff: int | None = None, rel: float | None = None, form: str = "weighted", judged_only: bool = False
) -> Steps:
    value = float(context_precision(r, cutoff, rel, "plain" if form == "plain" else "weighted", judged_only)[0])
    r = r.condensed() if judged_only else r
    if form == "plain":
        adds = r.is_relevant(rel) * r.within(cutoff)
        return Steps(adds, float(adds.sum()), float(min(r.returned[0], cutoff or r.returned[0])))
    if r.is_averaged and cutoff is not None:
        return Steps(np.full(len(r.rank), np.nan), value)
    adds = _adds(r, cutoff, rel)
    return Steps(adds, float(adds.sum()), float(r.relevant(rel).count(cutoff)[0]))


def _cp_foot(cutoff: int | None, rel: float | None, form: str, judged_only: bool) -> str:
    if form == "plain":
        text = f"relevant documents {within(cutoff)} divided by the documents there"
    else:
        text = f"precision at each relevant document {within(cutoff)}, averaged over those"
    return text + level(rel) + condensed(judged_only)


@measure(
    "ContextPrecision",
    sees="all",
    extremes="relevant",
    foot=_cp_foot,
    steps=_cp_steps,
    says="whether what was given to the model begins with what it needs",
    blind_to=(
        "relevant documents outside the first k: one hit at rank 1 gives 1 (read R beside it)",
        "how relevant a document is",
        "documents that nobody judged (read Judged@10 beside it)",
        "whether the answer used it",
    ),
    use_for="contexts handed to a language model, beside R at the same k",
    agrees="Ragas and DeepEval context precision (form=weighted); torchmetrics retrieval_average_precision(top_k=)",
    source="Ragas documentation, context precision; form=plain is the share of relevant chunks in the context",
    example=Example("ContextPrecision@5", (0, 3, 2, "?", 1), (3, 2, 1, 1, 0)),
)
def context_precision(
    r: Ranking,
    cutoff: int | None = None,
    rel: float | None = None,
    form: Literal["weighted", "plain"] = "weighted",
    judged_only: bool = False,
) -> Values:
    """Precision of what is given to a model: averaged over the relevant documents in it, or plain, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are given to the model; None gives all.
        rel: the lowest relevant grade; None leaves it to the judgments.
        form: "weighted" sums the precision at each relevant document and divides by their number in the first k;
            "plain" divides that number by the documents there.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; 0 where nothing relevant stands in the first k.
    """
    r = r.condensed() if judged_only else r
    found = r.relevant(rel).count(cutoff)
    if form == "plain":
        length = r.returned if cutoff is None else np.minimum(r.returned, cutoff)
        return divide(found, length, otherwise=0.0)
    values = divide(_found(r, cutoff, rel), found, otherwise=0.0)
    if r.is_averaged and cutoff is not None:
        straddling = _straddling(r, cutoff, rel)
        return np.where(np.isnan(straddling), values, straddling)
    return values
