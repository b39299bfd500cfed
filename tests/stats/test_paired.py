"""Paired tests against hand counts, scipy, R's values in the golden files, and the reference's real runs."""

from __future__ import annotations

import gzip
import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.stats.paired import effect, pair, paired_tests, sign_test, t_test, wilcoxon


def ids(n):
    return [f"q{at}" for at in range(n)]


def only(d, **options):
    (found,) = paired_tests(np.array(d, dtype=np.float64)[None], ids(len(d)), 0, **options)
    return found


def golden(shared):
    return json.loads((shared / "golden" / "stats" / "paired.json").read_text())


def cases(shared):
    return golden(shared)["cases"].items()


@pytest.mark.shared
def test_the_randomisation_p_is_the_golden_one(shared):
    for name, case in cases(shared):
        found, wanted = only(case["differences"]), case["randomisation_exact"]
        assert found.randomisation.p == pytest.approx(wanted["p_two_sided"], abs=1e-12), name
        if "count" in wanted:
            assert (found.randomisation.count, found.randomisation.patterns) == (wanted["count"], wanted["patterns"])
        assert [found.wins, found.losses, found.ties] == case["wins_losses_ties"], name
        assert found.sign_p == pytest.approx(case["sign_test_p"], abs=1e-12)


@pytest.mark.shared
def test_t_and_the_effect_size_are_the_golden_ones(shared):
    for name, case in cases(shared):
        found = only(case["differences"])
        assert found.mean == pytest.approx(case["mean"], abs=1e-12)
        assert found.sd == pytest.approx(case["sd"], abs=1e-12) if case["sd"] is not None else found.sd is None
        if case["t"] is None:
            assert (found.t, found.effect) == (None, None), name
            assert found.undefined_because in ("all values are equal", "one value has no spread")
            continue
        t = case["t"]
        assert [found.t.t, found.t.df, found.t.p, found.t.p_greater] == pytest.approx(
            [t["t"], t["df"], t["p_two_sided"], t["p_greater"]], abs=1e-12
        )
        e = case["effect"]
        assert found.effect.d_z == pytest.approx(e["d_z"], abs=1e-12)
        if e["d_z_ci95_noncentral_t"] is None:
            assert (found.effect.low, found.effect.high, found.effect.corrected) == (None, None, None)
        else:
            assert [found.effect.low, found.effect.high] == pytest.approx(e["d_z_ci95_noncentral_t"], abs=1e-9)
            assert found.effect.corrected == pytest.approx(e["d_z_corrected"], abs=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("zeros", "key"), [("wilcox", "wilcoxon_exact_zeros_dropped"), ("pratt", "wilcoxon_exact_pratt")]
)
def test_the_exact_wilcoxon_p_is_that_of_r(shared, zeros, key):
    for name, case in cases(shared):
        found, wanted = only(case["differences"], zeros=zeros).wilcoxon, case[key]
        if wanted is None:
            assert found is None, name
        else:
            assert [found.plus, found.minus] == [wanted["W_plus"], wanted["W_minus"]], name
            assert found.p == pytest.approx(wanted["p_two_sided"], abs=1e-12)
            assert found.method == "exact"


@pytest.mark.shared
def test_undefined_values_leave_the_pairs_of_the_golden_file(shared):
    case = golden(shared)["nan_pairs"]
    a, b = (np.array([math.nan if v is None else v for v in case[side]]) for side in ("baseline", "candidate"))
    pairs = pair(a, b)
    assert np.flatnonzero(~np.isnan(pairs.differences)).tolist() == case["pairs_used"]
    assert (pairs.both, pairs.only_baseline, pairs.only_candidate, pairs.neither) == (
        4, case["only_baseline_defined"], case["only_candidate_defined"], case["neither"],
    )  # fmt: skip
    found = only(pairs.differences)
    assert found.n == 4
    assert found.mean == pytest.approx(case["mean_difference"], abs=1e-12)
    assert (found.t.t, found.t.p) == pytest.approx((case["t"], case["p_t"]), abs=1e-12)
    assert found.randomisation.count == case["randomisation_exact"]["count"]


