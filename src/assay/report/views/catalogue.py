"""What runs show of a catalogue, and what none of these figures sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import count, percent
from assay.report.page import Cell, Column, Fact, Facts, Page, Part, Range, Table, Value, view
from assay.report.reading import FEWEST
from assay.report.words import made, order, remarks

if TYPE_CHECKING:
    from assay.compare.catalogue import Catalogue, Mean, RunCatalogue

TOLD_BY = {
    "items": "of the items file",
    "log": "of the log: what nobody has met is not in it",
    "runs": "that any run shows anywhere: what none shows is not in it, so coverage is flattered",
}
MEANS = (
    ("novelty, bits", "novelty", "mean self-information, −log2 of the share of {who} with the item; higher is newer"),
    ("diversity, features", "by_features", "mean of 1 − cosine over the pairs of a list, from {features}"),
    ("diversity, category", "by_category", "mean share of the categories of a pair that its two items do not share"),
)
NAMED = {"novelty": "Novelty", "by_features": "Features", "by_category": "Category"}


@view("Catalogue")
def page(result: Catalogue) -> Page:
    """The page of a catalogue.

    Args:
        result: what `catalogue` gave.
    """
    parts: list[Part] = [shares(result)]
    if any(getattr(run, name) is not None for run in result.runs for _, name, _ in MEANS):
        parts.append(means(result))
    parts.append(Facts(tuple(facts(result))))
    said = remarks(result.notes)
    return Page("Catalogue", answer(result), (*parts, *([said] if said else [])), made(result.source))


def answer(result: Catalogue) -> tuple[str, ...]:
    """How much of the catalogue each run shows, in words."""
    lists = "list" if all(run.queries == 1 for run in result.runs) else "lists"
    of = f"of {count(result.size, 'item')} in the first {result.k} of its {lists}"
    found = [
        f"{run.run} shows {percent(run.coverage)} {of}"
        + ("" if run.top_share is None else f", and {percent(run.top_share)} of its places go to {most(run)}")
        for run in result.runs
    ]
    return tuple(f"{text}." for text in found)


def most(run: RunCatalogue) -> str:
    """The most shown items in words."""
    return "the most shown item" if run.top_items == 1 else f"the {run.top_items:,} most shown (1 % of all)"


def shares(result: Catalogue) -> Table:
    """What is shown, and how evenly."""
    columns = (
        Column("run", is_name=True),
        Column("lists", "right"),
        Column("places", "right", drop=2),
        Column("items shown", "right"),
        Column("coverage", "right"),
        Column("Gini", "right"),
        Column("top 1 %", "right"),
    )
    rows = tuple(
        (
            run.run,
            f"{run.queries:,}",
            f"{run.exposures:,}",
            f"{run.shown:,}",
            Value(run.coverage),
            Value(run.gini),
            Value(run.top_share),
        )
        for run in result.runs
    )
    return Table(columns, rows, name="What is shown")


def means(result: Catalogue) -> Table:
    """What is averaged over lists."""
    columns = (
        Column("figure", is_grouped=True),
        Column("run", is_name=True),
        Column("mean", "right"),
        Column("95 % interval"),
        Column("n", "right"),
    )
    rows: list[tuple[Cell, ...]] = []
    for head, name, _ in MEANS:
        for run in result.runs:
            mean: Mean | None = getattr(run, name)
            if mean is not None:
                rows.append((head, run.run, Value(mean.value), interval(mean), f"{mean.n:,}"))
    return Table(columns, tuple(rows), name="Means over lists")


def interval(mean: Mean) -> Range:
    """The interval of a mean, or why there is none."""
    if mean.n < FEWEST or mean.interval is None:
        return Range(None, None, why=f"n/a: {f'n {mean.n}' if mean.n < FEWEST else mean.why}")
    return Range(mean.interval.low, mean.interval.high)


def facts(result: Catalogue) -> Iterator[Fact]:
    """What each figure is, and what it cannot see."""
    yield Fact("Catalogue", (f"{count(result.size, 'item')} {TOLD_BY[result.told_by]}",))
    yield Fact("Coverage", ("items shown to anybody, divided by the catalogue; blind to how often and to whom",))
    yield Fact("Gini", ("how unevenly places go to all items: 0 evenly, 1 all to one; blind to which items they are",))
    yield Fact("Top 1 %", ("share of the places that the most shown 1 % of the catalogue has; blind to the rest",))
    blind = {
        "novelty": "blind to whether this person knows the item",
        "by_features": "blind to what the features do not hold; they count as they are, so scale them first",
        "by_category": "blind to differences inside a category",
    }
    who = "people" if result.popularity == "users" else "events"
    for _, name, text in MEANS:
        if any(getattr(run, name) is not None for run in result.runs):
            said = text.format(who=f"{result.people:,} {who}", features=", ".join(result.features))
            yield Fact(NAMED[name], (f"{said}; {blind[name]}",))
    yield Fact("Blind to", ("whether anybody wants what is shown: read it beside nDCG or recall",))
    ordered = order(result.source)
    if ordered:
        yield ordered
