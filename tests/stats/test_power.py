"""Power of the paired t test against statsmodels' golden values and scipy's noncentral t."""

from __future__ import annotations

import json
import math

import pytest
from scipy import stats

from assay.stats.power import detectable, noncentrality, odds, power, queries_needed, queries_to_pass


@pytest.fixture
def golden(shared):
    return json.loads((shared / "golden" / "stats" / "gate_power_noise.json").read_text())


def sides(case):
    return {"two-sided": "two-sided", "larger": "larger"}[case["alternative"]]


@pytest.mark.shared
def test_power_and_sample_size_are_the_golden_ones(golden):
    for case in golden["power"]:
        options = {"alpha": case["alpha"], "sides": sides(case)}
        assert power(case["d_z"], 1, case["n"], **options) == pytest.approx(case["power"], abs=1e-12)
        assert queries_needed(case["d_z"], 1, **options) == case["queries_for_80"]
        found = detectable(1, case["n"], **options)
        # their solver stops within 1e-6; ours has a power of 0.8 to the last digits
        assert found == pytest.approx(case["mde_d_z_at_80"], abs=2e-6)
        assert power(found, 1, case["n"], **options) == pytest.approx(0.8, abs=1e-12)


@pytest.mark.shared
def test_the_odds_of_a_gate_are_the_golden_ones(golden):
    for case in golden["gate_noninferiority"]:
        found = odds(case["true_difference"], case["sd"], case["n"], case["margin"], case["alpha_one_sided"])
        assert (found.passes, found.open, found.fails) == pytest.approx(
            (case["PASS"], case["INCONCLUSIVE"], case["FAIL"]), abs=1e-12
        )
        needed = queries_to_pass(max(0, case["true_difference"]), case["sd"], case["margin"])
        assert needed == case["queries_for_80_percent_PASS_at_true_difference_max(0,d)"]


def test_power_is_the_tail_of_the_noncentral_t():
    for n, d_z in ((5, 0.9), (40, 0.3), (7000, 0.02)):
        t = stats.t.ppf(0.975, n - 1)
        wanted = stats.nct.sf(t, n - 1, d_z * math.sqrt(n)) + stats.nct.cdf(-t, n - 1, d_z * math.sqrt(n))
        assert power(d_z * 0.2, 0.2, n) == pytest.approx(wanted, abs=1e-9)


def test_without_a_difference_power_is_the_level():
    assert power(0, 1, 30) == pytest.approx(0.05, abs=1e-12)
    found = odds(-0.02, 0.1, 30, margin=0.02)
    assert (found.passes, found.fails, found.open) == pytest.approx((0.05, 0.05, 0.9), abs=1e-12)


def test_fewer_queries_than_needed_show_it_less_often_than_asked():
    for difference, sd in ((0.02, 0.15), (0.3, 0.2), (0.5, 0.1)):
        n = queries_needed(difference, sd)
        assert power(difference, sd, n) >= 0.8
        assert n == 2 or power(difference, sd, n - 1) < 0.8
        assert queries_needed(-difference, sd) == n  # a loss takes as many
        assert detectable(sd, n) <= difference


def test_what_no_number_of_queries_shows_is_undefined():
    assert queries_needed(0, 0.1) is None
    assert queries_needed(-0.1, 0.1, sides="larger") is None
    assert queries_to_pass(-0.02, 0.1, margin=0.01) is None
    assert queries_needed(1e-6, 0.5) is None  # two trillion
    assert (power(0.1, 0, 30), power(0.1, 0.1, 1), detectable(0, 30), detectable(0.1, 1)) == (None,) * 4
    assert odds(0, 0, 30) is None
    assert queries_needed(0.1, 0) is None


def test_the_noncentrality_is_the_one_asked_for():
    for t, df, p in ((2.1, 10, 0.975), (-1.5, 40, 0.025), (40.0, 3, 0.5), (0.0, 99, 0.9)):
        assert stats.nct.cdf(t, df, noncentrality(t, df, p)) == pytest.approx(p, abs=1e-9)
