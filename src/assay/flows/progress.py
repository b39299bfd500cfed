"""How far a project has come, counted from the whole of it: a second for 200,000 judgments.

Pages of large projects show the last count until the next one is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from assay.flows.labelling import project_of, rubric_of
from assay.flows.people import Person
from assay.flows.pilot import Gate, Late, agreement_of, gate_of, latecomers
from assay.store import counted, events, judgments, progress
from assay.store.counted import Counted, Said

if TYPE_CHECKING:
    from assay.judgments.agreement import Decided
    from assay.store.database import Store


LARGE = 2_000
"""Pairs up to which a project is counted in a fraction of a second."""


@dataclass(frozen=True, slots=True)
class OneRater:
    """What one rater did.

    Args:
        name: of the rater.
        given: grades that stand.
        cannot_tell: items that the rater could not tell.
        median_s: seconds from seeing to answering, half of the items less; None where no time was noted.
        gold: grades that are the known one, and hidden gold items that were graded.
        repeats: grades that were the same when the item came again, and items that came again.
        fast: answers of all that stand, hidden items too, that came faster than anybody reads.
        stops: how often the rater was stopped for that.
        opened: how often the rater opened a live page.
    """

    name: str
    given: int
    cannot_tell: int
    median_s: float | None
    gold: tuple[int, int] = (0, 0)
    repeats: tuple[int, int] = (0, 0)
    fast: int = 0
    stops: int = 0
    opened: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A pair whose document a rater found by the search of the page.

    Args:
        query_id, doc_id: of the pair.
        grades: that stand, in the order in which they were given.
    """

    query_id: str
    doc_id: str
    grades: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project has come.

    Args:
        pairs: that are labelled, gold items left out.
        wanted: judgments that the project wants, of pairs behind the pilot.
        given: judgments that stand on them, an adjudicator's left out.
        disputed: pairs that nobody has settled.
        settled: pairs that an adjudicator has graded.
        raters: by name.
        boundaries: (lowest grade, highest grade, pairs) where raters dispute or disputed, the most frequent first.
        agreement: of the raters, of the pilot alone while that decides; None where no pair has two ratings.
        flags: queries that raters found bad.
        is_open: whether raters get what lies behind the pilot.
        gate: where the pilot stands; None where it keeps nothing closed.
        late: raters who came when the queue was open, each against the consensus of those before.
        found: pairs whose document a rater found by the search of the page.
    """

    pairs: int
    wanted: int
    given: int
    disputed: int
    settled: int
    raters: tuple[OneRater, ...]
    boundaries: tuple[tuple[float, float, int], ...]
    agreement: Decided | None
    flags: tuple[Mapping[str, Any], ...]
    is_open: bool
    gate: Gate | None
    late: tuple[Late, ...] = ()
    found: tuple[Found, ...] = ()


def is_large(store: Store, project: str) -> bool:
    """Whether counting a project, by its id, takes longer than somebody waits for a page."""
    with store.reading() as connection:
        return counted.has_more(connection, project, LARGE)


def progress_of(store: Store, who: Person, name: str) -> Progress:
    """How far a project has come, and how much its raters agree."""
    project = project_of(store, who, name)
    with store.reading() as connection:
        every = {one.id: one for one in counted.items(connection, project["id"])}
        standing = counted.said(connection, who.tenant, project["id"])
        beside = Counter(events.counts(connection, project["id"]))
    items = {number: one for number, one in every.items() if one.gold is None}
    rows = [row for row in standing if row.turn == 0 and row.item in items]
    given = [row for row in rows if row.role != "adjudicator"]
    is_open = not project["pilot"] or bool(project["opened_at"])
    gate = None if is_open else gate_of(store, project)
    told = [(row.item, items[row.item].query_id, row.rater, row.grade) for row in given if row.grade is not None]
    return Progress(
        pairs=len(items),
        wanted=sum(one.wanted for one in items.values() if not one.is_pilot),
        given=sum(not items[row.item].is_pilot for row in given),
        disputed=sum(one.is_disputed for one in items.values()),
        settled=len({row.item for row in rows if row.role == "adjudicator"}),
        raters=tuple(
            replace(one, stops=beside[one.name, events.STOPPED], opened=beside[one.name, events.OPENED])
            for one in _raters(standing, {row.rater for row in given}, every)
        ),
        boundaries=_boundaries(given),
        agreement=gate.agreement if gate else agreement_of(told, rubric_of(project), project["pilot_limit"]),
        flags=tuple(progress.flags(store, project["id"])),
        is_open=is_open,
        gate=gate,
        late=latecomers(store, project),
        found=_found(list(items.values()), given),
    )  # fmt: skip


def _found(items: Sequence[Counted], given: Sequence[Said]) -> tuple[Found, ...]:
    grades: dict[int, list[float]] = {one.id: [] for one in items if one.is_found}
    for row in given if grades else ():
        if row.item in grades and row.grade is not None:
            grades[row.item].append(row.grade)
    rows = [Found(one.query_id, one.doc_id, tuple(grades[one.id])) for one in items if one.is_found]
    return tuple(sorted(rows, key=lambda one: (one.query_id, one.doc_id)))


def _raters(standing: Sequence[Said], names: set[str], items: Mapping[int, Counted]) -> tuple[OneRater, ...]:
    by_rater: dict[str, list[Said]] = {name: [] for name in sorted(names)}
    for row in standing:
        if row.rater in by_rater:
            by_rater[row.rater].append(row)
    return tuple(_rater(name, rows, items) for name, rows in by_rater.items())


def _rater(name: str, rows: Sequence[Said], items: Mapping[int, Counted]) -> OneRater:
    """What one rater did; `rows` is all that stands of the rater, hidden items too."""
    first = {row.item: row.grade for row in rows if row.turn == 0 and row.role != "adjudicator"}
    own = [row for row in rows if row.item in first and row.turn == 0 and items[row.item].gold is None]
    took = [row.took_ms / 1_000 for row in own if row.took_ms is not None]
    told = sum(row.grade is not None for row in own)
    known = [(grade, gold) for item, grade in first.items() if (gold := items[item].gold) is not None]
    again = [(row.grade, first.get(row.item)) for row in rows if row.turn]
    return OneRater(name, told, len(own) - told, median(took) if took else None, _alike(known), _alike(again),
                    fast=sum(row.is_fast for row in rows if row.role != "adjudicator"))  # fmt: skip


def _alike(pairs: Sequence[tuple[float | None, float | None]]) -> tuple[int, int]:
    """How many pairs of grades are alike, of those that have both."""
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    return sum(one == other for one, other in both), len(both)


def _boundaries(rows: Sequence[Said]) -> tuple[tuple[float, float, int], ...]:
    """Between which grades of the rubric raters differ: its lines that want mending."""
    grades: dict[int, list[float]] = {}
    for row in rows:
        if row.grade is not None:
            grades.setdefault(row.item, []).append(row.grade)
    disputes = Counter((min(one), max(one)) for one in grades.values() if judgments.is_dispute(one))
    return tuple((low, high, n) for (low, high), n in sorted(disputes.items(), key=lambda pair: (-pair[1], pair[0])))
