"""What each run alone brought to the judgments, and what it would lose without that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.page import Cell, Column, Fact, Facts, Page, Table, Value, view
from assay.report.words import definitions, made, remarks

if TYPE_CHECKING:
    from assay.compare.pool_audit import PoolAudit


@view("PoolAudit")
def page(audit: PoolAudit) -> Page:
    """The page of a pool audit.

    Args:
        audit: what `pool_audit` gave.
    """
    facts = [
        Fact("Pool", (pool(audit),)),
        Fact("Order", tuple(orders(audit))),
        *definitions(audit.measures),
    ]
    parts = (left_out(audit), brought(audit), Facts(tuple(facts)), remarks(audit.notes))
    answer = audit.says[:1].upper() + audit.says[1:] + "."
    return Page("Pool audit", (answer,), tuple(part for part in parts if part), made(audit.source))


def brought(audit: PoolAudit) -> Table:
    """What each run gave the pool."""
    columns = (
        Column("run", is_name=True),
        Column(f"first {audit.depth}", "right"),
        Column("judged", "right"),
        Column("alone", "right"),
        Column("alone, judged", "right"),
        Column("alone, relevant", "right"),
    )
    rows = tuple(
        (
            c.run, Value(c.shown, 0), Value(c.judged, 0), Value(c.unique, 0), Value(c.unique_judged, 0),
            Value(c.unique_relevant, 0),
        )
        for c in audit.contributions
    )  # fmt: skip
    return Table(columns, rows, name="What each run brought")


def left_out(audit: PoolAudit) -> Table:
    """Each run as judged, and without the judgments that it alone brought."""
    columns = (
        Column("measure", is_grouped=True),
        Column("run", is_name=True),
        Column("as judged", "right"),
        Column("left out", "right"),
        Column("change", "right"),
        Column("place", "right"),
        Column("then", "right"),
    )
    rows: list[tuple[Cell, ...]] = []
    for i, measure in enumerate(audit.measures):
        for c in audit.contributions:
            one = c.values[i]
            change = None if one.before is None or one.after is None else one.after - one.before
            places = ("n/a" if place is None else str(place) for place in (one.place_before, one.place_after))
            cells = (Value(one.before), Value(one.after), Value(change, sign=True))
            rows.append((str(measure), c.run, *cells, *places))
    return Table(columns, tuple(rows), name="Left out of the pool")


def pool(audit: PoolAudit) -> str:
    """How large the pool is, and how much of it is judged."""
    said = "as given" if audit.depth_was_given else "where the judgments end"
    share = f"{audit.judged / audit.size:.0%}".replace("%", " %") if audit.size else "n/a"
    return f"{count(audit.size, 'pair')} in the first {audit.depth} ({said}) of any run, {share} of them judged"


def orders(audit: PoolAudit) -> list[str]:
    """How far the order of the runs stays."""
    return [
        f"{measure}: Kendall's tau {'n/a' if tau is None else f'{tau:.4f}'} between the runs as judged and left out"
        for measure, tau in zip(audit.measures, audit.taus, strict=True)
    ]
