"""A set of queries drawn from traffic: what it stands for, its strata, and what changed against an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import count, percent
from assay.report.page import Column, Fact, Facts, Heading, Page, Part, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.judgments.sample import QuerySample, Refresh

SHOWN = 10
"""Queries of each list of changes that a page shows; JSON has all."""


FOLDS_SHOWN = 12


@view("QuerySample")
def page(found: QuerySample) -> Page:
    """The page of a set of queries.

    Args:
        found: what `sample` gave.
    """
    inside = sum(s.share for s in found.strata if s.name != "(none)")
    first = (
        f"{count(len(found.queries), 'query', 'queries')} drawn of {found.distinct:,}: they stand for "
        f"{percent(inside)} of {count(round(found.traffic), 'search', 'searches')}."
    )
    parts: list[Part | None] = [strata(found), Facts(tuple(facts(found)))]
    if found.refresh is not None:
        parts += [Heading("Against the earlier set", against(found.refresh)), changes(found.refresh)]
    parts += [Heading("Queries"), queries(found)]
    if found.spellings:
        parts += [Heading("Texts that count as these", folded(found)), spellings(found)]
    parts.append(remarks(found.notes))
    return Page("Query set", (first,), tuple(part for part in parts if part), made(found.source))


def strata(found: QuerySample) -> Table:
    """What each stratum holds and what was drawn from it."""
    columns = (
        Column("stratum"), Column("queries", "right"), Column("searches", "right", drop=1), Column("of all", "right"),
        Column("wanted", "right"), Column("drawn", "right"), Column("their traffic", "right"),
    )  # fmt: skip
    rows = tuple(
        (s.name, f"{s.queries:,}", f"{s.traffic:,.0f}", percent(s.share), f"{s.wanted:,}", f"{s.drawn:,}",
         percent(s.covered))
        for s in found.strata
    )  # fmt: skip
    return Table(columns, rows, name="Strata")


def facts(found: QuerySample) -> list[Fact]:
    """How the set was drawn, and what to do with it."""
    head, torso = found.cuts
    successor = f"; succeeds {found.replaces}" if found.replaces else ""
    cut = f"head is the first {percent(head)} of the traffic, torso goes on to {percent(torso)}, tail is the rest"
    return [
        Fact("Cut", (cut,)),
        Fact("Weights", ("weight is how often a query was asked, inclusion the chance with which it was drawn: "
                         "evaluate and compare take both for means of the traffic",)),
        Fact("Version", (f"{found.version}, seed {found.seed}" + successor,)),
    ]  # fmt: skip


def against(refresh: Refresh) -> str:
    """How much of the earlier set still holds."""
    return (
        f"Of {count(refresh.before, 'query', 'queries')} of {refresh.replaces}, {refresh.stayed:,} stay. "
        f"The earlier set's queries are {percent(refresh.covered)} of the present traffic, "
        f"these {percent(refresh.covers)}."
    )


def changes(refresh: Refresh) -> Table:
    """What left and what arrived."""
    rows = tuple(
        (what, f"{len(texts):,}", ", ".join(texts[:SHOWN]) + (", ..." if len(texts) > SHOWN else ""))
        for what, texts in (
            ("no longer asked", refresh.gone),
            ("asked, not drawn now", refresh.left),
            ("new", refresh.arrived),
        )
    )
    return Table((Column(""), Column("queries", "right"), Column("", is_prose=True)), rows, name="What changed")


def folded(found: QuerySample) -> str:
    """How many texts there are, and how many are shown."""
    shown = min(len(found.spellings), FOLDS_SHOWN)
    return f"{shown:,} of {len(found.spellings):,}, the most frequent first; --folds FILE writes those of all queries."


def spellings(found: QuerySample) -> Table:
    """Texts that count as drawn queries, and by which rule."""
    columns = (Column("text", is_name=True), Column("counts as", is_name=True), Column("rule"),
               Column("searches", "right"))  # fmt: skip
    rows = tuple((one.text, one.counts_as, one.rule, f"{one.searches:,.0f}") for one in found.spellings[:FOLDS_SHOWN])
    return Table(columns, rows, name="Texts that count as drawn queries")


def queries(found: QuerySample) -> Table:
    """The drawn queries."""
    columns = (
        Column("query_id", mono=True), Column("text", is_name=True), Column("stratum"), Column("weight", "right"),
        Column("inclusion", "right"),
    )  # fmt: skip
    rows = tuple((q.query_id, q.text, q.stratum, f"{q.weight:,.0f}", Value(q.inclusion)) for q in found.queries)
    return Table(columns, rows, name="Queries", tall=True)
