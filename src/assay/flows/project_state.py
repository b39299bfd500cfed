"""`assay label status`: how a project was made and how far it has come, as a result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.results import Result, kept

if TYPE_CHECKING:
    from assay.flows.people import Person
    from assay.flows.pilot import Gate
    from assay.flows.progress import OneRater
    from assay.judgments.coefficients import Coefficient
    from assay.judgments.preferences import PreferenceAgreement
    from assay.rubric import Rubric
    from assay.store.database import Store


@kept("rater-state")
@dataclass(frozen=True, slots=True)
class RaterState:
    """What one rater did in a project.

    Args:
        name: of the rater.
        grades: that stand; preferences in projects of pairs.
        cannot_tell: items that the rater could not tell.
        median_s: seconds from seeing to answering; None where no time was noted.
        gold_met, gold: hidden items of known grade that were graded so, and all of them.
        same_again, repeats: own items that came again and got the same grade, and all of them.
        pilot_left: pairs of the pilot that are not answered; None where no pilot decides.
    """

    name: str
    grades: int
    cannot_tell: int
    median_s: float | None
    gold_met: int
    gold: int
    same_again: int
    repeats: int
    pilot_left: int | None


@kept("rubric-step")
@dataclass(frozen=True, slots=True)
class RubricStep:
    """A line of the rubric on which raters differ.

    Args:
        dimension: whose values they are; empty for grades.
        below, above: the values on its two sides.
        words: what the rubric says of these.
        apart: pairs of which one rater stands below it and another above.
    """

    dimension: str
    below: float
    above: float
    words: tuple[str, str]
    apart: int


@kept("project-pilot")
@dataclass(frozen=True, slots=True)
class PilotState:
    """Where the pilot stands that keeps the queue closed.

    Args:
        pairs: that every rater labels.
        is_labelled: whether every rater has.
        reaches: whether the lower end of their agreement reaches the limit.
        shared: pairs with two grades or more.
        steps: lines of the rubric on which raters differ, the most frequent first.
    """

    pairs: int
    is_labelled: bool
    reaches: bool
    shared: int
    steps: tuple[RubricStep, ...]


@kept("project-agreement")
@dataclass(frozen=True, slots=True)
class ProjectAgreement:
    """What is held against the limit of the project.

    Args:
        name: of the coefficient.
        value: None where it is undefined.
        low, high: 95 % interval over queries; None where there is none.
        remark: why there is none, or what it cannot tell.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    remark: str


@kept("late-rater")
@dataclass(frozen=True, slots=True)
class LateRater:
    """A rater who came when the queue was open, on the pilot, against the consensus of those before.

    The consensus on a pair is the grade of an adjudicator; else the median of the grades of those who began before the
    queue opened, of two in the middle the lower one. Of two documents it is an adjudicator's choice; else the commonest
    one, and none where two are as common.

    Args:
        name: of the rater.
        graded, known: pairs of the pilot that the rater graded and that have a consensus, and all that have one.
        agreement: quadratic kappa (of choices alpha, nominal) of the rater and the consensus; None before the first
            such pair.
    """

    name: str
    graded: int
    known: int
    agreement: ProjectAgreement | None


