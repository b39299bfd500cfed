"""How much raters agree: the answer against the limit, then each coefficient, rater, step and dispute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.judgments.coefficients import own_remark
from assay.report.figures import bare, count, percent
from assay.report.page import Cell, Column, Heading, Mark, Page, Part, Range, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.judgments.agreement import AgreementPart, RaterAgreement, RaterPair
    from assay.judgments.coefficients import Coefficient

PLACES = 3
TABLES = 3
"""Pairs of raters whose table is laid open: three raters. JSON has all of them."""
SKEWED = 0.3
"""AC1 above the plain alpha by more: nearly all ratings are one grade, and chance correction eats the agreement."""


@view("RaterAgreement")
def page(found: RaterAgreement) -> Page:
    """The page of the agreement of raters.

    Args:
        found: what `agreement` gave.
    """
    parts: list[Part | None] = [coefficients(found.total, found.mean_kappa), boundaries(found.total)]
    if found.raters:
        parts += [Heading("Raters", "Each against every other rating of the same pairs."), raters(found)]
    if found.pairs:
        parts.append(pairs(found))
    parts += [confusion(found, pair) for pair in found.pairs[:TABLES]]
    if found.settled:
        lead = "On the pairs that an adjudicator settled: the hard ones, and no sample of all."
        parts += [Heading("Against the adjudicator", lead), settled(found)]
    if found.parts:
        parts += [Heading("Parts"), by_part(found)]
    if found.disputes:
        lead = "The widest spread first: settle these, and mend the line of the rubric that they have in common."
        parts += [Heading("Disputed", lead), disputes(found)]
    parts.append(remarks(found.notes))
    return Page("Agreement of raters", answer(found), tuple(part for part in parts if part), made(found.source))


def answer(found: RaterAgreement) -> tuple[Cell, ...]:
    """Whether it is enough, what was rated, and what the coefficients cannot tell."""
    c, limit = found.deciding, f"{found.limit:g}"
    value = "undefined" if c.value is None else f"{c.value:.2f}"
    span = "" if c.low is None or c.high is None else f" ({c.low:.2f} to {c.high:.2f})"
    name = c.name
    if c is found.mean_kappa:
        name = "the mean quadratic kappa of every two raters"
    elif not name.startswith("alpha"):
        name = f"quadratic kappa of {found.pairs[0].a} and {found.pairs[0].b}"
    if found.is_enough is True:
        first = Mark("better", f"{name} is {value}{span}: even its lower end reaches {limit}.", "ENOUGH")
    elif found.is_enough is False:
        first = Mark("worse", f"{name} is {value}{span}, below {limit}: mend the rubric before more is labelled.",
                     "TOO LOW")  # fmt: skip
    else:
        why = c.remark or f"its interval holds {limit}: let more queries be labelled twice"
        first = Mark("unsure", f"{name} is {value}{span}; {why}.", "CANNOT TELL")
    t = found.total
    shared = (
        f"{count(t.shared, 'pair')} of {t.pairs:,} were rated more than once, of {count(t.queries, 'query', 'queries')}"
    )
    said: list[Cell] = [first, f"{shared}; grades {', '.join(bare(grade) for grade in found.grades)}."]
    if is_skewed(t):
        share = t.coefficients[0].value or 0.0
        said.append(
            f"Raters say the same {percent(share)} of the time and yet alpha is low: nearly all ratings are one grade, "
            "so chance alone would agree as often. Read AC1 beside it."
        )
    return tuple(said)


def is_skewed(part: AgreementPart) -> bool:
    """Whether chance correction eats high agreement, because nearly all ratings are one grade."""
    known = {c.name: c.value for c in part.coefficients}
    same, nominal, ac1 = known["percent"], known["alpha, nominal"], known["AC1"]
    if same is None or nominal is None or ac1 is None:
        return False
    return same > 0.5 and ac1 - nominal > SKEWED


def coefficients(part: AgreementPart, mean_kappa: Coefficient | None = None) -> Table:
    """Every coefficient with its interval, and the mean kappa of pairs of raters where there are more than two."""
    every = part.coefficients if mean_kappa is None else (*part.coefficients, mean_kappa)
    rows = tuple((c.name, *_value(c), own_remark(c)) for c in every)
    columns = (Column("coefficient"), *_heads(), Column("", is_prose=True))
    return Table(columns, rows, name="Agreement in all")


def boundaries(part: AgreementPart) -> Table:
    """Agreement on each step of the scale: is it at least this grade?"""
    columns = (
        Column("at least", "right"), Column("percent", "right"), Column("alpha", "right"),
        Column("95 % interval", "right", drop=1), Column("AC1", "right"),
    )  # fmt: skip
    rows = []
    for step in part.boundaries:
        same, alpha, ac1 = step.coefficients
        span = Range(alpha.low, alpha.high, PLACES)
        rows.append((bare(step.grade), Value(same.value, PLACES), Value(alpha.value, PLACES), span,
                     Value(ac1.value, PLACES)))  # fmt: skip
    return Table(columns, tuple(rows), name="Agreement at each step between two grades")


def raters(found: RaterAgreement) -> Table:
    """Each rater against all others."""
    columns = (
        Column("rater", is_name=True), Column("ratings", "right"), Column("shared", "right"),
        Column("mean grade", "right", drop=1), Column("milder by", "right"), Column("quadratic kappa", "right"),
        Column("95 % interval", "right", drop=1), Column("", is_prose=True),
    )  # fmt: skip
    rows = tuple(
        (one.name, f"{one.ratings:,}", f"{one.shared:,}", Value(one.mean, 2), Value(one.lean, 2, sign=True),
         *_value(one.kappa), own_remark(one.kappa))
        for one in found.raters
    )  # fmt: skip
    return Table(columns, rows, name="Each rater against all others")


def pairs(found: RaterAgreement) -> Table:
    """Each pair of raters."""
    columns = (
        Column("rater", is_name=True, is_grouped=True), Column("and", is_name=True), Column("shared", "right"),
        Column("percent", "right"), Column("kappa", "right"), Column("linear", "right"), Column("quadratic", "right"),
        Column("95 % interval", "right", drop=1), Column("", is_prose=True),
    )  # fmt: skip
    rows = []
    for pair in found.pairs:
        *first, last = pair.coefficients
        values = (Value(c.value, PLACES) for c in first)
        rows.append((pair.a, pair.b, f"{pair.shared:,}", *values, *_value(last), own_remark(last)))
    return Table(columns, tuple(rows), name="Each pair of raters")


def confusion(found: RaterAgreement, pair: RaterPair) -> Table:
    """What one rater said (rows) against what the other said (columns)."""
    a, b, table = pair.a, pair.b, pair.table
    grades = [bare(grade) for grade in found.grades]
    columns = (Column(f"{a} \\ {b}"), *(Column(grade, "right") for grade in grades))
    rows = tuple((grade, *(f"{x:,}" for x in row)) for grade, row in zip(grades, table, strict=True))
    return Table(columns, rows, name=f"What {a} said (rows) against {b} (columns)")


def settled(found: RaterAgreement) -> Table:
    """Each rater against who settled the disputes."""
    columns = (Column("rater", is_name=True), Column("settled pairs", "right"), Column("same grade", "right"),
               Column("milder by", "right"))  # fmt: skip
    rows = tuple(
        (one.name, f"{one.shared:,}", percent(one.same), Value(one.lean, 2, sign=True)) for one in found.settled
    )
    return Table(columns, rows, name="Each rater against the adjudicator")


def by_part(found: RaterAgreement) -> Table:
    """Alpha and AC1 of each part."""
    columns = (
        Column("by", is_grouped=True), Column("part", is_name=True), Column("shared", "right"),
        Column("queries", "right", drop=1), Column("percent", "right"), Column("alpha, interval", "right"),
        Column("95 % interval", "right", drop=1), Column("AC1", "right"),
    )  # fmt: skip
    rows = []
    for part in found.parts:
        known = {c.name: c for c in part.coefficients}
        rows.append((part.by, part.value, f"{part.shared:,}", f"{part.queries:,}",
                     Value(known["percent"].value, PLACES), *_value(known["alpha, interval"]),
                     Value(known["AC1"].value, PLACES)))  # fmt: skip
    return Table(columns, tuple(rows), name="Agreement by part")


def disputes(found: RaterAgreement) -> Table:
    """The pairs on which raters are farthest apart."""
    columns = (Column("query", is_name=True), Column("document", is_name=True), Column("grades", is_prose=True))
    rows = tuple(
        (one.query_id, one.doc_id,
         ", ".join(f"{who} {bare(g)}" if who else bare(g) for g, who in zip(one.grades, one.raters, strict=True)))
        for one in found.disputes
    )  # fmt: skip
    return Table(columns, rows, name="Disputed pairs")


def _heads() -> tuple[Column, ...]:
    return Column("value", "right"), Column("95 % interval", "right", drop=1)


def _value(c: Coefficient) -> tuple[Cell, ...]:
    return Value(c.value, PLACES), Range(c.low, c.high, PLACES)
