"""A click log that was made, and what is known of it."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from assay.report.figures import bare, count, percent
from assay.report.page import Fact, Facts, Page, view
from assay.report.words import made

if TYPE_CHECKING:
    from assay.flows.simulated import Simulated

LAWS = {
    "pbm": "position model: a position k is looked at with chance 1/k^{eta}, and what attracts is clicked",
    "cascade": "lists are read from the top, and no further than the first click",
    "dbn": "lists are read from the top, and no further once somebody is satisfied",
    "trust": "position model (chance 1/k^{eta}) with trust: what stands high is clicked without merit, too",
}


@view("Simulated")
def page(found: Simulated) -> Page:
    """The page of a simulated log.

    Args:
        found: what `simulate_logs` gave.
    """
    answer = f"{count(found.searches, 'search', 'searches')} written to {found.file}: nobody made these clicks."
    facts = (
        Fact("Shown", (f"{count(found.rows, 'document')}, of which {count(found.clicks, 'click')}",)),
        Fact("Queries", (f"{found.queries:,}",)),
        Fact("Rankers", (", ".join(found.rankers),)),
        Fact("Law", (LAWS[found.law].format(eta=bare(found.eta)),)),
        Fact("Swapped", (f"{percent(found.swaps)} of the searches",)),
        *([Fact("Truth", (f"what went in, by query and document: {found.truth}",))] if found.truth else []),
        Fact("Next", (f"assay {following(found)} {quote(found.file)}",)),
    )
    return Page("Simulated clicks", (answer,), (Facts(facts),), made(found.source))


def following(found: Simulated) -> str:
    """The command to try on the log: positions tell nothing where each document has one of its own."""
    return "propensity" if len(found.rankers) > 1 or found.swaps else "behaviour"
