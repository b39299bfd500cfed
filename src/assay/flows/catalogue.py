"""`assay catalogue`: what runs show of a catalogue, how new it is and how varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean
from assay.flows.choices import chosen
from assay.flows.evaluate import _named, source_of
from assay.flows.lists import run_as_lists
from assay.flows.workbench import Workbench
from assay.results import QUIET, Note, Progress
from assay.tables import Block, Interaction, Item

if TYPE_CHECKING:
    from assay.compare.catalogue import Catalogue, Likeness, Popularity

POPULARITY = ("users", "events")


def catalogue(
    runs: Any,
    *,
    items: Any = None,
    log: Any = None,
    k: int = 10,
    features: str | Sequence[str] | None = None,
    popularity: str = "users",
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> Catalogue:
    """What the first k of each list show of a catalogue: coverage, concentration, novelty, diversity inside a list.

    Args:
        runs: one run or several, as in `evaluate`; a query is often a user.
        items: a table of every item, with a column of categories or of numbers; the items of the log when None, and
            those of the runs when there is no log either.
        log: a table of interactions, for novelty: who did something with what.
        k: how many first items of a list are looked at.
        features: the columns of numbers that say what items are like; every column of numbers when None.
        popularity: what novelty counts in the log: "users" or "events".
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        progress: told how far the work has come.
        command: how the result was asked for, kept in it.
        **choices: as in `evaluate`: order, ties, duplicates, include, ...

    Raises:
        InputError: a table lacks what is asked of it, or an option is not what it can be.

    >>> found = catalogue({"u1": {"a": 2, "b": 1}, "u2": {"a": 2, "c": 1}}, items=[{"doc_id": x} for x in "abcd"], k=2)
    >>> found.runs[0].coverage, found.runs[0].gini
    (0.75, 0.375)
    """
    from assay.compare.catalogue import catalogue as computed

    if isinstance(k, bool) or k < 1:
        raise InputError(f"--k {k} is not a whole number from 1", remedy="pass --k 10")
    if popularity not in POPULARITY:
        hint = did_you_mean(popularity, POPULARITY)
        raise InputError(f"--popularity {popularity!r} is not users or events{hint}", remedy="pass --popularity users")
    if features is not None and items is None:
        raise InputError("features are columns of the items, and none were given", remedy="pass --items FILE")
    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    table = None if items is None else bench.table(items, Item, columns=columns, name="items")
    events = None if log is None else bench.table(log, Interaction, columns=columns, name="log")
    lists, notes = {}, list[Note]()
    for block in (table, events):
        notes += [] if block is None else [Note("read", fact) for fact in block.facts]
    for name, run in _named(runs).items():
        lists[name], facts = run_as_lists(bench, run, name, held.conventions, format, columns, progress)
        notes += facts
    if table is not None:
        known, told_by = set(table.frame["doc_id"]), "items"
    elif events is not None:
        known, told_by = set(events.frame["doc_id"]), "log"
    else:
        known = {doc for found in lists.values() for entry in found.lists.values() for doc in entry.docs}
        told_by = "runs"
    if not known:
        raise InputError("the runs return nothing, and no catalogue was given", remedy="pass --items FILE")
    found = computed(
        lists, known, k=k, told_by=told_by, notes=notes,
        popularity=None if events is None else popularity_of(events, popularity),
        likeness=None if table is None else likeness_of(table, features),
    )  # fmt: skip
    return replace(found, source=source_of(bench, held, command))


def popularity_of(log: Block, by: str) -> Popularity:
    """How many people (or events) each item has."""
    from assay.compare.catalogue import Popularity

    if by == "events":
        count: dict[str, int] = {}
        for doc in log.frame["doc_id"]:
            count[doc] = count.get(doc, 0) + 1
        return Popularity(count, len(log), by)
    people: dict[str, set[str]] = {}
    for user, doc in zip(log.frame["user_id"], log.frame["doc_id"], strict=True):
        people.setdefault(doc, set()).add(user)
    return Popularity({doc: len(who) for doc, who in people.items()}, len(set(log.frame["user_id"])), by)


def likeness_of(items: Block, features: str | Sequence[str] | None) -> Likeness:
    """The numbers and the categories of the items."""
    import numpy as np

    from assay.compare.catalogue import Likeness

    own = [name for name in items.columns if name not in ("doc_id", "category")]
    wanted = [features] if isinstance(features, str) else None if features is None else list(features)
    for name in wanted or ():
        if name not in own:
            raise InputError(
                f"the items have no column {name}{did_you_mean(name, own)}",
                items.name,
                f"the columns are {', '.join(own)}" if own else "give the items columns of numbers",
            )
    columns: dict[str, list[float]] = {}
    for name in own if wanted is None else wanted:
        values, odd = _numbers(list(items.frame[name]))
        if odd is None:
            columns[name] = values
        elif wanted is not None:
            raise InputError(
                f"{name} {items.frame[name][odd]!r} is not a number", items.place(odd), "name columns of numbers"
            )
    docs = list(items.frame["doc_id"])
    rows = {}
    if columns:
        matrix = np.array(list(columns.values()), np.float64).T
        use = np.isfinite(matrix).all(axis=1) & (matrix != 0).any(axis=1)
        rows = {docs[i]: matrix[i] for i in np.flatnonzero(use).tolist()}
    categories = {}
    if "category" in items.columns:
        for doc, text in zip(docs, items.frame["category"], strict=True):
            parts = frozenset(part.strip() for part in (text or "").split("|") if part.strip())
            if parts:
                categories[doc] = parts
    return Likeness(rows, tuple(columns), categories)


def _numbers(cells: Sequence[Any]) -> tuple[list[float], int | None]:
    """A column as numbers, NaN where a cell is empty, and the first row that is none."""
    values = []
    for row, cell in enumerate(cells):
        try:
            values.append(float("nan") if cell in (None, "") else float(cell))
        except ValueError:
            return [], row
    if all(value != value for value in values):  # an empty column says nothing
        return [], 0
    return values, None
