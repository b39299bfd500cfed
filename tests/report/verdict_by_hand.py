"""A verdict whose figures were typed in, those of the sample shop; nothing in it was computed by assay."""

from __future__ import annotations

from typing import Any

from assay.compare.gate import Verdict
from assay.compare.rule import Check, Outcome, Remedy
from assay.results import Source
from report.comparison_by_hand import comparison

TAIL = Check("nDCG@10, tail", "at least", -0.03, -0.0188, -0.0555, 0.0212, "difference", 80, "INCONCLUSIVE",
             "may lose more than 0.0300")  # fmt: skip
HEAD = Check("nDCG@10, head", "at least", -0.03, 0.059, 0.0268, 0.094, "difference", 60, "PASS", "loses less")
GAIN = Check("nDCG@10, all", "above", 0.0, 0.032, 0.013, 0.051, "difference", 240, "PASS", "is better")
JUDGED = Check(
    "Judged@10, candidate", "at least", 0.85, 0.8946, None, None, "share", 2400, "PASS", "enough", "documents"
)
ERRORS = Check("queries with an error", "at most", 0, 0, None, None, "count", 240, "PASS", "none")
FAST = Check("latency, 95th percentile", "at most", 180, 141, 136, 149, "ms", 240, "PASS", "fast", "requests")
LABELS = Remedy("labels", "judge at least 12 documents, about 6 minutes", 12)
FRESH = Remedy("queries", "gate on 271 fresh tail queries", 271, 191)


def outcomes(worst: Any = "INCONCLUSIVE") -> tuple[Outcome, ...]:
    """What did not pass first."""
    because = "the loss on tail queries may be larger than the 0.0300 allowed"
    return (
        Outcome("segments", "no_segment_worse", "no segment worse than", "guardrail", worst, because, (TAIL, HEAD),
                (LABELS, FRESH), reason="the tail is where we lose people"),
        Outcome("primary", "improvement", "improves", "primary", "PASS", "nDCG@10 is better", (GAIN,)),
        Outcome("judged", "judged", "enough is judged", "guardrail", "PASS", "0.8946 is judged", (JUDGED,)),
        Outcome("errors", "errors", "nothing errored", "guardrail", "PASS", "no query failed", (ERRORS,)),
        Outcome("speed", "latency", "fast enough", "guardrail", "PASS", "141 ms", (FAST,)),
        Outcome("stale", "stale", "labels are fresh", "guardrail", "FAIL", "no hashes: 100 % <stale> & \x07 old", (),
                is_advisory=True),
    )  # fmt: skip


def verdict(status: Any = "INCONCLUSIVE", **more: Any) -> Verdict:
    """The loss on the tail cannot be excluded."""
    found = outcomes(status)
    fields = {
        "status": status, "because": found[0].because, "outcomes": found, "comparison": comparison(),
        "would_resolve": (LABELS, FRESH), "rules_file": "gate.toml", "seed": 7,
        "source": Source((("gate.toml", "0b" * 32),), (("assay", "1.0.0"),), (), 7,
                         "assay gate --rules gate.toml bm25-12.run hybrid-07.run judgments.qrels"),
    }  # fmt: skip
    return Verdict(**(fields | more))
