"""Measures taken for each subtopic of a query as if it were a query, and averaged: StRecall, P-IA, AP-IA, gERR-IA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from assay.measures.foot import SUBTOPICS_BLIND, level
from assay.measures.measure import MEASURES, Example, Steps, Values, divide, measure
from assay.measures.parameter import Between
from assay.measures.scale import said, top_grade
from assay.ranking.aspects import by_subtopic
from assay.ranking.ranking import F64, Ranking

EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (1, "?", 1, 0)
EXAMPLE_JUDGED: tuple[float, ...] = (1, 1, 1, 0)


def _each(name: str, r: Ranking, cutoff: int | None, rel: float | None) -> Values:
    """The mean over the subtopics of another measure, each subtopic taken as a query."""
    p = by_subtopic(r)
    values = MEASURES.find(name).function(p.ranking, cutoff=cutoff, rel=rel)
    counts = p.ranking.judged.relevant(rel) > 0
    return divide(p.sums(np.where(counts, values, 0.0)), p.relevant(rel))


def _covering(r: Ranking, cutoff: int | None, rel: float | None, each: Callable[[Ranking], F64], value: float) -> Steps:
    """Steps of a mean over subtopics, from what each relevant hit of a subtopic adds to that subtopic's value."""
    p = by_subtopic(r)
    subtopics = float(p.relevant(rel)[0])
    if r.is_averaged or not subtopics:
        return Steps(np.full(len(r.rank), np.nan), value * subtopics, subtopics)
    hits = p.ranking.relevant(rel)
    inside = 1.0 if cutoff is None else hits.rank <= cutoff
    adds = np.bincount(p.origin[p.ranking.is_relevant(rel)], each(hits) * inside, minlength=len(r.rank))
    return Steps(adds.astype(np.float64), float(adds.sum()), subtopics)


