"""The pilot of a project: pairs that every rater labels first, and the agreement on them that opens the queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.flows.keeping import now
from assay.rubric import Rubric
from assay.store import audit, judgments, progress
from assay.store import pairs as held_pairs
from assay.tables import Preference
from assay.tables.door import block_of

if TYPE_CHECKING:
    from assay.judgments.agreement import Decided
    from assay.judgments.preferences import PreferenceAgreement
    from assay.store.database import Store

FEWEST_RATERS = 2

ITSELF = "(assay)"
"""Who opened a queue that opened by itself."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the rubric: where one grade, or one value of a dimension, ends and the next begins.

    Args:
        dimension: whose values they are; empty for grades.
        below, above: the two grades or values.
        apart: pairs of which one rater stands below the line and another above it.
    """

    dimension: str
    below: float
    above: float
    apart: int


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the queue behind a pilot may open.

    Args:
        pairs: of the pilot.
        left: rater to pairs of the pilot that are not answered yet.
        agreement: of the raters on the pilot; None where no pair has two grades.
        steps: lines of the rubric on which the raters differ, the most frequent first.
        shared: pairs that have two grades or more.
        opposed: of these, pairs of documents of which raters prefer opposite ones.
    """

    pairs: int
    left: Mapping[str, int]
    agreement: Decided | None
    steps: tuple[Step, ...]
    shared: int
    opposed: int = 0

    @property
    def is_labelled(self) -> bool:
        """Whether two raters or more take part, and each has answered every pair."""
        return len(self.left) >= FEWEST_RATERS and not any(self.left.values())

    @property
    def reaches(self) -> bool:
        """Whether the lower end of the agreement reaches the limit of the project."""
        return self.agreement is not None and self.agreement.is_enough is True


CONSENSUS = "(those before)"
"""Who a late rater is held against."""


@dataclass(frozen=True, slots=True)
class Late:
    """A rater who came when the queue was open, on the pilot.

    The consensus on a pair is the grade of an adjudicator, the last one; else the median of the grades of those who
    began before the queue opened, of two in the middle the lower one. Of two documents it is an adjudicator's choice,
    else the commonest one; where two are as common there is none.

    Args:
        rater: who.
        graded: pairs of the pilot that the rater graded and that have a consensus.
        known: pairs of the pilot that have one.
        agreement: quadratic kappa (of choices alpha, nominal) of the rater and the consensus; None before the first
            such pair.
    """

    rater: str
    graded: int
    known: int
    agreement: Decided | None


def latecomers(store: Store, project: Mapping[str, Any]) -> tuple[Late, ...]:
    """Raters whose first grade in the pilot came when the queue was open, by name, each against the consensus."""
    if not project["pilot"] or not project["opened_at"]:
        return ()
    is_pairwise = project["mode"] == "pairwise"
    rows = _of_pairs(store, project) if is_pairwise else _of_grades(store, project)
    first: dict[str, str] = {}
    for row in rows:
        if row["role"] != "adjudicator":
            first[row["rater"]] = min(row["judged_at"], first.get(row["rater"], row["judged_at"]))
    late = sorted(name for name, at in first.items() if at > project["opened_at"])
    if not late:
        return ()
    what = "preference" if is_pairwise else "grade"
    early: dict[int, list[Any]] = {}
    for row in rows:
        if row["role"] != "adjudicator" and row["rater"] not in late:
            early.setdefault(row["item"], []).append(row[what])
    told = {item: _commonest(said) if is_pairwise else _lower_middle(said) for item, said in early.items()}
    told |= {row["item"]: row[what] for row in rows if row["role"] == "adjudicator"}
    agreed = {item: said for item, said in told.items() if said is not None}
    found = []
    for name in late:
        own = [
            row for row in rows
            if row["rater"] == name and row["role"] != "adjudicator" and row["item"] in agreed
        ]  # fmt: skip
        both = [*own, *(row | {"rater": CONSENSUS, what: agreed[row["item"]]} for row in own)]
        found.append(Late(name, len(own), len(agreed), _decided(both, project)))
    return tuple(found)


