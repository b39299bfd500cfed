"""Precision read off a precision-recall curve: IPrec at one level of recall, IAP over several."""

from __future__ import annotations

import numpy as np

from assay.measures.foot import condensed, level
from assay.measures.measure import Example, Steps, Values, measure
from assay.measures.orders import interpolated, tied
from assay.measures.parameter import Between
from assay.ranking.ranking import F64, I64, Ranking

EXAMPLE_SHOWN = (0, 3, 2, "?", 1)
EXAMPLE_JUDGED = (3, 2, 1, 1, 0)


def needed(recall: float, relevant: I64) -> I64:
    """How many relevant documents reach that recall; the rounding of 0.3 * 10 does not make it 4."""
    return np.ceil(recall * relevant - 1e-9).astype(np.int64)  # type: ignore[no-any-return] # int64


def _best_below(hits: Ranking) -> I64:
    """For each relevant hit, the hit at its rank or below where precision is highest; the first of equal ones."""
    if not len(hits.rank):
        return np.zeros(0, np.int64)
    precision = (hits.position() + 1) / hits.rank
    _, code = np.unique(precision, return_inverse=True)
    # a running maximum from the end of each query: codes of earlier queries are lifted above those of later ones
    at = np.arange(len(code))
    key = (code * len(code) + (len(code) - 1 - at)).astype(np.int64)
    group = (hits.query[-1] - hits.query).astype(np.int64)
    lift = int(key.max()) + 1
    best = np.maximum.accumulate((key + group * lift)[::-1])[::-1] - group * lift
    return len(code) - 1 - best % len(code)  # type: ignore[no-any-return] # int64


def _at(hits: Ranking, relevant: I64, recall: float) -> tuple[F64, I64]:
    """Interpolated precision of each query, and the hit that gives it; 0 and -1 where the recall is not reached."""
    need = np.maximum(needed(recall, relevant), 1)
    found = np.bincount(hits.query, minlength=hits.n)
    start = np.cumsum(found) - found
    reached = need <= found
    which = np.full(hits.n, -1)
    which[reached] = _best_below(hits)[(start + need - 1)[reached]]
    value = np.zeros(hits.n)
    value[reached] = (hits.position() + 1)[which[reached]] / hits.rank[which[reached]]
    return value, which


def _value(hits: Ranking, relevant: I64, recall: float, name: str) -> F64:
    """Interpolated precision of each query; where ties are averaged, its mean over all orders of equal scores."""
    value, _ = _at(hits, relevant, recall)
    if hits.is_averaged:
        need = np.maximum(needed(recall, relevant), 1)
        for query in tied(hits):
            value[query] = interpolated(hits, query, int(need[query]), name)
    return value


def _iprec_steps(r: Ranking, recall: float = 0.5, rel: float | None = None, judged_only: bool = False) -> Steps:
    r = r.condensed() if judged_only else r
    hits = r.relevant(rel)
    if r.is_averaged:
        return Steps(np.full(len(r.rank), np.nan), float(_value(hits, r.judged.relevant(rel), recall, "IPrec")[0]))
    value, which = _at(hits, r.judged.relevant(rel), recall)
    at = int(which[0])
    written = f"{hits.position()[at] + 1} / {hits.rank[at]}" if at >= 0 else ""
    return Steps(_adds(r, rel, [at], [float(value[0])]), float(value[0]), written=written)


def _adds(r: Ranking, rel: float | None, which: list[int], values: list[float]) -> F64:
    among = np.zeros(int(r.is_relevant(rel).sum()))
    for hit, value in zip(which, values, strict=True):
        if hit >= 0:
            among[hit] += value
    adds = np.zeros(len(r.rank))
    adds[r.is_relevant(rel)] = among
    return adds


