"""Labels that no longer hold: how many, of which class, and which they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import bare, count, percent
from assay.report.page import Column, Page, Part, Table, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.judgments.freshness import Freshness

FIRST = 30
"""Labels that a page shows; JSON has all."""


@view("Freshness")
def page(found: Freshness) -> Page:
    """The page of stale labels.

    Args:
        found: what `freshness` gave.
    """
    share = "" if found.share is None else f" ({percent(found.share)})"
    first = f"{len(found.stale):,} of {count(found.labels, 'label')}{share} no longer hold, counted to {found.at}."
    parts: list[Part | None] = [classes(found), stale(found) if found.stale else None, remarks(found.notes)]
    return Page("Stale labels", (first,), tuple(part for part in parts if part), made(found.source))


def classes(found: Freshness) -> Table:
    """By class of queries."""
    columns = (
        Column("queries"), Column("good for", "right"), Column("labels", "right"), Column("document changed", "right"),
        Column("too old", "right"), Column("not known", "right"),
    )  # fmt: skip
    rows = tuple(
        (one.segment or "all others", "ever" if one.refresh_days is None else f"{bare(one.refresh_days)} days",
         f"{one.labels:,}", f"{one.changed:,}", f"{one.old:,}", f"{one.unknown:,}")
        for one in found.classes
    )  # fmt: skip
    return Table(columns, rows, name="Labels by class of queries")


def stale(found: Freshness) -> Table:
    """The oldest labels that do not hold."""
    columns = (Column("query", is_name=True), Column("document", is_name=True), Column("why"),
               Column("judged"), Column("days", "right"))  # fmt: skip
    rows = tuple(
        (one.query_id, one.doc_id, one.why, one.judged_at, "" if one.age_days is None else f"{one.age_days:,.0f}")
        for one in found.stale[:FIRST]
    )
    more = len(found.stale) - len(rows)
    title = f"The first {FIRST} of {len(found.stale):,}" if more else "Labels to give again"
    return Table(columns, rows, name=title, title=title)
