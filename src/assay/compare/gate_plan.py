"""What a query set can resolve for each rule of a gate, before the gate is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.compare.comparison import CLAIM
from assay.compare.gate import GatePlan, PlannedOdds, PlannedRule, Rules, Written
from assay.compare.limits import POWER, column_of, seen, weights_of, where_of
from assay.compare.rule import Facts
from assay.compare.rules.quality import Improvement, KnownItem, NonInferiority, NoSegmentWorse
from assay.errors import InputError, did_you_mean
from assay.stats.power import detectable, odds, queries_to_pass


def gate_plan(facts: Facts, rules: Rules) -> GatePlan:
    """P(PASS), P(INCONCLUSIVE) and P(FAIL) of every rule about a difference, the spread taken from two runs.

    Args:
        facts: two runs on the query set; what they differ by tells the spread alone, their mean is not looked at.
        rules: the rule file.
    """
    gain: float = getattr(rules.primary.rule, "plan", 0.0)
    planned: list[PlannedRule] = []
    left_out = []
    for written in rules.all:
        try:
            found = [_planned(written, _measured(facts, case, written), case)
                     for case in _cases(written, gain, list(facts.sets))]  # fmt: skip
        except InputError as error:
            raise InputError(error.what, error.where or written.place, error.remedy) from None
        planned += found or _without_segments(written)
        if not found and not isinstance(written.rule, NoSegmentWorse):
            left_out.append(written.name)
    return GatePlan(
        rules_file=rules.name, baseline=facts.baseline, other=facts.candidate, rules=tuple(planned),
        left_out=tuple(left_out),
    )  # fmt: skip


def gate_plan_of(rules: Rules, sd: Mapping[str, float], queries: Mapping[str, int]) -> GatePlan:
    """The same before there is a candidate: the spread is typed in.

    Args:
        rules: the rule file.
        sd: standard deviation of the per-query differences, by measure as the rules spell it; "" holds for the others.
        queries: how many queries, by segment; "" is all of them.

    Raises:
        InputError: a measure has no spread, or a name is no measure or segment of the rules.
    """
    named = [m for w in rules.all if (m := getattr(w.rule, "measure", ""))]
    for measure in sd:
        if measure and measure not in named:
            raise InputError(
                f"no rule is about {measure}{did_you_mean(measure, named)}",
                remedy=f"the rules name {', '.join(dict.fromkeys(named))}",
            )
    spread = _Typed(sd, queries)
    gain: float = getattr(rules.primary.rule, "plan", 0.0)
    planned: list[PlannedRule] = []
    left_out = []
    for written in rules.all:
        try:
            cases = _cases(written, gain, [("", name) for name in queries if name])
            planned += [_planned(written, spread.of(case, written), case) for case in cases]
            planned += [] if cases else _without_segments(written)
        except InputError as error:
            raise InputError(error.what, error.where or written.place, error.remedy) from None
        if not cases and not isinstance(written.rule, NoSegmentWorse):
            left_out.append(written.name)
    return GatePlan(rules_file=rules.name, baseline="", other="", rules=tuple(planned), left_out=tuple(left_out))


@dataclass(frozen=True, slots=True)
class _Case:
    """One line of a plan: a measure over all queries, a segment, or one of several."""

    measure: str
    segment: str
    kind: str | None
    margin: float
    plan: float
    gain: float


@dataclass(frozen=True, slots=True)
class _Spread:
    """What is known of the differences behind one line."""

    on: str
    n: int
    sd: float | None
    why: str


def _cases(written: Written, gain: float, segments: Sequence[tuple[str, str]]) -> list[_Case]:
    rule = written.rule
    if isinstance(rule, Improvement):
        return [_Case(rule.measure, rule.segment, None, 0.0, rule.plan, rule.plan)]
    if isinstance(rule, (NonInferiority, KnownItem)):
        return [_Case(rule.measure, rule.segment, None, rule.margin, 0.0, gain)]
    if isinstance(rule, NoSegmentWorse):
        chosen = [(kind, name) for kind, name in segments if not rule.by or not kind or kind == rule.by]
        return [_Case(rule.measure, name, kind, rule.margin, 0.0, gain) for kind, name in chosen]
    return []


def _without_segments(written: Written) -> list[PlannedRule]:
    """A rule about segments where none is known: said, not left out."""
    if not isinstance(written.rule, NoSegmentWorse):
        return []
    why = (
        "no segment is known: pass --topics with the runs, or say how many queries each has, such as --queries tail=80"
    )
    return [_planned(written, _Spread(f"{written.rule.measure}, segments", 0, None, why),
                     _Case(written.rule.measure, "", None, written.rule.margin, 0.0, 0.0))]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Typed:
    sd: Mapping[str, float]
    queries: Mapping[str, int]

    def of(self, case: _Case, written: Written) -> _Spread:
        sd = self.sd.get(case.measure, self.sd.get(""))
        if sd is None:
            raise InputError(
                f"nothing is known of the spread of {case.measure}", written.place, f"pass --sd {case.measure}=VALUE"
            )
        if case.segment not in self.queries:
            named = [name for name in self.queries if name]
            what = f"queries of the segment {case.segment}" if case.segment else "queries"
            raise InputError(
                f"it is not said how many {what} there are{did_you_mean(case.segment, named)}", written.place,
                f"pass --queries {f'{case.segment}=' if case.segment else ''}NUMBER",
            )  # fmt: skip
        return _Spread(f"{case.measure}, {case.segment or 'all'}", self.queries[case.segment], sd, "")


def _measured(facts: Facts, case: _Case, written: Written) -> _Spread:
    weights = weights_of(facts, getattr(written.rule, "weights", ""))
    name = case.segment if case.kind is not None else ""
    column, _ = column_of(facts, case.measure, "" if case.kind is not None else case.segment, kind=case.kind, name=name)
    found = seen(facts, column, weights)
    why = "" if found.sd is not None else "all differences are equal" if found.is_constant else "fewer than two pairs"
    return _Spread(where_of(column, weights), found.n, found.sd, why)


def _planned(written: Written, spread: _Spread, case: _Case) -> PlannedRule:
    n, sd, margin = spread.n, spread.sd, case.margin
    needed = None if sd is None else queries_to_pass(case.plan, sd, margin, POWER)
    why = spread.why
    if 0 < n < CLAIM:
        why = f"{n} {'query' if n == 1 else 'queries'}: always INCONCLUSIVE, a claim needs {CLAIM}"
    cases = [("minus the margin", -margin), ("no difference", 0.0), ("the planned gain", case.gain)]
    if not margin:
        del cases[0]
    if not case.gain:
        del cases[-1]
    said = [PlannedOdds(what, difference, *_odds(difference, sd, n, margin)) for what, difference in cases]
    return PlannedRule(
        name=written.name,
        rule=getattr(written.rule, "rule", ""),
        label=getattr(written.rule, "label", ""),
        on=spread.on,
        margin=margin,
        plan=case.plan,
        n=n,
        sd=sd,
        odds=tuple(said),
        needed=None if needed is None else max(needed, CLAIM),
        smallest_margin=None if sd is None or n < CLAIM else detectable(sd, n, POWER, sides="larger"),
        why=why,
    )


def _odds(
    difference: float, sd: float | None, n: int, margin: float
) -> tuple[float | None, float | None, float | None]:
    if n < CLAIM:
        return 0.0, 1.0, 0.0
    found = None if sd is None else odds(difference, sd, n, margin)
    return (None, None, None) if found is None else (found.passes, found.open, found.fails)
