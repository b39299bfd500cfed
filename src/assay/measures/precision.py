"""How many relevant documents are among the first: P, R, F, HitRate, Rprec."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.measures.foot import condensed, level, within
from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.measures.parameter import Between
from assay.ranking.ranking import F64, I64, Ranking

EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (0, 3, 2, "?", 1)
EXAMPLE_JUDGED: tuple[float, ...] = (3, 2, 1, 1, 0)


def shown(r: Ranking, cutoff: int | None, short: str = "pad") -> F64:
    """What the hits are divided by: the cutoff, or the documents that there are."""
    if cutoff is None:
        return r.returned.astype(np.float64)
    if short == "list":
        return np.minimum(cutoff, r.returned).astype(np.float64)
    return np.full(r.n, float(cutoff))


def _adds(r: Ranking, cutoff: int | None, rel: float | None) -> F64:
    return r.is_relevant(rel) * r.within(cutoff)


def _p_steps(
    r: Ranking,
    cutoff: int | None = None,
    rel: float | None = None,
    short: str = "pad",
    judged_only: bool = False,
) -> Steps:
    r = r.condensed() if judged_only else r
    adds = _adds(r, cutoff, rel)
    return Steps(adds, float(adds.sum()), float(shown(r, cutoff, short)[0]))


def _p_foot(cutoff: int | None, rel: float | None, short: str, judged_only: bool) -> str:
    if cutoff is None:
        divisor = "the documents returned"
    elif short == "list":
        divisor = f"{cutoff} or the documents returned, if fewer"
    else:
        divisor = f"{cutoff}, also when fewer were returned"
    return f"relevant documents {within(cutoff)} divided by {divisor}{level(rel)}{condensed(judged_only)}"


@measure(
    "P",
    sees="no",
    extremes="relevant",
    foot=_p_foot,
    steps=_p_steps,
    says="which share of the first k is relevant",
    blind_to=(
        "the order inside the first k",
        "how relevant a document is",
        "relevant documents below the cutoff (read R@100 beside it)",
        "documents that nobody judged (read Judged@10 beside it)",
    ),
    use_for="pages where only the count of good results matters. Graded judgments: nDCG; one right answer: RR",
    agrees="trec_eval 10.0 P; without a cutoff set_P; judged_only=True as -J",
    source="Cleverdon, Mills & Keen, Aslib Cranfield 1966; cutoffs as in TREC",
    example=Example("P@5", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def precision(
    r: Ranking,
    cutoff: int | None = None,
    rel: float | None = None,
    short: Literal["pad", "list"] = "pad",
    judged_only: bool = False,
) -> Values:
    """Share of the first k documents that are relevant, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all and divides by the documents returned.
        rel: the lowest relevant grade; None leaves it to the judgments (above 0 unless they say otherwise).
        short: a list shorter than the cutoff is divided by the cutoff ("pad") or by its length ("list").
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; 0 for an empty list.
    """
    r = r.condensed() if judged_only else r
    return divide(r.relevant(rel).count(cutoff), shown(r, cutoff, short), otherwise=0.0)


def _findable(r: Ranking, cutoff: int | None, rel: float | None, cap: bool) -> F64:
    relevant = r.judged.relevant(rel).astype(np.float64)
    if not cap:
        return relevant
    return np.minimum(relevant, r.returned if cutoff is None else cutoff)


def _r_steps(
    r: Ranking, cutoff: int | None = None, rel: float | None = None, cap: bool = False, judged_only: bool = False
) -> Steps:
    r = r.condensed() if judged_only else r
    adds = _adds(r, cutoff, rel)
    return Steps(adds, float(adds.sum()), float(_findable(r, cutoff, rel, cap)[0]))


def _r_foot(cutoff: int | None, rel: float | None, cap: bool, judged_only: bool) -> str:
    divisor = "all relevant documents"
    if cap:
        divisor += f", at most {'the documents returned' if cutoff is None else cutoff}"
    return f"relevant documents {within(cutoff)} divided by {divisor}{level(rel)}{condensed(judged_only)}"


@measure(
    "R",
    sees="no",
    extremes="relevant",
    all_relevant=True,
    foot=_r_foot,
    steps=_r_steps,
    says="which share of all relevant documents was found",
    blind_to=(
        "the order inside the first k",
        "how relevant a document is",
        "relevant documents that nobody judged (they would enlarge the divisor)",
    ),
    use_for="first stages, and lists that a later stage or a model reads whole. What people see first: nDCG, RR",
    agrees="trec_eval 10.0 recall; without a cutoff set_recall; cap=True as relative_P and set_relative_P",
    source="Cleverdon, Mills & Keen, Aslib Cranfield 1966; cap=True as R_cap in BEIR (Thakur et al., 2021)",
    example=Example("R@5", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def recall(
    r: Ranking, cutoff: int | None = None, rel: float | None = None, cap: bool = False, judged_only: bool = False
) -> Values:
    """Share of all relevant documents that stand in the first k, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.
        cap: divides by the cutoff (or the documents returned) where there are more relevant documents than that.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    r = r.condensed() if judged_only else r
    relevant = r.judged.relevant(rel)
    values = divide(r.relevant(rel).count(cutoff), _findable(r, cutoff, rel, cap), otherwise=0.0)
    return np.where(relevant > 0, values, np.nan)


