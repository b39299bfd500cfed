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


def test_a_propensity_that_could_be_anything_allows_every_chance():
    found = attractions(cells((0, 2, 100, 30)), HALF, np.diag([0.0, 1.0]))  # 1 < 1.96 standard errors of log theta
    assert found.high[0] == 1
    assert 0 < found.low[0] < 0.6


def test_more_clicks_than_looks_are_the_largest_chance_by_hand():
    # 3 of 4 at a position that half look at: 2 looks, 3 clicks; lows of Wilson's form with E = 2, Q = 1:
    # (A E - C)^2 = z^2 (A E - A^2 Q): 7.841459 A^2 - 19.682918 A + 9 = 0, A = 0.601284
    found = attractions(cells((0, 2, 4, 3)), HALF, EXACT)
    assert found.value.tolist() == [1.0]
    assert (found.low[0], found.high[0]) == (pytest.approx(0.601284, abs=1e-6), 1.0)
    assert found.se[0] == pytest.approx((1.5 - 0.75**2) ** 0.5 / 2)  # that of half a click fewer than looks
    assert (found.is_above.tolist(), found.is_beyond.tolist()) == ([True], [False])
    # the likelihood of 3 clicks with mean 2 A rises up to A = 1.5, so its highest place from 0 to 1 is 1
    grid = np.linspace(0.01, 1, 100)
    assert grid[np.argmax(3 * np.log(2 * grid) - 2 * grid)] == 1


def test_what_no_chance_explains_has_no_attraction():
    found = attractions(cells((0, 2, 400, 300), (1, 2, 400, 100)), HALF, EXACT)  # 300 clicks of 200 looks
    assert np.isnan([found.value[0], found.se[0], found.low[0], found.high[0]]).all()
    assert (found.is_above.tolist(), found.is_beyond.tolist()) == ([True, False], [True, False])
    assert (found.clicks[0], found.examined[0]) == (300, 200)
    assert found.value[1] == pytest.approx(0.5)


def test_a_document_that_all_click_is_no_certainty():
    found = attractions(cells((0, 1, 10, 10)), np.array([1.0]), np.zeros((1, 1)))
    assert (found.value[0], found.high[0]) == (1, 1)
    assert found.low[0] == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)  # Wilson's
    assert found.se[0] == pytest.approx((0.95 * 0.05 / 10) ** 0.5)  # of 9.5 clicks
    assert not found.is_above[0]


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
