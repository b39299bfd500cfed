"""Rules to one verdict: PASS, FAIL or INCONCLUSIVE, with what would resolve it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from assay.compare.comparison import Comparison
from assay.compare.rule import Facts, Outcome, Remedy, Role, Rule, Status, named
from assay.errors import InputError
from assay.results import Result, kept

OnInconclusive = Literal["fail", "warn"]
EXIT_CODES: dict[Status, int] = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 2}


@dataclass(frozen=True, slots=True)
class Written:
    """One rule of a rule file.

    Args:
        name: what the file calls it.
        role: "primary" or "guardrail".
        rule: the rule with its thresholds.
        is_advisory: it is shown and never decides.
        reason: why the team has it.
        place: where it stands.
    """

    name: str
    role: Role
    rule: Rule
    is_advisory: bool = False
    reason: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule file.

    Args:
        primary: the one rule that the change is for.
        guardrails: what must not get worse.
        on_inconclusive: what INCONCLUSIVE does to the build: "fail" (exit code 2) or "warn" (0).
        name: of the file.
        text: the file itself, whose hash the verdict names.
    """

    primary: Written
    guardrails: tuple[Written, ...]
    on_inconclusive: OnInconclusive = "fail"
    name: str = ""
    text: str = field(default="", repr=False)

    @property
    def all(self) -> tuple[Written, ...]:
        """The primary rule, then the guardrails."""
        return (self.primary, *self.guardrails)


@kept("gate-override")
@dataclass(frozen=True, slots=True)
class Override:
    """A person who lets the change through although the gate does not.

    Args:
        name: who.
        reason: why.
    """

    name: str
    reason: str


@kept("gate-earlier")
@dataclass(frozen=True, slots=True)
class Earlier:
    """Earlier gates on the same queries: each is one more chance to pass by luck.

    Args:
        known: whether a journal was there to count in; otherwise nothing is known.
        gates: other changes or rules that were gated on these queries.
        passed: how many of them passed.
        same_baseline: how many of them had the same baseline.
        journal: the file that counts them.
    """

    known: bool = False
    gates: int = 0
    passed: int = 0
    same_baseline: int = 0
    journal: str = ""


@kept("verdict")
@dataclass(frozen=True, kw_only=True, eq=False)
class Verdict(Result):
    """What the gate says of one change.

    Args:
        status: PASS, FAIL or INCONCLUSIVE.
        because: the first line, a sentence without a full stop.
        outcomes: the rules: what decides first, then the others in the order of the rule file.
        comparison: what the rules looked at.
        would_resolve: what would make it conclusive, cheapest first, each once.
        rules_file: the name of the rule file.
        on_inconclusive: what INCONCLUSIVE does to the build.
        override: who let it through, and why; None when nobody did.
        earlier: earlier gates on the same queries.
        seed: of the random numbers.
    """

    status: Status
    because: str
    outcomes: tuple[Outcome, ...]
    comparison: Comparison
    would_resolve: tuple[Remedy, ...] = ()
    rules_file: str = ""
    on_inconclusive: OnInconclusive = "fail"
    override: Override | None = None
    earlier: Earlier = Earlier()  # nothing changes it
    seed: int = 0

    @property
    def baseline(self) -> str:
        """The run before the change."""
        return self.comparison.baseline

    @property
    def candidate(self) -> str:
        """The run after it."""
        return self.comparison.candidates[0]

    @property
    def exit_code(self) -> int:
        """0 lets the change through: PASS, an override, or INCONCLUSIVE where the team chose to be warned only."""
        if self.override is not None or (self.status == "INCONCLUSIVE" and self.on_inconclusive == "warn"):
            return 0
        return EXIT_CODES[self.status]

    def count(self, status: Status) -> int:
        """How many rules that decide have this status."""
        return sum(outcome.status == status and not outcome.is_advisory for outcome in self.outcomes)


