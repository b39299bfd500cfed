"""A validation for CI hosts: annotations at the lines of the files, and JUnit XML with one test a file."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from assay.report.annotations import escaped
from assay.report.junit import attr, text_of

if TYPE_CHECKING:
    from assay.flows.validate import Finding, Validation

_LINE_ENDS = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_LINE_ENDS, ":": "%3A", ",": "%2C"}


def annotated(found: Validation, host: str) -> str:
    """What a CI host reads.

    Args:
        found: what `validate` gave.
        host: github, gitlab, azure or teamcity.
    """
    if host == "gitlab":
        return json.dumps([_issue(one) for one in found.findings], ensure_ascii=False, indent=1) + "\n"
    lines = {"github": _github, "azure": _azure, "teamcity": _teamcity}[host]
    return "".join(lines(one) + "\n" for one in found.findings)


def _said(one: Finding) -> str:
    times = f" ({one.count:,} times)" if one.count > 1 else ""
    return f"{one.what}{times}{'; ' if one.remedy else ''}{one.remedy}"


def _github(one: Finding) -> str:
    line = f",line={one.line}" if one.line is not None else ""
    title = escaped(f"assay validate: {one.code}", _PROPERTY)
    return (
        f"::{one.severity} file={escaped(one.file, _PROPERTY)}{line},title={title}::{escaped(_said(one), _LINE_ENDS)}"
    )


def _azure(one: Finding) -> str:
    odd = {"%": "%AZP25", "\r": "%0D", "\n": "%0A", ";": "%3B", "]": "%5D"}
    line = f";linenumber={one.line}" if one.line is not None else ""
    place = f"sourcepath={escaped(one.file, odd)}{line};code={one.code}"
    message = escaped(_said(one), {"\r": "%0D", "\n": "%0A"})
    return f"##vso[task.logissue type={one.severity};{place}]{message}"


def _teamcity(one: Finding) -> str:
    letters = {"|": "||", "'": "|'", "\n": "|n", "\r": "|r", "[": "|[", "]": "|]"}
    text = escaped(f"{one.place}: {_said(one)}", letters)
    if one.severity == "error":
        return f"##teamcity[buildProblem description='{text}']"
    return f"##teamcity[message text='{text}' status='WARNING']"


def _issue(one: Finding) -> dict[str, object]:
    print_of = hashlib.sha256(f"{one.file}\n{one.code}\n{one.what}".encode("utf-8", "replace")).hexdigest()[:40]
    return {
        "description": _said(one),
        "check_name": f"assay validate: {one.code}",
        "fingerprint": print_of,
        "severity": "blocker" if one.severity == "error" else "minor",
        "location": {"path": one.file, "lines": {"begin": one.line or 1}},
    }


def junit(found: Validation) -> str:
    """JUnit XML: one test a file; what fails it is a failure, what does not stands in its output."""
    cases = []
    for about in found.files:
        own = [one for one in found.findings if one.file == about.file]
        failing = [one for one in own if one.severity == "error" or found.is_strict]
        said = "\n".join(f"{one.place}: {one.severity}: {_said(one)}" for one in own)
        head = f"<testcase classname={attr('assay validate')} name={attr(about.file)}"
        if failing:
            message = f"{failing[0].place}: {_said(failing[0])}"
            cases.append(f"{head}><failure message={attr(message)}>{text_of(said)}</failure></testcase>\n")
        elif said:
            cases.append(f"{head}><system-out>{text_of(said)}</system-out></testcase>\n")
        else:
            cases.append(f"{head}/>\n")
    failures = sum("<failure" in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"'
    suite = f"<testsuite name={attr('assay validate')} {counts}>\n{''.join(cases)}</testsuite>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n{suite}\n</testsuites>\n'
