"""A gate as the annotations of CI hosts: what did not pass, where people look first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay.errors import InputError, did_you_mean
from assay.report.figures import sentence

if TYPE_CHECKING:
    from assay.compare.gate import Verdict

Level = str
FEWEST_DIGITS = 40


def annotate(verdict: Verdict, host: str) -> str:
    """What a CI host reads: lines of stdout, or for GitLab the JSON of a code quality report.

    Args:
        verdict: what `gate` gave.
        host: github, gitlab, azure or teamcity.
    """
    if host not in HOSTS:
        raise InputError(f"unknown CI host {host}{did_you_mean(host, HOSTS)}", remedy=f"use one of {', '.join(HOSTS)}")
    return HOSTS[host](verdict)


def said(verdict: Verdict) -> Iterator[tuple[Level, str, str]]:
    """(error, warning or notice; title; message): the verdict first, then each rule that did not pass."""
    stops = verdict.exit_code != 0
    level = "notice" if verdict.status == "PASS" else "error" if stops else "warning"
    yield level, f"assay gate: {verdict.status}", sentence(verdict.because)
    if verdict.override is not None:
        yield "warning", "assay gate: overridden", f"{verdict.override.name}: {verdict.override.reason}"
    for outcome in verdict.outcomes:
        if outcome.status == "PASS":
            continue
        fails = stops and not outcome.is_advisory and (outcome.status == "FAIL" or verdict.on_inconclusive == "fail")
        more = f" Would resolve it: {outcome.would_resolve[0].text}." if outcome.would_resolve else ""
        yield "error" if fails else "warning", f"{outcome.name}: {outcome.status}", sentence(outcome.because) + more


def _github(verdict: Verdict) -> str:
    """Workflow commands."""
    lines = []
    for level, title, message in said(verdict):
        head = escaped(title, {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
        place = (
            f",file={escaped(verdict.rules_file, {'%': '%25', ':': '%3A', ',': '%2C'})}" if verdict.rules_file else ""
        )
        lines.append(f"::{level} title={head}{place}::{escaped(message, {'%': '%25', chr(13): '%0D', chr(10): '%0A'})}")
    return "\n".join(lines) + "\n"


def _gitlab(verdict: Verdict) -> str:
    """A code quality report: a list of issues; an issue is known again by its fingerprint."""
    severities = {"error": "blocker", "warning": "minor", "notice": "info"}
    issues = [
        {
            "description": f"{title}. {message}",
            "check_name": "assay gate",
            "fingerprint": hashlib.sha256(f"{verdict.rules_file}\n{title}".encode()).hexdigest()[:FEWEST_DIGITS],
            "severity": severities[level],
            "location": {"path": verdict.rules_file or "gate.toml", "lines": {"begin": 1}},
        }
        for level, title, message in said(verdict)
        if level != "notice"
    ]
    return json.dumps(issues, ensure_ascii=False, indent=1) + "\n"


def _azure(verdict: Verdict) -> str:
    """Logging commands; a notice has none and is a plain line."""
    lines = []
    for level, title, message in said(verdict):
        text = escaped(f"{title}. {message}", {"\r": "%0D", "\n": "%0A"})
        lines.append(text if level == "notice" else f"##vso[task.logissue type={level}]{text}")
    return "\n".join(lines) + "\n"


def _teamcity(verdict: Verdict) -> str:
    """Service messages."""
    letters = {"|": "||", "'": "|'", "\n": "|n", "\r": "|r", "[": "|[", "]": "|]"}
    lines = []
    for level, title, message in said(verdict):
        text = escaped(f"{title}. {message}", letters)
        if level == "error":
            lines.append(f"##teamcity[buildProblem description='{text}']")
        else:
            status = "WARNING" if level == "warning" else "NORMAL"
            lines.append(f"##teamcity[message text='{text}' status='{status}']")
    return "\n".join(lines) + "\n"


def escaped(text: str, letters: dict[str, str]) -> str:
    """A text with some letters in the spelling of a host."""
    return "".join(letters.get(letter, letter) for letter in text)


HOSTS: dict[str, Callable[[Verdict], str]] = {
    "github": _github,
    "gitlab": _gitlab,
    "azure": _azure,
    "teamcity": _teamcity,
}
"""How each host is told."""