@kept("gate-odds")
@dataclass(frozen=True, slots=True)
class PlannedOdds:
    """How a rule would come out if the true difference were known.

    Args:
        what: "minus the margin", "no difference" or "the planned gain".
        difference: the true difference.
        passes, inconclusive, fails: chances; they add up to 1. None where the spread is not known.
    """

    what: str
    difference: float
    passes: float | None
    inconclusive: float | None
    fails: float | None


@kept("gate-planned")
@dataclass(frozen=True, slots=True)
class PlannedRule:
    """What a query set can resolve for one rule over one set of queries.

    Args:
        name, rule, label: of the rule.
        on: measure and queries.
        margin: what may be lost; 0 for an improvement.
        plan: the true difference that is planned for: 0, or the smallest gain that is worth it.
        n: queries.
        sd: standard deviation of the per-query differences; None below two pairs or where all are equal.
        odds: at minus the margin, at 0, and at the planned gain.
        needed: queries with which it passes in 80 % of cases at `plan`; None where no number is enough.
        smallest_margin: the margin that these queries resolve in 80 % of cases when nothing changes.
        why: why nothing can be planned; empty when it can.
    """

    name: str
    rule: str
    label: str
    on: str
    margin: float
    plan: float
    n: int
    sd: float | None
    odds: tuple[PlannedOdds, ...]
    needed: int | None
    smallest_margin: float | None
    why: str = ""


@kept("gate-plan")
@dataclass(frozen=True, kw_only=True)
class GatePlan(Result):
    """Which margins a query set can resolve, before the gate is used.

    Args:
        rules_file: the name of the rule file.
        baseline, other: the two runs whose differences tell the spread; empty where it was given.
        rules: one line a rule and set of queries.
        left_out: names of the rules that are about no difference.
    """

    rules_file: str
    baseline: str
    other: str
    rules: tuple[PlannedRule, ...]
    left_out: tuple[str, ...] = ()


ORDER: dict[Status, int] = {"FAIL": 0, "INCONCLUSIVE": 1, "PASS": 2}
CHEAPEST = ("input", "labels", "raters", "captures", "queries")
"""What costs least comes first: a label takes half a minute, fresh queries take a pool."""


def judge(facts: Facts, rules: Rules) -> tuple[Status, str, tuple[Outcome, ...], tuple[Remedy, ...]]:
    """Every rule's outcome, the verdict, its first line, and what would resolve it.

    Any FAIL fails; otherwise any INCONCLUSIVE is inconclusive; PASS takes every rule. No correction is needed for
    that: a change that breaks one rule passes at most as often as that rule lets it.
    """
    found = [named(_decided(w, facts), w.name, w.role, w.is_advisory, w.reason) for w in rules.all]
    deciding = [outcome for outcome in found if not outcome.is_advisory]
    status = min((outcome.status for outcome in deciding), key=ORDER.__getitem__)
    outcomes = sorted(found, key=lambda outcome: (outcome.is_advisory, ORDER[outcome.status]))
    remedies = dict.fromkeys(remedy for outcome in deciding for remedy in outcome.would_resolve)
    cheapest = sorted(remedies, key=_cost)
    return status, _first_line(status, outcomes), tuple(outcomes), tuple(cheapest)


def _cost(remedy: Remedy) -> tuple[int, float]:
    return CHEAPEST.index(remedy.kind), float("inf") if remedy.number is None else remedy.number


def _decided(written: Written, facts: Facts) -> Outcome:
    try:
        return written.rule.decide(facts)
    except InputError as error:
        raise InputError(error.what, error.where or written.place, error.remedy) from None


def _first_line(status: Status, outcomes: Sequence[Outcome]) -> str:
    if status == "PASS":
        primary = next(outcome for outcome in outcomes if outcome.role == "primary")
        return f"{primary.because}; no guardrail is broken"
    first = next(outcome for outcome in outcomes if outcome.status == status and not outcome.is_advisory)
    rest = sum(outcome.status == status and not outcome.is_advisory for outcome in outcomes) - 1
    more = f", and {rest} more {'rule' if rest == 1 else 'rules'}" if rest else ""
    return f"{first.because}{more}"
