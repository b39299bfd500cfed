"""How often intervals of attraction hold the truth, and how often a grade of clicks is more than one off.

Logs of 8,000 searches with 40 queries, two rankers and swaps in a fifth of the searches. The pairs of a log share its
propensities, so the error of a rate is taken over logs. Seeds were written down before the first run.
"""

from __future__ import annotations

import numpy as np
import pytest

from assay.clicks.attraction import attractions
from assay.clicks.cells import Cells
from assay.clicks.grading import cuts_of, graded
from assay.clicks.propensity import propensity
from assay.simulate.logs import clicks
from assay.simulate.worlds import World
from simulations.worlds import SOAK

pytestmark = pytest.mark.slow

LOGS = 200 if SOAK else 40
CUTS = cuts_of([0.085, 0.185, 0.35, 0.575])
"""Between the mean attractions of the grades of the world."""


def log(seed):
    """A position-based log as cells, and the attraction of each of its pairs."""
    world = World.make(seed, queries=40)
    made = clicks(world, 8_000, np.random.default_rng([seed, 9]), swaps=0.2)
    documents, depth = world.grade.shape[1], made.shown.shape[1]
    key = ((made.query[:, None] * documents + made.shown) * depth + np.arange(depth)).ravel()
    seen, at = np.unique(key, return_inverse=True)
    pairs, pair = np.unique(seen // depth, return_inverse=True)
    found = Cells(pair, seen % depth + 1, np.bincount(at).astype(float),
                  np.bincount(at, weights=made.clicked.ravel()), pairs // documents)  # fmt: skip
    return found, world.attraction[pairs // documents, pairs % documents]


@pytest.fixture(scope="module")
def found():
    """Of each log: share of pairs whose interval holds the truth, share of grades at most one off, share graded."""
    rows = []
    for seed in range(LOGS):
        cells, truth = log(seed)
        curve = propensity(cells)
        one = attractions(cells, curve.theta, curve.cov, curve.df)
        known = ~np.isnan(one.value)
        place = graded(CUTS, one.value, one.low, one.high)
        near = np.abs(place - CUTS.place(truth))[place >= 0] <= 1
        rows.append((((one.low <= truth) & (truth <= one.high))[known].mean(), near.mean(), (place >= 0).mean()))
    return np.array(rows)


def test_95_of_100_intervals_hold_the_truth(found):
    mean, error = found[:, 0].mean(), found[:, 0].std(ddof=1) / LOGS**0.5
    assert 0.93 - 3 * error <= mean <= 0.97 + 3 * error


def test_a_grade_is_seldom_more_than_one_off(found):
    # the interval spans one cut at most and holds the truth in 95 of 100
    mean, error = found[:, 1].mean(), found[:, 1].std(ddof=1) / LOGS**0.5
    assert mean >= 0.95 - 3 * error
    assert found[:, 2].mean() > 0.2
