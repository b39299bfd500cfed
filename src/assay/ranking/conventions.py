"""The choices that change a number, each with a name, a default and the other answers that tools give."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from assay.errors import InputError, did_you_mean

Order = Literal["auto", "score", "rank"]
Ties = Literal["docid", "input", "expected", "best", "worst"]
Missing = Literal["zero", "skip", "error"]
NoRelevant = Literal["drop", "zero", "one"]
Unlisted = Literal["unjudged", "not-relevant"]
Duplicates = Literal["refuse", "keep-first"]
Negative = Literal["judged", "unjudged"]
Width = Literal["64-bit", "32-bit"]


@dataclass(frozen=True, slots=True)
class Conventions:
    """How a run and its judgments become one ranking and one average.

    Args:
        order: "score" sorts by score; "rank" takes the rank column; "auto" sorts by score where there is one.
        ties: equal scores by "docid" (descending bytes, as trec_eval), in "input" order, as the "expected" value
            over all orders, or with the "best" or "worst" grade first.
        scores: width in which scores are compared; trec_eval 9 uses 32 bits.
        missing: a judged query that the run lacks counts "zero", is left out ("skip") or is an "error".
        no_relevant: a query without a relevant document is left out ("drop") or counts "zero" or "one".
        unlisted: what an absent pair means: "unjudged" or "not-relevant".
        duplicates: a document twice for one query is refused, or the first is kept.
        negative: a grade below 0 is "judged" (not relevant) or, as in trec_eval, "unjudged".
        raters: how several raters become one grade: "mean", "majority", "median", "dawid-skene" or the name of one; or
            "adjudicated", the grade of who settled a dispute, and the mean (or, as in "adjudicated,median", another)
            where nobody did. That is the default where judgments name adjudicators.
        dimension: which judgments are read where a set holds several dimensions; "relevance" is the grade itself.
        rel: the lowest relevant grade; None means any grade above 0.
        include: kinds of rows that count beside organic ones, such as "sponsored" and "pinned".
    """

    order: Order = "auto"
    ties: Ties = "docid"
    scores: Width = "64-bit"
    missing: Missing = "zero"
    no_relevant: NoRelevant = "drop"
    unlisted: Unlisted = "unjudged"
    duplicates: Duplicates = "refuse"
    negative: Negative = "judged"
    raters: str = "mean"
    dimension: str = "relevance"
    rel: float | None = None
    include: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in fields(self):
            allowed = get_args(hints[field.name]) if get_origin(hints[field.name]) is Literal else ()
            value = getattr(self, field.name)
            if allowed and value not in allowed:
                option = "--" + field.name.replace("_", "-")
                raise InputError(
                    f"{option} {value!r} is not one of {', '.join(allowed)}{did_you_mean(str(value), allowed)}",
                    remedy=f"pass {option} {'|'.join(allowed)}",
                )

    def but(self, **changes: Any) -> Conventions:
        """The same conventions with some of them changed."""
        return replace(self, **changes)

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every choice as (name, value) text, in the order of the fields."""
        return tuple((f.name, _written(f.name, getattr(self, f.name))) for f in fields(self))


def _written(name: str, value: Any) -> str:
    """One choice as text: what is not set is named by what holds instead."""
    if value is None:
        return "qrels"  # the level that the judgments imply, spelled as in a measure: rel=qrels
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return str(value).removesuffix(".0")


COMPAT: dict[str, dict[str, str]] = {
    "trec_eval-9": {"scores": "32-bit", "missing": "skip", "no_relevant": "zero", "negative": "unjudged"},
    "trec_eval-10": {"scores": "64-bit", "missing": "skip", "no_relevant": "zero", "negative": "unjudged"},
}
"""What other programs do, as differences from the defaults. trec_eval 10 stops where `skip` goes on."""