def _lower_middle(grades: Sequence[float]) -> float:
    return sorted(grades)[(len(grades) - 1) // 2]


def _commonest(choices: Sequence[str]) -> str | None:
    """The answer that more raters gave than any other; None where two were given alike."""
    (first, n), *others = Counter(choices).most_common(2)
    return None if others and others[0][1] == n else first


def _decided(rows: Sequence[Mapping[str, Any]], project: Mapping[str, Any]) -> Decided | None:
    """What decides whether the raters of some answers on the pilot agree; None where no pair has two."""
    if project["mode"] == "pairwise":
        found = _preferences(rows)
        return None if found is None else _of_preferences(found, project)
    told = [(row["item"], row["query_id"], row["rater"], row["grade"]) for row in rows]
    return agreement_of(told, Rubric.parse(project["rubric"], f"rubric of {project['name']}"), project["pilot_limit"])


def _of_grades(store: Store, project: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = progress.pilot_said(store, project["tenant"], project["id"])
    return [row for row in rows if row["grade"] is not None]


def _of_pairs(store: Store, project: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The choices that stand on the pilot, hidden repeats left out."""
    rows = held_pairs.preferences(store, project["tenant"], project["id"])
    return [row for row in rows if row["is_pilot"] and not row["turn"] and row["preference"] is not None]


def _preferences(rows: Sequence[Mapping[str, Any]]) -> PreferenceAgreement | None:
    """How much the raters of some choices agree; None where no pair of documents has two choices."""
    own = [row for row in rows if row["role"] != "adjudicator"]
    if not own:
        return None
    from assay.judgments.preferences import preference_agreement

    names = ("query_id", "doc_id", "other_doc_id", "preference", "rater", "left_doc_id")
    found = preference_agreement(block_of([{name: row[name] for name in names} for row in own], Preference, "pilot"))
    return found if found.shared else None


def _of_preferences(found: PreferenceAgreement, project: Mapping[str, Any]) -> Decided:
    from assay.judgments.agreement import Decided

    return Decided(found.deciding, project["pilot_limit"])


def gate_of(store: Store, project: Mapping[str, Any]) -> Gate:
    """Where the pilot of a project stands."""
    if project["mode"] == "pairwise":
        return _gate_of_pairs(store, project)
    items = {row["id"] for row in progress.items(store, project["id"]) if row["is_pilot"]}
    rows = [
        row
        for row in judgments.current(store, project["tenant"], project["id"])
        if row["item"] in items and row["turn"] == 0 and row["role"] != "adjudicator" and row["grade"] is not None
    ]
    rubric = Rubric.parse(project["rubric"], f"rubric of {project['name']}")
    told = [(row["item"], row["query_id"], row["rater"], row["grade"]) for row in rows]
    grades = _by_item([(row["item"], row["grade"]) for row in rows])
    steps = _steps("", grades, rubric.scale)
    for one in rubric.dimensions:
        own = [(row["item"], row["dimensions"][one.name]) for row in rows if one.name in row["dimensions"]]
        steps += _steps(one.name, _by_item(own), sorted(value for value, _ in one.means))
    return Gate(
        pairs=len(items), left=progress.pilot_left(store, project["tenant"], project["id"]),
        agreement=agreement_of(told, rubric, project["pilot_limit"]), shared=sum(len(given) > 1 for given in grades),
        steps=tuple(sorted(steps, key=lambda step: (-step.apart, step.dimension, step.below))),
    )  # fmt: skip


def _gate_of_pairs(store: Store, project: Mapping[str, Any]) -> Gate:
    """Where the pilot of a project of pairs of documents stands; no line of a rubric lies between two choices."""
    n = sum(bool(row["is_pilot"]) for row in progress.items(store, project["id"]))
    found = _preferences(_of_pairs(store, project))
    left = progress.pilot_left(store, project["tenant"], project["id"])
    if found is None:
        return Gate(n, left, None, (), 0)
    return Gate(n, left, _of_preferences(found, project), (), found.shared, found.opposed)


def consider(store: Store, project: Mapping[str, Any]) -> bool:
    """Opens the queue where every rater has labelled the pilot and they agree; whether it did."""
    if not project["pilot"] or project["opened_at"]:
        return False
    left = progress.pilot_left(store, project["tenant"], project["id"])
    if len(left) < FEWEST_RATERS or any(left.values()):
        return False
    found = gate_of(store, project)
    if not (found.is_labelled and found.reaches):
        return False
    assert found.agreement is not None
    one, at = found.agreement.deciding, now()
    why = (
        f"{len(found.left)} raters agree on the pilot: {one.name} {one.value:.2f}, 95 % interval {one.low:.2f} to "
        f"{one.high:.2f}; the project asks for {project['pilot_limit']:.2f}"
    )

    def job(connection: Any) -> bool:
        if not progress.open_queue(connection, project, ITSELF, why, at):
            return False
        audit.note(connection, project["tenant"], ITSELF, "opened the queue", f"{project['name']}: {why}", at)
        return True

    return store.write(job).result()


def agreement_of(said: Sequence[tuple[int, str, str, float]], rubric: Rubric, limit: float) -> Decided | None:
    """What decides whether raters agree enough; None where no item has two grades.

    Args:
        said: (item, its query, rater, grade), one a standing grade; an item has one document as it looked at one time.
        rubric: whose grades count.
        limit: of the agreement that the project asks for.
    """
    if not said:
        return None
    import numpy as np

    from assay.judgments.agreement import decided
    from assay.stats.agreement import Ratings

    items, queries, raters, grades = zip(*said, strict=True)
    place = {grade: at for at, grade in enumerate(rubric.scale)}
    _, first, item = np.unique(np.array(items, dtype=np.int64), return_index=True, return_inverse=True)
    names = sorted(set(raters))
    number = {name: at for at, name in enumerate(names)}
    query = {name: at for at, name in enumerate(dict.fromkeys(queries))}
    ratings = Ratings(
        item=item, rater=np.array([number[name] for name in raters]), code=np.array([place[one] for one in grades]),
        query=np.array([query[queries[at]] for at in first]), grades=np.array(rubric.scale, dtype=np.float64),
    )  # fmt: skip
    return decided(ratings, names, limit)


def _by_item(said: Sequence[tuple[int, float]]) -> list[list[float]]:
    found: dict[int, list[float]] = {}
    for item, value in said:
        found.setdefault(item, []).append(value)
    return list(found.values())


def _steps(dimension: str, items: Sequence[Sequence[float]], scale: Sequence[float]) -> list[Step]:
    """Grades 1 and 3 of one pair differ on two lines: that from 1 to 2 and that from 2 to 3."""
    made = [
        Step(dimension, low, high, sum(min(one) <= low and max(one) >= high for one in items))
        for low, high in pairwise(scale)
    ]
    return [step for step in made if step.apart]
