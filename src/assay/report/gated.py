"""A gate for programs: rows a line of every rule, and one JSON document with a published schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.compare.gate import Verdict

SCHEMA = 1
"""Version of the document; it rises when a field changes its meaning or goes. New fields may come without."""


def rows(verdict: Verdict) -> Iterator[dict[str, Any]]:
    """One row a line of a rule, numbers in full."""
    from assay.report.gating import lines

    for outcome, check in lines(verdict):
        yield {
            "name": outcome.name,
            "rule": outcome.rule,
            "role": outcome.role,
            "advisory": outcome.is_advisory,
            "rule_status": outcome.status,
            "on": check.on if check else None,
            "relation": check.relation if check else None,
            "threshold": check.threshold if check else None,
            "observed": check.observed if check else None,
            "low": check.low if check else None,
            "high": check.high if check else None,
            "unit": check.unit if check else None,
            "n": check.n if check else None,
            "of": check.of if check else None,
            "status": check.status if check else outcome.status,
            "because": check.because if check else outcome.because,
        }


def document(verdict: Verdict) -> dict[str, Any]:
    """The verdict as one JSON document; `report/assets/gate.schema.json` describes it."""
    from assay.report.machine import bare
    from assay.report.tabled import document as compared

    made = verdict.source
    return {
        "kind": "gate",
        "schema": SCHEMA,
        "status": verdict.status,
        "because": verdict.because,
        "exit_code": verdict.exit_code,
        "baseline": verdict.baseline,
        "candidate": verdict.candidate,
        "rules_file": verdict.rules_file,
        "on_inconclusive": verdict.on_inconclusive,
        "override": bare(verdict.override),
        "earlier": bare(verdict.earlier),
        "rules": [bare(outcome) for outcome in verdict.outcomes],
        "would_resolve": [bare(remedy) for remedy in verdict.would_resolve],
        "seed": verdict.seed,
        "notes": [bare(note) for note in verdict.notes],
        "comparison": compared(verdict.comparison),
        "source": {
            "inputs": [{"name": name, "sha256": digest} for name, digest in made.hashes],
            "versions": dict(made.versions),
            "conventions": dict(made.conventions),
            "seed": made.seed,
            "command": made.command,
        },
    }


def tabled(verdict: Verdict, kind: str) -> bytes:
    """The lines of the rules as CSV or JSON lines.

    Args:
        verdict: what `gate` gave.
        kind: csv or jsonl.
    """
    import json

    from assay.report.machine import bare
    from assay.report.rows import field

    found = list(rows(verdict))
    if kind == "jsonl":
        text = [json.dumps(bare(entry), ensure_ascii=False) for entry in found]
    else:
        heads = list(found[0]) if found else []
        text = [",".join(heads), *(",".join(field(entry[head]) for head in heads) for entry in found)]
    return ("\n".join(text) + "\n").encode("utf-8")
