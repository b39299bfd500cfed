"""Averages that are no mean, by hand, by the printed figures of trec_eval, and by how often their intervals hold."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.averages import average, interval, why_no_interval
from assay.stats.intervals import t_quantile

NAN = math.nan


def test_the_geometric_mean_is_that_of_the_values_with_a_floor():
    assert average(np.array([0.5, 0.125]), "geometric") == pytest.approx(0.25)
    assert average(np.array([0.0, 0.1]), "geometric") == pytest.approx(math.sqrt(1e-5 * 0.1))
    assert average(np.array([0.5, NAN, 0.125]), "geometric") == pytest.approx(0.25)
    assert math.isnan(average(np.array([NAN]), "geometric"))


def test_the_median_is_the_middle():
    assert average(np.array([0.9, 0.1, NAN, 0.2]), "median") == 0.2
    assert average(np.array([0.9, 0.1, 0.3, 0.2]), "median") == pytest.approx(0.25)


def test_weights_count_a_query_more_than_once():
    values, weights = np.array([0.5, 0.125, 0.9]), np.array([2.0, 1.0, NAN])
    assert average(values, "geometric", weights) == pytest.approx((0.5 * 0.5 * 0.125) ** (1 / 3))
    assert average(values, "median", weights) == 0.5
    assert average(values, "median", np.array([1.0, 1.0, 0.0])) == 0.125  # half of the weight is reached there


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.sampled_from(["geometric", "median"]))
def test_equal_weights_are_none(values: list[float], kind: str):
    data = np.array(values)
    if kind == "geometric" or len(data) % 2:  # of an even number the weighted median takes the lower one
        weighted = average(data, kind, np.ones(len(data)))  # type: ignore[arg-type]
        assert weighted == pytest.approx(average(data, kind))  # type: ignore[arg-type]


def test_the_interval_of_a_geometric_mean_is_the_t_interval_of_the_logarithms():
    values = np.array([0.1, 0.2, 0.4, 0.8])  # logarithms spaced by log 2: their sd is log 2 * sqrt(5/3)
    half = t_quantile(0.975, 3) * math.log(2) * math.sqrt(5 / 3) / 2
    middle = math.log(0.1) + 1.5 * math.log(2)
    found = interval(values, "geometric")
    assert found is not None
    assert tuple(found) == pytest.approx((math.exp(middle - half), math.exp(middle + half)))
    assert (found.method, found.n) == ("log-t", 4)


def test_the_interval_of_a_median_lies_between_order_statistics():
    # of 10 values fewer than 2 are below the median with chance 11/1024, fewer than 3 with 56/1024: 2nd to 9th
    found = interval(np.arange(1.0, 11.0), "median")
    assert found is not None
    assert tuple(found) == (2.0, 9.0)
    assert found.method == "order"


def test_why_there_is_no_interval():
    assert why_no_interval(np.array([0.1, 0.2, 0.3]), "median") == "too few queries to bound a median"
    assert why_no_interval(np.array([0.0, 1e-6]), "geometric") == "all values are equal"
    assert interval(np.array([0.0, 1e-6]), "geometric") is None
    assert why_no_interval(np.array([0.1]), "median") == "one value has no spread"
    assert why_no_interval(np.array([0.1, 0.2]), "geometric") == ""


@pytest.mark.parametrize("n", [10, 25, 60])
def test_the_intervals_hold_the_truth_as_often_as_they_say(n: int):
    """Samples of a log-normal, whose geometric mean and median are both 1; within three standard errors."""
    rng = np.random.default_rng(20261130)
    held = {"geometric": 0, "median": 0}
    repetitions = 4000
    for sample in np.exp(rng.standard_normal((repetitions, n))):
        for kind in held:
            found = interval(sample, kind)  # type: ignore[arg-type]
            held[kind] += found is not None and found.low <= 1 <= found.high
    error = 3 * math.sqrt(0.95 * 0.05 / repetitions)
    assert held["geometric"] / repetitions == pytest.approx(0.95, abs=error)
    assert held["median"] / repetitions >= 0.95 - error  # exact and discrete: it may hold more often


def test_more_confidence_is_a_wider_interval():
    values = np.random.default_rng(5).random(40)
    for kind in ("geometric", "median"):
        found = [interval(values, kind, level) for level in (0.8, 0.9, 0.95, 0.99)]  # type: ignore[arg-type]
        assert all(b.low <= a.low <= a.high <= b.high for a, b in pairwise(found) if a and b)
