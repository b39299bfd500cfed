"""How much raters agree on which of two documents is better, how steady each is, and whether a side draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.judgments.coefficients import own_remark
from assay.report.figures import count, percent
from assay.report.page import Cell, Column, Heading, Mark, Page, Part, Range, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.judgments.preferences import PreferenceAgreement, Side, Steadiness

PLACES = 3
ALARM = 0.05
"""Below this p a side is said to draw raters."""


@view("PreferenceAgreement")
def page(found: PreferenceAgreement) -> Page:
    """The page of the agreement of raters who compare documents.

    Args:
        found: what `preference_agreement` gave.
    """
    parts: list[Part | None] = [coefficients(found)]
    if found.raters:
        parts += [Heading("Raters"), raters(found)]
    if found.disputes:
        lead = "Pairs of which some raters prefer one document and some the other."
        parts += [Heading("Opposed", lead), disputes(found)]
    parts.append(remarks(found.notes))
    return Page("Agreement on preferences", answer(found), tuple(part for part in parts if part), made(found.source))


def answer(found: PreferenceAgreement) -> tuple[Cell, ...]:
    """Whether raters agree enough, what was compared, and whether a side draws them."""
    c, limit = found.deciding, f"{found.limit:g}"
    value = "undefined" if c.value is None else f"{c.value:.2f}"
    span = "" if c.low is None or c.high is None else f" ({c.low:.2f} to {c.high:.2f})"
    if found.is_enough is True:
        first = Mark("better", f"alpha, nominal is {value}{span}: even its lower end reaches {limit}.", "ENOUGH")
    elif found.is_enough is False:
        first = Mark("worse", f"alpha, nominal is {value}{span}, below {limit}: say better what makes one serve.",
                     "TOO LOW")  # fmt: skip
    else:
        why = c.remark or f"its interval holds {limit}: let more queries be compared twice"
        first = Mark("unsure", f"alpha, nominal is {value}{span}; {why}.", "CANNOT TELL")
    compared = (
        f"{count(found.given, 'preference')} on {count(found.pairs, 'pair')} of documents; {found.shared:,} of these "
        f"have several raters, who prefer opposite documents on {found.opposed:,}."
    )
    return (first, compared, side_words(found.side), *([steady_words(found.again)] if found.again.pairs else []))


def side_words(side: Side) -> str:
    """Whether one side is chosen more often than chance would have it."""
    if side.share is None or side.p is None:
        return "No choice has a known side."
    chosen = f"The left document was chosen {side.left:,} of {side.left + side.right:,} times ({percent(side.share)})"
    verdict = "a side draws raters" if side.p < ALARM else "no side is seen to draw raters"
    return f"{chosen}; p {side.p:.3f} against one half, two-sided binomial: {verdict}."


def steady_words(again: Steadiness) -> str:
    """How often raters said the same when they saw a pair again."""
    return (
        f"{count(again.pairs, 'pair')} came again with swapped sides: {again.same:,} had the same answer, and in "
        f"{again.same_side:,} the same side was chosen, which is the other document."
    )


def coefficients(found: PreferenceAgreement) -> Table:
    """Every coefficient with its interval."""
    columns = (
        Column("coefficient"), Column("value", "right"), Column("95 % interval", "right", drop=1),
        Column("", is_prose=True),
    )  # fmt: skip
    rows = tuple(
        (c.name, Value(c.value, PLACES), Range(c.low, c.high, PLACES), own_remark(c)) for c in found.coefficients
    )
    return Table(columns, rows, name="Agreement on first, second, tie and both bad")


def raters(found: PreferenceAgreement) -> Table:
    """Each rater: what was said, the side, and what was said again."""
    columns = (
        Column("rater", is_name=True), Column("given", "right"), Column("ties", "right", drop=2),
        Column("both bad", "right", drop=2), Column("left", "right"), Column("right", "right"),
        Column("share left", "right"), Column("95 % interval", "right", drop=1), Column("p (Holm)", "right"),
        Column("again", "right", drop=1), Column("same", "right", drop=1), Column("same side", "right", drop=1),
    )  # fmt: skip
    rows = tuple(
        (one.name, f"{one.given:,}", f"{one.ties:,}", f"{one.both_bad:,}", f"{one.side.left:,}",
         f"{one.side.right:,}", Value(one.side.share, PLACES), Range(one.side.low, one.side.high, PLACES),
         Value(one.corrected, PLACES), f"{one.again.pairs:,}", f"{one.again.same:,}", f"{one.again.same_side:,}")
        for one in found.raters
    )  # fmt: skip
    return Table(columns, rows, name="Each rater: answers, sides, and pairs that came again")


def disputes(found: PreferenceAgreement) -> Table:
    """Pairs on which raters prefer opposite documents."""
    columns = (
        Column("query", is_name=True), Column("document", is_name=True), Column("preferred by", is_prose=True),
        Column("other", is_name=True), Column("preferred by", is_prose=True),
    )  # fmt: skip
    rows = tuple(
        (one.query_id, one.doc_id, ", ".join(one.first), one.other_doc_id, ", ".join(one.second))
        for one in found.disputes
    )
    return Table(columns, rows, name="Pairs on which raters prefer opposite documents")
