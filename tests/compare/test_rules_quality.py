"""Rules on quality: verdicts whose intervals were worked out with scipy or by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from assay.compare.rules.quality import (
    AtLeast,
    Improvement,
    KnownItem,
    NonInferiority,
    NoSegmentWorse,
    ProtectedQueries,
)
from assay.errors import InputError
from assay.measures.measure import Measure
from compare.gated import alternating, facts_of


def ends(d):
    """The two-sided 90 % t interval by scipy."""
    return scipy.stats.t.interval(0.9, len(d) - 1, np.mean(d), scipy.stats.sem(d))


@pytest.mark.parametrize(
    ("mean", "margin", "status"),
    [(0.0, 0.03, "PASS"), (-0.10, 0.03, "FAIL"), (-0.02, 0.03, "INCONCLUSIVE"), (0.0, 0.01, "INCONCLUSIVE")],
)
def test_non_inferiority_is_decided_by_the_ends_of_the_90_percent_interval(mean, margin, status):
    d = alternating(100, mean, 0.1)
    low, high = ends(d)
    assert (low > -margin, high < -margin) == (status == "PASS", status == "FAIL")
    outcome = NonInferiority(measure="nDCG@10", margin=margin).decide(facts_of(d))
    assert outcome.status == status
    (check,) = outcome.checks
    assert (check.low, check.high, check.observed) == (pytest.approx(low), pytest.approx(high), pytest.approx(mean))
    assert (check.threshold, check.n) == (-margin, 100)


def test_fewer_than_25_queries_are_never_pass_and_never_fail():
    for mean in (-0.5, 0.0, 0.5):
        outcome = NonInferiority(measure="nDCG@10", margin=0.2).decide(facts_of(alternating(24, mean, 0.01)))
        assert outcome.status == "INCONCLUSIVE"
        assert "24 queries; a claim needs 25" in outcome.because


def test_a_value_missing_on_one_side_in_more_than_1_percent_decides_nothing():
    d = alternating(300, 0.05, 0.1)
    d[:3] = np.nan
    rule = NonInferiority(measure="nDCG@10", margin=0.02)
    assert rule.decide(facts_of(d)).status == "PASS"  # 3 of 300 are 1 %
    d[3] = np.nan
    outcome = rule.decide(facts_of(d))
    assert outcome.status == "INCONCLUSIVE"
    assert "4 of 300 queries have a value on one side only" in outcome.because


def test_what_would_resolve_it_is_planned_at_no_difference_and_never_at_the_observed_one():
    # sd 0.15, margin 0.01: 1,393 queries by the golden file, whatever the observed mean is
    for mean in (-0.005, 0.0, 0.005):
        spread = 0.15 * math.sqrt(99 / 100)
        outcome = NonInferiority(measure="nDCG@10", margin=0.01).decide(facts_of(alternating(100, mean, spread)))
        (remedy,) = outcome.would_resolve
        assert (remedy.kind, remedy.number, remedy.more) == ("queries", 1393, 1293)


def test_no_number_of_queries_shows_that_nothing_at_all_is_lost():
    outcome = NonInferiority(measure="nDCG@10", margin=0.0).decide(facts_of(alternating(100, 0.0, 0.1)))
    (remedy,) = outcome.would_resolve
    assert remedy.number is None
    assert "no number of queries" in remedy.text


def test_equal_differences_have_no_interval_and_decide_by_themselves():
    rule = NonInferiority(measure="nDCG@10", margin=0.01)
    assert rule.decide(facts_of(np.zeros(30))).status == "PASS"
    assert rule.decide(facts_of(np.full(30, -0.02))).status == "FAIL"
    assert NonInferiority(measure="nDCG@10", margin=0.0).decide(facts_of(np.zeros(30))).status == "INCONCLUSIVE"


def test_an_improvement_takes_the_interval_and_the_randomisation_test():
    rule = Improvement(measure="nDCG@10", plan=0.02)
    assert rule.decide(facts_of(alternating(100, 0.05, 0.1))).status == "PASS"
    assert rule.decide(facts_of(alternating(100, -0.05, 0.1))).status == "FAIL"
    assert rule.decide(facts_of(alternating(100, 0.01, 0.1))).status == "INCONCLUSIVE"


def test_an_interval_above_0_alone_is_no_improvement():
    # 4 wins of 0.1 among 80 ties: t gives a lower end above 0; 1/2^4 is all that a randomisation test can say
    d = np.zeros(84)
    d[:4] = 0.1
    assert ends(d)[0] > 0
    outcome = Improvement(measure="nDCG@10", plan=0.02).decide(facts_of(d))
    assert outcome.status == "INCONCLUSIVE"
    assert "one-sided p 0.0625" in outcome.because


def test_a_gain_that_is_surely_not_worth_it_fails():
    d = alternating(400, 0.005, 0.01)
    assert Improvement(measure="nDCG@10", plan=0.02).decide(facts_of(d)).status == "PASS"
    outcome = Improvement(measure="nDCG@10", plan=0.02, min_gain=0.02).decide(facts_of(d))
    assert outcome.status == "FAIL"
    assert outcome.checks[0].threshold == 0.02


def test_lower_is_better_where_the_measure_says_so():
    unjudged = Measure("Unjudged") @ 10
    rule = NonInferiority(measure="Unjudged@10", margin=0.02)
    assert rule.decide(facts_of(alternating(100, 0.2, 0.1), measure=unjudged)).status == "FAIL"
    assert rule.decide(facts_of(alternating(100, -0.2, 0.1), measure=unjudged)).status == "PASS"


def halves(n):
    return {"head": np.arange(n) < n // 2, "tail": np.arange(n) >= n // 2}


def test_every_segment_must_show_that_it_lost_no_more_than_the_margin():
    rule = NoSegmentWorse(measure="nDCG@10", margin=0.03)
    good, bad, unclear = alternating(50, 0.02, 0.05), alternating(50, -0.2, 0.05), alternating(50, -0.03, 0.05)
    assert rule.decide(facts_of(np.r_[good, good], halves(100))).status == "PASS"
    failed = rule.decide(facts_of(np.r_[good, bad], halves(100)))
    assert (failed.status, failed.checks[0].on) == ("FAIL", "nDCG@10, tail")
    open_ = rule.decide(facts_of(np.r_[good, unclear], halves(100)))
    assert (open_.status, open_.checks[0].on, open_.checks[1].status) == ("INCONCLUSIVE", "nDCG@10, tail", "PASS")
    assert "tail" in open_.because


def test_harm_to_one_of_many_segments_is_corrected_for_all_of_them():
    # 10 segments of 30 queries; one is worse at 5 % alone (t about -2), and not among ten
    rng = np.random.default_rng(5)
    parts = [alternating(30, 0.05, 0.1) for _ in range(9)]
    one = rng.normal(0, 0.1, 30)
    one = (one - one.mean()) / one.std(ddof=1) * 0.1
    parts.append(one - 0.01 - 2.0 * 0.1 / math.sqrt(30))
    segments = {f"s{i}": np.arange(300) // 30 == i for i in range(10)}
    rule = NoSegmentWorse(measure="nDCG@10", margin=0.01)
    assert ends(parts[-1])[1] < -0.01
    assert NonInferiority(measure="nDCG@10", margin=0.01, segment="s9").decide(
        facts_of(np.concatenate(parts), segments)).status == "FAIL"  # fmt: skip
    assert rule.decide(facts_of(np.concatenate(parts), segments)).status == "INCONCLUSIVE"


def test_small_segments_are_named_and_make_no_claim():
    rule = NoSegmentWorse(measure="nDCG@10", margin=0.03)
    d = np.r_[alternating(50, 0.02, 0.05), np.full(10, -0.9)]
    outcome = rule.decide(facts_of(d, {"head": np.arange(60) < 50, "tail": np.arange(60) >= 50}))
    assert outcome.status == "PASS"
    assert "tail (10): fewer than 25 queries, no claim" in outcome.because
    outcome = rule.decide(facts_of(alternating(20, 0.1, 0.01), {"head": np.ones(20)}))
    assert outcome.status == "INCONCLUSIVE"


def test_known_items_pass_when_no_query_lost_or_the_mean_lost_less_than_the_margin():
    rule = KnownItem(measure="nDCG@10", margin=0.02)
    all_of = {"known-item": np.ones(40)}
    wins = np.zeros(40)
    wins[0] = 1.0
    assert ends(wins)[0] < 0
    assert rule.decide(facts_of(wins, all_of)).status == "PASS"
    assert rule.decide(facts_of(alternating(40, 0.0, 0.5), all_of)).status == "INCONCLUSIVE"
    assert rule.decide(facts_of(alternating(40, -0.5, 0.1), all_of)).status == "FAIL"
    assert rule.decide(facts_of(alternating(40, 0.0, 0.01), all_of)).status == "PASS"


def test_a_protected_query_that_loses_more_than_the_margin_fails_by_itself():
    d = alternating(40, 0.2, 0.1)
    d[7] = -0.06
    assert ProtectedQueries(measure="nDCG@10", margin=0.06, queries=("q0007",)).decide(facts_of(d)).status == "PASS"
    outcome = ProtectedQueries(measure="nDCG@10", margin=0.05, queries=("q0001", "q0007")).decide(facts_of(d))
    assert (outcome.status, outcome.checks[0].on) == ("FAIL", "nDCG@10, q0007")
    d[7] = np.nan
    outcome = ProtectedQueries(measure="nDCG@10", margin=0.05, queries=("q0001", "q0007")).decide(facts_of(d))
    assert outcome.status == "INCONCLUSIVE"


def test_names_that_are_not_there_get_the_nearest():
    facts = facts_of(alternating(60, 0.0, 0.1), halves(60))
    with pytest.raises(InputError, match="there is no segment tial; did you mean tail"):
        NonInferiority(measure="nDCG@10", margin=0.1, segment="tial").decide(facts)
    with pytest.raises(InputError, match="the protected query q00007 is not judged; did you mean q0007"):
        ProtectedQueries(measure="nDCG@10", margin=0.1, queries=("q00007",)).decide(facts)
    with pytest.raises(InputError, match="there are no segments by segmnt; did you mean segment"):
        NoSegmentWorse(measure="nDCG@10", margin=0.1, by="segmnt").decide(facts)


def test_a_fixed_value_is_reached_when_the_whole_interval_does():
    d = alternating(100, 0.0, 0.1)  # the candidate's mean is 0.5
    assert AtLeast(measure="nDCG@10", limit=0.4).decide(facts_of(d)).status == "PASS"
    assert AtLeast(measure="nDCG@10", limit=0.6).decide(facts_of(d)).status == "FAIL"
    assert AtLeast(measure="nDCG@10", limit=0.49).decide(facts_of(d)).status == "INCONCLUSIVE"
    d[:4] = np.nan
    outcome = AtLeast(measure="nDCG@10", limit=0.4).decide(facts_of(d))
    assert (outcome.status, "on one side only" in outcome.because) == ("INCONCLUSIVE", True)