@pytest.mark.shared
def test_core_against_core_b_is_as_in_the_golden_file(shared):
    measures = json.loads((shared / "golden" / "stats_core_vs_core_b.json").read_text())["measures"]
    for name, case in measures.items():
        found = only(np.array(case["core_b"]) - np.array(case["core"]))
        assert [found.wins, found.losses, found.ties] == case["wins_losses_ties"], name
        assert found.randomisation.p == pytest.approx(case["randomization_exact"]["p_two_sided"], abs=1e-12)
        assert found.sign_p == pytest.approx(case["sign_test_p_two_sided"], abs=1e-12)
        if "paired_t" in case:
            assert (found.t.t, found.t.p) == pytest.approx(
                (case["paired_t"]["t"], case["paired_t"]["p_two_sided"]), abs=1e-9
            )
            assert found.effect.d_z == pytest.approx(case["cohen_dz"], abs=1e-9)
        if isinstance(case["wilcoxon_exact"], dict):  # with ties their program has no exact value
            assert min(found.wilcoxon.plus, found.wilcoxon.minus) == case["wilcoxon_exact"]["W"]
            assert found.wilcoxon.p == pytest.approx(case["wilcoxon_exact"]["p_two_sided"], abs=1e-12)


@pytest.mark.shared
def test_the_paired_tests_of_robust03_are_the_recorded_ones(shared):
    folder = shared / "data" / "collections" / "robust03"

    def values(run, measure):
        with gzip.open(folder / "trec_eval" / f"{run}.q.c.all_trec.txt.gz", "rt") as lines:
            rows = (line.split() for line in lines)
            return {query: float(value) for name, query, value in rows if name == measure and query != "all"}

    facts = json.loads((folder / "facts.json").read_text())["paired_tests"]
    assert len(facts) == 8
    for case in facts:
        a, b = values(case["a"], case["measure"]), values(case["b"], case["measure"])
        d = np.array([a[query] - b[query] for query in sorted(a)])
        found = only(d)
        assert (found.n, found.wins, found.losses, found.ties) == (case["n"], case["win"], case["loss"], case["tie"])
        assert found.mean == pytest.approx(case["mean_diff"], abs=1e-6)
        assert found.t.t == pytest.approx(case["t"], abs=1e-6)
        assert found.t.p == pytest.approx(case["t_p"], rel=3e-6)
        assert found.sign_p == pytest.approx(case["sign_p"], rel=3e-6)
        # the recorded statistic broke ties of |d| by the rounding of a - b: scipy on the raw and the rounded values
        raw = stats.wilcoxon(d, correction=False, method="asymptotic")
        assert (raw.statistic, raw.pvalue) == pytest.approx((case["wilcoxon_stat"], case["wilcoxon_p"]), rel=3e-6)
        tied = stats.wilcoxon(np.round(d, 9), correction=False, method="asymptotic")
        assert min(found.wilcoxon.plus, found.wilcoxon.minus) == tied.statistic
        assert found.wilcoxon.p == pytest.approx(tied.pvalue, abs=1e-12)
        assert found.wilcoxon.p == pytest.approx(case["wilcoxon_p"], abs=1e-3)


def test_equal_differences_of_different_rounding_have_no_variance():
    d = np.array([0.3 - 0.2, 0.2 - 0.1, 0.9 - 0.8])
    assert len(set(d.tolist())) > 1
    found = only(d)
    assert (found.t, found.effect, found.sd, found.undefined_because) == (None, None, 0.0, "all values are equal")
    assert found.randomisation.p == 0.25  # 2 of 8


