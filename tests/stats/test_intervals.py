import json
import math

import numpy as np
import pytest
from scipy import stats

from assay.stats.intervals import Interval, t_interval, t_quantile, t_tail, weighted_t_interval, why_undefined
from assay.stats.resample import bootstrap_interval, bootstrap_means


@pytest.mark.parametrize("p", [0.5001, 0.6, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9995, 1 - 1e-6])
def test_the_t_quantile_agrees_with_scipy_from_two_values_to_a_million(p):
    sizes = [*range(1, 40), 49, 99, 100, 101, 199, 999, 6979, 49_999, 10**6 - 1]
    for df in [*sizes, 1.5, 2.5, 17.3, 99.5, 100.5, 1234.5]:
        assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-10), df
        assert t_quantile(1 - p, df) == pytest.approx(-t_quantile(p, df), rel=1e-10)


def test_the_t_tail_agrees_with_scipy():
    for df in (1, 2, 3, 10, 99, 100, 1000, 10**6):
        for t in (-3.0, 0.0, 0.3, 1.0, 2.0, 5.0, 30.0):
            assert t_tail(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-10), (t, df)
    assert t_tail(1e-9, 1) == pytest.approx(0.5 - 1e-9 / math.pi, rel=1e-15)  # where scipy rounds to a half


@pytest.mark.parametrize(("p", "df"), [(0, 5), (1, 5), (0.5, 0), (math.nan, 5)])
def test_a_quantile_that_does_not_exist_is_our_own_slip(p, df):
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(p, df)


@pytest.mark.parametrize("n", [2, 3, 10, 50, 1000])
def test_the_t_interval_is_the_textbook_one(n):
    values = np.random.default_rng(n).beta(2, 3, n)
    found = t_interval(values, 0.9)
    low, high = stats.t.interval(0.9, n - 1, loc=values.mean(), scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-12)
    assert (found.level, found.method, found.n) == (0.9, "t", n)
    assert tuple(found) == (found.low, found.high)


def test_undefined_values_are_left_out():
    assert t_interval(np.array([0.1, np.nan, 0.4])) == t_interval(np.array([0.1, 0.4]))


@pytest.mark.parametrize(
    ("values", "reason"),
    [([], "no value is defined"), ([np.nan], "no value is defined"), ([0.5], "one value has no spread"),
     ([0.1, 0.1, 0.1], "all values are equal")],
)  # fmt: skip
def test_where_there_is_no_interval_there_is_a_reason(values, reason):
    x = np.array(values, dtype=np.float64)
    assert t_interval(x) is None
    assert bootstrap_interval(x, np.random.default_rng(0)) is None
    assert weighted_t_interval(x, np.ones(len(x))) is None
    assert why_undefined(x) == reason


def test_a_bootstrap_of_few_values_says_that_it_covers_less():
    values = np.arange(49) / 49
    assert bootstrap_interval(values, np.random.default_rng(0)).covers_less
    assert not bootstrap_interval(np.append(values, 1.0), np.random.default_rng(0)).covers_less
    assert not Interval(0, 1, 0.95, "t", 10).covers_less


def test_the_bootstrap_is_the_exact_one_where_it_can_be_enumerated():
    values = np.array([0.0, 0.0, 1.0])  # 27 samples: mean 0 in 8, 1/3 in 12, 2/3 in 6, 1 in 1
    means = bootstrap_means(values, np.random.default_rng(7), 40_000)
    found = [np.mean(np.isclose(means, mean)) for mean in (0, 1 / 3, 2 / 3, 1)]
    assert found == pytest.approx([8 / 27, 12 / 27, 6 / 27, 1 / 27], abs=0.01)
    interval = bootstrap_interval(values, np.random.default_rng(7), 0.9)
    assert (interval.low, interval.high) == pytest.approx((0, 2 / 3))


def test_the_bootstrap_agrees_with_the_t_interval_on_many_values():
    values = np.random.default_rng(1).beta(2, 3, 2000)
    t, b = t_interval(values), bootstrap_interval(values, np.random.default_rng(2))
    assert (b.low, b.high) == pytest.approx((t.low, t.high), abs=0.05 * (t.high - t.low))


def test_the_same_seed_gives_the_same_interval_however_many_values_are_held_at_once():
    values = np.random.default_rng(1).random(300)
    assert bootstrap_interval(values, np.random.default_rng(2)) == bootstrap_interval(values, np.random.default_rng(2))


def test_equal_weights_change_nothing_and_weight_zero_leaves_out():
    values = np.array([0.1, 0.5, 0.9, 0.3])
    same = weighted_t_interval(values, np.full(4, 7.0))
    plain = t_interval(values)
    assert (same.low, same.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    assert weighted_t_interval(np.append(values, 0.0), np.array([1.0] * 4 + [0.0])).n == 4
    assert weighted_t_interval(np.append(values, 0.0), np.array([1.0] * 4 + [np.nan])).n == 4


@pytest.mark.shared
def test_the_interval_of_the_golden_paired_differences(shared):
    golden = json.loads((shared / "golden" / "stats_core_vs_core_b.json").read_text())
    for measure in golden["measures"].values():
        difference = np.array(measure["core_b"]) - np.array(measure["core"])
        if "paired_t" in measure:
            found = t_interval(difference)
            assert [found.low, found.high] == pytest.approx(measure["paired_t"]["ci95_of_mean_difference"], abs=1e-9)
