"""Rules on counts and times: limits by scipy and by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from assay.compare.rule import Served
from assay.compare.rules.service import Errors, Latency, ZeroResults
from assay.compare.shares import share_check
from assay.errors import InputError
from assay.stats.quantiles import quantile_bounds
from compare.gated import alternating, facts_of


def served(words, latency=None):
    n = len(words)
    times = np.full(n, np.nan) if latency is None else np.asarray(latency, np.float64)
    return Served("status.csv", tuple(f"q{i:04d}" for i in range(n)), np.array([w == "error" for w in words]),
                  np.array([w == "empty" for w in words]), times)  # fmt: skip


def decide(rule, words, latency=None):
    return rule.decide(facts_of(alternating(30, 0, 0.1), served=served(words, latency)))


@pytest.mark.parametrize(("count", "n", "limit"), [(1, 240, 0.03), (8, 240, 0.03), (20, 240, 0.03), (0, 30, 0.05)])
def test_a_share_is_decided_by_the_exact_90_percent_interval(count, n, limit):
    ends = scipy.stats.binomtest(count, n).proportion_ci(0.9, "exact")
    check = share_check("share", "at most", limit, count, n, "queries")
    assert (check.low, check.high) == (pytest.approx(ends.low), pytest.approx(ends.high))
    assert check.status == ("PASS" if ends.high <= limit else "FAIL" if ends.low > limit else "INCONCLUSIVE")
    turned = share_check("share", "at least", 1 - limit, n - count, n, "queries")
    assert turned.status == check.status


def test_none_allowed_is_about_these_requests_alone():
    assert share_check("errors", "at most", 0.0, 0, 240, "requests").status == "PASS"
    assert share_check("errors", "at most", 0.0, 1, 240, "requests").status == "FAIL"
    assert share_check("judged", "at least", 1.0, 240, 240, "documents").status == "PASS"


def test_nothing_counted_is_not_known():
    assert share_check("errors", "at most", 0.1, 0, 0, "requests").status == "INCONCLUSIVE"


def test_empty_answers_are_counted_among_answered_requests():
    outcome = decide(ZeroResults(at_most=0.2), ["empty"] * 3 + ["error"] * 97 + ["ok"] * 97)
    assert (outcome.checks[0].n, outcome.checks[0].observed) == (100, pytest.approx(0.03))
    assert outcome.status == "PASS"


def test_errors_are_counted_among_all_requests():
    outcome = decide(Errors(at_most=0.01), ["error"] * 10 + ["ok"] * 190)
    assert (outcome.status, outcome.checks[0].observed) == ("FAIL", 0.05)


def test_the_interval_of_a_percentile_is_the_one_of_its_order_statistics():
    x = np.arange(1.0, 241.0)
    value, low, high = quantile_bounds(x, 0.95)
    assert value == 228
    below = scipy.stats.binom(240, 0.95).cdf
    assert low is not None
    assert high is not None
    # P(at most l - 1 values below the quantile) <= 5 %, and one further in is not
    assert below(low - 1) <= 0.05 < below(low)
    assert 1 - below(high - 1) <= 0.05 < 1 - below(high - 2)


def test_the_interval_of_a_percentile_covers_90_percent_of_samples():
    rng = np.random.default_rng(8)
    truth = -np.log(0.1)
    found = [quantile_bounds(np.sort(rng.exponential(1, 100)), 0.9) for _ in range(2000)]
    assert np.mean([low is not None and low > truth for _, low, _ in found]) <= 0.065
    assert np.mean([high is not None and high < truth for _, _, high in found]) <= 0.065


def test_too_few_requests_have_no_upper_end():
    value, low, high = quantile_bounds(np.arange(1.0, 21.0), 0.95)
    assert (value, high) == (19, None)
    assert low is not None


def test_latency_passes_when_the_upper_end_is_within_the_limit():
    times = np.linspace(50, 150, 240)
    assert decide(Latency(at_most_ms=180), ["ok"] * 240, times).status == "PASS"
    assert decide(Latency(at_most_ms=100), ["ok"] * 240, times).status == "FAIL"
    assert decide(Latency(at_most_ms=145), ["ok"] * 240, times).status == "INCONCLUSIVE"
    assert decide(Latency(at_most_ms=1000), ["ok"] * 20, times[:20]).status == "INCONCLUSIVE"


def test_missing_latencies_are_not_fast():
    times = np.r_[np.full(200, 50.0), np.full(40, np.nan)]
    outcome = decide(Latency(at_most_ms=180), ["ok"] * 240, times)
    assert outcome.status == "INCONCLUSIVE"
    assert "40 answered requests have no latency" in outcome.because


def test_without_a_status_file_there_is_nothing_to_decide():
    with pytest.raises(InputError, match="the rule errors needs the status file"):
        Errors(at_most=0.0).decide(facts_of(alternating(30, 0, 0.1)))
