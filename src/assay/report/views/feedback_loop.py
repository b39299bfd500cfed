"""The feedback loop: what learning from raw clicks does to early winners, and what taking position out does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import bare, count, percent
from assay.report.page import Cell, Column, Fact, Facts, Heading, Page, Picture, Table, Value, view
from assay.report.position_chart import Line, by_position
from assay.report.words import made

if TYPE_CHECKING:
    from assay.flows.looped import FeedbackLoop
    from assay.simulate.loop import Learnt

NAMES = {"raw": "raw", "corrected": "corrected"}


@view("FeedbackLoop")
def page(found: FeedbackLoop) -> Page:
    """The page of a feedback loop.

    Args:
        found: what `simulate_loop` gave.
    """
    lines = [
        Line(NAMES[one.way], tuple(each.winner_first for each in one.rounds), place=place)
        for place, one in enumerate(found.ways)
    ]
    caption = (
        "Share of contested queries whose early winner still stands first, round by round. Contested: another document "
        "is more attractive."
    )
    parts = (
        Heading("Who stands first"),
        Picture(caption, lambda width: by_position(lines, width, "round")),
        rounds(found),
        Facts(facts(found)),
    )
    return Page("The feedback loop", answer(found), parts, made(found.source))


def answer(found: FeedbackLoop) -> tuple[str, ...]:
    """Where both loops end."""
    said = []
    for one in found.ways:
        last = one.rounds[-1]
        how = "Learning from raw clicks" if one.way == "raw" else "With position taken out"
        said.append(
            f"{how}, the early winner still stands first for {percent(last.winner_first)} of the queries in round "
            f"{last.number}, and the best document for {percent(last.best_first)}."
        )
    lead = (
        f"In {found.contested:,} of {count(found.queries, 'query', 'queries')} the first document of the early ranking "
        "is not the most attractive one."
    )
    return (lead, *said)


def rounds(found: FeedbackLoop) -> Table:
    """Both ways round by round."""
    columns = [Column("round", "right")]
    for one in found.ways:
        name = NAMES[one.way]
        columns += [Column(f"{name}: winner first", "right"), Column(f"{name}: best first", "right"),
                    Column(f"{name}: clicks", "right", drop=1)]  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for place in range(len(found.ways[0].rounds)):
        cells: list[Cell] = [str(place + 1)]
        for one in found.ways:
            each = one.rounds[place]
            cells += [Value(each.winner_first, 2), Value(each.best_first, 2), Value(each.share_of_best, 3)]
        rows.append(tuple(cells))
    return Table(tuple(columns), tuple(rows), name="The feedback loop round by round")


def facts(found: FeedbackLoop) -> tuple[Fact, ...]:
    """How the world was made."""
    each = f"{count(found.searches, 'search', 'searches')} of {count(found.documents, 'document')} each"
    return (
        Fact("Clicks", ("expected a search, as a share of those of the best order of each query",)),
        Fact("Rounds", (f"{len(found.ways[0].rounds):,}, {each}; every round learns from all clicks so far",)),
        Fact("Raw", ("documents by clicks / impressions",)),
        Fact("Corrected", (f"documents by attraction; {_propensities(found.ways)}",)),
        Fact("Law", (f"position model: a position k is looked at with chance 1/k^{bare(found.eta)}",)),
        Fact("Swapped", (f"{percent(found.swaps)} of the searches, in both ways",)),
        Fact("Blind to", ("relevance: the best document is the one that attracts most",)),
    )


def _propensities(ways: tuple[Learnt, ...]) -> str:
    known = next((one.propensities for one in ways if one.propensities), ())
    if not known:
        return "the log never tied positions together, so that nothing was learnt"
    shown = ", ".join(f"{one:.2f}" for one in known[:5])
    return f"propensities are estimated from the same clicks, in the end {shown}{', …' if len(known) > 5 else ''}"