@measure(
    "IPrec",
    sees="all",
    extremes="relevant",
    limits={"recall": Between(0.0, 1.0)},
    shows=("recall",),
    all_relevant=True,
    foot=lambda recall, rel, judged_only: (
        f"highest precision at any rank with a recall of {recall:g} or more, 0 where it is never reached"
        f"{level(rel)}{condensed(judged_only)}"
    ),
    steps=_iprec_steps,
    says="how clean the list still is where the wanted share of the relevant documents has been found",
    blind_to=(
        "how relevant a document is",
        "relevant documents that nobody judged (they would lower the recall)",
        "queries with few relevant documents: a recall of 0.1 is then the first of them",
    ),
    use_for="precision-recall curves, and reviews that must reach a stated recall",
    agrees="trec_eval 9.0.8 iprec_at_recall and ir_measures IPrec@0.1, but for the rounding of 9.0.8 (0.7 of 3 is 2)",
    source="Salton & McGill, Introduction to Modern Information Retrieval, 1983; Manning et al., 2008, section 8.4",
    example=Example("IPrec(recall=0.5)", EXAMPLE_SHOWN, EXAMPLE_JUDGED),  # type: ignore[arg-type] # "?" is a literal
)
def interpolated_precision(
    r: Ranking, recall: float = 0.5, rel: float | None = None, judged_only: bool = False
) -> Values:
    """Highest precision at any rank where at least that share of the relevant documents has been found, per query.

    Args:
        r: one run joined with its qrels.
        recall: the share of the relevant documents, from 0 to 1; 0 is reached at the first of them.
        rel: the lowest relevant grade; None leaves it to the judgments.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    r = r.condensed() if judged_only else r
    relevant = r.judged.relevant(rel)
    value = _value(r.relevant(rel), relevant, recall, "IPrec")
    return np.where(relevant > 0, value, np.nan)


def _iap_steps(r: Ranking, points: int = 11, rel: float | None = None, judged_only: bool = False) -> Steps:
    r = r.condensed() if judged_only else r
    hits, relevant = r.relevant(rel), r.judged.relevant(rel)
    if r.is_averaged:
        levels = [_value(hits, relevant, i / (points - 1), "IAP") for i in range(points)]
        return Steps(np.full(len(r.rank), np.nan), float(sum(level[0] for level in levels)), float(points))
    found = [_at(hits, relevant, i / (points - 1)) for i in range(points)]
    which, values = [int(hit[0]) for _, hit in found], [float(value[0]) for value, _ in found]
    return Steps(_adds(r, rel, which, values), sum(values), float(points))


@measure(
    "IAP",
    sees="all",
    extremes="relevant",
    limits={"points": Between(2, 101)},
    shows=("points",),
    all_relevant=True,
    foot=lambda points, rel, judged_only: (
        f"interpolated precision averaged over {points} levels of recall from 0 to 1{level(rel)}"
        f"{condensed(judged_only)}"
    ),
    steps=_iap_steps,
    says="the area under the interpolated precision-recall curve, read at a few points",
    blind_to=("how relevant a document is", "relevant documents that nobody judged (they would lower the recall)"),
    use_for="comparing with old results, which are often printed this way. Otherwise AP, which needs no interpolation",
    agrees="trec_eval 9.0.8 11pt_avg as IAP(points=11); 10.0 counts levels that were never reached",
    source="Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, section 8.4",
    example=Example("IAP(points=11)", EXAMPLE_SHOWN, EXAMPLE_JUDGED),  # type: ignore[arg-type] # "?" is a literal
)
def interpolated_average(r: Ranking, points: int = 11, rel: float | None = None, judged_only: bool = False) -> Values:
    """Interpolated precision averaged over equally spaced levels of recall, per query.

    Args:
        r: one run joined with its qrels.
        points: how many levels, from recall 0 to 1.
        rel: the lowest relevant grade; None leaves it to the judgments.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    r = r.condensed() if judged_only else r
    relevant, hits = r.judged.relevant(rel), r.relevant(rel)
    total = sum((_value(hits, relevant, i / (points - 1), "IAP") for i in range(points)), np.zeros(r.n))
    return np.where(relevant > 0, total / points, np.nan)
