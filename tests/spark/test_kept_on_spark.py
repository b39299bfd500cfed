"""Scores that Spark made and that were kept are compared and gated as those of one machine are."""

from __future__ import annotations

import pytest

import assay
from assay.flows.gate import gate
from spark.made import hits, judgments

pytestmark = pytest.mark.spark

RULES = """\
[primary]
rule = "improvement"
measure = "nDCG@10"
plan = 0.05
why = "people read ten"

[guardrail.precision]
rule = "non_inferiority"
measure = "AP"
margin = 0.05
"""


def test_kept_scores_of_spark_are_compared_and_gated_as_those_of_one_machine(tmp_path):
    runs = [tmp_path / "before.parquet", tmp_path / "after.parquet"]
    for path, seed in zip(runs, (2, 3), strict=True):
        hits(seed).write_parquet(path)
    (tmp_path / "gate.toml").write_text(RULES)
    found = []
    for on in ("spark", None):
        kept = tmp_path / f"{on}.assay"
        assay.evaluate(runs, judgments(), "nDCG@10 AP", on=on).save(kept)
        found.append((assay.compare(kept), gate(kept, None, rules=tmp_path / "gate.toml")))
    (compared, verdict), (wanted, asked) = found
    assert compared.scores.runs == ("before", "after")
    assert (compared.baseline, compared.differences, compared.family) == (
        wanted.baseline, wanted.differences, wanted.family)  # fmt: skip
    assert (verdict.status, verdict.outcomes) == (asked.status, asked.outcomes)
