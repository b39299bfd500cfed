"""Readers who may stop at every rank: ERR, whose reader stops when satisfied, and RBP, whose reader stops by chance."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.errors import InputError
from assay.measures.foot import condensed, level, within
from assay.measures.measure import Example, Steps, Values, measure
from assay.measures.parameter import Between
from assay.measures.scale import said, shares, top_grade
from assay.ranking.discounts import number
from assay.ranking.ranking import F64, Ranking

EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (3, "?", 0, 2)
EXAMPLE_JUDGED: tuple[float, ...] = (3, 2, 1, 0)

LARGEST = 1000.0
"""The highest grade whose power of 2 is still a number."""
NEARLY_1 = 1.0 - 2.0**-53
"""From grade 54 on the chance to satisfy is 1 in 64 bits, and has no logarithm."""
WITHIN_0_AND_1 = Between(0.0, 1.0, ends=False)


def _satisfied(r: Ranking, max: float | None) -> F64:
    """The chance that each hit satisfies its reader: (2^grade - 1) / 2^max."""
    top = top_grade(r, max)
    if top > LARGEST:
        raise InputError(
            f"ERR of grade {number(top)}: 2^grade is too large to be counted with",
            remedy="map the grades to a scale such as 0 to 4 first",
        )
    return (np.exp2(np.maximum(r.grade, 0.0)) - 1.0) / float(np.exp2(top))


def _reached(r: Ranking, chance: F64) -> F64:
    """The chance that the reader comes as far as each hit: nothing above it satisfied."""
    log = np.log1p(-np.minimum(chance, NEARLY_1))
    return np.exp(r.so_far(log) - log)  # type: ignore[no-any-return] # float64


def _err_adds(r: Ranking, cutoff: int | None, max: float | None) -> F64:
    """What each hit adds: the chance that the reader stops there, divided by its rank."""
    chance = _satisfied(r, max)
    if not r.is_averaged:
        return chance * _reached(r, chance) * r.within(cutoff) / r.rank
    return _averaged(r, cutoff, chance)


def _unsatisfied(chances: list[float], others: int) -> F64:
    """Chance that nothing satisfies in the first t places of some documents in any order, t = 0, 1, ...

    It is the mean over all sets of t documents of the product of their 1 - chance. With one document more it is
    ((n + 1 - t) S_t + t (1 - chance) S_(t-1)) / (n + 1), a mean of numbers from 0 to 1, so nothing is lost.

    Args:
        chances: of the documents that can satisfy.
        others: how many there are beside them.
    """
    left = np.ones(others + len(chances) + 1)
    places = np.arange(len(left), dtype=np.float64)
    for n, each in enumerate(chances, others):
        left[1:] = ((n + 1 - places[1:]) * left[1:] + places[1:] * (1 - each) * left[:-1]) / (n + 1)
        left[n + 2 :] = 0.0  # no set has more documents than there are
    return left


def _averaged(r: Ranking, cutoff: int | None, chance: F64, apart: bool = False) -> F64:
    """The same over all orders of equal scores; a group of several hits is one element and the others 0, or `apart`."""
    groups = r.groups()
    adds = np.zeros(len(r.rank))
    start = np.cumsum(groups.hits) - groups.hits
    reached = _reached(r, chance)
    for at, hits, first, size in zip(start.tolist(), groups.hits.tolist(), groups.first.tolist(),
                                     groups.size.tolist(), strict=True):  # fmt: skip
        upto = size if cutoff is None else min(size, cutoff - first + 1)
        if upto <= 0:
            continue
        if size == 1:
            adds[at] = chance[at] * reached[at] / first
            continue
        known, share = chance[at : at + hits].tolist(), 1.0 / (first + np.arange(upto))
        if apart:  # a document is at each place as often, behind any of the others
            for i, each in enumerate(known):
                left = _unsatisfied(known[:i] + known[i + 1 :], size - hits)
                adds[at + i] = reached[at] * each * float((left[:upto] * share).sum()) / size
        else:  # the reader stops at place t with the chance that is left before it, less that behind it
            left = _unsatisfied(known, size - hits)
            adds[at] = reached[at] * float(((left[:upto] - left[1 : upto + 1]) * share).sum())
    return adds


def _err_steps(r: Ranking, cutoff: int | None = None, max: float | None = None, judged_only: bool = False) -> Steps:
    r = r.condensed() if judged_only else r
    total = float(_err_adds(r, cutoff, max).sum())
    chance = _satisfied(r, max)
    adds = _averaged(r, cutoff, chance, apart=True) if r.is_averaged else _err_adds(r, cutoff, max)
    return Steps(adds, total, gain=chance)


def _err_foot(cutoff: int | None, max: float | None, judged_only: bool, scale: float | None = None) -> str:
    return (
        f"1 / rank of the document {within(cutoff)} that satisfies the reader, expected; a grade satisfies with "
        f"(2^grade - 1) / 2^max, max being {said(max, scale)}{condensed(judged_only)}"
    )


@measure(
    "ERR",
    sees="all",
    needs="gain",
    extremes="monotone",
    limits={"max": Between(0.0, None, ends=False)},
    grades=True,
    range="0 to 1",
    foot=_err_foot,
    steps=_err_steps,
    says="how soon a reader who stops at the first good enough document can be expected to stop",
    blind_to=(
        "what comes after a top document: the reader has stopped",
        "how much there was to find: a perfect list stays below 1",
        "documents that nobody judged (read Judged@10 beside it)",
    ),
    undefined="n/a when a query has no document with a positive grade; counted, not averaged",
    use_for="pages where one very good result ends the search. Several good answers wanted: nDCG; no grades: RR",
    agrees="ir_measures 0.4.3 ERR (gdeval) as ERR(max=4): it takes 4 as the highest grade whatever the judgments say",
    source="Chapelle, Metzler, Zhang & Grinspan, CIKM 2009",
    example=Example("ERR@10", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def err(r: Ranking, cutoff: int | None = None, max: float | None = None, judged_only: bool = False) -> Values:
    """Expected reciprocal rank of the document that satisfies the reader, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to below 1.

    Raises:
        InputError: a grade lies above `max`, or is above 1000.
    """
    r = r.condensed() if judged_only else r
    return r.per_query(_err_adds(r, cutoff, max))


def _discount(p: float):  # type: ignore[no-untyped-def] # a function of ranks, made here
    def weight(ranks: F64) -> F64:
        return (1 - p) * np.power(p, ranks - 1.0)

    return weight


def _worth(r: Ranking, rel: float | None, gain: str, max: float | None) -> F64:
    if gain == "scaled":
        return shares(r, max)
    return r.is_relevant(rel).astype(np.float64)


def _rbp_steps(
    r: Ranking, cutoff: int | None = None, p: float = 0.8, rel: float | None = None, gain: str = "binary",
    max: float | None = None, judged_only: bool = False,
) -> Steps:  # fmt: skip
    r = r.condensed() if judged_only else r
    worth, weight = _worth(r, rel, gain, max), r.weighted(_discount(p), cutoff)
    return Steps(worth * weight, float((worth * weight).sum()), gain=worth, discount=weight,
                 divided_by=f"1 / ({1 - p:g} × {p:g}^(rank - 1))", weight=_discount(p))  # fmt: skip


def _rbp_foot(
    cutoff: int | None, p: float, rel: float | None, gain: str, max: float | None, judged_only: bool,
    scale: float | None = None,
) -> str:  # fmt: skip
    worth = f"grade / {said(max, scale)}" if gain == "scaled" else f"1 for a relevant document{level(rel)}"
    return f"{worth}, weighted {1 - p:g} × {p:g}^(rank - 1), summed {within(cutoff)}{condensed(judged_only)}"


@measure(
    "RBP",
    sees="all",
    extremes="monotone",
    limits={"p": WITHIN_0_AND_1, "max": Between(0.0, None, ends=False)},
    shows=("p",),
    grades=True,
    foot=_rbp_foot,
    steps=_rbp_steps,
    says="how much a reader gains per document who goes on to the next one with chance p",
    blind_to=(
        "how much there was to find",
        "how relevant a document is, unless gain=scaled",
        "documents that nobody judged: RBPResidual at the same p says how much they could add",
    ),
    use_for="judgments with holes, beside RBPResidual. p 0.5 reads two documents on average, 0.8 five, 0.95 twenty",
    agrees="ir_measures 0.4.3 RBP(rel=1) and cwl-eval 1.0.12 but for ties; gain=scaled as trec_eval 10.0 means its rbp",
    source="Moffat & Zobel, TOIS 27(1), 2008",
    example=Example("RBP(p=0.5)", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def rbp(
    r: Ranking,
    cutoff: int | None = None,
    p: float = 0.8,
    rel: float | None = None,
    gain: Literal["binary", "scaled"] = "binary",
    max: float | None = None,
    judged_only: bool = False,
) -> Values:
    """Gain per document of a reader who goes on to the next rank with chance p, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        p: the chance that the reader goes on, between 0 and 1.
        rel: the lowest relevant grade, for gain=binary; None leaves it to the judgments.
        gain: a relevant document is worth 1 ("binary"), or every one its grade divided by `max` ("scaled").
        max: the highest grade of the scale, for gain=scaled; None takes the highest grade of the judgments.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1: the lowest value that unjudged documents allow.

    Raises:
        InputError: a grade lies above `max`.
    """
    r = r.condensed() if judged_only else r
    hits = r.top(cutoff)
    return hits.per_query(_worth(hits, rel, gain, max) * hits.weighted(_discount(p), cutoff))


def _known(r: Ranking, cutoff: int | None, p: float) -> F64:
    """The weight of the ranks whose documents are judged."""
    if r.judged.unlisted == "not-relevant":
        length = r.returned if cutoff is None else np.minimum(r.returned, cutoff)
        return 1.0 - np.power(p, length)
    hits = r.top(cutoff)
    return hits.per_query(hits.weighted(_discount(p), cutoff))


def _residual_steps(r: Ranking, cutoff: int | None = None, p: float = 0.8) -> Steps:
    known = float(_known(r, cutoff, p)[0])
    return Steps(-r.weighted(_discount(p), cutoff), 1.0 - known, written=f"1 - {known:.4f}")


@measure(
    "RBPResidual",
    sees="all",
    needs="nothing",
    best="low",
    extremes="none",
    limits={"p": WITHIN_0_AND_1},
    shows=("p",),
    foot=lambda cutoff, p: (
        f"weight {1 - p:g} × {p:g}^(rank - 1) of all ranks whose document nobody judged, those below the end of the "
        f"list{'' if cutoff is None else f' or of the first {cutoff}'} too"
    ),
    steps=_residual_steps,
    says="how much higher RBP at the same p could be if everything unknown were relevant",
    blind_to=("what is known: read it beside RBP",),
    use_for="beside RBP, always. Two systems closer than their residuals are not told apart by these judgments",
    undefined="never; 1 when nothing was returned",
    agrees="cwl-eval 1.0.12 (to its depth of 1000); trec_eval 10.0 rbp_resid leaves the ranks below the list out",
    source="Moffat & Zobel, TOIS 27(1), 2008, section 4",
    example=Example("RBPResidual(p=0.5)", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def rbp_residual(r: Ranking, cutoff: int | None = None, p: float = 0.8) -> Values:
    """Weight of the ranks whose document is not known, those below the end of the list too, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are looked at, the others are unknown; None looks at all.
        p: the chance that the reader goes on, between 0 and 1.

    Returns:
        float64 of shape (n,), from 0 to 1.
    """
    return 1.0 - _known(r, cutoff, p)