@kept("found-document")
@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document that a rater found by the search of the page, whatever systems returned.

    Args:
        query_id, doc_id: of the pair.
        grades: that stand.
    """

    query_id: str
    doc_id: str
    grades: tuple[float, ...]


@kept("project-state")
@dataclass(frozen=True, kw_only=True)
class ProjectState(Result):
    """How a project was made, and how far it has come.

    Args:
        name: of the project.
        mode: query, mixed or pairwise.
        rubric: its name and version.
        raters_each: raters of a pair.
        refresh: class of queries to the days for which labels are good; "" is for all others.
        limit: agreement that is asked for.
        is_closed: whether it was ended.
        opened: when, by whom and why the queue behind a pilot was opened; empty where it was not.
        pairs: that are labelled.
        wanted, given: judgments behind the pilot.
        disputed, settled: pairs.
        pilot: where it stands; None where no pilot keeps the queue closed.
        agreement: of the raters, of the pilot alone while that decides; None where no pair has two grades.
        raters: by name.
        flags: (query_id, rater, why) of queries that raters found bad.
        beside: another coefficient of the same agreement, which nothing is held against; None where there is none.
        late: raters who came when the queue was open, against the consensus of those before.
        found: documents that raters found by the search of the page.
        piloted: pairs that every rater labels first; `wanted` and `given` do not count them.
    """

    name: str
    mode: str
    rubric: tuple[str, str]
    raters_each: int
    refresh: dict[str, int]
    limit: float
    is_closed: bool
    opened: tuple[str, ...]
    pairs: int
    wanted: int
    given: int
    disputed: int
    settled: int
    pilot: PilotState | None
    agreement: ProjectAgreement | None
    raters: tuple[RaterState, ...]
    flags: tuple[tuple[str, str, str], ...]
    beside: ProjectAgreement | None = None
    late: tuple[LateRater, ...] = ()
    found: tuple[FoundDocument, ...] = ()
    piloted: int = 0


def state_of(store: Store, who: Person, name: str) -> ProjectState:
    """How a project was made, and how far it has come.

    Raises:
        InputError: there is no such project.
    """
    from assay.flows import pairs
    from assay.flows.labelling import project_of, rubric_of
    from assay.flows.progress import progress_of

    row = project_of(store, who, name)
    found, rubric = progress_of(store, who, name), rubric_of(row)
    left = {} if found.gate is None else found.gate.left
    known = {one.name: one for one in found.raters}
    raters = [_rater(name, known.get(name), left.get(name)) for name in sorted(known.keys() | left.keys())]
    one = None if found.agreement is None else found.agreement.deciding
    if row["mode"] == pairs.PAIRWISE:
        compared = pairs.agreement_of(store, who, name)
        if found.gate is None:
            one = None if compared is None else compared.deciding
        gold = pairs.gold_met(store, row["tenant"], row["id"])
        raters = [
            _of_pairs(name, known.get(name), compared, gold.get(name, (0, 0)), left.get(name))
            for name in sorted(known.keys() | left.keys())
        ]
    days = {} if row["refresh_days"] is None else {"": row["refresh_days"]}
    return ProjectState(
        name=row["name"], mode=row["mode"], rubric=(rubric.name, rubric.version), raters_each=row["raters_each"],
        refresh=days | json.loads(row["refresh_classes"]), limit=row["pilot_limit"],
        is_closed=row["ended_at"] is not None, pairs=found.pairs, wanted=found.wanted, given=found.given,
        piloted=row["pilot"],
        opened=(row["opened_at"], row["opened_by"], row["opened_why"]) if row["opened_at"] else (),
        disputed=found.disputed, settled=found.settled, raters=tuple(raters),
        pilot=None if found.gate is None else _pilot(found.gate, rubric),
        agreement=_agreement(one), beside=_agreement(None if found.agreement is None else found.agreement.beside),
        flags=tuple((flag["query_id"], flag["rater"], flag["why"]) for flag in found.flags),
        late=tuple(
            LateRater(own.rater, own.graded, own.known,
                      None if own.agreement is None else _agreement(own.agreement.deciding))
            for own in found.late
        ),
        found=tuple(FoundDocument(pair.query_id, pair.doc_id, pair.grades) for pair in found.found),
    )  # fmt: skip


def _agreement(one: Coefficient | None) -> ProjectAgreement | None:
    return None if one is None else ProjectAgreement(one.name, one.value, one.low, one.high, one.remark)


def _rater(name: str, one: OneRater | None, left: int | None) -> RaterState:
    if one is None:
        return RaterState(name, 0, 0, None, 0, 0, 0, 0, left)
    (met, gold), (same, repeats) = one.gold, one.repeats
    return RaterState(name, one.given, one.cannot_tell, one.median_s, met, gold, same, repeats, left)


def _of_pairs(
    name: str, one: OneRater | None, compared: PreferenceAgreement | None, gold: tuple[int, int], left: int | None
) -> RaterState:
    """What one rater of pairs did; `one` knows no preferences, and counts every answer as one without a grade."""
    if one is None:
        return RaterState(name, 0, 0, None, *gold, 0, 0, left)
    own = next((own for own in compared.raters if own.name == one.name), None) if compared is not None else None
    given = own.given if own is not None else 0
    same, again = (own.again.same, own.again.pairs) if own is not None else (0, 0)
    return RaterState(one.name, given, one.cannot_tell - given, one.median_s, *gold, same, again, left)


def _pilot(gate: Gate, rubric: Rubric) -> PilotState:
    grades = {one.grade: ": ".join(filter(None, (one.name, one.definition))) for one in rubric.grades}
    means = {"": grades} | {one.name: dict(one.means) for one in rubric.dimensions}
    steps = tuple(
        RubricStep(step.dimension, step.below, step.above,
                   (means[step.dimension][step.below], means[step.dimension][step.above]), step.apart)
        for step in gate.steps
    )  # fmt: skip
    return PilotState(gate.pairs, gate.is_labelled, gate.reaches, gate.shared, steps)