def test_without_a_pair_nothing_is_tested_and_nothing_is_a_number():
    found = only([math.nan, math.nan])
    assert (found.n, found.mean, found.sd, found.p, found.t, found.wilcoxon, found.sign_p) == (0, *[None] * 6)
    assert found.undefined_because == "no value is defined"


def test_the_sign_test_is_exact_in_whole_numbers_and_beyond():
    assert sign_test(5, 0) == 2 / 32
    assert sign_test(3, 1) == 2 * 5 / 16
    assert sign_test(0, 0) == 1
    for wins, losses in ((40, 60), (480, 520), (501, 500), (3000, 3300)):
        assert sign_test(wins, losses) == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-10)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_many_differences_take_the_normal_form_of_scipy(zeros):
    rng = np.random.default_rng(3)
    for n in (40, 200):
        d = rng.integers(-10, 13, n) / 10
        found = wilcoxon(d, zeros)
        theirs = stats.wilcoxon(d, zero_method=zeros, correction=False, method="asymptotic")
        assert found.method == "normal"
        assert min(found.plus, found.minus) == theirs.statistic
        assert found.p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_wilcoxon_without_ties_is_scipys_exact_one():
    d = np.random.default_rng(5).normal(0.3, 1, 22)
    assert wilcoxon(d).p == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9).filter(any))
def test_the_exact_wilcoxon_p_is_the_count_of_all_patterns(d):
    d = np.array(d, dtype=np.float64)
    ranks = stats.rankdata(np.abs(d[d != 0]))
    observed = ranks[d[d != 0] > 0].sum() - ranks.sum() / 2
    sums = [np.dot(ranks, bits) - ranks.sum() / 2 for bits in product((0, 1), repeat=len(ranks))]
    assert wilcoxon(d).p == np.mean([abs(s) >= abs(observed) - 1e-9 for s in sums])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=3, max_size=30))
def test_swapping_the_runs_turns_every_sign_and_keeps_every_p(d):
    one, other = only(d), only([-v for v in d])
    assert (one.p, one.sign_p, one.wins, one.losses) == (other.p, other.sign_p, other.losses, other.wins)
    if one.t is not None:
        assert (one.t.t, one.t.p) == pytest.approx((-other.t.t, other.t.p), rel=1e-9)
        assert (one.effect.low, one.effect.high) == pytest.approx((-other.effect.high, -other.effect.low), abs=1e-8)
    if one.wilcoxon is not None:
        assert (one.wilcoxon.plus, one.wilcoxon.p) == (other.wilcoxon.minus, other.wilcoxon.p)


def test_adding_a_constant_to_both_runs_changes_nothing():
    rng = np.random.default_rng(2)
    a, b = rng.random(30), rng.random(30)
    one, other = only(pair(a, b).differences), only(pair(a + 0.25, b + 0.25).differences)
    assert (one.p, one.sign_p, one.wilcoxon.p) == (other.p, other.sign_p, other.wilcoxon.p)
    assert one.t.p == pytest.approx(other.t.p, rel=1e-9)


def test_copying_every_query_halves_the_variance_of_the_mean():
    d = np.random.default_rng(8).normal(0.1, 1, 40)
    one, both = t_test(d), t_test(np.concatenate([d, d]))
    error = (d.std(ddof=1) ** 2) / 40
    twice = np.concatenate([d, d]).std(ddof=1) ** 2 / 80
    assert twice / error == pytest.approx(39 / 79)  # a half, but for n - 1
    assert both.t / one.t == pytest.approx(math.sqrt(79 / 39))


def test_the_interval_of_d_z_holds_t_at_its_ends():
    d = np.random.default_rng(4).normal(0.4, 1, 25)
    found, t = effect(d), t_test(d).t
    assert stats.nct.cdf(t, 24, found.low * 5) == pytest.approx(0.975, abs=1e-9)
    assert stats.nct.cdf(t, 24, found.high * 5) == pytest.approx(0.025, abs=1e-9)
    assert found.d_z == pytest.approx(t / 5)