def _recall_steps(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Steps:
    value = float(subtopic_recall(r, cutoff, rel)[0])
    return _covering(r, cutoff, rel, lambda hits: (hits.position() == 0).astype(np.float64), value)


@measure(
    "StRecall",
    sees="no",
    extremes="relevant",
    subtopics=True,
    foot=lambda cutoff, rel: (
        "subtopics with a relevant document "
        f"{'in the list' if cutoff is None else f'in the first {cutoff}'}, divided by those with any{level(rel)}"
    ),
    steps=_recall_steps,
    says="the share of the subtopics that the first k serve at all",
    blind_to=("the order inside the first k", "how many documents serve a subtopic", *SUBTOPICS_BLIND),
    use_for="whether every meaning of a query is on the page. How early it comes: alpha-nDCG",
    agrees="ndeval as pyndeval 0.0.8 strec, ir_measures 0.4.3 StRecall",
    source="Zhai, Cohen & Lafferty, SIGIR 2003, S-recall",
    example=Example("StRecall@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def subtopic_recall(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Values:
    """Share of the subtopics with a relevant document that the first k cover, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    return _each("HitRate", r, cutoff, rel)


def _precision_steps(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Steps:
    value = float(precision_ia(r, cutoff, rel)[0])
    depth = float(r.returned[0] if cutoff is None else cutoff)
    return _covering(r, cutoff, rel, lambda hits: np.full(len(hits.rank), 1.0 / max(depth, 1.0)), value)


@measure(
    "P-IA",
    sees="no",
    extremes="relevant",
    subtopics=True,
    foot=lambda cutoff, rel: (
        f"precision for each subtopic {'of the list' if cutoff is None else f'in the first {cutoff}'}, averaged over "
        f"the subtopics{level(rel)}"
    ),
    steps=_precision_steps,
    says="how much of the first k a reader with one subtopic in mind can use, on average over the subtopics",
    blind_to=(
        "the order inside the first k",
        "whether some subtopic gets nothing (read StRecall@k beside it)",
        *SUBTOPICS_BLIND,
    ),
    use_for="comparing with figures of TREC. Whether every meaning is served: StRecall",
    agrees="ndeval as pyndeval 0.0.8 P-IA, ir_measures 0.4.3 P_IA",
    source="Agrawal et al., WSDM 2009, every subtopic as likely as another",
    example=Example("P-IA@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def precision_ia(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Values:
    """Precision for each subtopic, averaged over the subtopics, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    return _each("P", r, cutoff, rel)


def _average_steps(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Steps:
    relevant = by_subtopic(r).ranking.judged.relevant(rel).astype(np.float64)

    def each(hits: Ranking) -> F64:
        return (hits.position() + 1.0) / hits.rank / relevant[hits.query]

    return _covering(r, cutoff, rel, each, float(average_precision_ia(r, cutoff, rel)[0]))


@measure(
    "AP-IA",
    sees="all",
    extremes="relevant",
    all_relevant=True,
    subtopics=True,
    foot=lambda cutoff, rel: (
        f"average precision for each subtopic{'' if cutoff is None else f' in the first {cutoff}'}, averaged over the "
        f"subtopics{level(rel)}"
    ),
    steps=_average_steps,
    says="how early a reader with one subtopic in mind meets what there is about it, on average over the subtopics",
    blind_to=("whether some subtopic gets nothing (read StRecall@k beside it)", *SUBTOPICS_BLIND),
    use_for="comparing with figures of TREC. A page of k: alpha-nDCG@k",
    agrees="ndeval as pyndeval 0.0.8 MAP-IA, ir_measures 0.4.3 AP_IA",
    source="Agrawal et al., WSDM 2009, every subtopic as likely as another",
    example=Example("AP-IA", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def average_precision_ia(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Values:
    """Average precision for each subtopic, averaged over the subtopics, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    return _each("AP", r, cutoff, rel)


def _graded_steps(r: Ranking, cutoff: int | None = None, max: float | None = None) -> Steps:
    p = by_subtopic(r)
    subtopics = float(p.relevant(None)[0])
    value = float(graded_err_ia(r, cutoff, max)[0])
    if r.is_averaged or not subtopics:
        return Steps(np.full(len(r.rank), np.nan), value * subtopics, subtopics)
    steps = MEASURES.find("ERR").steps
    assert steps is not None
    counts = (p.ranking.judged.relevant() > 0)[p.ranking.query]
    each = steps(p.ranking, cutoff=cutoff, max=top_grade(r, max)).adds
    adds = np.bincount(p.origin, each * counts, minlength=len(r.rank))
    return Steps(adds.astype(np.float64), float(adds.sum()), subtopics)


@measure(
    "gERR-IA",
    sees="all",
    extremes="monotone",
    subtopics=True,
    grades=True,
    limits={"max": Between(0.0, None, ends=False)},
    foot=lambda cutoff, max, scale=None: (
        f"ERR for each subtopic by its own grades{'' if cutoff is None else f' over the first {cutoff}'}, averaged "
        f"over the subtopics; a grade satisfies with (2^grade - 1) / 2^max, max being {said(max, scale)}"
    ),
    steps=_graded_steps,
    says="how soon readers with different subtopics in mind are satisfied, a better document satisfying more of them",
    blind_to=tuple(one for one in SUBTOPICS_BLIND if "how relevant" not in one),
    use_for="queries that mean several things, where judgments have a grade for each meaning. Yes or no: ERR-IA",
    agrees="nothing that is known: ndeval takes every grade above 0 for 1",
    source="Chapelle et al., Information Retrieval 14, 2011, ERR-IA with graded relevance by intent, every subtopic as "
    "likely as another; not divided by anything",
    example=Example("gERR-IA@3", (2, "?", 1, 0), (2, 1, 1, 0)),
)
def graded_err_ia(r: Ranking, cutoff: int | None = None, max: float | None = None) -> Values:
    """Expected reciprocal rank for each subtopic by the grades of its own, averaged over the subtopics, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        cutoff: ranks 1..cutoff are counted; None counts all.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.

    Returns:
        float64 of shape (n,), from 0 to below 1; NaN where no document is relevant.

    Raises:
        InputError: a grade lies above `max`, or is above 1000.
    """
    p = by_subtopic(r)
    values = MEASURES.find("ERR").function(p.ranking, cutoff=cutoff, max=top_grade(r, max))
    return divide(p.sums(np.where(p.ranking.judged.relevant() > 0, values, 0.0)), p.relevant(None))
