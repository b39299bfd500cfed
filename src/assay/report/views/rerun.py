"""A result made again: the same, or what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.report.figures import count
from assay.report.page import Cell, Column, Fact, Facts, Mark, Page, Part, Table, view

if TYPE_CHECKING:
    from assay.flows.rerun import Rerun

SHOWN = 20
"""Differences that a page lists; the JSON holds all."""


@view("Rerun")
def page(result: Rerun) -> Page:
    """The page of a repetition.

    Args:
        result: what `rerun` gave.
    """
    if result.is_same:
        answer: Cell = Mark("pass", "every number is what it was", "SAME")
    else:
        answer = Mark("unsure", f"{count(len(result.changed), 'entry', 'entries')} of the result changed", "DIFFERS")
    inputs = tuple(f"{name} {old[:8] or 'not there'} → {new[:8] or 'not there'}" for name, old, new in result.inputs)
    versions = tuple(f"{name} {old or 'none'} → {new or 'none'}" for name, old, new in result.versions)
    facts = [Fact("Command", (result.command,)), Fact("Inputs", inputs or ("all as they were",))]
    facts += [Fact("Versions", versions)] if versions else []
    rows = tuple((entry.where, _said(entry.before), _said(entry.after)) for entry in result.changed[:SHOWN])
    columns = (Column("where", is_prose=True), Column("before", is_prose=True), Column("now", is_prose=True))
    parts: list[Part] = [Table(columns, rows, name="What differs")] if rows else []
    if len(result.changed) > SHOWN:
        facts.append(Fact("More", (f"{len(result.changed) - SHOWN:,} further entries: --format json",)))
    return Page("Made again", (answer,), (*parts, Facts(tuple(facts))))


def _said(value: Any) -> str:
    return "n/a" if value is None else str(value).replace("-", "\u2212") if isinstance(value, float) else str(value)
