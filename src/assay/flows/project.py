"""A project from above: how far it is, how much its raters agree, what they dispute, and who settles that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.keeping import now
from assay.flows.labelling import LONGEST_NOTE, project_of, rubric_of
from assay.flows.people import Person
from assay.flows.pilot import Gate, agreement_of, consider, gate_of
from assay.store import audit, judgments, progress, projects
from assay.store.judgments import Given

if TYPE_CHECKING:
    from assay.judgments.agreement import RaterAgreement
    from assay.store.database import Store


@dataclass(frozen=True, slots=True)
class OneRater:
    """What one rater did.

    Args:
        name: of the rater.
        given: grades that stand.
        cannot_tell: items that the rater could not tell.
        median_s: seconds from seeing to answering, half of the items less; None where no time was noted.
        gold: (graded as known, graded) of hidden gold items.
        repeats: (graded as before, graded) of own items that came again.
    """

    name: str
    given: int
    cannot_tell: int
    median_s: float | None
    gold: tuple[int, int] = (0, 0)
    repeats: tuple[int, int] = (0, 0)


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
    """

    pairs: int
    wanted: int
    given: int
    disputed: int
    settled: int
    raters: tuple[OneRater, ...]
    boundaries: tuple[tuple[float, float, int], ...]
    agreement: RaterAgreement | None
    flags: tuple[Mapping[str, Any], ...]
    is_open: bool
    gate: Gate | None


def progress_of(store: Store, who: Person, name: str) -> Progress:
    """How far a project has come, and how much its raters agree."""
    project = project_of(store, who, name)
    every = {row["id"]: row for row in progress.items(store, project["id"])}
    items = {number: row for number, row in every.items() if row["gold"] is None}
    standing = judgments.current(store, who.tenant, project["id"])
    rows = [row for row in standing if row["turn"] == 0 and row["item"] in items]
    given = [row for row in rows if row["role"] != "adjudicator"]
    is_open = not project["pilot"] or bool(project["opened_at"])
    gate = None if is_open else gate_of(store, project)
    agreement = agreement_of(given, rubric_of(project), project["pilot_limit"]) if gate is None else gate.agreement
    names = sorted({row["rater"] for row in given})
    return Progress(
        pairs=len(items),
        wanted=sum(row["wanted"] for row in items.values() if not row["is_pilot"]),
        given=sum(not items[row["item"]]["is_pilot"] for row in given),
        disputed=sum(bool(row["is_disputed"]) for row in items.values()),
        settled=len({row["item"] for row in rows if row["role"] == "adjudicator"}),
        raters=tuple(_rater(name, [row for row in standing if row["rater"] == name], every) for name in names),
        boundaries=_boundaries(given),
        agreement=agreement,
        flags=tuple(progress.flags(store, project["id"])),
        is_open=is_open,
        gate=gate,
    )  # fmt: skip


def _rater(name: str, rows: Sequence[Mapping[str, Any]], items: Mapping[int, Mapping[str, Any]]) -> OneRater:
    """What one rater did; `rows` is all that stands of the rater, hidden items too."""
    first = {row["item"]: row["grade"] for row in rows if row["turn"] == 0 and row["role"] != "adjudicator"}
    own = [row for row in rows if row["item"] in first and row["turn"] == 0 and items[row["item"]]["gold"] is None]
    took = [row["took_ms"] / 1_000 for row in own if row["took_ms"] is not None]
    told = sum(row["grade"] is not None for row in own)
    known = [(grade, items[item]["gold"]) for item, grade in first.items() if items[item]["gold"] is not None]
    again = [(row["grade"], first.get(row["item"])) for row in rows if row["turn"]]
    return OneRater(name, told, len(own) - told, median(took) if took else None, _alike(known), _alike(again))


def _alike(pairs: Sequence[tuple[float | None, float | None]]) -> tuple[int, int]:
    """How many pairs of grades are alike, of those that have both."""
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    return sum(one == other for one, other in both), len(both)


