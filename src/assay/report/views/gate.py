"""What a gate says: PASS, FAIL or INCONCLUSIVE, the rule that decided, and what would resolve it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import number, percent
from assay.report.gating import TONES, counted, figure, first_line, interval, lines, overridden, threshold, warnings
from assay.report.page import Cell, Column, Fact, Facts, Heading, Mark, Page, Part, Prose, Remarks, Table, Value, view
from assay.report.verdicts import first_of
from assay.report.words import made

if TYPE_CHECKING:
    from assay.compare.gate import GatePlan, Verdict

WORST = 3
"""Losses that are named."""


@view("Verdict")
def page(verdict: Verdict) -> Page:
    """The page of a gate.

    Args:
        verdict: what `gate` gave.
    """
    parts: list[Part | None] = [rules(verdict), *resolve(verdict), Facts(tuple(facts(verdict)))]
    said = overridden(verdict)
    answer: tuple[Cell, ...] = (first_line(verdict), *((Mark("unsure", said, "OVERRIDDEN"),) if said else ()))
    parts.append(Remarks(tuple(Mark("plain", text) for text in warnings(verdict))))
    ends = f"{counted(verdict)}. Seed {verdict.seed}. Exit code {verdict.exit_code}."
    parts.append(Prose(ends))
    title = f"{verdict.candidate} against {verdict.baseline}: {verdict.status}"
    return Page(title, answer, tuple(part for part in parts if part), made(verdict.source))


def rules(verdict: Verdict) -> Table:
    """A line a check, those first that did not pass."""
    columns = (Column("rule"), Column("on", is_name=True, gap=2), Column("threshold", "right"),
               Column("observed", "right"), Column("90 % interval"))  # fmt: skip
    rows = []
    for outcome, check in lines(verdict):
        label = f"{outcome.label} (advisory)" if outcome.is_advisory else outcome.label
        if check is None:
            rows.append((Mark(TONES[outcome.status], label), outcome.because, "", "", ""))
        else:
            rows.append((Mark(TONES[check.status], label), check.on, threshold(check),
                         figure(check.observed, check.unit), interval(check)))  # fmt: skip
    return Table(columns, tuple(rows), name="Rules")


def resolve(verdict: Verdict) -> Iterator[Part]:
    """What would make it conclusive, cheapest first."""
    if verdict.would_resolve:
        yield Heading("Would resolve it, cheapest first")
        yield Facts(tuple(Fact(f"  {i}", (remedy.text,)) for i, remedy in enumerate(verdict.would_resolve, 1)))


def facts(verdict: Verdict) -> Iterator[Fact]:
    """Why each rule that did not pass did not, and the queries that lost the most."""
    for outcome in verdict.outcomes:
        if outcome.status != "PASS" and outcome.because:
            yield Fact(
                outcome.name, (outcome.because, *((f"why it is a rule: {outcome.reason}",) if outcome.reason else ()))
            )
    comparison = verdict.comparison
    found = first_of(comparison.differences, (verdict.baseline, verdict.candidate), comparison.primary)
    if found is not None and found.largest_losses:
        worst = found.largest_losses[:WORST]
        said = (f"{comparison.texts.get(q.query_id, q.query_id)} {number(q.difference, 3, sign=True)}" for q in worst)
        yield Fact("Losses", (", ".join(said),))
    if verdict.rules_file:
        yield Fact("Rules", (verdict.rules_file,))


@view("GatePlan")
def plan(planned: GatePlan) -> Page:
    """Which margins a query set can resolve.

    Args:
        planned: what `gate plan` gave.
    """
    if not planned.rules:
        answer = "No rule is about a difference: nothing depends on the number of queries."
    else:
        enough = sum(rule.needed is not None and rule.n >= rule.needed for rule in planned.rules)
        answer = f"{enough} of {len(planned.rules)} checks pass in 80 % of cases when the change is as planned."
    heads = ("n", "margin", "plan", "needed", "smallest margin")
    columns = (Column("rule"), Column("on", is_name=True), *(Column(head, "right") for head in heads))
    rows = tuple(
        (rule.label, rule.on, f"{rule.n:,}", Value(rule.margin), Value(rule.plan, sign=True),
         "n/a" if rule.needed is None else f"{rule.needed:,}", Value(rule.smallest_margin))
        for rule in planned.rules
    )  # fmt: skip
    chances = tuple(
        (rule.label, rule.on, odds.what, Value(odds.difference, sign=True), chance(odds.passes),
         chance(odds.inconclusive), chance(odds.fails))
        for rule in planned.rules for odds in rule.odds
    )  # fmt: skip
    odd_columns = (Column("rule", is_grouped=True), Column("on", is_name=True, is_grouped=True),
                   Column("if the truth is"), 
                   *(Column(head, "right") for head in ("", "PASS", "INCONCLUSIVE", "FAIL")))  # fmt: skip
    why = tuple(Fact(rule.name, (rule.why,)) for rule in planned.rules if rule.why)
    parts: list[Part] = [Table(columns, rows, name="What the queries can show")]
    if chances:
        parts += [Heading("How each would come out"), Table(odd_columns, chances, name="Chances")]
    parts += [Facts(why)] if why else []
    if planned.left_out:
        parts.append(Prose(f"Not about a difference: {', '.join(planned.left_out)}."))
    return Page(
        f"What {planned.rules_file or 'these rules'} can resolve", (answer,), tuple(parts), made(planned.source)
    )


def chance(share: float | None) -> str:
    """A chance in whole percent."""
    return "n/a" if share is None else percent(share)
