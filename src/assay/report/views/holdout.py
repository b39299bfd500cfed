"""Judgments made of interactions: what was held out, what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import bare, count
from assay.report.page import Column, Fact, Facts, Page, Part, Table, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.judgments.holdout import Holdout


@view("Holdout")
def page(result: Holdout) -> Page:
    """The page of judgments that were made of a log.

    Args:
        result: what `holdout` gave.
    """
    parts: list[Part] = [table(result), Facts(tuple(facts(result)))]
    said = remarks(result.notes)
    return Page("Judgments from interactions", answer(result), (*parts, *([said] if said else [])), made(result.source))


def answer(result: Holdout) -> tuple[str, ...]:
    """What was held out, in words."""
    people = count(result.queries, "person has", "people have")
    return (f"{people} {count(result.pairs, 'judged item')} from {result.split_at} on.",)


def table(result: Holdout) -> Table:
    """What became of the events."""
    columns = (Column("what", is_prose=True), Column("number", "right"), Column("people", "right"))
    rows = [
        ("events of the log", count(result.events), count(result.people)),
        ("before the moment: the history", count(result.before), ""),
        ("from the moment on", count(result.after), ""),
        *((f"left out: {one.why}", count(one.events) if one.events else "", count(one.people))
          for one in result.left_out),
        ("judgments", count(result.pairs), count(result.queries)),
    ]  # fmt: skip
    return Table(columns, tuple(rows), name="What became of the events")


def facts(result: Holdout) -> Iterator[Fact]:
    """How it was done, and what the judgments do not say."""
    yield Fact("Moment", (f"{result.split_at}; times without a zone are read as {result.timezone}",))
    yield Fact("Grades", (", ".join(f"{bare(grade)} for {count(n, 'pair')}" for grade, n in result.grades),))
    for what, file in result.files:
        yield Fact("Judgments" if what == "qrels" else "History", (file,))
    copied = "user_id, doc_id, at, kind and value alone are read and copied: no other column of the log leaves it"
    yield Fact("Personal", (copied,))
    yield Fact("Blind to", ("items that the person was never shown: they are unjudged, not unwanted",))
