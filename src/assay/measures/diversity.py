"""What a list is worth to readers with different subtopics in mind: alpha-DCG, alpha-nDCG, ERR-IA, NRBP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.measures.foot import SUBTOPICS_BLIND, level
from assay.measures.measure import Between, Example, Steps, Values, divide, measure
from assay.ranking.aspects import by_subtopic
from assay.ranking.discounts import WRITTEN, discount_function
from assay.ranking.novelty import best_gains, novelty
from assay.ranking.ranking import F64, Ranking

Norm = Literal["none", "perfect", "ideal"]
"""What a sum is divided by: nothing, what a list would get whose every document is about every subtopic, or the best
order of the judged documents as a greedy search finds it."""

SHARE = Between(0, 1)
EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (1, "?", 1, 0)
EXAMPLE_JUDGED: tuple[float, ...] = (1, 1, 1, 0)
NEAR = 1e-12
"""A quotient that is nearer to 1 than this is 1: the two sums differ by the order of their terms alone."""


def _totals(r: Ranking, alpha: float, discount: Any, cutoff: int | None, rel: float | None) -> F64:
    p = by_subtopic(r)
    return p.sums(p.ranking.relevant(rel).per_query(novelty(p, alpha, discount, cutoff, rel)))


def _divisor(r: Ranking, alpha: float, discount: Any, cutoff: int | None, rel: float | None, norm: str) -> F64:
    """What the sum of each query is divided by; 0 where nothing is relevant."""
    subtopics = by_subtopic(r).relevant(rel)
    if norm == "none":
        return np.where(subtopics > 0, 1.0, 0.0)
    if norm == "perfect":
        return subtopics * _perfect(alpha, discount, cutoff)
    best = np.zeros(r.n)
    for code, (_, gains) in enumerate(best_gains(r.judged, alpha, cutoff, rel)):
        best[code] = float((gains * discount(np.arange(1, len(gains) + 1, dtype=np.float64))).sum())
    return best


def _perfect(alpha: float, discount: Any, cutoff: int | None) -> float:
    """The sum of one subtopic to which every document of an endless list is relevant, down to the cutoff."""
    ranks = np.arange(1, (_DEEP if cutoff is None else cutoff) + 1, dtype=np.float64)
    return float((np.power(1.0 - alpha, ranks - 1) * discount(ranks)).sum())


_DEEP = 1000
"""Ranks of an endless list that are summed: with alpha from 0.05 on, what lies below adds less than a digit shows."""


def _scaled(r: Ranking, alpha: float, discount: Any, cutoff: int | None, rel: float | None, norm: str) -> Values:
    value = divide(_totals(r, alpha, discount, cutoff, rel), _divisor(r, alpha, discount, cutoff, rel, norm))
    return np.where(np.abs(value - 1.0) < NEAR, 1.0, value) if norm != "none" else value


def _scaled_steps(
    r: Ranking, alpha: float, discount: Any, cutoff: int | None, rel: float | None, norm: str, divided_by: str,
) -> Steps:  # fmt: skip
    p = by_subtopic(r)
    divisor = None if norm == "none" else float(_divisor(r, alpha, discount, cutoff, rel, norm)[0])
    ideal = _ideal_order(r, alpha, discount, cutoff, rel) if norm == "ideal" else None
    hits, is_relevant = p.ranking.relevant(rel), p.ranking.is_relevant(rel)
    origin = p.origin[is_relevant]
    if r.is_averaged:  # of documents of one group and subtopic each adds the same in the mean over all orders
        mean: F64 = np.zeros(len(r.rank))
        np.add.at(mean, origin, novelty(p, alpha, discount, cutoff, rel))
        return Steps(mean, float(mean.sum()), divisor, ideal=ideal)
    gain: F64 = np.zeros(len(r.rank))
    np.add.at(gain, origin, np.power(1.0 - alpha, hits.position()))
    weight = r.weighted(discount, cutoff)
    adds = gain * weight
    return Steps(
        adds,
        float(adds.sum()),
        divisor,
        gain=gain,
        discount=weight,
        ideal=ideal,
        divided_by=divided_by,
        weight=discount,
    )


def _ideal_order(
    r: Ranking, alpha: float, discount: Any, cutoff: int | None, rel: float | None
) -> tuple[F64, F64, F64]:
    rows, gains = best_gains(r.judged, alpha, cutoff, rel)[0]
    return r.judged.grade[rows], gains, discount(np.arange(1, len(gains) + 1, dtype=np.float64))


NORMS = {
    "none": "",
    "perfect": ", divided by that of a list whose every document is about every subtopic",
    "ideal": ", divided by that of the best order of the judged documents, found greedily",
}


def _foot(cutoff: int | None, alpha: float, rel: float | None, norm: str, discount: str, endless: bool = False) -> str:
    first = "" if cutoff is None else f" over the first {cutoff}"
    said = f"a subtopic counts {1 - alpha:g} times as much after each document that is about it"
    length = f", {_DEEP:,} ranks long" if norm == "perfect" and cutoff is None and not endless else ""
    return f"{said}, {discount}{first}{NORMS[norm]}{length}{level(rel)}"


def _log2(norm: str) -> Callable[..., Steps]:
    def steps(r: Ranking, cutoff: int | None = None, alpha: float = 0.5, rel: float | None = None, **own: str) -> Steps:
        chosen = own.get("norm", norm)
        return _scaled_steps(r, alpha, discount_function("log2"), cutoff, rel, chosen, WRITTEN["log2"])

    return steps


@measure(
    "alpha-DCG",
    sees="all",
    extremes="relevant",
    subtopics=True,
    range="0 or more",
    limits={"alpha": SHARE},
    foot=lambda cutoff, alpha, rel, norm: _foot(cutoff, alpha, rel, norm, WRITTEN["log2"]),
    steps=_log2("none"),
    says="how much the first k are worth together when a subtopic is worth less each time it comes again",
    blind_to=(*SUBTOPICS_BLIND, "how much there was to find"),
    use_for="checking an alpha-nDCG by hand. Means over queries: alpha-nDCG",
    agrees="ndeval as pyndeval 0.0.8 alpha-DCG, with norm=perfect",
    source="Clarke et al., SIGIR 2008, section 4, J(d, i) = 1 for a relevant document",
    example=Example("alpha-DCG@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def alpha_dcg(
    r: Ranking, cutoff: int | None = None, alpha: float = 0.5, rel: float | None = None, norm: Norm = "none"
) -> Values:
    """Discounted gain in which a subtopic counts less each time it comes again, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        cutoff: ranks 1..cutoff are counted; None counts all.
        alpha: from 0 to 1: how much less a subtopic counts for each document above that is about it.
        rel: the lowest relevant grade; None leaves it to the judgments.
        norm: divides by nothing ("none"), by a list whose every document is about every subtopic ("perfect"), or by
            the best order of the judged documents ("ideal").

    Returns:
        float64 of shape (n,), at least 0; NaN where no document is relevant.
    """
    return _scaled(r, alpha, discount_function("log2"), cutoff, rel, norm)


@measure(
    "alpha-nDCG",
    sees="all",
    extremes="relevant",
    all_relevant=True,
    subtopics=True,
    range="0 to 1, hardly ever a little more",
    limits={"alpha": SHARE},
    foot=lambda cutoff, alpha, rel: (
        _foot(cutoff, alpha, rel, "ideal", WRITTEN["log2"]) + ("" if cutoff is None else f", cut at {cutoff}")
    ),
    steps=_log2("ideal"),
    says="how near the first k come to the best mix of subtopics that the judged documents allow",
    blind_to=(
        *SUBTOPICS_BLIND,
        "that a list can be worth a little more than the best order which a greedy search finds",
    ),
    use_for="queries that mean several things, where the list should serve each early. One meaning: nDCG",
    agrees="ndeval as pyndeval 0.0.8 alpha-nDCG, ir_measures 0.4.3 alpha_nDCG",
    source="Clarke et al., SIGIR 2008, section 4, J(d, i) = 1 for a relevant document, greedy ideal",
    example=Example("alpha-nDCG@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def alpha_ndcg(r: Ranking, cutoff: int | None = None, alpha: float = 0.5, rel: float | None = None) -> Values:
    """alpha-DCG divided by that of the best order of the judged documents, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        cutoff: ranks 1..cutoff are counted, also in the best order; None counts all.
        alpha: from 0 to 1: how much less a subtopic counts for each document above that is about it.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,), from 0 to 1 and a little more where the greedy search misses the best order; NaN where
        no document is relevant.
    """
    return _scaled(r, alpha, discount_function("log2"), cutoff, rel, "ideal")


def _err_steps(
    r: Ranking, cutoff: int | None = None, alpha: float = 0.5, rel: float | None = None, norm: Norm = "perfect"
) -> Steps:
    zipf = discount_function("zipf")
    steps = _scaled_steps(r, alpha, zipf, cutoff, rel, norm, WRITTEN["zipf"])
    if norm != "none" or alpha == 0:
        return steps
    return replace(steps, divisor=float(by_subtopic(r).relevant(rel)[0]) / alpha)


@measure(
    "ERR-IA",
    sees="all",
    extremes="relevant",
    subtopics=True,
    limits={"alpha": SHARE},
    foot=lambda cutoff, alpha, rel, norm: (
        _foot(cutoff, alpha, rel, norm, "divided by the rank")
        + (f", times {alpha:g} and averaged over subtopics" if norm == "none" else "")
    ),
    steps=_err_steps,
    says="how soon readers with different subtopics in mind find enough, each stopping where theirs is answered",
    blind_to=SUBTOPICS_BLIND,
    use_for="queries that mean several things, where each reader wants one good answer. Coverage alone: StRecall",
    agrees="ndeval as pyndeval 0.0.8 ERR-IA; norm=ideal as its nERR-IA",
    source="Chapelle et al., CIKM 2009 and Information Retrieval 14, 2011, every subtopic as likely as another and a "
    "relevant document satisfying with chance alpha; that value is norm=none, ndeval divides by the largest",
    example=Example("ERR-IA@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def err_ia(
    r: Ranking, cutoff: int | None = None, alpha: float = 0.5, rel: float | None = None, norm: Norm = "perfect"
) -> Values:
    """Expected reciprocal rank at which a reader stops, averaged over the subtopics, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        cutoff: ranks 1..cutoff are counted; None counts all.
        alpha: from 0 to 1: the chance that a relevant document satisfies the reader.
        rel: the lowest relevant grade; None leaves it to the judgments.
        norm: divides by a list whose every document is about every subtopic ("perfect", as ndeval; 1,000 ranks of it
            without a cutoff), by the best order of the judged documents ("ideal"), or by nothing, which is the value
            of the paper ("none").

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    value = _scaled(r, alpha, discount_function("zipf"), cutoff, rel, norm)
    return divide(value * alpha, by_subtopic(r).relevant(rel)) if norm == "none" else value


