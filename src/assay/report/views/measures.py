"""The list of measures, and one of them explained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.report.figures import count
from assay.report.page import Column, Command, Fact, Facts, Heading, Page, Part, Prose, Table, Worked, view

if TYPE_CHECKING:
    from assay.measures.card import MeasureCard, MeasureCards

COLUMNS = (
    Column("measure"),
    Column("order"),
    Column("grades"),
    Column("needs all", drop=1),
    Column("best when", is_prose=True),
    Column("blind to", is_prose=True, drop=2),
)
HEADS = Facts(
    (
        Fact("order", ("whether the order of the list matters; first: up to the first relevant document",)),
        Fact("grades", ("whether grades are told apart, or only relevant and not",)),
        Fact("needs all", ("whether all relevant documents must be known",)),
    )
)
SEES = {"no": "no", "first": "first", "all": "yes"}


@view("MeasureCards")
def cards(result: MeasureCards, **choices: Any) -> Page:
    """Every measure in a line: what it sees, what it needs, when it is best, what it is blind to."""
    rows = tuple(
        (
            card.name,
            SEES[card.sees_order],
            "yes" if card.uses_grades else "no",
            "yes" if card.needs_all_relevant else "no",
            card.use_for.partition(". ")[0],
            "; ".join(card.blind_to),
        )
        for card in result.cards
    )
    said = (
        f"{count(len(rows), 'measure')}. A name takes options and cutoffs: nDCG(gain=exp)@5,10, or nDCG:gain=exp@5,10."
    )
    more = Command("Explain one, with a worked example and its source:", "assay measures nDCG")
    return Page("Measures", (said,), (Table(COLUMNS, rows, name="Measures"), HEADS, more))


@view("MeasureCard")
def card(result: MeasureCard, **choices: Any) -> Page:
    """One measure: what it says, what it is blind to, a worked example, its source."""
    parts: list[Part] = [Prose(f"{result.summary.rstrip('.')}. {values(result)}"), Facts(tuple(words(result)))]
    if result.worked is not None:
        from assay.report.worked import worked

        parts += [
            Heading("Worked", result.example),
            worked(result.worked, documents=False),
            Worked((result.worked.closing,)),
        ]
    parts.append(Facts(tuple(sources(result))))
    if result.command:
        parts.append(Command("Try", result.command))
    return Page(result.name, (result.definition,), tuple(parts))


def values(result: MeasureCard) -> str:
    """The range of values, and which end is good."""
    good = {"high": "", "low": " Low is good.", "neither": " Neither end is good."}[result.better]
    said = f"from {result.range}" if " to " in result.range else result.range
    return f"{said[:1].upper()}{said[1:]}.{good}"


def words(result: MeasureCard) -> Iterator[Fact]:
    """What it says, what it cannot see, what it is for, its options."""
    if result.says:
        yield Fact("Says", (result.says,))
    if result.blind_to:
        yield Fact("Blind to", tuple(result.blind_to))
    if result.use_for:
        yield Fact("Best when", (result.use_for,))
    if result.options:
        yield Fact("Options", tuple(f"{name}: {what}" for name, what in result.options))


def sources(result: MeasureCard) -> Iterator[Fact]:
    """When it is undefined, what it is also called, what it agrees with and where it comes from."""
    yield Fact("Undefined", (result.undefined or "never",))
    if result.also_as:
        yield Fact("Also as", (f"{', '.join(result.also_as)} on input; always printed {result.name}",))
    if result.agrees:
        yield Fact("Agrees", (result.agrees,))
    if result.paper:
        yield Fact("Source", (result.paper,))
