"""What is known and what is there: Judged, Unjudged, and the counts NumRet, NumRel, NumRelRet."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.measures.foot import level, within
from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.ranking.ranking import F64, Ranking

EXAMPLE_SHOWN: tuple[float | Literal["?"], ...] = (0, 3, "?", 1)
EXAMPLE_JUDGED: tuple[float, ...] = (3, 2, 1, 0)


def _length(r: Ranking, cutoff: int | None) -> F64:
    """Documents of each query at rank 1..cutoff."""
    return (r.returned if cutoff is None else np.minimum(r.returned, cutoff)).astype(np.float64)


def _known(r: Ranking, cutoff: int | None) -> F64:
    """Of those, the ones that are judged: all where an absent pair means not relevant."""
    return _length(r, cutoff) if r.judged.unlisted == "not-relevant" else r.count(cutoff)


def _divisor(r: Ranking, cutoff: int | None, short: str) -> F64:
    return np.full(r.n, float(cutoff)) if short == "pad" and cutoff is not None else _length(r, cutoff)


def _words(what: str, cutoff: int | None, short: str) -> str:
    if cutoff is None:
        return f"share of the returned documents that are {what}"
    length = ", also when fewer were returned" if short == "pad" else ", or of those returned if fewer"
    return f"share of the first {cutoff} that are {what}{length}"


def _judged_steps(r: Ranking, cutoff: int | None = None, short: str = "list") -> Steps:
    known = float(_known(r, cutoff)[0])
    unjudged = 1.0 if r.judged.unlisted == "not-relevant" else 0.0
    return Steps(r.within(cutoff), known, float(_divisor(r, cutoff, short)[0]), unjudged=unjudged)


@measure(
    "Judged",
    sees="no",
    needs="nothing",
    extremes="none",
    foot=lambda cutoff, short: _words("judged", cutoff, short),
    steps=_judged_steps,
    says="how much of what was shown anybody has judged",
    blind_to=("whether the documents are any good",),
    use_for="beside every other measure: what is not judged counts as not relevant there",
    undefined="never; 0 when nothing was returned",
    agrees="ir_measures Judged but for ties",
    source="ir_measures `Judged`",
    example=Example("Judged@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def judged(r: Ranking, cutoff: int | None = None, short: Literal["list", "pad"] = "list") -> Values:
    """Share of the first k documents that are judged, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        short: a list shorter than the cutoff is divided by its length ("list") or by the cutoff ("pad").

    Returns:
        float64 of shape (n,), from 0 to 1; 0 for an empty list.
    """
    return divide(_known(r, cutoff), _divisor(r, cutoff, short), otherwise=0.0)


def _unjudged_steps(r: Ranking, cutoff: int | None = None, short: str = "list") -> Steps:
    total = float((_length(r, cutoff) - _known(r, cutoff))[0])
    adds = np.zeros(len(r.rank))
    return Steps(adds, total, float(_divisor(r, cutoff, short)[0]), unjudged=float(r.judged.unlisted != "not-relevant"))


@measure(
    "Unjudged",
    sees="no",
    needs="nothing",
    best="low",
    extremes="none",
    foot=lambda cutoff, short: _words("not judged", cutoff, short),
    steps=_unjudged_steps,
    says="how much of what was shown nobody has judged",
    blind_to=("whether the documents are any good",),
    use_for="finding runs that the judgments do not fit",
    undefined="never; 0 when nothing was returned",
    agrees="trec_eval 10.0 unj as Unjudged(short=pad), but for negative grades, which are judgments here",
    source="trec_eval 10.0 `unj`",
    example=Example("Unjudged@3", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def unjudged(r: Ranking, cutoff: int | None = None, short: Literal["list", "pad"] = "list") -> Values:
    """Share of the first k documents that are not judged, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        short: a list shorter than the cutoff is divided by its length ("list") or by the cutoff ("pad").

    Returns:
        float64 of shape (n,), from 0 to 1; 0 for an empty list.
    """
    return divide(_length(r, cutoff) - _known(r, cutoff), _divisor(r, cutoff, short), otherwise=0.0)


def _ret_steps(r: Ranking) -> Steps:
    return Steps(np.ones(len(r.rank)), float(r.returned[0]), unjudged=1.0)


@measure(
    "NumRet",
    sees="no",
    needs="nothing",
    best="neither",
    extremes="none",
    total="sum",
    range="0 or more",
    foot="documents returned",
    steps=_ret_steps,
    says="how many documents were returned",
    blind_to=("everything but their number",),
    use_for="finding short and empty lists",
    undefined="never",
    agrees="trec_eval 10.0 num_ret; its `all` line is the sum over queries",
    source="trec_eval",
    example=Example("NumRet", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def num_ret(r: Ranking) -> Values:
    """Documents returned, per query.

    Args:
        r: one run joined with its qrels.

    Returns:
        float64 of shape (n,).
    """
    return r.returned.astype(np.float64)


def _rel_steps(r: Ranking, rel: float | None = None) -> Steps:
    value = float(num_rel(r, rel)[0])
    return Steps(np.zeros(len(r.rank)), value)


@measure(
    "NumRel",
    sees="no",
    needs="nothing",
    best="neither",
    extremes="relevant",
    all_relevant=True,
    total="sum",
    range="0 or more",
    foot=lambda rel: f"relevant documents in the judgments{level(rel)}",
    steps=_rel_steps,
    says="how many relevant documents are known",
    blind_to=("the run",),
    use_for="reading R and AP: few relevant documents make both jump",
    undefined="never",
    agrees="trec_eval 10.0 num_rel; its `all` line is the sum over queries",
    source="trec_eval",
    example=Example("NumRel", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def num_rel(r: Ranking, rel: float | None = None) -> Values:
    """Relevant documents in the judgments, per query.

    Args:
        r: one run joined with its qrels.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,).
    """
    return r.judged.relevant(rel).astype(np.float64)


def _relret_steps(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Steps:
    adds = r.is_relevant(rel) * r.within(cutoff)
    return Steps(adds, float(adds.sum()))


@measure(
    "NumRelRet",
    sees="no",
    needs="nothing",
    extremes="relevant",
    total="sum",
    range="0 or more",
    foot=lambda cutoff, rel: f"relevant documents {'returned' if cutoff is None else within(cutoff)}{level(rel)}",
    steps=_relret_steps,
    says="how many relevant documents were found",
    blind_to=("the order", "how many there were to find (read R)"),
    use_for="checking P and R by hand",
    undefined="never",
    agrees="trec_eval 10.0 num_rel_ret; its `all` line is the sum over queries",
    source="trec_eval",
    example=Example("NumRelRet", EXAMPLE_SHOWN, EXAMPLE_JUDGED),
)
def num_rel_ret(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Values:
    """Relevant documents in the first k, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted; None counts all.
        rel: the lowest relevant grade; None leaves it to the judgments.

    Returns:
        float64 of shape (n,).
    """
    return r.relevant(rel).count(cutoff)
