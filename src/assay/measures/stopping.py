"""Readers who stop at a rank, when they have enough, or at either: SDCG, BPM and NERR."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.errors import InputError
from assay.measures.foot import condensed
from assay.measures.measure import Example, Steps, Values, measure
from assay.measures.parameter import Between
from assay.measures.readers import DEPTH, GoOn, insq, laid_open, per_document, ranks
from assay.measures.scale import said, shares
from assay.ranking.discounts import log2
from assay.ranking.ranking import F64, Ranking

EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (2, "?", 3, 0)
EXAMPLE_JUDGED: tuple[float, ...] = (3, 2, 1, 0)

ABOVE_0 = Between(0.0, None, ends=False)
NO_GAIN = "n/a when a query has no document with a positive grade; counted, not averaged"


def _cut(cutoff: int | None, name: str) -> int:
    """The rank at which the reader stops at the latest."""
    if cutoff is None:
        raise InputError(f"{name} needs a cutoff: its reader stops there", remedy=f"write {name}@10")
    return min(cutoff, DEPTH)


def _scaled_steps(r: Ranking, cutoff: int | None = None, max: float | None = None, judged_only: bool = False) -> Steps:
    r = r.condensed() if judged_only else r
    worth, weight = shares(r, max), r.weighted(log2, _cut(cutoff, "SDCG"))
    return Steps(worth * weight, float((worth * weight).sum()), float(_all_ranks(cutoff)), gain=worth, discount=weight,
                 divided_by="log2(rank + 1)", weight=log2)  # fmt: skip


def _all_ranks(cutoff: int | None) -> float:
    return float(log2(np.arange(1, _cut(cutoff, "SDCG") + 1, dtype=np.float64)).sum())


@measure(
    "SDCG",
    sees="all",
    needs="gain",
    extremes="monotone",
    limits={"max": ABOVE_0},
    grades=True,
    foot=lambda cutoff, max, judged_only, scale=None: (
        f"gain (grade / {said(max, scale)}) divided by log2(rank + 1), summed, divided by that of {cutoff or 'k'} "
        f"documents of the highest grade{condensed(judged_only)}"
    ),
    steps=_scaled_steps,
    says="how near the first k come to a page full of the best documents, whether there are so many or not",
    blind_to=("how much there was to find: a query with one good document stays low", "documents that nobody judged"),
    use_for="judgments too thin to know the best order, as a rate of gain. Otherwise nDCG",
    undefined=NO_GAIN,
    agrees="cwl-eval 1.0.12 (it calls it NDCG-k), ir_measures 0.4.3 SDCG(max_rel=), but for ties",
    source="Moffat & Zobel, TOIS 27(1), 2008, section 3 (scaled DCG)",
    example=Example("SDCG@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def scaled_dcg(r: Ranking, cutoff: int | None = None, max: float | None = None, judged_only: bool = False) -> Values:
    """Discounted gain divided by that of a list of nothing but the highest grade, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; it must be given, and is at most 1000.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1.

    Raises:
        InputError: no cutoff, or a grade lies above `max`.
    """
    r = r.condensed() if judged_only else r
    total = r.per_query(shares(r, max) * r.weighted(log2, _cut(cutoff, "SDCG")))
    return total / _all_ranks(cutoff)


def _bpm(target: float) -> GoOn:
    return lambda gain: (np.cumsum(gain, axis=1) < target).astype(np.float64)


def _bpm_steps(
    r: Ranking, cutoff: int | None = None, T: float = 1.0, max: float | None = None,
    judged_only: bool = False,
) -> Steps:  # fmt: skip
    r = r.condensed() if judged_only else r
    return laid_open(r, max, _bpm(T), "BPM", _cut(cutoff, "BPM"))


@measure(
    "BPM",
    sees="all",
    needs="gain",
    extremes="unknown",
    limits={"T": ABOVE_0, "max": ABOVE_0},
    shows=("T",),
    grades=True,
    foot=lambda cutoff, T, max, judged_only, scale=None: (
        f"gain (grade / {said(max, scale)}) per document of a reader who stops when {T:g} is found or at rank "
        f"{cutoff or 'k'}{condensed(judged_only)}"
    ),
    steps=_bpm_steps,
    says="how quickly a reader with a target and a limit gets what they want",
    blind_to=(
        "the order of the documents before the reader stops",
        "everything after",
        "documents that nobody judged",
        "the mean over the orders of equal scores where more than 10,000 differ in a query: it is refused",
    ),
    use_for="tasks with a known need and a known patience. A reader who is less exact: INST",
    undefined=NO_GAIN,
    agrees="cwl-eval 1.0.12 BPM-Static, ir_measures 0.4.3 BPM(max_rel=), but for ties",
    source="Zhang, Liu, Li, Zhang, Xu & Ma, SIGIR 2017, the static form",
    example=Example("BPM(T=1)@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def bpm(
    r: Ranking,
    cutoff: int | None = None,
    T: float = 1.0,
    max: float | None = None,
    judged_only: bool = False,
) -> Values:
    """Gain per document of a reader who stops when the target is reached or patience is out, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: the rank at which the reader gives up; it must be given, and is at most 1000.
        T: the amount that is wanted, in documents of the highest grade; above 0.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1.

    Raises:
        InputError: no cutoff, or a grade lies above `max`.
    """
    r = r.condensed() if judged_only else r
    return per_document(r, max, _bpm(T), "BPM", _cut(cutoff, "BPM"))


STOPS = {
    "cut": "and gives up at rank {cutoff}",
    "rank": "else goes on with chance rank / (rank + 1), up to rank {cutoff}",
    "patience": "else goes on with chance {p:g}",
    "goal": "else goes on as the reader of INSQ with T {T:g}",
}


def _nerr(stop: str, p: float, target: float) -> GoOn:
    def go_on(gain: F64) -> F64:
        if stop == "rank":
            return ranks(gain) / (ranks(gain) + 1) * (1 - gain)
        return (p if stop == "patience" else insq(target)(gain) if stop == "goal" else 1.0) * (1 - gain)

    return go_on


def _nerr_depth(stop: str, cutoff: int | None) -> int:
    if stop in ("cut", "rank"):
        return _cut(cutoff, f"NERR(stop={stop})")
    return DEPTH if cutoff is None else min(cutoff, DEPTH)


def _nerr_steps(
    r: Ranking, cutoff: int | None = None, stop: str = "cut", p: float = 0.9, T: float = 1.0,
    max: float | None = None, judged_only: bool = False,
) -> Steps:  # fmt: skip
    r = r.condensed() if judged_only else r
    return laid_open(r, max, _nerr(stop, p, T), "NERR", _nerr_depth(stop, cutoff))


@measure(
    "NERR",
    sees="all",
    needs="gain",
    extremes="unknown",
    limits={"p": Between(0.0, 1.0, ends=False), "T": Between(0.5, None), "max": ABOVE_0},
    shows=("stop",),
    grades=True,
    foot=lambda cutoff, stop, p, T, max, judged_only, scale=None: (
        f"gain (grade / {said(max, scale)}) per document of a reader who stops with a chance of the gain, "
        f"{STOPS[stop].format(cutoff=cutoff or 'k', p=p, T=T)}{condensed(judged_only)}"
    ),
    steps=_nerr_steps,
    says="what ERR says, as a gain per document that is read",
    blind_to=(
        "how much there was to find",
        "documents that nobody judged: they count as worth nothing",
        "the mean over the orders of equal scores where more than 10,000 differ in a query: it is refused",
    ),
    use_for="comparing ERR's reader with others of the C/W/L family on one scale. Otherwise ERR",
    undefined=NO_GAIN,
    agrees="cwl-eval 1.0.12 NERR-EQ8 to EQ11, ir_measures 0.4.3 NERR8 to NERR11, but for ties",
    source="Azzopardi, Mackenzie & Moffat, ICTIR 2021: equations 8 (cut), 9 (rank), 10 (patience) and 11 (goal)",
    example=Example("NERR(stop=cut)@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def nerr(
    r: Ranking,
    cutoff: int | None = None,
    stop: Literal["cut", "rank", "patience", "goal"] = "cut",
    p: float = 0.9,
    T: float = 1.0,
    max: float | None = None,
    judged_only: bool = False,
) -> Values:
    """Gain per document of a reader who is satisfied with a chance of the gain, and else stops by a rule, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: the rank at which the reader gives up, at most 1000; it must be given for "cut" and "rank".
        stop: a reader who is not satisfied goes on up to the cutoff ("cut"), there with chance rank / (rank + 1)
            ("rank"), with chance p ("patience"), or as in INSQ with T ("goal").
        p: the chance to go on of stop=patience, between 0 and 1.
        T: the amount that is wanted of stop=goal, in documents of the highest grade; 0.5 or more.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1.

    Raises:
        InputError: a grade lies above `max`, or no cutoff where one is needed.
    """
    r = r.condensed() if judged_only else r
    return per_document(r, max, _nerr(stop, p, T), "NERR", _nerr_depth(stop, cutoff))
