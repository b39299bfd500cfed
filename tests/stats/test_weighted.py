"""Weighted means against R's survey package, and Welch's test against R and scipy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from assay.stats.groups import welch
from assay.stats.intervals import weighted_t_interval
from assay.stats.weighted import (
    drawn_with_replacement,
    effective_n,
    hajek,
    hansen_hurwitz,
    horvitz_thompson,
    stratified,
)

NEAR = 1e-12


@pytest.fixture
def golden(shared):
    return json.loads((shared / "golden" / "stats" / "weights.json").read_text())


@pytest.mark.shared
def test_a_stratified_mean_is_that_of_r(golden):
    case = golden["stratified"]
    values, strata = np.array(case["value"]), np.array(case["stratum"])
    found = stratified(values, strata, case["traffic_share"])
    assert (found.mean, found.se) == pytest.approx((case["mean"], case["se"]), abs=NEAR)
    assert found.df == pytest.approx(case["satterthwaite_df"], abs=1e-9)
    finite = stratified(values, strata, case["traffic_share"], case["queries_in_stratum"])
    assert finite.se == pytest.approx(case["se_with_fpc"], abs=NEAR)


@pytest.mark.shared
def test_queries_drawn_with_replacement_by_traffic_are_those_of_r(golden):
    case = golden["pps_with_replacement"]
    draws, traffic = np.array(case["draws"]), np.array(case["traffic"], dtype=np.float64)
    y, p = np.array(case["value"])[draws], (traffic / traffic.sum())[draws]
    for found, mean, se in (
        (drawn_with_replacement(y), "traffic_mean", "traffic_mean_se"),
        (hansen_hurwitz(y, p, len(traffic)), "query_mean_hansen_hurwitz", "query_mean_hh_se"),
        (hajek(y, 1 / p), "query_mean_hajek", "query_mean_hajek_se"),
    ):
        assert (found.mean, found.se) == pytest.approx((case[mean], case[se]), abs=NEAR), mean


@pytest.mark.shared
def test_queries_taken_each_by_itself_are_those_of_r(golden):
    case, drawn = golden["pps_without_replacement_poisson"], golden["pps_with_replacement"]
    at, traffic = np.array(case["selected"]), np.array(drawn["traffic"], dtype=np.float64)
    y, pi = np.array(drawn["value"])[at], np.array(case["inclusion"])[at]
    w = traffic[at] / pi
    ht = horvitz_thompson(y, w, float(traffic.sum()), pi)
    assert (ht.mean, ht.se) == pytest.approx((case["traffic_mean_horvitz_thompson"], case["ht_se_poisson"]), abs=NEAR)
    ours = hajek(y, w, "poisson", pi)
    assert (ours.mean, ours.se) == pytest.approx((case["traffic_mean_hajek"], case["hajek_se_poisson"]), abs=NEAR)
    assert hajek(y, w).se == pytest.approx(case["hajek_se_with_replacement_formula"], abs=NEAR)


@pytest.mark.shared
def test_segments_differ_as_r_says_and_weigh_by_their_traffic(shared):
    case = json.loads((shared / "golden" / "stats" / "gate_power_noise.json").read_text())["segments"]
    groups = {name: np.array(d) for name, d in case["differences"].items()}
    found = welch(list(groups.values()))
    assert (found.f, found.df2, found.p) == pytest.approx(
        (case["welch_F"], case["df"][1], case["p_welch"]), abs=NEAR, rel=1e-10
    )
    assert (found.df1, found.groups) == (case["df"][0], (0, 1, 2))
    values = np.concatenate(list(groups.values()))
    strata = np.concatenate([[name] * len(d) for name, d in groups.items()])
    mean = stratified(values, strata, case["traffic_share"])
    assert (mean.mean, mean.se) == pytest.approx((case["mean_traffic"], case["se_traffic"]), abs=NEAR)
    assert values.mean() == pytest.approx(case["mean_unweighted"], abs=NEAR)


def test_two_groups_are_welchs_t_test():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, 12), rng.normal(0.4, 3, 30)
    found, theirs = welch([a, b]), stats.ttest_ind(a, b, equal_var=False)
    assert (found.f, found.p) == pytest.approx((theirs.statistic**2, theirs.pvalue), rel=1e-10)


def test_groups_that_are_small_or_flat_take_no_part():
    rng = np.random.default_rng(1)
    a, b, small, flat = rng.normal(size=9), rng.normal(size=9), rng.normal(size=4), np.full(9, 0.1)
    assert welch([a, small, flat, b]).groups == (0, 3)
    assert welch([a, small, flat, b]).f == welch([a, b]).f
    assert welch([a, small, flat]) is None


def test_head_gains_and_the_tail_pays_for_them():
    """+4 % on the head, -12 % on the tail; the tail is 20 % of the test queries and 40 % of the traffic."""
    d = np.array([0.04] * 80 + [-0.12] * 20)
    kind = np.array(["head"] * 80 + ["tail"] * 20)
    assert d.mean() == pytest.approx(0.008)
    assert stratified(d, kind, {"head": 0.6, "tail": 0.4}).mean == pytest.approx(-0.024)
    traffic = np.where(kind == "head", 0.6 / 80, 0.4 / 20)
    assert hajek(d, traffic).mean == pytest.approx(-0.024)


def test_the_hajek_interval_is_the_weighted_one_and_moves_with_a_constant():
    rng = np.random.default_rng(2)
    y, w = rng.random(40), rng.random(40)
    found = hajek(y, w)
    assert found.interval().low == pytest.approx(weighted_t_interval(y, w).low, abs=NEAR)
    assert hajek(y + 3, w).mean == pytest.approx(found.mean + 3)
    assert hajek(y + 3, w).se == pytest.approx(found.se)
    assert hajek(y, np.full(40, 7.0)).se == pytest.approx(y.std(ddof=1) / np.sqrt(40))


def test_weights_are_worth_fewer_queries():
    assert effective_n(np.ones(10)) == pytest.approx(10)
    assert effective_n(np.array([1.0, 0, 0])) == 1
    assert effective_n(np.zeros(3)) == 0
    assert hajek(np.array([0.1, 0.2, 0.4]), np.array([1.0, 1, 2])).effective_n == pytest.approx(16 / 6)


def test_what_cannot_be_estimated_says_why():
    y, strata = np.array([0.1, 0.2, 0.5]), np.array(["a", "a", "b"])
    one = stratified(y, strata, {"a": 0.5, "b": 0.5})
    assert (one.mean, one.se, one.interval()) == (pytest.approx(0.325), None, None)
    assert one.why == "one value in the stratum b: merge it with its neighbour"
    none = stratified(y, strata, {"a": 0.5, "c": 0.5})
    assert (none.mean, none.se, none.why) == (None, None, "no value in the stratum c")
    flat = stratified(np.array([0.1, 0.1, 0.3, 0.3]), np.array(["a", "a", "b", "b"]), {"a": 0.5, "b": 0.5})
    assert (flat.mean, flat.se, flat.why) == (pytest.approx(0.2), None, "all values of each stratum are equal")
    assert hajek(np.array([np.nan]), np.ones(1)).why == "no value is defined"
    assert hajek(np.array([0.1, 0.4]), np.array([1.0, np.nan])).why == "one value has no spread"
    with pytest.raises(ValueError, match="chances of inclusion"):
        hajek(np.array([0.1, 0.4]), np.ones(2), "poisson")


def test_a_sample_of_one_or_of_all_has_no_error_to_estimate():
    one = horvitz_thompson(np.array([0.4]), np.array([2.0]), 2.0, np.array([0.5]))
    assert (one.mean, one.se, one.interval(), one.why) == (pytest.approx(0.4), None, None, "one value has no spread")
    y = np.array([0.1, 0.4, 0.7])
    every = horvitz_thompson(y, np.ones(3), 3.0, np.ones(3))
    assert (every.mean, every.se) == (pytest.approx(0.4), None)
    assert every.why == "every query was taken, so the sample makes no error"
    assert horvitz_thompson(np.zeros(0), np.zeros(0), 3.0, np.zeros(0)).mean is None


def test_the_stratified_interval_holds_the_mean_of_all_queries_in_95_percent_of_samples():
    """Head 400, torso 3,000, tail 5,000 queries, 30 of each drawn: 4,000 samples, limits of the plan, 93 to 97 %."""
    rng = np.random.default_rng(20261201)
    whole = {"head": rng.beta(5, 2, 400), "torso": rng.beta(2, 2, 3000), "tail": rng.beta(0.6, 1.2, 5000)}
    sizes = {name: len(y) for name, y in whole.items()}
    truth = np.concatenate(list(whole.values())).mean()
    strata = np.repeat(list(whole), 30)
    held = pooled = 0
    for _ in range(4000):
        values = np.concatenate([y[rng.integers(0, len(y), 30)] for y in whole.values()])
        low, high = stratified(values, strata, sizes).interval()
        held += low <= truth <= high
        mean, half = values.mean(), 1.96 * values.std(ddof=1) / np.sqrt(90)
        pooled += mean - half <= truth <= mean + half
    assert 0.93 <= held / 4000 <= 0.97
    assert pooled / 4000 < 0.9  # the sample as it is takes too much of the head: the simulation sees it
