"""What a witness said of the values: a line a measure and run, then the queries in which it differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.report.figures import count
from assay.report.page import Cell, Column, Fact, Facts, Heading, Mark, Part, Table, Value

if TYPE_CHECKING:
    from assay.measures.verified import Check, Difference, Verified

SHOWN = 10
"""Queries that are shown of one measure and run; those without a known cause first."""


def verification(found: Verified, of: str = "") -> Iterator[Part]:
    """The section of a page of scores; of one collection of several, with its name."""
    title = f"Verified {of}".strip()
    open_ = sum(len(check.unexplained) for check in found.checks)
    lead = f"Differences above {found.tolerance:g} between our values and those of a witness. "
    lead += f"{count(open_, 'difference')} without a known cause." if open_ else "Each has a known cause."
    if not any(check.differences for check in found.checks):
        lead = f"Every value agrees with the witness to {found.tolerance:g}."
    yield Heading(title, lead)
    columns = (Column("measure", is_grouped=True), Column("run", is_name=True), Column("witness", is_prose=True),
               Column("queries", "right"), Column("equal", "right"), Column("state"))  # fmt: skip
    measures = list(dict.fromkeys(check.measure for check in found.checks))
    ordered = sorted(found.checks, key=lambda check: measures.index(check.measure))
    rows = tuple(
        (check.measure, check.run, check.witness, count(check.compared),
         count(check.compared - len(check.differences)), state(check))
        for check in ordered
    )  # fmt: skip
    if rows:
        yield Table(columns, rows, name=title)
    if any(check.differences for check in found.checks):
        yield Table(COLUMNS, tuple(row for check in ordered for row in _rows(check)), name=f"Differences {of}".strip())
    causes = {cause for check in found.checks for one in check.differences for cause in one.causes}
    facts = [Fact(cause, (said(cause),)) for cause in sorted(causes)]
    if found.without:
        facts.append(Fact("No witness", (f"no installed peer computes {', '.join(found.without)}",)))
    if facts:
        yield Facts(tuple(facts))


def state(check: Check) -> Mark:
    """Agrees, differs for known causes, or differs without one."""
    if check.unexplained:
        return Mark("fail", f"{count(len(check.unexplained))} without a known cause")
    if not check.differences:
        return Mark("pass", "agrees")
    counts = Counter(cause for one in check.differences for cause in one.causes)
    return Mark("pass", ", ".join(f"{cause} {n}" for cause, n in counts.most_common()))


COLUMNS = (Column("measure", is_grouped=True), Column("run", is_name=True, is_grouped=True),
           Column("query", is_name=True, mono=True), Column("ours", "right"), Column("witness", "right"),
           Column("difference", "right"), Column("cause"))  # fmt: skip


def _rows(check: Check) -> Iterator[tuple[Cell, ...]]:
    ranked = sorted(check.differences, key=lambda one: bool(one.causes))
    for one in ranked[:SHOWN]:
        cause = ", ".join(one.causes) or Mark("fail", "not known")
        yield check.measure, check.run, one.query_id, Value(one.ours), Value(one.theirs), _difference(one), cause


def _difference(one: Difference) -> Value:
    if one.ours is None or one.theirs is None:
        return Value(None)
    return Value(one.theirs - one.ours, sign=True)


def said(cause: str) -> str:
    """What a cause means."""
    from assay.measures.verified import CAUSES

    return CAUSES[cause]


def document(found: Verified | None) -> Any:
    """The same for JSON."""
    from assay.report.machine import bare

    if found is None:
        return None
    checks = [{**bare(check), "unexplained": len(check.unexplained)} for check in found.checks]
    return {**bare(found), "checks": checks, "is_fine": found.is_fine}
