"""What a gate rule is: a dataclass of thresholds that turns the facts of a change into an outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.compare.comparison import Comparison
from assay.measures.measure import Measure
from assay.ranking.ranking import Ranking
from assay.registry import Family
from assay.results import kept
from assay.tables import Pair

if TYPE_CHECKING:
    from assay.compare.deciding import Deciding
    from assay.compare.unjudged import Bounds

F64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

Status = Literal["PASS", "FAIL", "INCONCLUSIVE"]
Role = Literal["primary", "guardrail"]
Relation = Literal["above", "at least", "at most"]
Unit = Literal["", "difference", "share", "count", "ms", "sd"]

LEVEL = 0.90
"""Of the intervals that decide: each end is wrong in at most 5 % of cases."""


@kept("gate-check")
@dataclass(frozen=True, slots=True)
class Check:
    """One line of a gate: what was seen against what is allowed.

    Args:
        on: what it is about, such as "nDCG@10, tail" or "latency, 95th percentile".
        relation: how the observed value must lie to the threshold.
        threshold: what is allowed.
        observed: what was seen; None where nothing could be.
        low, high: 90 % interval: each end is wrong in at most 5 % of cases; None where there is none.
        unit: what the numbers are: a "difference" carries its sign, a "share" goes from 0 to 1.
        n: queries, documents or requests behind it.
        of: what `n` counts, such as "queries".
        status: of this line alone.
        because: why, as a sentence without a full stop.
    """

    on: str
    relation: Relation
    threshold: float
    observed: float | None
    low: float | None
    high: float | None
    unit: Unit
    n: int
    status: Status
    because: str
    of: str = "queries"


@kept("gate-remedy")
@dataclass(frozen=True, slots=True)
class Remedy:
    """What would resolve an inconclusive rule.

    Args:
        kind: "labels", "queries" (a fresh set), "captures", "raters" or "input".
        text: one sentence without a full stop.
        number: how many labels, or queries in all; None where no number is known.
        more: queries beyond those at hand; None elsewhere.
        pairs: the labels that are wanted, in the order of labelling.
    """

    kind: Literal["labels", "queries", "captures", "raters", "input"]
    text: str
    number: int | None = None
    more: int | None = None
    pairs: tuple[Pair, ...] = ()


@kept("gate-outcome")
@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rule says.

    Args:
        name: what the rule file calls the rule.
        rule: which rule it is, such as "non_inferiority".
        label: the rule in words, such as "must not drop".
        role: "primary" or "guardrail".
        status: PASS, FAIL or INCONCLUSIVE.
        because: why, as a sentence without a full stop.
        checks: what it looked at, what decides first.
        would_resolve: what would make it conclusive, cheapest first, or mend the evidence; nothing where it passes.
        is_advisory: it is shown and never decides.
        reason: why the team has the rule, as the rule file says it.
    """

    name: str
    rule: str
    label: str
    role: Role
    status: Status
    because: str
    checks: tuple[Check, ...] = ()
    would_resolve: tuple[Remedy, ...] = ()
    is_advisory: bool = False
    reason: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Served:
    """What the status file says of one system's queries.

    Args:
        name: the file.
        query_ids: of each request.
        is_error: whether it failed.
        is_empty: whether it answered with no result.
        latency_ms: how long it took, float64; NaN where it is not known.
    """

    name: str
    query_ids: tuple[str, ...]
    is_error: Bool
    is_empty: Bool
    latency_ms: F64

    @property
    def errored(self) -> frozenset[str]:
        """Queries of which every request failed."""
        answered = {q for q, bad in zip(self.query_ids, self.is_error.tolist(), strict=True) if not bad}
        return frozenset(self.query_ids) - answered


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """What is known of the judgments beside their grades, one element a judged pair in the order of the judged data.

    Args:
        is_human: whether a person gave the label; None where the judgments name no source.
        is_stale: whether the document's text changed since, float64 of 0 and 1, NaN where that is not known; None
            where no documents with hashes were given.
    """

    is_human: Bool | None = None
    is_stale: F64 | None = None


@dataclass(frozen=True, eq=False)
class Facts:
    """What rules look at.

    Args:
        comparison: the baseline beside one candidate.
        measures: what the rule file calls each measure.
        sets: (column, segment) to which queries, bool of shape (queries,).
        rankings: of each run; empty for kept scores.
        bounds: what unjudged documents could do, by measure.
        bounds_unknown_because: why there are none; empty where nothing could be unjudged, or where they are given.
        bounds_remedy: what would make them known.
        deciding: finds the labels that could decide a measure over some queries against a limit.
        own: documents that a run alone shows in its first k ranks, and how many of them are judged: (run, k) to both.
        labels: what is known of the judgments.
        served: what the candidate's status file says; None without one.
        seed, flips: of the random numbers.
    """

    comparison: Comparison
    measures: Mapping[str, Measure]
    sets: Mapping[tuple[str, str], Bool]
    rankings: Mapping[str, Ranking] = field(default_factory=dict)
    bounds: Mapping[Measure, Bounds] = field(default_factory=dict)
    bounds_unknown_because: str = ""
    bounds_remedy: str = ""
    deciding: Callable[[Measure, Bool, float], tuple[Deciding, ...]] | None = None
    own: Callable[[str, int], tuple[int, int]] | None = None
    labels: Labels = field(default_factory=Labels)
    served: Served | None = None
    seed: int = 0
    flips: int = 100_000

    @property
    def baseline(self) -> str:
        """The run before the change."""
        return self.comparison.baseline

    @property
    def candidate(self) -> str:
        """The run after it."""
        return self.comparison.candidates[0]


class Rule(Protocol):
    """A dataclass whose fields are the keys of the rule file."""

    def decide(self, facts: Facts) -> Outcome:
        """What the rule says of a change; the gate fills in name, role and reason."""


RULES: Family[type[Any]] = Family("rule", home="assay.compare.rules")
"""Rules by the name that a rule file gives as `rule`."""


def rule(name: str) -> Callable[[type[Any]], type[Any]]:
    """Registers the decorated dataclass as a rule of that name.

    Its class attributes tell the rest: `label` the rule in words, `thresholds` the keys without which it is none.
    """

    def register(cls: type[Any]) -> type[Any]:
        cls.rule = name
        return RULES.add(name)(cls)

    return register


def decided(
    rule: Any, status: Status, because: str, checks: tuple[Check, ...] = (), would_resolve: tuple[Remedy, ...] = ()
) -> Outcome:
    """The outcome of a rule; the gate fills in how the rule file calls it."""
    wanted = () if status == "PASS" else would_resolve
    return Outcome("", rule.rule, rule.label, "guardrail", status, because, checks, wanted)


def named(outcome: Outcome, name: str, role: Role, is_advisory: bool, reason: str) -> Outcome:
    """The outcome as the rule file calls it."""
    return replace(outcome, name=name, role=role, is_advisory=is_advisory, reason=reason)
