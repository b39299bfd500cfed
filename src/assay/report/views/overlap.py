"""How alike two runs are, and the queries that changed most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import count, number, percent
from assay.report.page import Cell, Column, Fact, Facts, Heading, Page, Part, Range, Table, Value, view
from assay.report.reading import FEWEST
from assay.report.words import ids, made, order, remarks

if TYPE_CHECKING:
    from assay.compare.overlap import Line, Overlap, QueryOverlap

TIE_RULES = {"a": "the mean over their orders", "w": "whole groups", "b": "the cosine of what both lists hold"}


@view("Overlap")
def page(result: Overlap, per_query: bool = False, most: int = 10) -> Page:
    """The page of an overlap.

    Args:
        result: what `overlap` gave.
        per_query: whether every query stands on it, first of all tables.
        most: how many of the queries that changed most do.
    """
    parts: list[Part] = []
    if per_query:
        parts.append(queries(result, result.queries, "Every query"))
    parts.append(summary(result))
    changed = result.changed(most)
    if changed and not per_query:
        left = sum(query.first_change is not None for query in result.queries)
        lead = f"{count(len(changed))} of {count(left)} that changed, the least alike first."
        parts += [Heading("Queries that changed most", lead), queries(result, changed, "Queries that changed most")]
    parts.append(Facts(tuple(facts(result))))
    said = remarks(result.notes)
    return Page("Overlap of two runs", answer(result), (*parts, *([said] if said else [])), made(result.source))


def answer(result: Overlap) -> tuple[str, ...]:
    """How alike the runs are, in words."""
    n = len(result.queries)
    same = sum(query.first_change is None for query in result.queries)
    names = f"{result.baseline} and {result.candidate}"
    if same == n:
        return (
            f"{names} return the same lists for {'the one query' if n == 1 else f'all {count(n)} queries'} of both.",
        )
    depth = result.depths[0]
    shared = result.line("overlap", depth).mean or 0.0
    identical = sum(query.at[0].is_identical for query in result.queries)
    over = count(n, "query", "queries")
    said = f"{names} share {percent(shared)} of the first {depth} documents, on average over {over}"
    return (f"{said}; the first {depth} are the same, in the same order, for {count(identical)} of them.",)


def summary(result: Overlap) -> Table:
    """The means over queries."""
    columns = (
        Column("figure"),
        Column("mean", "right"),
        Column("95 % interval"),
        Column("n", "right"),
    )
    rows = tuple(
        (label(result, line), Value(line.mean), interval(line), f"{line.n:,}")
        for line in result.lines
        if not line.kind.startswith("rbo ")
    )
    return Table(columns, rows, name="Means over queries")


def label(result: Overlap, line: Line) -> str:
    """What a figure is called."""
    named = {"rbo": f"RBO(p={result.p:g})", "tau": "Kendall's tau", "tau_ap": "tau_AP"}
    kinds = {"overlap": "overlap", "jaccard": "Jaccard", "identical": "same first"}
    if line.kind == "identical":
        return f"same first {line.depth}"
    return named.get(line.kind) or f"{kinds[line.kind]}@{line.depth}"


def interval(line: Line) -> Range:
    """The interval of a mean, or why there is none."""
    if line.kind == "identical":
        return Range(None, None, why=line.why)
    if line.interval is None or line.n < FEWEST:
        return Range(None, None, why=f"n/a: {line.why if line.n >= FEWEST else f'n {line.n}'}")
    return Range(line.interval.low, line.interval.high)


def queries(result: Overlap, shown: list[QueryOverlap] | tuple[QueryOverlap, ...], name: str) -> Table:
    """Queries with what their lists have in common."""
    columns = [Column("query", is_name=True, mono=True), Column("RBO", "right")]
    columns += [Column("at least", "right", drop=3), Column("at most", "right", drop=3)] if result.ties == "a" else []
    columns += [Column(f"overlap@{depth}", "right", drop=0 if i == 0 else 2) for i, depth in enumerate(result.depths)]
    columns += [Column("differ from rank", "right"), Column("tau", "right", drop=1), Column("tau_AP", "right", drop=1)]
    rows: list[tuple[Cell, ...]] = []
    for query in shown:
        bounds: list[Cell] = [Value(query.low), Value(query.high)] if result.ties == "a" else []
        change = Value(query.first_change, 0, why="none")
        shares = [Value(at.overlap, 2) for at in query.at]
        rows.append((query.query_id, Value(query.rbo), *bounds, *shares, change, Value(query.tau), Value(query.tau_ap)))
    return Table(tuple(columns), tuple(rows), name=name, tall=len(rows) > 60)


def facts(result: Overlap) -> Iterator[Fact]:
    """What was compared, and what each figure is."""
    said = [f"{count(len(result.queries), 'query', 'queries')} that both runs have"]
    for name, only in ((result.baseline, result.only_baseline), (result.candidate, result.only_candidate)):
        if only:
            said.append(f"{name} alone has {count(len(only), 'query', 'queries')}: {ids(only)}")
    yield Fact("Compared", tuple(said))
    rbo = result.line("rbo")
    first = f"extrapolated, from 0 to 1; the first 10 ranks have {percent(weight(result.p, 10))} of its weight"
    lines = [first]
    if result.ties == "a" and rbo.mean is not None:
        low, high = result.line("rbo low").mean, result.line("rbo high").mean
        if low is not None and high is not None:
            lines.append(f"between {number(low, 4)} and {number(high, 4)} whatever stands below the lists")
    lines.append(f"equal scores count as {TIE_RULES[result.ties]}")
    yield Fact("RBO", tuple(lines))
    yield Fact(
        "overlap@k", ("documents of the first k in both, divided by k (by the longer list where both are shorter)",)
    )
    yield Fact("Jaccard@k", ("documents of the first k in both, divided by those in either",))
    yield Fact("same first k", ("share of the queries with the same documents in the same order",))
    yield Fact("tau, tau_AP", (f"order of the documents in both lists; tau_AP takes {result.baseline} as the truth",))
    yield Fact("Blind to", ("which list is better: that takes judgments (assay compare)",))
    ordered = order(result.source)
    if ordered:
        yield ordered


def weight(p: float, depth: int) -> float:
    """The share of the weight of a rank-biased overlap that the first ranks have."""
    import math

    series = sum(p**i / i for i in range(1, depth))
    return 1 - p ** (depth - 1) + (1 - p) / p * depth * (-math.log1p(-p) - series)
