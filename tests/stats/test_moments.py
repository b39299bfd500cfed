"""Ratios of sums and their differences, against the golden values and by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.clustered import clustered_share
from assay.stats.moments import Moments, difference, ratio_interval, share_interval


def moments(y, x=None):
    y = np.asarray(y, float)
    x = np.ones(len(y)) if x is None else np.asarray(x, float)
    return Moments(len(y), x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum())


def arms(golden, numerator, denominator=None):
    data = {name: np.asarray(values, float) for name, values in golden["data"].items()}
    return [
        moments(data[numerator][data["arm"] == arm], data[denominator][data["arm"] == arm] if denominator else None)
        for arm in (0, 1)
    ]


@pytest.fixture(scope="module")
def ab(shared):
    return json.loads((shared / "golden/stats/ab.json").read_text())


def test_by_hand_two_units():
    # y = 1, 3 and x = 1, 1: mean 2, sample variance 2, variance of the mean 1; t(0.975, 1) = 12.7062047
    m = moments([1, 3])
    assert m.ratio == 2
    assert m.variance == pytest.approx(1, abs=1e-15)
    interval = ratio_interval(m)
    assert interval.low == pytest.approx(2 - 12.7062047361747, abs=1e-9)
    assert interval.n == 2


def test_a_ratio_by_hand():
    # units (y, x): (1, 2), (2, 2), (3, 5): R = 6/9; residuals y - R x: -1/3, 2/3, -1/3 sum to 0;
    # their squares sum to 2/3, over n - 1 = 2 gives 1/3; var = (1/3) / (3 * 9) = 1/81
    assert moments([1, 2, 3], [2, 2, 5]).variance == pytest.approx(1 / 81, rel=1e-12)


def test_sums_of_shards_are_the_sums_of_all():
    whole = moments([1, 0, 2, 5], [2, 3, 4, 9])
    assert moments([1, 0], [2, 3]) + moments([2, 5], [4, 9]) == whole


@pytest.mark.parametrize("m", [moments([]), moments([1]), moments([1, 2], [0, 0])])
def test_no_interval_without_two_units_or_denominator(m):
    assert ratio_interval(m) is None


def test_no_spread_is_an_interval_of_one_point():
    assert tuple(ratio_interval(moments([2, 2, 2]))) == (2, 2)
    assert difference(moments([2, 2, 2]), moments([2, 2])).p == 1
    assert difference(moments([2, 2, 2]), moments([3, 3])).p == 0


@pytest.mark.shared
def test_click_through_equals_the_golden_values(ab):
    asked, found = ab["ratio_click_through"], difference(*arms(ab, "clicks", "searches"))
    check(asked, found)
    relative = asked["relative"]
    assert found.lift == pytest.approx(relative["lift"], rel=1e-12)
    half = math.log((1 + found.lift_high) / (1 + found.lift))
    t = (asked["ci95"][1] - asked["difference"]) / asked["se"]  # the quantile that the golden interval used
    assert half == pytest.approx(t * math.sqrt(relative["var_log"]), rel=1e-9)


@pytest.mark.shared
def test_revenue_equals_the_golden_values(ab):
    check(ab["mean_revenue"], difference(*arms(ab, "revenue")))


def check(asked, found):
    assert found.first == pytest.approx(asked["control"], rel=1e-12)
    assert found.second == pytest.approx(asked["treatment"], rel=1e-12)
    assert found.value == pytest.approx(asked["difference"], rel=1e-10)
    assert found.se == pytest.approx(asked["se"], rel=1e-10)
    assert found.df == pytest.approx(asked["df"], rel=1e-10)
    assert found.p == pytest.approx(asked["p"], rel=1e-9)
    assert list(found.interval) == pytest.approx(asked["ci95"], rel=1e-9)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=30))
def test_a_share_from_sums_is_the_share_from_groups(groups):
    sizes = np.array([max(pair) for pair in groups], float)
    counts = np.array([min(pair) for pair in groups], float)
    asked, found = clustered_share(counts, sizes), share_interval(moments(counts, sizes))
    assert list(found) == pytest.approx([asked.low, asked.high], abs=1e-6)
    assert 0 <= found.low <= found.high <= 1
