"""Readers with a target: INST and INSQ, and what a stated reader can expect to gain in total."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.measures.foot import condensed
from assay.measures.measure import Example, Steps, Values, measure
from assay.measures.parameter import Between
from assay.measures.readers import (
    DEPTH,
    GoOn,
    by_rank,
    in_total,
    insq,
    inst,
    laid_open,
    per_document,
    persistent,
    seen,
)  # fmt: skip
from assay.measures.scale import said, shares
from assay.ranking.ranking import F64, Ranking

EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (3, "?", 0, 2)
EXAMPLE_JUDGED: tuple[float, ...] = (3, 2, 1, 0)

TARGET = Between(0.5, None)
"""Below a half the chance to go on would first fall and then rise."""
ABOVE_0 = Between(0.0, None, ends=False)
WITHIN_0_AND_1 = Between(0.0, 1.0, ends=False)


def _inst_steps(
    r: Ranking,
    T: float = 1.0,
    max: float | None = None,
    judged_only: bool = False,
) -> Steps:
    r = r.condensed() if judged_only else r
    return laid_open(r, max, inst(T), "INST")


@measure(
    "INST",
    sees="all",
    needs="gain",
    extremes="unknown",
    limits={"T": TARGET, "max": ABOVE_0},
    shows=("T",),
    grades=True,
    foot=lambda T, max, judged_only, scale=None: (
        f"gain (grade / {said(max, scale)}) per document of a reader who wants {T:g} in all and goes on at rank i with "
        f"((i + T + T_i - 1) / (i + T + T_i))^2, T_i still wanting{condensed(judged_only)}"
    ),
    steps=_inst_steps,
    says="how much each document that is read gives to a reader who wants a stated amount and stops near it",
    blind_to=(
        "how much there was to find",
        "documents that nobody judged: they count as worth nothing",
        "ranks below 1000",
        "the mean over the orders of equal scores where more than 10,000 differ in a query: it is refused",
    ),
    use_for="tasks with a known need: T 1 for one fact, 3 for a few good pages. No stated need: RBP or nDCG",
    undefined="n/a when a query has no document with a positive grade; counted, not averaged",
    agrees="cwl-eval 1.0.12 INST, ir_measures 0.4.3 INST(max_rel=), but for ties",
    source="Moffat, Bailey, Scholer & Thomas, ADCS 2015; Bailey, Moffat, Scholer & Thomas, SIGIR 2015",
    example=Example("INST(T=1)", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def inst_value(r: Ranking, T: float = 1.0, max: float | None = None, judged_only: bool = False) -> Values:
    """Gain per document of a reader who wants a stated amount, per query.

    Args:
        r: one run joined with its qrels.
        T: the amount that is wanted, in documents of the highest grade; 0.5 or more.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1.

    Raises:
        InputError: a grade lies above `max`, or ties are averaged and have too many orders.
    """
    r = r.condensed() if judged_only else r
    return per_document(r, max, inst(T), "INST")


def _insq_weights(target: float) -> F64:
    weight = seen(insq(target)(np.zeros((1, DEPTH))))[0]
    return weight / weight.sum()  # type: ignore[no-any-return] # float64


def _insq_steps(
    r: Ranking,
    T: float = 1.0,
    max: float | None = None,
    judged_only: bool = False,
) -> Steps:
    r = r.condensed() if judged_only else r
    worth, weight = shares(r, max), r.weighted(by_rank(_insq_weights(T)), DEPTH)
    return Steps(worth * weight, float((worth * weight).sum()), gain=worth, discount=weight,
                 divided_by="1 / weight", weight=by_rank(_insq_weights(T)))  # fmt: skip


@measure(
    "INSQ",
    sees="all",
    needs="gain",
    extremes="monotone",
    limits={"T": TARGET, "max": ABOVE_0},
    shows=("T",),
    grades=True,
    foot=lambda T, max, judged_only, scale=None: (
        f"gain (grade / {said(max, scale)}) per document of a reader who goes on at rank i with "
        f"((i + 2T - 1) / (i + 2T))^2, T {T:g}{condensed(judged_only)}"
    ),
    steps=_insq_steps,
    says="how much each document that is read gives to a reader who came for a stated amount, found or not",
    blind_to=(
        "how much there was to find",
        "documents that nobody judged: they count as worth nothing",
        "ranks below 1000",
    ),
    use_for="as INST, where ties must be averaged or values compared between lists weight by weight",
    undefined="n/a when a query has no document with a positive grade; counted, not averaged",
    agrees="cwl-eval 1.0.12 INSQ, ir_measures 0.4.3 INSQ(max_rel=), but for ties",
    source="Moffat, Scholer & Thomas, ADCS 2012",
    example=Example("INSQ(T=1)", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def insq_value(r: Ranking, T: float = 1.0, max: float | None = None, judged_only: bool = False) -> Values:
    """Gain per document of a reader who came for a stated amount and does not count what is found, per query.

    Args:
        r: one run joined with its qrels.
        T: the amount that is wanted, in documents of the highest grade; 0.5 or more.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1.

    Raises:
        InputError: a grade lies above `max`.
    """
    r = r.condensed() if judged_only else r
    return r.per_query(shares(r, max) * r.weighted(by_rank(_insq_weights(T)), DEPTH))


READERS = {
    "RBP": "goes on with chance {p:g}",
    "INST": "wants {T:g} in all and stops near it (INST)",
    "INSQ": "came for {T:g} (INSQ)",
}


def _reader(reader: str, p: float, target: float) -> GoOn:
    return persistent(p) if reader == "RBP" else inst(target) if reader == "INST" else insq(target)


def _total_steps(
    r: Ranking, reader: str = "RBP", p: float = 0.8, T: float = 1.0, max: float | None = None,
    judged_only: bool = False,
) -> Steps:  # fmt: skip
    r = r.condensed() if judged_only else r
    if r.is_averaged and reader != "INST":
        value = expected_utility(r, "RBP" if reader == "RBP" else "INSQ", p, T, max)
        return Steps(np.full(len(r.rank), np.nan), float(value[0]))
    return laid_open(r, max, _reader(reader, p, T), "ExpectedUtility", total=True)


@measure(
    "ExpectedUtility",
    sees="all",
    needs="gain",
    extremes="unknown",
    limits={"p": WITHIN_0_AND_1, "T": TARGET, "max": ABOVE_0},
    shows=("reader",),
    grades=True,
    range="0 or more",
    foot=lambda reader, p, T, max, judged_only, scale=None: (
        f"gain (grade / {said(max, scale)}) of all documents that a reader sees who "
        f"{READERS[reader].format(p=p, T=T)}{condensed(judged_only)}"
    ),
    steps=_total_steps,
    says="how much a reader of a stated kind has found when they stop",
    blind_to=(
        "how many documents were read for it: RBP, INST and INSQ say the gain per document",
        "documents that nobody judged: they count as worth nothing",
        "ranks below 1000",
        "with reader=INST, the mean over the orders of equal scores where more than 10,000 differ: it is refused",
    ),
    use_for="weighing what a search gives against what it costs. Comparing rankings: the measure of that reader",
    undefined="n/a when a query has no document with a positive grade; counted, not averaged",
    agrees="cwl-eval 1.0.12, its expected total utility, to what lies below its depth of 1000",
    source="Moffat, Bailey, Scholer & Thomas, TOIS 35(3), 2017; Azzopardi, Thomas & Moffat, SIGIR 2019",
    example=Example("ExpectedUtility(reader=RBP)", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def expected_utility(
    r: Ranking,
    reader: Literal["RBP", "INST", "INSQ"] = "RBP",
    p: float = 0.8,
    T: float = 1.0,
    max: float | None = None,
    judged_only: bool = False,
) -> Values:
    """Gain of all documents that a reader can be expected to see, per query.

    Args:
        r: one run joined with its qrels.
        reader: who reads: "RBP" goes on with chance p, "INST" wants T and counts what is found, "INSQ" does not count.
        p: the chance that the reader of RBP goes on, between 0 and 1.
        T: the amount that the reader of INST or INSQ wants, in documents of the highest grade; 0.5 or more.
        max: the highest grade of the scale; None takes the highest grade of the judgments, of all queries.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), at least 0, in documents of the highest grade.

    Raises:
        InputError: a grade lies above `max`.
    """
    r = r.condensed() if judged_only else r
    if (
        r.is_averaged and reader != "INST"
    ):  # who goes on by rank alone: each document has its share of its group's ranks
        weight = seen(_reader(reader, p, T)(np.zeros((1, DEPTH))))[0]
        return r.per_query(shares(r, max) * r.weighted(by_rank(weight), DEPTH))
    return in_total(r, max, _reader(reader, p, T), "ExpectedUtility")
