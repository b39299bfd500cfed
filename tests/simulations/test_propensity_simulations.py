"""How often intervals of propensities hold the truth, and how often equal segments are told apart.

Full size: 2,000 logs of 20,000 sessions, whose cells are drawn directly; 93 to 97 % for each position by itself, as
positions of one log are not independent trials. The small size draws fewer and allows three Monte Carlo standard errors
beyond these. Seeds were written down before the first run.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from assay.clicks.by_segment import by_segment
from assay.clicks.cells import Cells
from assay.clicks.propensity import propensity
from simulations.worlds import DOCUMENTS, SOAK, two_rankers

pytestmark = pytest.mark.slow

LOGS = 2000 if SOAK else 300
SLACK = 0.0 if SOAK else 3 * math.sqrt(0.05 * 0.95 / LOGS)
QUERIES, DEPTH = 150, 10
THETA = 1 / np.arange(1, DEPTH + 1)


def design(seed):
    return two_rankers(seed, QUERIES, DEPTH, unlike=3)


def drawn(shown, gamma, rng, theta=THETA):
    pair, at = np.nonzero(shown)
    n = shown[pair, at]
    clicks = rng.binomial(n.astype(int), theta[at] * gamma[pair]).astype(float)
    return Cells(pair, at + 1, n, clicks, np.arange(len(gamma)) // DOCUMENTS)


def coverage(seed, logs, interval):
    """f64[K - 1]: the share of logs whose interval holds theta, for positions 2 to K."""
    shown, gamma = design(seed)
    rng = np.random.default_rng(seed + 1)
    held = np.zeros(DEPTH)
    for _ in range(logs):
        low, high = interval(propensity(drawn(shown, gamma, rng)))
        held += (low <= THETA) & (high >= THETA)
    return held[1:] / logs


def clustered(found):
    return found.interval()


def within_one_percent(found):
    """A planted fault: an error of one percent, as if all sessions told of every position."""
    return found.theta * 0.99, found.theta * 1.01


def test_intervals_hold_the_truth_in_95_percent_of_logs():
    held = coverage(611, LOGS, clustered)
    assert (held >= 0.93 - SLACK).all(), held
    assert (held <= 0.97 + SLACK).all(), held


def test_the_simulation_sees_errors_that_are_too_small():
    assert coverage(613, 40, within_one_percent).max() < 0.8


def test_equal_segments_are_told_apart_in_at_most_5_percent_of_logs():
    shown, gamma = design(615)
    rng = np.random.default_rng(616)
    found = np.mean([by_segment(halves(shown, gamma, rng)).p <= 0.05 for _ in range(LOGS)])
    assert found <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / LOGS)


def halves(shown, gamma, rng):
    """The same theta on two devices."""
    parts = [drawn(np.round(shown / 2), gamma, rng) for _ in range(2)]
    columns = [np.concatenate([getattr(part, name) for part in parts])
               for name in ("pair", "position", "impressions", "clicks")]  # fmt: skip
    return replace(Cells(*columns, parts[0].query), segment=np.repeat([0, 1], [len(part.pair) for part in parts]))
