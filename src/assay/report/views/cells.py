"""Counts of a click log that were written to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import count, percent
from assay.report.log_read import read
from assay.report.page import Fact, Facts, Page, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.flows.cells import CellsWritten

KINDS = {
    "position": "impressions and clicks by position",
    "cascade": "how far lists were read, by their first and last click",
    "last-click": "impressions and clicks by position and by the last clicked one above",
}


@view("CellsWritten")
def page(found: CellsWritten) -> Page:
    """The page of written counts.

    Args:
        found: what `cells` gave.
    """
    answer = (
        f"{count(found.cells, 'cell')} of {count(found.pairs, 'pair')} of query and document written to {found.file}.",
        f"They count {count(found.impressions, 'impression')} and {count(found.clicks, 'click')} of "
        f"{count(found.queries, 'query', 'queries')}.",
    )
    facts = [
        Fact("Counted", (KINDS[found.kind],)),
        Fact("Clicked", (f"{percent(found.clicks / found.impressions)} of the impressions",)),
        *read(found.log),
    ]
    parts = (Facts(tuple(facts)), remarks(found.notes))
    return Page("Cells", answer, tuple(part for part in parts if part), made(found.source))
