"""How far a labelling project has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import bare, count
from assay.report.page import Cell, Column, Fact, Facts, Heading, Page, Part, Prose, Range, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.flows.project_state import (
        FoundDocument,
        LateRater,
        PilotState,
        ProjectAgreement,
        ProjectState,
        RaterState,
        RubricStep,
    )

SEARCHED = 30
"""Documents found by raters that are named; the export has all of them."""


@view("ProjectState")
def page(found: ProjectState) -> Page:
    """The page of a project.

    Args:
        found: what `state_of` gave.
    """
    first = (
        f"{found.name}: {found.given:,} of {count(found.wanted, 'judgment')}{whereof(found)}. "
        f"{found.disputed:,} disputed, {found.settled:,} settled."
    )
    parts: list[Part | None] = [Facts(tuple(facts(found)))]
    if found.agreement is not None:
        one = found.agreement
        row = (one.name, Value(one.value, 2), Range(one.low, one.high, 2, why=one.remark or "n/a"), bare(found.limit))
        rows = (row, *([_beside(found.beside)] if found.beside is not None else []))
        columns = (Column("agreement"), Column("value", "right"), Column("95 % interval"), Column("asked for", "right"))
        parts.append(Table(columns, rows, name="Agreement"))
        parts.append(Prose(one.remark) if one.remark and one.low is not None else None)
    if found.pilot is not None and found.pilot.steps:
        lead = f"Pairs of {found.pilot.shared:,} with two grades or more on which raters stand on both sides."
        parts += [Heading("Lines of the rubric on which raters differ", lead), lines(found.pilot.steps)]
    if found.raters:
        parts.append(raters(found.raters, "preferences" if found.mode == "pairwise" else "grades"))
    if found.late:
        lead = (
            "Quadratic kappa on the pilot, against an adjudicator's grade, else the median of those who began before "
            "(of two in the middle, the lower one)."
        )
        if found.mode == "pairwise":
            lead = "Alpha on the pilot, against an adjudicator's choice, else the commonest of those who began before."
        parts += [Heading("Raters who came when the queue was open", lead), late(found.late)]
    if found.found:
        parts.append(searched(found.found))
    if found.flags:
        parts.append(flags(found.flags))
    parts.append(remarks(found.notes))
    return Page(found.name, (first,), tuple(part for part in parts if part), made(found.source))


def whereof(found: ProjectState) -> str:
    """On which pairs the judgments that are counted are."""
    if not found.piloted:
        return f", of {count(found.pairs, 'pair')}"
    of = f"{found.piloted:,} of the {count(found.pairs, 'pair')}"
    return f" behind the pilot, which every rater labels: it has {of}"


def facts(found: ProjectState) -> list[Fact]:
    """How the project was made, and whether raters get anything."""
    each = f"{found.raters_each} raters a pair" if found.raters_each > 1 else "one rater a pair"
    lines = [Fact("Made", (f"rubric {found.rubric[0]}, version {found.rubric[1]}; {each}; mode {found.mode}",))]
    if found.refresh:
        days = "; ".join(f"{name or 'all others'} {n:,} days" for name, n in sorted(found.refresh.items()))
        lines.append(Fact("Good for", (days,)))
    if found.is_closed:
        lines.append(Fact("Closed", ("nothing more is handed out",)))
    if found.pilot is not None:
        lines.append(Fact("Pilot", (waits(found.pilot, found.limit),)))
    elif found.opened:
        at, by, why = found.opened
        lines.append(Fact("Pilot", (f"the queue behind it was opened {at} by {by}: {why}",)))
    return lines


def waits(pilot: PilotState, limit: float) -> str:
    """What the queue behind a pilot waits for."""
    why = "not every rater has"
    if pilot.is_labelled:
        why = "all have labelled it, and do not agree enough, or not surely"
        if pilot.reaches:
            why = "all have, and agree: it opens when the next of them asks for more"
    return (
        f"the queue is closed until every rater has labelled the same {pilot.pairs:,} pairs and the lower end of their "
        f"agreement reaches {limit:.2f}: {why}"
    )


def lines(steps: tuple[RubricStep, ...]) -> Table:
    """Lines of the rubric, the one that most pairs lie across first."""
    columns = (Column("from", is_prose=True), Column("to", is_prose=True), Column("pairs", "right"))
    rows = tuple(
        (*(f"{step.dimension} {bare(value)} {word}".strip()
           for value, word in zip((step.below, step.above), step.words, strict=True)), f"{step.apart:,}")
        for step in steps
    )  # fmt: skip
    return Table(columns, rows, name="Lines of the rubric")


def raters(rows: tuple[RaterState, ...], what: str = "grades") -> Table:
    """Every rater with what was done, and how known grades and own ones were met.

    Args:
        rows: one a rater.
        what: raters give.
    """
    has_pilot = any(one.pilot_left is not None for one in rows)
    columns = [
        Column("rater", is_name=True), Column(what, "right"), Column("can't tell", "right"),
        Column("median s", "right"), Column("known ones met", "right", drop=1), Column("same again", "right", drop=1),
    ]  # fmt: skip
    if has_pilot:
        columns.append(Column("left of the pilot", "right"))
    rows_: tuple[tuple[Cell, ...], ...] = tuple(
        (one.name, f"{one.grades:,}", f"{one.cannot_tell:,}", Value(one.median_s, 1), _of(one.gold_met, one.gold),
         _of(one.same_again, one.repeats),
         *([f"{one.pilot_left:,}" if one.pilot_left is not None else ""] if has_pilot else []))
        for one in rows
    )  # fmt: skip
    return Table(tuple(columns), rows_, name="Raters")


def late(rows: tuple[LateRater, ...]) -> Table:
    """Raters who came later, each against the consensus of those before."""
    columns = (
        Column("rater", is_name=True), Column("pairs", "right"), Column("agreement", "right"), Column("95 % interval"),
    )  # fmt: skip
    made = []
    for one in rows:
        agreed = one.agreement
        span = (
            Range(agreed.low, agreed.high, 2, why=agreed.remark or "n/a")
            if agreed is not None
            else "nothing graded yet"
        )
        made.append((one.name, _of(one.graded, one.known), Value(None if agreed is None else agreed.value, 2), span))
    return Table(columns, tuple(made), name="Raters who came when the queue was open")


def searched(rows: tuple[FoundDocument, ...]) -> Table:
    """Documents that raters found by the search of the page, and what was said of them."""
    columns = (Column("found by raters: query", is_name=True), Column("document", is_name=True), Column("grades"))
    made = tuple((one.query_id, one.doc_id, ", ".join(map(bare, one.grades)) or "none yet") for one in rows[:SEARCHED])
    return Table(columns, made, name=f"Documents that raters found: {len(rows):,}")


def _beside(one: ProjectAgreement) -> tuple[Cell, ...]:
    return one.name, Value(one.value, 2), Range(one.low, one.high, 2, why=one.remark or "n/a"), ""


def flags(rows: tuple[tuple[str, str, str], ...]) -> Table:
    """Queries that raters found bad."""
    columns = (Column("bad query", is_name=True), Column("rater", is_name=True), Column("why", is_prose=True))
    return Table(columns, rows, name="Queries that raters found bad")


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" if whole else "none"
