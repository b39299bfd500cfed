"""A plan before there is a candidate: spread and numbers typed in, odds as in the golden rows of the statistics."""

from __future__ import annotations

import pytest

import assay
from assay.compare.rule_file import read_rules
from assay.errors import InputError

RULES = """
[primary]
rule = "improvement"
measure = "nDCG@10"
plan = 0.02

[guardrail.recall]
rule = "non_inferiority"
measure = "R@100"
margin = 0.01

[guardrail.segments]
rule = "no_segment_worse"
measure = "nDCG@10"
margin = 0.03

[guardrail.judged]
rule = "judged"
at_least = 0.5
"""


def planned(**typed):
    return assay.gate_plan(rules=read_rules(RULES), **typed)


def test_a_harmless_change_passes_in_12_percent_of_cases_and_takes_1393_queries():
    """Standard deviation 0.15, margin 0.01, 50 queries."""
    found = {rule.name: rule for rule in planned(sd=0.15, queries=50).rules}
    recall = found["recall"]
    assert (recall.n, recall.sd, recall.needed) == (50, 0.15, 1393)
    assert next(o for o in recall.odds if o.what == "no difference").passes == pytest.approx(0.12, abs=0.005)
    assert next(o for o in recall.odds if o.what == "minus the margin").passes == pytest.approx(0.05, abs=1e-6)


def test_every_measure_may_have_its_own_spread_and_segments_their_numbers():
    found = planned(sd=["0.15", "R@100=0.08"], queries=["200", "tail=60", "head=20"])
    assert (found.baseline, found.other, found.left_out) == ("", "", ("judged",))
    lines = [(rule.name, rule.on, rule.n, rule.sd) for rule in found.rules]
    assert lines == [
        ("primary", "nDCG@10, all", 200, 0.15), ("recall", "R@100, all", 200, 0.08),
        ("segments", "nDCG@10, tail", 60, 0.15), ("segments", "nDCG@10, head", 20, 0.15)]  # fmt: skip
    assert found.rules[-1].why == "20 queries: always INCONCLUSIVE, a claim needs 25"


def test_segments_that_nobody_named_are_said_and_not_left_out():
    rule = planned(sd=0.15, queries=200).rules[-1]
    assert (rule.name, rule.n, rule.needed) == ("segments", 0, None)
    assert "no segment is known" in rule.why


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"sd": 0.15}, "a plan without runs needs --queries"),
        ({"queries": 200}, "a plan without runs needs --sd"),
        ({"sd": "wide", "queries": 200}, "--sd wide is no size above 0"),
        ({"sd": -1, "queries": 200}, "--sd -1 is no size above 0"),
        ({"sd": "nan", "queries": 200}, "--sd nan is no size above 0"),
        ({"sd": 0.1, "queries": "many"}, "--queries many is no number of queries"),
        ({"sd": 0.1, "queries": 0}, "--queries 0 is no number of queries"),
        ({"sd": ["0.1", "0.2"], "queries": 200}, "--sd is given twice"),
        ({"sd": "nDGC@10=0.1", "queries": 200}, "no rule is about nDGC@10; did you mean nDCG@10"),
        ({"sd": "R@100=0.1", "queries": 200}, "nothing is known of the spread of nDCG@10"),
        ({"sd": 0.1, "queries": "tail=30"}, "it is not said how many queries there are"),
    ],
)
def test_what_is_typed_wrong_is_said(typed, said):
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        planned(**typed)


def test_runs_and_a_typed_spread_together_are_refused_and_so_is_neither():
    with pytest.raises(InputError, match="typed in or taken from two runs"):
        planned(baseline="a.run", other="b.run", sd=0.1, queries=100)
    with pytest.raises(InputError, match="needs the spread of the differences"):
        planned()
