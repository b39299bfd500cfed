"""Behaviour in a click log: the measures, by group, position and query, and what the log cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.report.figures import bare, count, percent
from assay.report.log_read import read
from assay.report.page import Cell, Column, Fact, Facts, Heading, Page, Part, Range, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.clicks.behaviour import AtPosition, Behaviour, Rate

UNITS = {"person": "people", "session": "sessions", "search": "searches"}
"""More than one of what is taken as independent."""

ALIKE = (
    "the next search of the session within {within} s, when it shares a word of three signs or more with this one, "
    "or half of its pairs of neighbouring signs"
)


@view("Behaviour")
def page(found: Behaviour) -> Page:
    """The page of a behaviour report.

    Args:
        found: what `behaviour` gave.
    """
    whole = [rate for rate in found.rates if not rate.group]
    grouped = [rate for rate in found.rates if rate.group]
    parts: list[Part | None] = [measures(whole, (), "Measures")]
    if grouped:
        parts += [Heading(f"By {', '.join(found.by)}"), measures(grouped, found.by, f"By {', '.join(found.by)}")]
    if found.positions:
        parts += [Heading("By position"), positions(found.positions)]
    if found.queries:
        parts += [Heading("The most frequent queries"), queries(found.queries)]
    parts += [Facts(tuple(facts(found))), remarks(found.notes)]
    return Page("Behaviour", answer(found), tuple(part for part in parts if part), made(found.source))


def answer(found: Behaviour) -> tuple[str, ...]:
    """What the log shows, in words."""
    clicked = found.rate("click rate")
    words = f"{percent(clicked.value or 0.0)} of {count(round(clicked.n), 'search', 'searches')} got a click."
    return (
        words,
        f"Intervals are over {count(clicked.units, found.unit, UNITS[found.unit])}.",
    )


def measures(rates: Sequence[Rate], by: Sequence[str], name: str) -> Table:
    """One row a measure and group."""
    groups = tuple(Column(one, is_name=True) for one in by)
    columns = (
        Column("measure", is_grouped=bool(by)), *groups, Column("value", "right"), Column("95 % interval"),
        Column("of", "right", drop=1), Column("", drop=1, gap=1),
    )  # fmt: skip
    order = {rate.measure: place for place, rate in reversed(list(enumerate(rates)))}
    ordered = sorted(rates, key=lambda rate: order[rate.measure])
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            rate.measure,
            *(value for _, value in rate.group),
            Value(rate.value),
            interval(rate),
            f"{rate.n:,.0f}",
            divided_by(rate),
        )
        for rate in ordered
    )
    return Table(columns, rows, name=name)


def divided_by(rate: Rate) -> str:
    """What `n` counts."""
    return "documents shown" if rate.measure == "CTR" else "searches"


def interval(rate: Rate) -> Range:
    """The interval of a measure, or why there is none."""
    if rate.interval is None:
        return Range(None, None, why=f"n/a: {rate.why}")
    return Range(rate.interval.low, rate.interval.high)


def positions(found: Sequence[AtPosition]) -> Table:
    """Clicks by position."""
    by = tuple(dict.fromkeys(name for one in found for name, _ in one.group))
    columns = (
        *(Column(name, is_name=True, is_grouped=True) for name in by), Column("position", "right"),
        Column("shown", "right"), Column("clicked", "right"), Column("CTR", "right"), Column("95 % interval"),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        group = dict(one.group)
        span = Range(one.interval.low, one.interval.high) if one.interval else Range(None, None, why="n/a")
        rows.append((*(group.get(name, "all") for name in by), str(one.position), f"{one.impressions:,}",
                     f"{one.clicks:,}", Value(one.rate), span))  # fmt: skip
    return Table(columns, tuple(rows), name="Clicks by position")


def queries(rates: Sequence[Rate]) -> Table:
    """The most frequent queries, a measure a column."""
    shown = ("click rate", "first-click RR", "abandonment", "reformulation")
    names = [name for name in shown if any(rate.measure == name for rate in rates)]
    columns = (
        Column("query", is_name=True), Column("searches", "right"),
        *(Column(name, "right", drop=place) for place, name in enumerate(names)),
    )  # fmt: skip
    by_query: dict[str, dict[str, Rate]] = {}
    for rate in rates:
        by_query.setdefault(rate.group[0][1], {})[rate.measure] = rate
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (query, f"{measures['click rate'].n:,.0f}", *(Value(measures[name].value, 3) for name in names))
        for query, measures in by_query.items()
    )
    return Table(columns, rows, name="The most frequent queries")


def facts(found: Behaviour) -> Iterable[Fact]:
    """How the measures are to be read."""
    for dwell in found.dwells:
        how = (
            "until the next search or click of the session: the log records none" if dwell.is_derived else "as recorded"
        )
        yield Fact("Dwell", (
            f"{dwell.median:g} s (quartiles {dwell.lower:g} to {dwell.upper:g}), "
            f"{percent(dwell.long_share)} above 30 s, of {count(dwell.n, 'click')}; {how}",
        ))  # fmt: skip
    if any(rate.measure == "reformulation" for rate in found.rates):
        yield Fact("Reformulation", (ALIKE.format(within=bare(found.within_s)),))
    for measure, why in found.missing:
        yield Fact(measure.capitalize(), (f"n/a: {why}",))
    yield from read(found.log)
