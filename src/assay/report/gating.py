"""The words and figures of a gate, shared by its page, its report and what CI hosts read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import count, number, sentence
from assay.report.page import Mark, Tone

if TYPE_CHECKING:
    from assay.compare.gate import Verdict
    from assay.compare.rule import Check, Outcome

TONES: dict[str, Tone] = {"PASS": "pass", "FAIL": "fail", "INCONCLUSIVE": "unsure"}
RELATIONS = {"above": "> ", "at least": "at least ", "at most": "at most "}
ALWAYS = ("stale-labels",)
"""Notes that are said even where they are no warning."""

SAID = ("earlier-gates", "not-a-test")
"""Notes that the warnings say in their own words."""
CODES = "0 pass, 1 fail, 2 inconclusive, 3 could not run"


def first_line(verdict: Verdict) -> Mark:
    """PASS, FAIL or INCONCLUSIVE with the sentence that says why."""
    return Mark(TONES[verdict.status], sentence(verdict.because), verdict.status)


def figure(x: float | None, unit: str, places: int = 4) -> str:
    """A number in its unit: a difference with its sign, a share from 0 to 1, a whole count, milliseconds."""
    if x is None or x != x:
        return "n/a"
    if unit == "count":
        return number(x, 0)
    if unit == "ms":
        return f"{number(x, 0)} ms"
    return number(x, places, sign=unit == "difference")


def threshold(check: Check, places: int = 4, words: bool = False) -> str:
    """What is allowed; in a table of differences the sign says which way, elsewhere words do."""
    if check.relation == "above" and not check.threshold:
        return "> 0"
    said = figure(check.threshold, check.unit, places)
    before = RELATIONS[check.relation] if words and check.unit != "difference" else ""
    return before + said


def interval(check: Check, places: int = 4) -> str:
    """`low to high`; empty where there is none."""
    if check.low is None or check.high is None:
        return ""
    low, high = figure(check.low, check.unit, places), figure(check.high, check.unit, places)
    return f"{low.removesuffix(' ms')} to {high}"


def lines(verdict: Verdict) -> Iterator[tuple[Outcome, Check | None]]:
    """Every check of every rule, those first that did not pass; a rule that checked nothing has one line."""
    for outcome in verdict.outcomes:
        if not outcome.checks:
            yield outcome, None
        for check in outcome.checks:
            yield outcome, check


def counted(verdict: Verdict) -> str:
    """`9 pass, 1 inconclusive, 0 fail`."""
    said = ", ".join(f"{verdict.count(status)} {status.lower()}" for status in ("PASS", "INCONCLUSIVE", "FAIL"))
    advisory = sum(outcome.is_advisory for outcome in verdict.outcomes)
    return f"{said}; {advisory} only advise" if advisory else said


def overridden(verdict: Verdict) -> str:
    """Who let it through, and why; empty when nobody did."""
    if verdict.override is None:
        return ""
    return f"{verdict.status} overridden by {verdict.override.name}: {verdict.override.reason}"


def warnings(verdict: Verdict) -> Iterator[str]:
    """What the reader of a verdict must know beside it."""
    if verdict.status == "INCONCLUSIVE":
        yield "adding queries until it passes is not a test: decide the number first, then gate once on a fresh set"
    earlier = verdict.earlier
    if earlier.known and earlier.gates:
        times = count(earlier.gates, "earlier gate")
        yield f"{times} on these queries, {earlier.passed} passed: each is one more chance to pass by luck"
    elif not earlier.known:
        yield "earlier gates on these queries are not known: no journal was kept"
    for note in verdict.notes:
        if (note.level == "warning" or note.code in ALWAYS) and note.code not in SAID:
            yield note.text
