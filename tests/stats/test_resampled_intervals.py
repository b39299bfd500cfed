"""Bootstrap intervals of many columns: against all n^n samples, scipy, and their own laws."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

from assay.stats.resample import bca_ends, percentile_ends, resampled_intervals, resampled_means


def ids(n):
    return [f"q{at}" for at in range(n)]


def every_mean(values):
    """The means of all n^n samples."""
    n, sums = len(values), np.zeros(1)
    for _ in range(n):
        sums = (sums[:, None] + values).ravel()
    return sums / n


@pytest.fixture
def cases(shared):
    return json.loads((shared / "golden" / "stats" / "paired.json").read_text())["cases"]


@pytest.mark.shared
@pytest.mark.parametrize("name", ["small_7", "five_wins"])
def test_both_intervals_of_all_samples_are_the_golden_ones(cases, name):
    values, wanted = np.array(cases[name]["differences"]), cases[name]["bootstrap_exact"]
    means = every_mean(np.rint(values * 1e4)) / 1e4  # whole numbers: means that are equal are equal
    assert percentile_ends(means) == pytest.approx(wanted["percentile"], abs=1e-12)
    assert bca_ends(means, values) == pytest.approx(wanted["bca"], abs=1e-12)
    assert means.std() == pytest.approx(wanted["bootstrap_se"], abs=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["continuous_12", "p10_14", "skewed_40"])
def test_both_intervals_of_many_samples_are_those_of_scipy(cases, name):
    values, wanted = np.array(cases[name]["differences"]), cases[name]["bootstrap_monte_carlo_scipy_2x400000"]
    for method, key in (("bootstrap", "percentile"), ("bca", "bca")):
        (found,) = resampled_intervals(values[None], ids(len(values)), 3, method=method, resamples=400_000)
        assert (found.low, found.high) == pytest.approx(wanted[key], abs=wanted["tolerance"])
        assert (found.method, found.n, found.seed, found.level) == (method, len(values), 3, 0.95)


def test_the_means_are_those_of_samples_with_replacement():
    values = np.array([0.0, 0.0, 1.0])  # 27 samples: mean 0 in 8, 1/3 in 12, 2/3 in 6, 1 in 1
    means = resampled_means(values[None], ids(3), 0, 50_000)[0]
    shares = [np.isclose(means, mean).mean() for mean in (0, 1 / 3, 2 / 3, 1)]
    assert shares == pytest.approx([8 / 27, 12 / 27, 6 / 27, 1 / 27], abs=0.01)
    assert sum(shares) == 1
    assert {round(float(np.mean(s)), 9) for s in product(values, repeat=3)} == set(
        np.round(np.unique(means), 9).tolist()
    )


def test_no_order_and_no_other_column_changes_an_interval():
    rng = np.random.default_rng(0)
    columns = rng.normal(0, 1, (80, 70))
    columns[5, 30:] = np.nan
    plain = resampled_intervals(columns, ids(70), 1, resamples=500)
    turned, mixed = rng.permutation(80), rng.permutation(70)
    other = resampled_intervals(columns[turned][:, mixed], [f"q{at}" for at in mixed], 1, resamples=500)
    for place, at in enumerate(turned):
        assert (plain[at].low, plain[at].high) == pytest.approx((other[place].low, other[place].high), abs=1e-12)
    (alone,) = resampled_intervals(columns[5:6, :30], ids(30), 1, resamples=500)
    assert (plain[5].n, alone.n) == (30, 30)  # a segment is resampled within itself
    assert (plain[5].low, plain[5].high) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_equal_weights_change_nothing_and_weights_of_zero_leave_out():
    rng = np.random.default_rng(1)
    columns = rng.random((3, 40))
    plain = resampled_means(columns, ids(40), 0, 200)
    assert resampled_means(columns, ids(40), 0, 200, np.full(40, 3.0)) == pytest.approx(plain, abs=1e-12)
    w = np.array([1.0] * 20 + [0.0] * 20)
    few = resampled_means(columns[:, :20], ids(20), 0, 200)
    assert resampled_means(columns, ids(40), 0, 200, w) == pytest.approx(few, abs=1e-12)
    w = rng.random(40)
    assert resampled_means(columns, ids(40), 0, 4000, w).mean(axis=1) == pytest.approx(columns @ w / w.sum(), abs=0.01)


def test_where_there_is_no_spread_there_is_no_interval():
    columns = np.array([[0.1, 0.1, 0.1], [np.nan, np.nan, 0.3], [np.nan] * 3])
    assert resampled_intervals(columns, ids(3), 0, resamples=50) == (None, None, None)
    assert np.isnan(resampled_means(columns, ids(3), 0, 50)[2]).all()


def test_a_bca_of_few_queries_covers_less_than_it_says():
    d = np.random.default_rng(2).normal(0, 1, (1, 49))
    assert resampled_intervals(d, ids(49), 0, method="bca", resamples=200)[0].covers_less


def test_an_extreme_sample_does_not_break_the_bca_interval():
    values = np.array([0.0] * 30 + [1.0])
    low, high = bca_ends(np.full(100, -1.0), values)  # every mean below: the shift is cut at 1/B
    assert (low, high) == (-1, -1)
