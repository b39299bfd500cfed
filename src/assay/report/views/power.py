"""What a query set can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import MINUS, count
from assay.report.page import Cell, Column, Fact, Facts, Page, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.compare.power import Power, PowerRow


@view("Power")
def page(power: Power) -> Page:
    """The page of a power calculation.

    Args:
        power: what `power` gave.
    """
    asked = power.difference is not None
    columns = [Column("measure", is_grouped=True)]
    columns += [Column("candidate", is_name=True)] if len({row.candidate for row in power.rows}) > 1 else []
    columns += [Column("n", "right"), Column("sd", "right", drop=1), Column("detectable", "right")]
    columns += [Column("queries needed", "right"), Column("power now", "right")] if asked else []
    rows = []
    for row in power.rows:
        cells: list[Cell] = [str(row.measure), *([row.candidate] if columns[1].head == "candidate" else [])]
        cells += [Value(row.n, 0), Value(row.sd, 4, why=why(row)), Value(row.detectable, 4, why=why(row))]
        if asked:
            cells += [Value(row.queries, 0), Value(row.power, 2, why=why(row))]
        rows.append(tuple(cells))
    facts = [
        Fact("Planned", (f"two-sided paired t test at {power.alpha:g}, {power.chance:.0%} power".replace("%", " %"),))
    ]
    facts.append(
        Fact(
            "Spread",
            (f"sd of the differences from {power.rows[0].baseline}: other systems may differ more or less",),
        )
    )
    parts = (Table(tuple(columns), tuple(rows), name="Power"), Facts(tuple(facts)), remarks(power.notes))
    return Page("Power", (answer(power),), tuple(part for part in parts if part), made(power.source))


def answer(power: Power) -> str:
    """The first line: what the primary measure can show."""
    row = power.rows[0]
    if row.detectable is None:
        return f"What {count(row.n, 'query', 'queries')} can show of {row.measure} is not known: {row.because}."
    shows = f"{count(row.n, 'query', 'queries')} show a difference of {row.detectable:.4f} in {row.measure}"
    text = f"{shows} with {power.chance:.0%} power".replace("%", " %")
    if power.difference is None:
        return f"{text}."
    size = abs(power.difference)
    wanted = ("" if power.difference > 0 else MINUS) + (f"{size:.4f}" if size >= 0.0001 else f"{size:g}")
    if row.queries is None:
        return f"{text}; even ten million queries would not show {wanted}."
    return f"{text}; {count(row.queries, 'query', 'queries')} show {wanted}."


def why(row: PowerRow) -> str:
    """What stands where there is no figure."""
    return f"n/a: {row.because}" if row.because else "n/a"
