"""The click trap and the promise of a snippet, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assay.clicks.attraction import attractions
from assay.clicks.cells import Cells
from assay.clicks.promises import Satisfactions, promising
from assay.clicks.trap import compared, turned

# pair 0: 300 of 1,000 at position 1; pair 1: 200 of 1,000 at position 2, which half of the readers see: 0.4
LOG = Cells(np.array([0, 1]), np.array([1, 2]), np.full(2, 1000.0), np.array([300.0, 200.0]), np.zeros(2, np.int64))
THETA = np.array([1.0, 0.5])
SHOWN = np.full(2, 1000.0)
QUERY = np.zeros(2, np.int64)


def test_the_better_document_below_has_the_lower_rate():
    found = attractions(LOG, THETA, np.zeros((2, 2)))
    # logs differ by ln 0.75 = -0.288, error sqrt(1/300 - 1/1000 + 1/200 - 250/500^2) = 0.080
    sums = compared(found, SHOWN, QUERY, np.array([1.0, 2.0]))
    assert [float(part[0]) for part in (sums.clear, sums.back, sums.unclear)] == [1, 1, 0]
    assert [float(part[0]) for part in (sums.ordered, sums.raw, sums.corrected)] == [1, 0, 1]


def test_an_uncertain_propensity_leaves_the_order_open():
    found = attractions(LOG, THETA, np.diag([0.0, 0.04]))  # error 0.215: 1.3 standard errors apart
    sums = compared(found, SHOWN, QUERY)
    assert [float(part[0]) for part in (sums.clear, sums.back, sums.unclear)] == [1, 0, 1]


def test_at_one_position_errors_of_its_propensity_cancel():
    both = Cells(LOG.pair, np.array([2, 2]), LOG.impressions, LOG.clicks, LOG.query)
    sums = compared(attractions(both, THETA, np.diag([0.0, 0.5])), SHOWN, QUERY)
    assert [float(part[0]) for part in (sums.clear, sums.back, sums.unclear)] == [1, 0, 0]


def test_pairs_of_two_queries_are_not_compared():
    apart = Cells(LOG.pair, LOG.position, LOG.impressions, LOG.clicks, np.array([0, 1]))
    sums = compared(attractions(apart, THETA, np.zeros((2, 2))), SHOWN, apart.query)
    assert sums.clear.tolist() == [0, 0]
    assert turned(sums).turned.share is None
    assert turned(sums).gain is None


def test_shares_over_queries_by_hand():
    pair = np.arange(6)
    log = Cells(pair, np.tile([1, 2], 3), np.full(6, 1000.0), np.array([300.0, 200, 300, 20, 300, 200]), pair // 2)
    people = np.array([1.0, 2.0, 2.0, 1.0, 1.0, np.nan])
    found = turned(compared(attractions(log, THETA, np.zeros((2, 2))), np.full(6, 1000.0), pair // 2, people))
    assert (found.turned.share, found.turned.n, found.turned.queries) == (pytest.approx(2 / 3), 3, 3)
    assert (found.raw_agrees, found.corrected_agrees, found.gain) == (0.5, 1.0, 0.5)
    # gains 1 and 0 of two queries with a pair each: 0.5 ± t(1) sqrt(2 (0.25^2 + 0.25^2)), t = 12.706
    assert found.gain_high == pytest.approx(0.5 + 12.7062 * 0.5, abs=1e-3)


def test_wilson_by_hand():
    found = Satisfactions(np.array([100.0, 0.0]), np.array([50.0, 0.0]), "")
    assert [end[0] for end in found.interval()] == pytest.approx([0.403832, 0.596168], abs=1e-6)
    assert np.isnan(found.share[1])
    assert found.mean == 0.5


def test_a_promise_attracts_clearly_more_and_satisfies_clearly_less():
    pair = np.arange(4)
    log = Cells(pair, np.ones(4, np.int64), np.full(4, 1000.0), np.array([500.0, 500, 100, 280]), pair * 0)
    found = attractions(log, np.array([1.0]), np.zeros((1, 1)))  # mean 0.345
    after = Satisfactions(np.array([500.0, 500, 100, 280]), np.array([50.0, 450, 10, 200]), "")  # mean 0.51
    assert promising(found, after).tolist() == [0]