def _fading(beta: float) -> Callable[[Any], Any]:
    return lambda ranks: np.power(beta, ranks - 1.0)


def _nrbp_divisor(r: Ranking, alpha: float, beta: float, rel: float | None, norm: str) -> F64:
    if norm == "ideal":
        return _divisor(r, alpha, _fading(beta), None, rel, "ideal")
    return by_subtopic(r).relevant(rel) / (1.0 - (1.0 - alpha) * beta)  # the geometric series, to its end


def _nrbp_steps(
    r: Ranking, alpha: float = 0.5, beta: float = 0.5, rel: float | None = None,
    norm: Literal["perfect", "ideal"] = "perfect",
) -> Steps:  # fmt: skip
    steps = _scaled_steps(r, alpha, _fading(beta), None, rel, norm, f"{beta:g}^-(rank - 1)")
    return replace(steps, divisor=float(_nrbp_divisor(r, alpha, beta, rel, norm)[0]))


@measure(
    "NRBP",
    sees="all",
    extremes="relevant",
    subtopics=True,
    limits={"alpha": SHARE, "beta": Between(0, 1, ends=False)},
    foot=lambda alpha, beta, rel, norm: _foot(None, alpha, rel, norm, f"times {beta:g}^(rank - 1)", endless=True),
    steps=_nrbp_steps,
    says="what readers get who go on to the next document with chance beta, each with one subtopic in mind",
    blind_to=SUBTOPICS_BLIND,
    use_for="queries that mean several things, where a stated patience is wanted. A page of k: alpha-nDCG@k",
    agrees="ndeval as pyndeval 0.0.8 NRBP; norm=ideal as its nNRBP",
    source="Clarke, Kolla & Vechtomova, ICTIR 2009",
    example=Example("NRBP", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def nrbp(
    r: Ranking, alpha: float = 0.5, beta: float = 0.5, rel: float | None = None,
    norm: Literal["perfect", "ideal"] = "perfect",
) -> Values:  # fmt: skip
    """Novelty- and rank-biased precision, per query.

    Args:
        r: one run joined with its qrels; where these name no subtopics every query has one.
        alpha: from 0 to 1: how much less a subtopic counts for each document above that is about it.
        beta: between 0 and 1: the chance that the reader goes on to the next document.
        rel: the lowest relevant grade; None leaves it to the judgments.
        norm: divides by an endless list whose every document is about every subtopic ("perfect"), or by the best order
            of the judged documents ("ideal").

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    value = divide(_totals(r, alpha, _fading(beta), None, rel), _nrbp_divisor(r, alpha, beta, rel, norm))
    return np.where(np.abs(value - 1.0) < NEAR, 1.0, value)
