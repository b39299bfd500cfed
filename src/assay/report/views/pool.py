"""Pairs to judge: how many, who brings them, what judging them takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import bare, count
from assay.report.page import Column, Fact, Facts, Page, Part, Table, view
from assay.report.words import ids, made, remarks

if TYPE_CHECKING:
    from assay.judgments.pool import Budget, Pool

ORDERS = {
    "query": "query by query; inside a query the order tells nothing of systems or ranks",
    "move-to-front": "move to front: the next document of the run that was right most often so far",
}
SMALL_SUM = 20
"""Sums below it are told to the cent."""

FIRST = 20
"""Pairs that a page shows; `--pairs FILE` writes all of them."""


@view("Pool")
def page(found: Pool) -> Page:
    """The page of a pool.

    Args:
        found: what `pool` gave.
    """
    queries = len({pair.query_id for pair in found.pairs})
    asked = count(queries, "query", "queries")
    told: tuple[str, ...] = (f"{count(len(found.pairs), 'pair')} to judge for {asked} of {found.queries:,}.",
                             cost(found.budget))  # fmt: skip
    if not found.pairs:
        told = (f"Nothing is left to judge for {count(found.queries, 'query', 'queries')}.",)
    parts: list[Part | None] = [
        sources(found),
        Facts(tuple(facts(found))),
        pairs(found) if found.pairs else None,
        remarks(found.notes),
    ]
    return Page("Pool", told, tuple(part for part in parts if part), made(found.source))


def cost(budget: Budget) -> str:
    """What judging takes, in words."""
    low, high = budget.prices
    each = f"{count(budget.raters, 'rater')} each"
    sums = [f"{x:,.0f}" if x >= SMALL_SUM or x == int(x) else f"{x:,.2f}" for x in (low, high)]
    price = f"{' to '.join(sums if high > low else sums[:1])} {budget.currency}"
    each_costs = " to ".join(f"{x:.2f}" for x in dict.fromkeys((budget.low, budget.high)))
    return (
        f"With {each} that is {count(budget.judgments, 'judgment')}: {budget.hours:,.1f} hours of work at "
        f"{bare(budget.minutes)} min, and {price} at {each_costs} a judgment."
    )


def sources(found: Pool) -> Table:
    """What each run and list brings."""
    columns = (
        Column("from", is_name=True), Column(f"first {found.depth}", "right"), Column("judged", "right"),
        Column("to judge", "right"), Column("alone", "right"), Column("queries", "right", drop=1),
    )  # fmt: skip
    rows = tuple(
        (s.name, f"{s.shown:,}", f"{s.judged:,}", f"{s.pairs:,}", f"{s.alone:,}", f"{s.queries:,}")
        for s in found.sources
    )
    return Table(columns, rows, name="What brings the pairs")


def facts(found: Pool) -> list[Fact]:
    """How the pool was made."""
    if not found.pairs:
        return []
    made_of = f"{found.fewest:,} to {found.most:,}, median {bare(found.median)} pairs"
    if found.fewest == found.most:
        made_of = count(found.most, "pair")
    said = [Fact("A query", (f"{made_of} where there are any",)), Fact("Order", (ORDERS[found.queue],))]
    if found.without:
        said.append(Fact("Nothing for", (ids(found.without),)))
    return said


def pairs(found: Pool) -> Table:
    """The first pairs."""
    columns = (Column("order", "right"), Column("query", is_name=True), Column("document", is_name=True),
               Column("why"))  # fmt: skip
    rows = tuple((f"{pair.order:,}", pair.query_id, pair.doc_id, pair.reason or "") for pair in found.pairs[:FIRST])
    more = len(found.pairs) - len(rows)
    title = f"The first {FIRST} of {len(found.pairs):,} pairs" if more else "Pairs"
    return Table(columns, rows, name=title, title=title)
