"""What a query set can resolve for each rule of a gate, before the gate is used."""

from __future__ import annotations

from assay.compare.comparison import CLAIM
from assay.compare.gate import GatePlan, PlannedOdds, PlannedRule, Rules, Written
from assay.compare.limits import POWER, column_of, seen, where_of
from assay.compare.rule import Facts
from assay.compare.rules.quality import Improvement, KnownItem, NonInferiority, NoSegmentWorse
from assay.errors import InputError
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
            found = _rule(facts, written, gain)
        except InputError as error:
            raise InputError(error.what, error.where or written.place, error.remedy) from None
        planned += found
        if not found:
            left_out.append(written.name)
    return GatePlan(
        rules_file=rules.name, baseline=facts.baseline, other=facts.candidate, rules=tuple(planned),
        left_out=tuple(left_out),
    )  # fmt: skip


def _rule(facts: Facts, written: Written, gain: float) -> list[PlannedRule]:
    rule = written.rule
    if isinstance(rule, Improvement):
        return [_planned(facts, written, rule.measure, rule.segment, None, 0.0, rule.plan, rule.plan)]
    if isinstance(rule, (NonInferiority, KnownItem)):
        return [_planned(facts, written, rule.measure, rule.segment, None, rule.margin, 0.0, gain)]
    if isinstance(rule, NoSegmentWorse):
        return [
            _planned(facts, written, rule.measure, "", segment, rule.margin, 0.0, gain)
            for segment in facts.sets
            if not rule.by or segment[0] == rule.by
        ]
    return []


def _planned(
    facts: Facts, written: Written, measure: str, segment: str, which: tuple[str, str] | None, margin: float,
    plan: float, gain: float,
) -> PlannedRule:  # fmt: skip
    kind, name = which if which is not None else (None, "")
    column, _ = column_of(facts, measure, segment, kind=kind, name=name)
    found = seen(facts, column)
    n, sd = found.n, found.sd
    needed = None if sd is None else queries_to_pass(plan, sd, margin, POWER)
    why = "" if sd is not None else "all differences are equal" if found.is_constant else "fewer than two pairs"
    if n < CLAIM:
        why = f"{n} {'query' if n == 1 else 'queries'}: always INCONCLUSIVE, a claim needs {CLAIM}"
    cases = [("minus the margin", -margin), ("no difference", 0.0), ("the planned gain", gain)]
    if not margin:
        del cases[0]
    if not gain:
        del cases[-1]
    said = [PlannedOdds(what, difference, *_odds(difference, sd, n, margin)) for what, difference in cases]
    return PlannedRule(
        name=written.name,
        rule=getattr(written.rule, "rule", ""),
        label=getattr(written.rule, "label", ""),
        on=where_of(column),
        margin=margin,
        plan=plan,
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
