"""What a lead does with a project: makes it, adds pairs to it, opens and closes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows import project as running
from assay.flows.adding import TERMINAL
from assay.flows.ageing import parse_days
from assay.flows.keeping import now
from assay.flows.known import known_grades, known_preferences
from assay.flows.labelling import Made, create_project, project_of
from assay.flows.pairs import PAIRWISE
from assay.flows.pairs import create_project as of_pairs
from assay.flows.people import Person
from assay.flows.rubric import read_rubric, text_of
from assay.store import audit, progress, projects

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench
    from assay.store.database import Store

PILOT = 50
"""Pairs that every rater labels first, where a pair has two raters or more and nobody says otherwise."""


def make(
    store: Store, bench: Workbench, *, name: str, pairs: Any, rubric: str, gold: Any = None, raters_each: int = 2,
    pilot: int | None = None, refresh_days: str | None = None, comparisons: int | None = None, who: Person = TERMINAL,
    **options: Any,
) -> Made:  # fmt: skip
    """Makes a project of files; see `assay.flows.labelling.create_project`, and that of `pairs` for the mode pairwise.

    Args:
        store: where it is kept.
        bench: where inputs are found.
        name: of the project.
        pairs: what `assay pool make --pairs` wrote.
        rubric: the file that says what the grades mean.
        gold: a table of judgments, or of preferences, that are known to be right: hidden among the others.
        raters_each: raters of a pair.
        pilot: how many pairs every rater labels first; None: `PILOT`, and none where one rater is enough.
        refresh_days: for how many days labels are good: "180", or "180,news=7" by the segment of the query.
        comparisons: how many pairs of documents are made of a pool, in the mode pairwise.
        who: makes it.
        **options: of `create_project`.

    Raises:
        InputError: a file cannot be read, a known grade is not of the rubric, or days are no whole number.
    """
    rules, text = read_rubric(rubric), text_of(rubric)
    pilot = (PILOT if raters_each > 1 else 0) if pilot is None else pilot
    if options.get("mode") == PAIRWISE:
        _only_of_grades(
            refresh_days=refresh_days, enter=options.get("needs_enter"), live_links=options.get("live_links")
        )  # fmt: skip
        own = {option: value for option, value in options.items() if option in OF_PAIRS}
        made = of_pairs(
            store, bench, name=name, pairs=pairs, rubric=rules, rubric_text=text, by=who.name, raters_each=raters_each,
            most=comparisons, gold=None if gold is None else known_preferences(bench, gold), pilot=pilot,
            tenant=who.tenant, **own,
        )  # fmt: skip
        return _with_pilot(made, min(pilot, made.items), raters_each)
    if comparisons is not None:
        raise InputError("documents are compared two by two in one mode alone", "--comparisons", "add --mode pairwise")
    days = _whole_days(refresh_days)
    made = create_project(
        store, bench, name=name, pairs=pairs, rubric=rules, rubric_text=text, by=who.name, raters_each=raters_each,
        gold=None if gold is None else known_grades(bench, gold, rules), pilot=pilot,
        refresh_days=days.pop("", None), refresh_classes=days, tenant=who.tenant, **options,
    )  # fmt: skip
    return _with_pilot(made, min(pilot, made.items), raters_each)


def _with_pilot(made: Made, pilot: int, raters_each: int) -> Made:
    notes = (*made.notes, *_on_pilot(pilot, made.queries))
    return replace(made, notes=notes, pilot=pilot, raters_each=raters_each)


def _on_pilot(pilot: int, queries: int) -> tuple[str, ...]:
    """What whoever makes a project should know of its pilot."""
    from assay.judgments.coefficients import FEWEST_QUERIES

    if not pilot:
        return ()
    few = ""
    if min(pilot, queries) < FEWEST_QUERIES:
        few = (
            f"; it has pairs of fewer than {FEWEST_QUERIES} queries, so no agreement is sure and a lead has to open it"
        )
    return (f"every rater labels the same {pilot:,} pairs first; the others wait until the raters agree{few}",)


OF_PAIRS = ("topics", "documents", "repeat_share", "gold_share", "pilot_limit", "min_seconds")
"""Options of projects of grades that projects of pairs have too."""


def _only_of_grades(**options: Any) -> None:
    """Refuses what speaks of grades, where raters prefer one of two documents."""
    for name, value in options.items():
        if value:
            raise InputError("raters of pairs give no grades", f"--{name.replace('_', '-')}",
                             "leave it out, or take another --mode")  # fmt: skip


def _whole_days(text: str | None) -> dict[str, int]:
    days = parse_days(text)
    for name, value in days.items():
        if value != int(value) or value < 1:
            raise InputError(
                f"{name + '=' if name else ''}{value:g} is no number of days", "--refresh-days",
                "write whole days from 1, 180,news=7",
            )  # fmt: skip
    return {name: int(value) for name, value in days.items()}


def listed(store: Store, who: Person = TERMINAL) -> list[dict[str, Any]]:
    """Every project with how far it has come, those that were closed too, the latest first."""
    rows = projects.every(store, who.tenant)
    return [
        {"id": row["id"], "name": row["name"], "is_closed": row["ended_at"] is not None, "has_pilot": row["pilot"] > 0}
        | projects.counts(store, row["id"])
        for row in rows
    ]


def open_project(store: Store, name: str, why: str = "", who: Person = TERMINAL) -> str:
    """Opens a project that was closed, or the queue behind its pilot; what was done, in words.

    Raises:
        InputError: it is open, or the pilot keeps it closed and no reason is given.
    """
    project, at = project_of(store, who, name), now()
    if project["ended_at"] is None:
        running.open_queue(store, who, name, why)
        return f"{project['name']}: the queue behind the pilot is open"

    def job(connection: Any) -> None:
        if progress.close(connection, project["id"], None):
            audit.note(connection, who.tenant, who.name, "opened a project again", _with(project, why), at)

    store.write(job).result()
    return f"{project['name']} is open again"


def close_project(store: Store, name: str, why: str = "", who: Person = TERMINAL) -> None:
    """Ends a project: nothing more is handed out, and what was handed out may still be answered.

    Raises:
        InputError: it is closed.
    """
    project, at = project_of(store, who, name), now()

    def job(connection: Any) -> None:
        if not progress.close(connection, project["id"], at):
            raise InputError("the project is closed", project["name"], "open it again by `assay label open`")
        audit.note(connection, who.tenant, who.name, "closed a project", _with(project, why), at)

    store.write(job).result()


def _with(project: Mapping[str, Any], why: str) -> str:
    return f"{project['name']}: {why.strip()}" if why.strip() else str(project["name"])
