"""The journal of gates in a workspace: how often the same queries were asked for a verdict before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.compare.comparison import Comparison
from assay.compare.gate import Earlier, Rules
from assay.compare.rule import Status
from assay.errors import InputError
from assay.files import Journal, spelled
from assay.flows.workbench import Workbench
from assay.keys import fingerprint

JOURNAL = "gates.jsonl"
"""In the folder of results: one line a gate."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the journal: what tells one gate from another, and how it ended."""

    queries: str
    baseline: str
    candidate: str
    rules: str
    status: Status


def counted(bench: Workbench, comparison: Comparison, rules: Rules, status: Status) -> Earlier:
    """Notes this gate in the workspace's journal, and counts the others on the same queries."""
    if bench.workspace is None:
        return Earlier()
    folder = bench.workspace.folder("results")
    scores = comparison.scores
    values = [fingerprint(*map(str, scores.measures), scores.values[scores.runs.index(run)].tobytes())
              for run in (comparison.baseline, comparison.candidates[0])]  # fmt: skip
    line = _Line(fingerprint(*scores.queries), values[0], values[1], fingerprint(rules.text or repr(rules)), status)
    journal = Journal(folder / JOURNAL)
    others: dict[tuple[str, str, str], _Line] = {}
    for number, row in enumerate(journal.rows(), 1):
        try:
            found = _Line(**{key: str(row[key]) for key in _Line.__slots__})  # type: ignore[arg-type] # text of a status
        except (KeyError, TypeError):
            raise InputError(
                "is not a gate", f"{journal.path}:{number}", "restore the file, or remove the line"
            ) from None
        if found.queries == line.queries:
            others[found.baseline, found.candidate, found.rules] = found
    is_new = others.pop((line.baseline, line.candidate, line.rules), None) is None
    if is_new:  # the same gate again is the same test
        from datetime import UTC, datetime

        new: dict[str, Any] = {key: getattr(line, key) for key in _Line.__slots__}
        new["runs"] = [comparison.baseline, comparison.candidates[0]]
        new["at"] = datetime.now(UTC).isoformat("T", "seconds")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            journal.append(new)
        except OSError as error:
            raise InputError(
                f"the journal of gates cannot be written: {error.strerror or error}", spelled(journal.path),
                "let the folder be written, or gate outside of the workspace, where no earlier gates are counted",
            ) from None  # fmt: skip
    return Earlier(
        known=True, gates=len(others), passed=sum(one.status == "PASS" for one in others.values()),
        same_baseline=sum(one.baseline == line.baseline for one in others.values()), journal=spelled(journal.path),
    )  # fmt: skip
