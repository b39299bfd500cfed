"""The list of measures, and one of them explained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.report.figures import bare, count
from assay.report.page import Column, Command, Fact, Facts, Heading, Page, Part, Prose, Table, Worked, view

if TYPE_CHECKING:
    from assay.measures.measure import Definition

SEES = {"no": "no", "first": "first", "all": "yes"}


@view("Measures")
def catalogue(result: Any, **choices: Any) -> Page:
    """Every measure in a line: what it sees, what it needs, when it is best, what it is blind to."""
    columns = (
        Column("measure"),
        Column("order"),
        Column("grades"),
        Column("needs all", drop=1),
        Column("best when", is_prose=True),
        Column("blind to", is_prose=True, drop=2),
    )
    rows = tuple(
        (d.name, SEES[d.sees], "yes" if d.grades else "no", "yes" if d.all_relevant else "no", d.use_for,
         "; ".join(d.blind_to))
        for d in result.definitions
    )  # fmt: skip
    heads = Facts(
        (
            Fact("order", ("whether the order of the list matters; first: up to the first relevant document",)),
            Fact("grades", ("whether grades are told apart, or only relevant and not",)),
            Fact("needs all", ("whether all relevant documents must be known",)),
        )
    )
    said = (
        f"{count(len(rows), 'measure')}. A name takes options and cutoffs: nDCG(gain=exp)@5,10, or nDCG:gain=exp@5,10."
    )
    more = Command("Explain one, with a worked example and its source:", "assay measures nDCG")
    return Page("Measures", (said,), (Table(columns, rows, name="Measures"), heads, more))


@view("Definition")
def definition(about: Definition, **choices: Any) -> Page:
    """One measure: what it says, what it is blind to, a worked example, its source."""
    parts: list[Part] = [Prose(f"{about.summary.rstrip('.')}. {values(about)}"), Facts(tuple(words(about)))]
    parts += example(about)
    parts.append(Facts(tuple(sources(about))))
    typed = f"{about.name}@10" if about.takes_cutoff else about.name
    parts.append(Command("Try", f"assay explain RUN QRELS --query ID --measure {typed}"))
    return Page(about.name, (signature(about),), tuple(parts))


def signature(about: Definition) -> str:
    """`nDCG(gain=linear, ...)@cutoff`."""
    from assay.measures.measure import Measure

    return Measure(about.name).definition() + ("@cutoff" if about.takes_cutoff else "")


def values(about: Definition) -> str:
    """The range of values, and which end is good."""
    good = {"high": "", "low": " Low is good.", "neither": " Neither end is good."}[about.best]
    low, _, high = about.range.partition(" to ")
    return (f"From {low} to {high}." if high else f"{about.range[:1].upper()}{about.range[1:]}.") + good


def words(about: Definition) -> Iterator[Fact]:
    """What it says, what it cannot see, what it is for, its options."""
    if about.says:
        yield Fact("Says", (about.says,))
    if about.blind_to:
        yield Fact("Blind to", tuple(about.blind_to))
    if about.use_for:
        yield Fact("Use for", (about.use_for,))
    if about.parameters:
        yield Fact("Options", tuple(f"{p.name}: {p.expected()}" for p in about.parameters))


def example(about: Definition) -> list[Part]:
    """The worked example as `assay explain` would show it."""
    if about.example is None:
        return []
    from assay.measures.explain import explain
    from assay.measures.grammar import parse
    from assay.report.views.explanation import worked

    given = about.example
    result = explain(ranking(given), parse(given.measure)[0], "q")
    shown = ", ".join("unjudged" if grade == "?" else bare(grade) for grade in given.shown)
    judged = ", ".join(map(bare, given.judged))
    lead = f"{given.measure}; shown {shown}; judged for this query {judged}"
    return [Heading("Worked", lead), worked(result), Worked((result.closing,))]


def ranking(given: Any) -> Any:
    """The list of an example as a run joined with its judgments."""
    import numpy as np

    from assay.ranking.ranking import Judged, Ranking

    grades = np.array(given.judged, np.float64)
    left = list(enumerate(given.judged))
    hits = []
    for rank, grade in enumerate(given.shown, 1):
        if grade != "?":
            place = next(i for i, (_, known) in enumerate(left) if known == grade)
            hits.append((rank, left.pop(place)[0]))
    ranks = np.array([rank for rank, _ in hits], np.int64)
    judgment = np.array([which for _, which in hits], np.int64)
    known = Judged(["q"], np.zeros(len(grades), np.int64), grades, [f"d{i}" for i in range(len(grades))])
    returned = np.array([len(given.shown)], np.int64)
    return Ranking(known, np.zeros(len(hits), np.int64), ranks, grades[judgment], judgment, returned, returned > 0)


def sources(about: Definition) -> Iterator[Fact]:
    """When it is undefined, what it is also called, what it agrees with and where it comes from."""
    from assay.measures.grammar import ALIASES

    yield Fact("Undefined", (about.undefined or "never",))
    also = [alias for alias, name in ALIASES.items() if name == about.name]
    if also:
        yield Fact("Also as", (f"{', '.join(also)} on input; always printed {about.name}",))
    if about.agrees:
        yield Fact("Agrees", (about.agrees,))
    if about.source:
        yield Fact("Source", (about.source,))
