"""How often intervals of counterfactual values hold the truth, from counts and from people.

Full size: 2,000 logs of 20,000 sessions, whose cells are drawn directly; 93 to 97 %. The small size draws fewer and
allows three Monte Carlo standard errors beyond these. Seeds were written down before the first run.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.clicks.aim import aim, seen
from assay.clicks.cells import Cells
from assay.clicks.counterfactual import estimate
from assay.clicks.ideal import drawn_in
from assay.clicks.logged import against_log
from assay.clicks.propensity import propensity
from assay.clicks.spread import chance_variance, reach, slope_freedom, slope_variance
from assay.stats.moments import Moments
from simulations.test_propensity_simulations import DEPTH, DOCUMENTS, QUERIES, THETA, design, drawn
from simulations.worlds import SOAK

pytestmark = pytest.mark.slow

LOGS = 2000 if SOAK else 200
SLACK = 0.0 if SOAK else 3 * math.sqrt(0.05 * 0.95 / LOGS)
DCG = 1 / np.log2(np.arange(1, DEPTH + 1) + 1)


def named(cells):
    """With names in the order of their numbers."""
    return Cells(cells.pair, cells.position, cells.impressions, cells.clicks, cells.query,
                 query_ids=[f"{q:03d}" for q in range(QUERIES)],
                 doc_ids=[f"{d:02d}" for _ in range(QUERIES) for d in range(DOCUMENTS)])  # fmt: skip


def lists_of(gamma, shown, rng):
    """A third ranker that shows documents which the log has."""
    can = shown.reshape(QUERIES, DOCUMENTS, DEPTH).sum(2) > 0
    scores = np.where(can, gamma.reshape(QUERIES, DOCUMENTS) + rng.normal(0, 0.2, can.shape), -9)
    return {f"{q:03d}": [f"{d:02d}" for d in np.argsort(-scores[q])[:DEPTH] if can[q, d]] for q in range(QUERIES)}


def coverage(seed, logs, kind="policy-aware", is_known=False, without_positions=False):
    """The share of logs whose interval holds the value of the ranking on the searches of the log."""
    shown, gamma = design(seed)
    rng = np.random.default_rng(seed + 1)
    lists, held = lists_of(gamma, shown, rng), 0
    for _ in range(logs):
        cells = named(drawn(shown, gamma, rng))
        found = propensity(cells)
        aimed = aim(cells, lists, DCG)
        truth = float((aimed.discount * gamma) @ aimed.searches[cells.query]) / aimed.n
        log = seen(cells, THETA if is_known else found.theta, aimed)
        one = estimate(kind, log, aimed)
        variance = chance_variance(one, log, aimed, kind)
        more = 0.0 if is_known or without_positions else slope_variance(one.slope, found.cov, None)
        df = slope_freedom(one.slope, found.cov, found.df)
        held += abs(one.value - truth) <= reach(variance, math.inf, more, df)
    return held / logs


def test_intervals_from_counts_hold_the_truth_in_95_percent_of_logs():
    held = coverage(711, LOGS)
    assert 0.93 - SLACK <= held <= 0.97 + SLACK, held


def test_intervals_with_known_propensities_hold_the_truth_in_95_percent_of_logs():
    held = coverage(713, LOGS, is_known=True)
    assert 0.93 - SLACK <= held <= 0.97 + SLACK, held


def test_the_simulation_sees_errors_without_those_of_the_propensities():
    assert coverage(715, 100, without_positions=True) < 0.85


def test_the_simulation_sees_weights_that_do_not_know_the_rankers():
    assert coverage(717, 60, kind="ips", is_known=True) < 0.5


def of_differences(seed, logs):
    """The share of logs whose interval holds the difference of a ranking and the lists of the log."""
    shown, gamma = design(seed)
    rng = np.random.default_rng(seed + 1)
    lists, held = lists_of(gamma, shown, rng), 0
    for _ in range(logs):
        cells = named(drawn(shown, gamma, rng))
        found = propensity(cells)
        aimed = aim(cells, lists, DCG)
        truth = float((aimed.discount * gamma) @ aimed.searches[cells.query] / aimed.n)
        truth -= float((DCG[cells.position - 1] * gamma[cells.pair]) @ cells.impressions / aimed.n)
        one = against_log(seen(cells, found.theta, aimed), aimed, DCG)
        more = slope_variance(one.slope, found.cov, None), slope_freedom(one.slope, found.cov, found.df)
        held += abs(one.difference - truth) <= reach(one.variance, math.inf, *more)
    return held / logs


def test_intervals_of_the_difference_to_the_log_hold_the_truth_in_95_percent_of_logs():
    held = of_differences(731, LOGS)
    assert 0.93 - SLACK <= held <= 0.97 + SLACK, held


def of_ideal(seed, logs, has_both=True):
    """The share of logs whose interval of nDCG holds the truth; its ends reach from both ideals."""
    shown, gamma = design(seed)
    rng = np.random.default_rng(seed + 1)
    lists, held = lists_of(gamma, shown, rng), 0
    for _ in range(logs):
        cells = named(drawn(shown, gamma, rng))
        aimed = aim(cells, lists, DCG, is_ideal=True)
        log = seen(cells, THETA, aimed)
        worth = np.where(log.is_supported, gamma, 0.0)
        best = np.sort(worth.reshape(QUERIES, DOCUMENTS), 1)[:, ::-1][:, :DEPTH] @ DCG
        truth = float((aimed.discount * worth).reshape(QUERIES, DOCUMENTS).sum(1) / best @ aimed.searches / aimed.n)
        one = estimate("policy-aware", log, aimed)
        ends = [one.value, estimate("policy-aware", drawn_in(log), aimed).value if has_both else one.value]
        half = reach(chance_variance(one, log, aimed, "policy-aware"), math.inf)
        held += min(ends) - half <= truth <= max(ends) + half
    return held / logs


def test_intervals_of_ndcg_hold_the_truth_in_at_least_95_percent_of_logs():
    assert of_ideal(741, LOGS) >= 0.93 - SLACK


def test_the_simulation_sees_an_ideal_of_attractions_as_they_are():
    assert of_ideal(743, 40, has_both=False) < 0.2


USERS, SEARCHES = 400, 6_000


def of_people(seed, logs, by_person=True):
    """The share of logs whose interval from sums by person holds the value over all searches that people make.

    Some people click seven times as much as others, and nine in ten searches of a person are for one query; two rankers
    log with equal chances.
    """
    rng = np.random.default_rng(seed)
    gamma = rng.beta(1, 3, (QUERIES, DOCUMENTS)) / 2
    share = 1 / np.arange(1, QUERIES + 1) ** 0.8
    share /= share.sum()
    rankers = np.stack([np.argsort(-(gamma + rng.normal(0, 0.15, gamma.shape)), 1)[:, :DEPTH] for _ in range(2)])
    both = [sorted(set(a.tolist()) | set(b.tolist())) for a, b in zip(*rankers, strict=True)]
    orders = [[both[q][at] for at in np.argsort(-gamma[q][both[q]] + rng.normal(0, 0.2, len(both[q])))[:DEPTH]]
              for q in range(QUERIES)]  # fmt: skip
    lists = {f"{q:03d}": [f"{d:02d}" for d in order] for q, order in enumerate(orders)}
    truth = sum(share[q] * float(DCG @ gamma[q][order]) for q, order in enumerate(orders))
    held = 0
    for _ in range(logs):
        user = rng.integers(USERS, size=SEARCHES)
        own = rng.choice(QUERIES, size=USERS, p=share)[user]
        query = np.where(rng.random(SEARCHES) < 0.9, own, rng.choice(QUERIES, size=SEARCHES, p=share))
        docs = rankers[rng.integers(2, size=SEARCHES), query]
        pair = query[:, None] * DOCUMENTS + docs
        clicks_much = rng.choice([0.25, 1.75], size=USERS)[user]
        clicked = rng.random(pair.shape) < THETA * gamma.ravel()[pair] * clicks_much[:, None]
        key, at = np.unique(pair * DEPTH + np.arange(DEPTH), return_inverse=True)
        at = at.ravel()
        cells = named(Cells(key // DEPTH, key % DEPTH + 1, np.bincount(at).astype(float),
                            np.bincount(at, clicked.ravel()), np.arange(QUERIES * DOCUMENTS) // DOCUMENTS))  # fmt: skip
        aimed = aim(cells, lists, DCG)
        log = seen(cells, THETA, aimed)
        one = estimate("policy-aware", log, aimed)
        places = {(p, k): i for i, (p, k) in enumerate(zip(log.cells.pair, log.cells.position - 1, strict=True))}
        index = np.array([places[int(k) // DEPTH, int(k) % DEPTH] for k in key])[at].reshape(pair.shape)
        adds = (one.click[index] * clicked + one.shown[index]).sum(1) + one.search[query]
        unit = user if by_person else np.arange(SEARCHES)
        x, y = np.bincount(unit).astype(float), np.bincount(unit, adds)
        x, y = x[x > 0], y[x > 0]
        sums = Moments(len(x), x.sum(), y.sum(), x @ x, y @ y, x @ y)
        assert sums.ratio == pytest.approx(one.value)
        held += abs(one.value - truth) <= reach(sums.variance, len(x) - 1)
    return held / logs


def test_intervals_from_sums_by_person_hold_the_truth_in_95_percent_of_logs():
    held = of_people(721, LOGS)
    assert 0.93 - SLACK <= held <= 0.97 + SLACK, held


def test_the_simulation_sees_searches_that_are_taken_for_independent():
    assert of_people(723, 100, by_person=False) < 0.85
