"""Attraction with its error: by hand, and on simulated logs whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from assay.clicks.attraction import attractions
from assay.clicks.cells import Cells
from assay.clicks.propensity import propensity
from assay.simulate.logs import clicks
from assay.simulate.worlds import World


def cells(*rows):
    """Rows of pair, position, impressions, clicks; each pair is of a query of its own."""
    pair, position, shown, clicked = (np.array(column) for column in zip(*rows, strict=True))
    return Cells(pair, position, shown.astype(float), clicked.astype(float), np.arange(pair.max() + 1))


EXACT = np.zeros((2, 2))
TWO = cells((0, 1, 100, 30), (0, 2, 100, 15))
HALF = np.array([1.0, 0.5])


def test_at_position_1_it_is_a_share_with_the_interval_of_wilson():
    found = attractions(cells((0, 1, 100, 50)), np.array([1.0]), np.zeros((1, 1)))
    assert found.value == pytest.approx([0.5])
    assert found.se == pytest.approx([0.05])  # sqrt(0.5 0.5 / 100)
    # (0.5 + z^2 / 200 ± z sqrt(0.25 / 100 + z^2 / 40000)) / (1 + z^2 / 100), z = 1.959964
    assert (found.low[0], found.high[0]) == pytest.approx((0.403832, 0.596168), abs=1e-6)


def test_two_positions_by_hand():
    found = attractions(TWO, HALF, EXACT)
    # E = 100 + 50, A = 45 / 150, Q = 100 + 25, variance of clicks 0.3 150 - 0.09 125 = 33.75
    assert found.value == pytest.approx([0.3])
    assert found.se == pytest.approx([33.75**0.5 / 150])
    assert found.mean_position == pytest.approx([1.5])
    assert found.rate == pytest.approx([45 / 200])


def test_errors_of_propensities_are_added_by_hand():
    found = attractions(TWO, HALF, np.diag([0.0, 0.04]))
    # position 2 has 50 of 150 examinations: v = 0.04 / 9, and 45^2 v = 9
    assert found.share == pytest.approx(np.array([[2 / 3, 1 / 3]]))
    assert found.se == pytest.approx([(33.75 + 9) ** 0.5 / 150])


def test_few_degrees_of_freedom_widen_the_interval_and_not_the_error():
    sure, unsure = (attractions(TWO, HALF, np.diag([0.0, 0.04]), np.array([np.nan, df])) for df in (1e9, 2.0))
    assert unsure.se == pytest.approx(sure.se)
    assert unsure.low < sure.low < sure.high < unsure.high


def test_a_log_that_comes_twice_halves_the_variance():
    once, twice = (attractions(cells((0, 1, 100 * n, 30 * n), (0, 2, 100 * n, 15 * n)), HALF, EXACT) for n in (1, 2))
    assert twice.value == pytest.approx(once.value)
    assert twice.se**2 == pytest.approx(once.se**2 / 2)


def test_positions_without_propensity_or_its_error_do_not_count():
    theta, cov = np.array([1.0, np.nan, 0.5]), np.diag([0.0, np.nan, np.nan])
    found = attractions(cells((0, 1, 100, 30), (0, 2, 50, 50), (1, 3, 40, 8), (1, 4, 7, 1)), theta, cov)
    assert found.value == pytest.approx([0.3, np.nan], nan_ok=True)
    assert np.isnan([found.se[1], found.low[1], found.high[1]]).all()
    assert found.impressions.tolist() == [100, 0]
    assert found.rate == pytest.approx([80 / 150, 9 / 47])


def test_what_was_never_clicked_may_attract_a_little():
    found = attractions(cells((0, 1, 100, 0)), np.array([1.0]), np.zeros((1, 1)))
    assert (found.value[0], found.low[0]) == (0, 0)
    assert found.high[0] == pytest.approx(1.959964**2 / (100 + 1.959964**2), abs=1e-6)  # Wilson's
    assert found.se[0] == pytest.approx((0.5 - 0.0025) ** 0.5 / 100)  # half a click: A E - A^2 Q, A = 0.005


def test_a_propensity_that_could_be_anything_has_no_upper_end():
    found = attractions(cells((0, 2, 100, 30)), HALF, np.diag([0.0, 1.0]))  # 1 < 1.96 standard errors of log theta
    assert np.isinf(found.high[0])
    assert 0 < found.low[0] < 0.6


def simulated(seed, n=6_000, queries=40):
    """A position-based log as cells, and the truth of each pair."""
    world = World.make(seed, queries=queries)
    made = clicks(world, n, np.random.default_rng([seed, 9]), swaps=0.2)
    documents, depth = world.grade.shape[1], made.shown.shape[1]
    key = ((made.query[:, None] * documents + made.shown) * depth + np.arange(depth)).ravel()
    seen, at = np.unique(key, return_inverse=True)
    pairs, pair = np.unique(seen // depth, return_inverse=True)
    found = Cells(pair, seen % depth + 1, np.bincount(at).astype(float),
                  np.bincount(at, weights=made.clicked.ravel()), pairs // documents)  # fmt: skip
    return found, world.attraction[pairs // documents, pairs % documents]


def test_intervals_hold_the_truth_in_95_of_100():
    shares = []
    for seed in range(20):
        log, truth = simulated(seed)
        curve = propensity(log)
        found = attractions(log, curve.theta, curve.cov, curve.df)
        known = ~np.isnan(found.value)
        shares.append(((found.low <= truth) & (truth <= found.high))[known].mean())
    # 500 pairs a log share its propensities: the spread over logs gives the error of the mean
    error = np.std(shares, ddof=1) / len(shares) ** 0.5
    assert abs(np.mean(shares) - 0.95) < 3 * error + 0.01  # score intervals of few clicks cover a little more
