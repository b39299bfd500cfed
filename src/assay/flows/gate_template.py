"""`assay gate init`: the usual rules of a kind of change, each with its reason."""

from __future__ import annotations

import os
from pathlib import Path

from assay.compare.rule_file import check_measures, read_rules
from assay.errors import InputError, did_you_mean

HEAD = """\
# What a {change} change is held to. One primary rule that it is made for, and what must not get worse.
# The margins are starting points: `assay gate plan` says which of them your queries can resolve.

[gate]
on_inconclusive = "fail"            # "warn" lets an unclear change through, with a warning
"""

SEGMENTS = """
[guardrail.segments]
rule = "no_segment_worse"
measure = "nDCG@10"
margin = 0.03
why = "a mean over all queries hides who pays for it"
"""

JUDGED = """
[guardrail.judged]
rule = "judged"
at_least = 0.85
why = "what nobody judged counts as not relevant, so a system that finds new documents looks worse than it is"

[guardrail.pool]
rule = "pool"
limit = 0.05
why = "judgments gathered from one system alone favour it"
"""

KNOWN = """
[guardrail.known-items]
rule = "known_item"
measure = "RR"
margin = 0.02
advisory = true                     # take this out once the topics have 25 known-item queries or more
why = "who types a part number wants that part first"
"""

CHANGES: dict[str, str] = {
    "retrieval": """
[primary]
rule = "improvement"
measure = "R@100"
plan = 0.02
why = "a retrieval change answers for what it finds: later stages can only order that"

[guardrail.ranking]
rule = "non_inferiority"
measure = "nDCG@10"
margin = 0.01
why = "what is found must not push better documents off the page"
"""
    + SEGMENTS
    + KNOWN
    + JUDGED,
    "ranking": """
[primary]
rule = "improvement"
measure = "nDCG@10"
plan = 0.02
why = "a ranking change answers for the order of the page that people read"

[guardrail.retrieval]
rule = "non_inferiority"
measure = "R@100"
margin = 0.01
why = "a gain that comes from dropping documents is none for whoever scrolls or reranks"
"""
    + SEGMENTS
    + KNOWN
    + JUDGED,
    "rag": """
[primary]
rule = "improvement"
measure = "R@8"
plan = 0.02
why = "a model reads the first 8 chunks whatever their order: what is not among them it cannot use"

[guardrail.distractors]
rule = "non_inferiority"
measure = "P@8"
margin = 0.02
why = "a chunk that is not relevant misleads a model"

[guardrail.answered]
rule = "non_inferiority"
measure = "HitRate@8"
margin = 0.01
why = "a question without one good chunk is answered from nothing"

[guardrail.segments]
rule = "no_segment_worse"
measure = "R@8"
margin = 0.05
why = "a mean over all questions hides who pays for it"

[guardrail.judged]
rule = "judged"
at_least = 0.85
k = 8
why = "what nobody judged counts as not relevant"

[guardrail.people]
rule = "human_share"
at_least = 0.2
k = 8
advisory = true                     # take this out once the judgments have a column source
why = "a model that judges a model's context needs people beside it"
""",
    "live": """
[primary]
rule = "non_inferiority"
measure = "nDCG@10"
margin = 0.01
why = "what goes live unchanged in purpose must not get worse"

[guardrail.retrieval]
rule = "non_inferiority"
measure = "R@100"
margin = 0.01
why = "a smaller index or a shorter timeout loses documents first"
"""
    + SEGMENTS
    + """
[guardrail.empty]
rule = "zero_results"
at_most = 0.03
why = "an empty page is the end of a visit"

[guardrail.errors]
rule = "errors"
at_most = 0.0
why = "a query that failed has no ranking to speak of"

[guardrail.latency]
rule = "latency"
percentile = 95
at_most_ms = 300
why = "what comes late is not read"
"""
    + JUDGED,
}


def rules_for(change: str) -> str:
    """The rule file of a kind of change: "retrieval", "ranking", "rag" or "live"."""
    if change not in CHANGES:
        raise InputError(
            f"no rules for a {change} change{did_you_mean(change, CHANGES)}", remedy=f"choose {', '.join(CHANGES)}"
        )
    return HEAD.format(change=change) + CHANGES[change]


def init(change: str, target: str | os.PathLike[str] = "gate.toml") -> Path:
    """Writes the rule file of a kind of change; a file that is there is never overwritten."""
    path = Path(target)
    text = rules_for(change)
    check_measures(read_rules(text, str(path)))  # what is written is read back before it is written
    if path.exists():
        raise InputError("is there already", str(path), "edit it, or pass -o FILE; nothing was written")
    from assay.files import replacing

    with replacing(path) as file:
        file.write(text.encode("utf-8"))
    return path