def _f_steps(
    r: Ranking, cutoff: int | None = None, rel: float | None = None, beta: float = 1.0, judged_only: bool = False
) -> Steps:
    r = r.condensed() if judged_only else r
    adds = _adds(r, cutoff, rel)
    found, relevant, length = float(adds.sum()), int(r.judged.relevant(rel)[0]), float(shown(r, cutoff)[0])
    square = beta * beta
    written = f"(1 + {beta:g}²) × {found:g} / ({beta:g}² × {relevant} + {length:g})"
    return Steps(adds, (1 + square) * found, square * relevant + length, written=written)


def _f_foot(cutoff: int | None, rel: float | None, beta: float, judged_only: bool) -> str:
    weight = "" if beta == 1 else f", recall weighted {beta:g} times"
    parts = "precision and recall" if cutoff is None else f"P@{cutoff} and R@{cutoff}"
    return f"harmonic mean of {parts}{weight}{level(rel)}{condensed(judged_only)}"


@measure(
    "F",
    sees="no",
    extremes="relevant",
    limits={"beta": Between(0.0, 1000.0)},
    all_relevant=True,
    foot=_f_foot,
    steps=_f_steps,
    says="how well a set balances what it should hold against what it should not",
    blind_to=(
        "the order of the set",
        "how relevant a document is",
        "relevant documents that nobody judged (they would enlarge the divisor)",
    ),
    use_for="sets without an order, such as filters and alerts. Ranked lists: AP, nDCG",
    agrees="trec_eval 10.0 set_F (without a cutoff); ir_measures SetF(beta=4.0), which takes the square, as F(beta=2)",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    example=Example("F@5", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def f_measure(
    r: Ranking, cutoff: int | None = None, rel: float | None = None, beta: float = 1.0, judged_only: bool = False
) -> Values:
    """Harmonic mean of precision and recall of the first k, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.
        beta: recall counts beta times as much as precision; from 0 to 1000.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; 0 where nothing relevant was found, NaN where no document is relevant.
    """
    r = r.condensed() if judged_only else r
    relevant = r.judged.relevant(rel)
    # (1 + b^2) P R / (b^2 P + R) with P = h / length and R = h / relevant is linear in h, so it averages over ties.
    square = beta * beta
    values = divide((1 + square) * r.relevant(rel).count(cutoff), square * relevant + shown(r, cutoff), otherwise=0.0)
    return np.where(relevant > 0, values, np.nan)


def _hit_steps(r: Ranking, cutoff: int | None = None, rel: float | None = None, judged_only: bool = False) -> Steps:
    value = float(hit_rate(r, cutoff, rel, judged_only)[0])
    r = r.condensed() if judged_only else r
    if r.is_averaged:
        # each relevant document of the highest group with one is the first of them as often
        relevant = r.is_relevant(rel)
        start = r.rank if r.first is None else r.first
        among = relevant & (start == start[relevant].min(initial=np.iinfo(np.int64).max))
        return Steps(np.where(among, value / max(int(among.sum()), 1), 0.0), value)
    adds = _adds(r, cutoff, rel)
    return Steps(adds * (np.cumsum(adds) == 1), value)


@measure(
    "HitRate",
    sees="no",
    extremes="relevant",
    foot=lambda cutoff, rel, judged_only: (
        f"1 where a relevant document stands {within(cutoff)}, else 0{level(rel)}{condensed(judged_only)}"
    ),
    steps=_hit_steps,
    range="0 or 1",
    says="for which share of queries the first k hold anything relevant",
    blind_to=(
        "where in the first k it stands (read RR)",
        "further relevant documents",
        "how relevant a document is",
        "documents that nobody judged (read Judged@10 beside it)",
    ),
    use_for="known items, and contexts where one good passage is enough",
    agrees="trec_eval 10.0 success; ir_measures Success",
    source="trec_eval `success`",
    example=Example("HitRate@5", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def hit_rate(r: Ranking, cutoff: int | None = None, rel: float | None = None, judged_only: bool = False) -> Values:
    """Whether the first k hold a relevant document, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), 0 or 1; between them where tied documents straddle the cutoff and ties are averaged.
    """
    r = r.condensed() if judged_only else r
    hits = r.relevant(rel).top(cutoff)
    if not r.is_averaged or cutoff is None:
        return (hits.count() > 0).astype(np.float64)
    groups = hits.groups()
    miss = np.ones(len(groups.query))
    miss[groups.last <= cutoff] = 0.0
    straddles = groups.last > cutoff
    slots = np.maximum(cutoff - groups.first + 1, 0)
    # chance that none of `hits` documents falls into `slots` of `size` places; the shorter of two equal products
    fewer, more = np.minimum(groups.hits, slots), np.maximum(groups.hits, slots)
    for step in range(int(fewer[straddles].max(initial=0))):
        active = straddles & (step < fewer)
        size = groups.size[active]
        miss[active] *= np.maximum(size - more[active] - step, 0) / (size - step)
    value = np.ones(r.n)
    np.multiply.at(value, groups.query, miss)
    return 1.0 - value


def _first(r: Ranking, rel: float | None, mult: float) -> I64:
    """How many documents of each query are looked at: mult times R, rounded up but for the rounding of the product."""
    return np.ceil(mult * r.judged.relevant(rel) - 1e-9).astype(np.int64)  # type: ignore[no-any-return] # int64


def _rprec_steps(r: Ranking, rel: float | None = None, mult: float = 1.0, judged_only: bool = False) -> Steps:
    r = r.condensed() if judged_only else r
    first = _first(r, rel, mult)
    adds = r.is_relevant(rel) * r.within_each(first[r.query])
    return Steps(adds, float(adds.sum()), float(first[0]))


def _rprec_foot(rel: float | None, mult: float, judged_only: bool) -> str:
    first = "R" if mult == 1 else f"{mult:g} R"
    return (
        f"relevant documents among the first {first} divided by {first}, R being the number of relevant documents"
        f"{level(rel)}{condensed(judged_only)}"
    )


@measure(
    "Rprec",
    sees="no",
    extremes="relevant",
    limits={"mult": Between(0.01, 1000.0)},
    all_relevant=True,
    foot=_rprec_foot,
    steps=_rprec_steps,
    says="precision at the rank where a perfect list would be complete",
    blind_to=(
        "the order inside the first R",
        "how relevant a document is",
        "relevant documents that nobody judged (they would enlarge R)",
    ),
    use_for="queries with very different numbers of relevant documents",
    agrees="trec_eval 10.0 Rprec and, with mult, Rprec_mult",
    source="Buckley & Voorhees in Voorhees & Harman, TREC, 2005, chapter 3",
    example=Example("Rprec", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def r_precision(r: Ranking, rel: float | None = None, mult: float = 1.0, judged_only: bool = False) -> Values:
    """Precision of the first R documents, R being the number of relevant documents, per query.

    Args:
        r: one run joined with its qrels.
        rel: the lowest relevant grade; None leaves it to the judgments.
        mult: looks at mult times as many documents, rounded up, and divides by as many; from 0.01 to 1000.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    r = r.condensed() if judged_only else r
    first, hits = _first(r, rel, mult), r.relevant(rel)
    return divide(hits.per_query(hits.within_each(first[hits.query])), first)
