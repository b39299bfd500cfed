"""Attraction where segments look at positions differently, and see different documents: known truth."""

from __future__ import annotations

import numpy as np

from assay.clicks.attraction import attractions
from assay.clicks.by_segment import attractions_by_segment, by_segment
from assay.clicks.cells import Cells
from assay.clicks.propensity import propensity

DEPTH, QUERIES, DOCUMENTS = 6, 60, 10
CURVES = np.array([1 / np.arange(1, DEPTH + 1) ** 0.4, 1 / np.arange(1, DEPTH + 1) ** 1.6])
IS_PHONES = np.arange(QUERIES * DOCUMENTS) % 2 == 1
"""Nine in ten showings of these documents are on phones, of the others one."""


def shown(rng):
    """Impressions of each segment, pair and position: two orders of each query, and who sees what more often."""
    found = np.zeros((2, QUERIES * DOCUMENTS, DEPTH))
    for query in range(QUERIES):
        for _ in range(2):
            pair = query * DOCUMENTS + rng.permutation(DOCUMENTS)[:DEPTH]
            phone = np.where(IS_PHONES[pair], 0.9, 0.1)
            found[0, pair, np.arange(DEPTH)] += np.round(400 * (1 - phone))
            found[1, pair, np.arange(DEPTH)] += np.round(400 * phone)
    return found


def cells(n, clicks):
    segment, pair, at = np.nonzero(n)
    query = np.arange(QUERIES * DOCUMENTS) // DOCUMENTS
    counts = n[segment, pair, at], clicks[segment, pair, at]
    return Cells(pair, at + 1, *counts, query, segment=segment, segments=("desktop", "phone"))


def known(found):
    return ~np.isnan(found.value)


def test_without_noise_exposure_by_segment_gives_the_truth_and_one_curve_does_not():
    rng = np.random.default_rng(641)
    n, gamma = shown(rng), rng.beta(2, 4, QUERIES * DOCUMENTS)
    log = cells(n, n * CURVES[:, None, :] * gamma[None, :, None])
    apart = attractions_by_segment(log, by_segment(log).each)
    assert np.abs(apart.value / gamma - 1)[known(apart)].max() < 1e-6
    one = propensity(log)
    pooled = attractions(log, one.theta, one.cov).value / gamma
    seen = ~np.isnan(pooled)
    assert np.median(pooled[seen & IS_PHONES]) < 0.9  # phones look further down less often than the one curve says
    assert np.median(pooled[seen & ~IS_PHONES]) > 1.1


def test_raw_rates_and_positions_are_those_of_the_log():
    rng = np.random.default_rng(642)
    n, gamma = shown(rng), rng.beta(2, 4, QUERIES * DOCUMENTS)
    clicks = n * CURVES[:, None, :] * gamma[None, :, None]
    log = cells(n, clicks)
    apart = attractions_by_segment(log, by_segment(log).each)
    whole = n.sum(0)
    seen = whole.sum(1) > 0
    assert np.allclose(apart.mean_position[seen], (whole @ np.arange(1, DEPTH + 1))[seen] / whole.sum(1)[seen])
    assert np.allclose(apart.impressions, whole.sum(1))
    assert np.allclose(apart.rate[seen], clicks.sum((0, 2))[seen] / whole.sum(1)[seen])


def test_intervals_by_segment_hold_the_truth_and_those_of_one_curve_do_not():
    # of 60 logs; the pairs of a log share its propensities, so rates are taken over logs
    rng = np.random.default_rng(643)
    n, gamma = shown(rng), rng.beta(2, 4, QUERIES * DOCUMENTS)
    apart, pooled = [], []
    for _ in range(60):
        clicks = rng.binomial(n.astype(int), CURVES[:, None, :] * gamma[None, :, None]).astype(float)
        log = cells(n, clicks)
        one = propensity(log)
        for rates, found in ((apart, attractions_by_segment(log, by_segment(log).each)),
                             (pooled, attractions(log, one.theta, one.cov, one.df))):  # fmt: skip
            held = (found.low <= gamma) & (gamma <= found.high)
            rates.append(held[known(found)].mean())
    error = 3 * np.std(apart, ddof=1) / len(apart) ** 0.5
    assert 0.93 - error <= np.mean(apart) <= 0.97 + error
    assert np.mean(pooled) < 0.8


def test_a_segment_without_propensities_is_left_out():
    rng = np.random.default_rng(644)
    n, gamma = shown(rng), rng.beta(2, 4, QUERIES * DOCUMENTS)
    log = cells(n, n * CURVES[:, None, :] * gamma[None, :, None])
    each = by_segment(log).each
    alone = attractions_by_segment(log, (each[0], "no click at position 1"))
    assert np.allclose(alone.impressions, n[0].sum(1))
