"""A gate as JUnit XML, which every CI host shows as tests: one test a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from assay.report.gating import figure, interval, threshold

if TYPE_CHECKING:
    from assay.compare.gate import Verdict
    from assay.compare.rule import Outcome


def junit(verdict: Verdict) -> str:
    """The XML.

    A rule that failed is a failure. One that is inconclusive is a failure too where the team lets it stop the build,
    and is skipped where it only warns; so is a rule that only advises, and every rule that somebody overrode.

    Args:
        verdict: what `gate` gave.
    """
    cases = [case(verdict, outcome) for outcome in verdict.outcomes]
    failures = sum("<failure" in text for text in cases)
    skipped = sum("<skipped" in text for text in cases)
    name = attr(f"assay gate: {verdict.candidate} against {verdict.baseline}")
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    about = {"verdict": verdict.status, "because": verdict.because, "seed": str(verdict.seed),
             "command": verdict.source.command}  # fmt: skip
    if verdict.override is not None:
        about["overridden by"] = f"{verdict.override.name}: {verdict.override.reason}"
    properties = "".join(f"<property name={attr(key)} value={attr(text)}/>" for key, text in about.items() if text)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n<testsuite name={name} {counts}>\n'
        f"<properties>{properties}</properties>\n{''.join(cases)}</testsuite>\n</testsuites>\n"
    )


def case(verdict: Verdict, outcome: Outcome) -> str:
    """One rule as one test."""
    head = f"<testcase classname={attr(verdict.rules_file or 'gate')} name={attr(f'{outcome.name}: {outcome.label}')}"
    if outcome.status == "PASS":
        return f"{head}><system-out>{text_of(said(outcome))}</system-out></testcase>\n"
    message = f"{outcome.status}: {outcome.because}"
    if outcome.is_advisory:
        return f"{head}><skipped message={attr('advisory, ' + message)}/></testcase>\n"
    if verdict.override is not None:
        return f"{head}><skipped message={attr('overridden, ' + message)}/></testcase>\n"
    if outcome.status == "INCONCLUSIVE" and verdict.on_inconclusive == "warn":
        return f"{head}><skipped message={attr(message)}/></testcase>\n"
    inside = text_of(said(outcome))
    return f"{head}><failure type={attr(outcome.status)} message={attr(message)}>{inside}</failure></testcase>\n"


def said(outcome: Outcome) -> str:
    """What the rule looked at and what would resolve it, as lines."""
    found = [outcome.because]
    for check in outcome.checks:
        ends = f", 90 % interval {interval(check)}" if interval(check) else ""
        found.append(f"{check.on}: {figure(check.observed, check.unit)}, allowed {threshold(check, words=True)}{ends}")
    found += [f"would resolve it: {remedy.text}" for remedy in outcome.would_resolve]
    return "\n".join(found)


def _clean(text: str) -> str:
    """A text without the control letters that XML cannot hold."""
    return "".join(letter if _is_lawful(ord(letter)) else f"\\x{ord(letter):02x}" for letter in text)


def _is_lawful(code: int) -> bool:
    """Whether XML 1.0 can hold a letter."""
    return code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF


def attr(text: str) -> str:
    """A text as an attribute, quoted."""
    return quoteattr(_clean(text))


def text_of(text: str) -> str:
    """A text as the content of an element."""
    return escape(_clean(text))