def _boundaries(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[float, float, int], ...]:
    """Between which grades of the rubric raters differ: its lines that want mending."""
    grades: dict[int, list[float]] = {}
    for row in rows:
        if row["grade"] is not None:
            grades.setdefault(row["item"], []).append(row["grade"])
    counted = Counter((min(one), max(one)) for one in grades.values() if judgments.is_dispute(one))
    return tuple((low, high, n) for (low, high), n in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def open_queue(store: Store, who: Person, name: str, why: str) -> None:
    """Opens the queue behind the pilot for a reason that a lead gives; by agreement it opens by itself.

    Raises:
        InputError: no reason is given, or the queue is open.
    """
    project, why, at = project_of(store, who, name), why.strip(), now()
    if not project["pilot"] or project["opened_at"]:
        raise InputError("the queue is open", project["name"], "go back to the project")
    if consider(store, project):
        return
    if not why:
        raise InputError(
            "the pilot is not labelled by every rater, or they do not agree enough, or not surely", project["name"],
            "mend the rubric, or say why the queue opens all the same",
        )  # fmt: skip

    def job(connection: Any) -> None:
        if progress.open_queue(connection, project, who.name, why, at):
            audit.note(connection, who.tenant, who.name, "opened the queue", f"{project['name']}: {why}", at)

    store.write(job).result()


def next_dispute(store: Store, who: Person, name: str) -> dict[str, Any] | None:
    """The next disputed pair, without anybody's label; pairs that the person has labelled are left to others."""
    project = project_of(store, who, name)
    row = progress.next_dispute(store, who.tenant, project["id"], who.name)
    return None if row is None else _shown(store, row)


def settled(store: Store, who: Person, name: str, number: int) -> dict[str, Any]:
    """A pair that the person settled, with what the raters said; nobody sees that before a grade of their own.

    Raises:
        InputError: the person has not settled it.
    """
    project = project_of(store, who, name)
    with store.reading() as connection:
        row = progress.item(connection, who.tenant, project["id"], number)
        labels = [] if row is None else progress.labels(connection, who.tenant, number)
    own = next((one for one in labels if one["rater"] == who.name and one["role"] == "adjudicator"), None)
    if row is None or own is None:
        raise InputError("give your own grade first", f"item {number}", "go back to the disputes")
    return _shown(store, row) | {"own": own, "labels": [one for one in labels if one is not own]}


def settle(store: Store, who: Person, name: str, given: Given) -> None:
    """Writes an adjudicator's grade: the first one blind, later ones corrections.

    Raises:
        InputError: the pair is not disputed, the person has labelled it as a rater, or the grade is not of the rubric.
    """
    project, at = project_of(store, who, name), now()
    rubric = rubric_of(project)
    if given.grade is None or given.grade not in rubric.scale:
        raise InputError("that is no grade of the rubric", "grade", "reload the page")
    if len(given.note) > LONGEST_NOTE:
        raise InputError("the note is too long", "note", f"write at most {LONGEST_NOTE:,} letters")

    def job(connection: Any) -> None:
        row = progress.item(connection, who.tenant, project["id"], given.item)
        if row is None:
            raise InputError("there is no such item", f"item {given.item}", "go back to the disputes")
        own = {one["role"] for one in progress.labels(connection, who.tenant, given.item) if one["rater"] == who.name}
        if own - {"adjudicator"}:
            raise InputError("you labelled this one yourself", f"item {given.item}", "leave it to another adjudicator")
        if not own and not row["is_disputed"]:
            raise InputError("this one is settled already", f"item {given.item}", "go back to the disputes")
        judgments.append(connection, who.tenant, given, project["rubric_version"], at)

    store.write(job).result()


def _shown(store: Store, row: Mapping[str, Any]) -> dict[str, Any]:
    (seen,) = projects.shown(store, [row])
    document = seen["document"] or {"title": row["doc_id"], "text": "", "captured_at": None}
    return {
        "item": row["id"],
        "query": {name: seen["query"].get(name) for name in ("text", "need", "language")},
        "document": {name: document[name] for name in ("title", "text", "captured_at")},
    }
