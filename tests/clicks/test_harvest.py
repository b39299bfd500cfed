"""Swaps, harvested interventions, expectation maximisation and trust bias, against references and known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bench.plain_em import plain_pbm

from assay.clicks.cells import F64, I64, Cells
from assay.clicks.harvest import adjacent_chain, all_pairs, from_em, from_shuffled, from_swaps, pivot
from assay.clicks.regression_em import Logistic, regression_em
from assay.clicks.trust import affine
from assay.errors import InputError, NotEnoughEvidence
from clicks.simulated import sessions, truth
from simulations.test_trust_simulations import SPREAD

THETA = np.array([1, 0.7, 0.5, 0.35, 0.3, 0.2])


def exact(theta: F64 = THETA, queries: int = 60, seed: int = 1) -> tuple[Cells, F64]:
    """Cells of two rankers whose clicks are their expectations, and the attraction of each pair."""
    rng = np.random.default_rng(seed)
    depth = len(theta)
    gamma = rng.beta(1, 2, queries * 10)
    pair, position, n = [], [], []
    for query in range(queries):
        lists = rng.integers(50, 500)
        for _ in range(2):
            pair.append(query * 10 + rng.permutation(8)[:depth])
            position.append(np.arange(1, depth + 1))
            n.append(np.full(depth, float(lists)))
    pairs, positions, shown = np.concatenate(pair), np.concatenate(position), np.concatenate(n)
    clicks = shown * theta[positions - 1] * gamma[pairs]
    return Cells(pairs, positions, shown, clicks, np.arange(queries * 10) // 10), gamma


@pytest.mark.parametrize("estimate", [pivot, adjacent_chain, all_pairs])
def test_without_noise_harvesting_finds_the_truth(estimate: Any) -> None:
    # positions (1, 6) and (2, 3) have the product 6 both, and relevances that differ
    assert estimate(exact()[0]).theta == pytest.approx(THETA, rel=2e-4)


@pytest.mark.shared
@pytest.mark.parametrize("estimate", [pivot, adjacent_chain, all_pairs])
def test_harvesting_agrees_with_the_truth_of_a_simulated_log(estimate: Any) -> None:
    found = estimate(sessions("pbm_60k").cells()).theta
    assert np.abs(np.log(found / truth()["theta"])).max() < 0.25  # four times the standard error of position 10


@pytest.mark.shared
def test_swaps_are_the_reference() -> None:
    log = sessions("pbm_60k")
    cells = log.cells_by("swap")
    assert cells.segment is not None
    found = from_swaps(cells, np.unique(log.swap)[cells.segment])
    theta = [0.5211, 0.3307, 0.2523, 0.2078, 0.1981, 0.1460, 0.1079, 0.0923, 0.1066]
    assert found.theta[1:] == pytest.approx(theta, abs=6e-5)
    se = [0.0267, 0.0222, 0.0200, 0.0181, 0.0179, 0.0155, 0.0134, 0.0124, 0.0130]
    assert (found.theta * found.se)[1:] == pytest.approx(se, abs=6e-5)


def test_shuffled_lists_by_hand() -> None:
    cells = Cells(
        np.array([0, 1, 0]),
        np.array([1, 2, 3]),
        np.array([100.0, 200, 50]),
        np.array([40.0, 20, 0]),
        np.zeros(2, np.int64),
    )
    found = from_shuffled(cells)
    assert found.theta[:2] == pytest.approx([1, 0.1 / 0.4])
    assert found.se[1] == pytest.approx(np.sqrt(0.9 / (200 * 0.1) + 0.6 / (100 * 0.4)))
    assert np.isnan(found.theta[2])  # nobody clicked there
    assert found.pairs.tolist() == [100, 200, 50]


def test_swaps_that_cannot_be_are_refused() -> None:
    cells, _ = exact()
    with pytest.raises(InputError, match="a swap is with no position from 2 on"):
        from_swaps(cells, np.ones(len(cells.pair), np.int64))
    with pytest.raises(InputError, match="1 swaps for 720 cells"):
        from_swaps(cells, np.zeros(1, np.int64))


def test_a_missing_link_ends_the_chain() -> None:
    # one document at 1 and 2, another at 3 and 4
    cells = Cells(
        np.array([0, 0, 1, 1]),
        np.array([1, 2, 3, 4]),
        np.full(4, 10.0),
        np.array([4.0, 2, 2, 1]),
        np.zeros(2, np.int64),
    )
    assert adjacent_chain(cells).theta[:2] == pytest.approx([1, 0.5])
    assert np.isnan(adjacent_chain(cells).theta[2:]).all()
    assert np.isnan(pivot(cells).theta[2:]).all()
    with pytest.raises(NotEnoughEvidence, match="no clicked document was shown at several positions"):
        all_pairs(cells.where(np.array([True, False, False, False])))


@pytest.mark.shared
def test_em_without_smoothing_is_the_reference_after_5000_steps() -> None:
    found = from_em(sessions("pbm_60k").cells(), steps=5000, gain=0)
    reference = [0.5019, 0.3526, 0.2499, 0.2006, 0.1742, 0.1398, 0.1173, 0.1052, 0.0938]
    assert (found.theta / found.theta[0])[1:] == pytest.approx(reference, abs=6e-5)
    assert found.log_likelihood == pytest.approx(-0.1848165629, abs=6e-11)


@pytest.mark.shared
def test_em_with_smoothing_is_a_plain_em_session_by_session() -> None:
    lists = sessions("pbm_60k").rows(slice(0, 1000))
    theta, gamma = plain_pbm(list(zip(lists.pair.tolist(), lists.clicked.tolist(), strict=True)), 20)
    found = from_em(lists.cells(), steps=20, gain=0, prior=(1.0, 2.0))
    assert found.theta == pytest.approx([theta[k] for k in range(10)], abs=1e-9)
    assert found.gamma[sorted(gamma)] == pytest.approx([gamma[pair] for pair in sorted(gamma)], abs=1e-9)


def ranked_by_one(gamma: F64, theta: F64, rng: np.random.Generator) -> Cells:
    """One ranker that knows gamma but for noise, 300 lists a query: nothing ties positions but the features."""
    queries = len(gamma) // 10
    order = np.argsort(-(gamma + rng.normal(0, 0.1, len(gamma))).reshape(queries, 10), axis=1)[:, : len(theta)]
    pair: I64 = (order + 10 * np.arange(queries)[:, None]).ravel()
    at = np.tile(np.arange(len(theta)), queries)
    clicks = rng.binomial(300, theta[at] * gamma[pair]).astype(float)
    return Cells(pair, at + 1, np.full(len(pair), 300.0), clicks, np.arange(len(gamma)) // 10)


class Ridge:
    """A regressor as scikit-learn has them: least squares on shares."""

    def fit(self, features: F64, target: F64, sample_weight: F64) -> None:
        x = np.column_stack([np.ones(len(features)), features])
        self.slope = np.linalg.solve(
            (x * sample_weight[:, None]).T @ x + 1e-6 * np.eye(x.shape[1]), (x * sample_weight[:, None]).T @ target
        )

    def predict(self, features: F64) -> F64:
        found: F64 = np.column_stack([np.ones(len(features)), features]) @ self.slope
        return found


@pytest.mark.parametrize("regressor", [None, Ridge()])
def test_features_that_know_relevance_identify_one_rankers_log(regressor: Any) -> None:
    rng = np.random.default_rng(2)
    logit = rng.normal(-1, 1.2, 1500)
    gamma = 1 / (1 + np.exp(-logit)) if regressor is None else rng.uniform(0.05, 0.9, 1500)
    features = np.column_stack([logit if regressor is None else gamma, rng.normal(size=1500)])
    found = regression_em(ranked_by_one(gamma, THETA, rng), features, regressor)
    assert found.theta / found.theta[0] == pytest.approx(THETA, rel=0.06)
    if regressor is None:
        assert np.sqrt(np.mean((found.gamma - gamma) ** 2)) < 0.02


def test_a_logistic_regression_of_one_feature_by_hand() -> None:
    # two values of a feature and no penalty: the fitted shares are the observed ones
    learner = Logistic(ridge=0.0)
    learner.fit(np.array([[0.0], [1.0], [1.0]]), np.array([0.2, 0.5, 0.8]), np.array([10.0, 10, 20]))
    assert learner.predict(np.array([[0.0], [1.0]])) == pytest.approx([0.2, (5 + 16) / 30])


def test_features_that_are_missing_are_refused() -> None:
    cells, _ = exact()
    with pytest.raises(InputError, match="features for 3 of 600 pairs"):
        regression_em(cells, np.ones((3, 1)))
    with pytest.raises(InputError, match="not finite"):
        regression_em(cells, np.full((600, 1), np.nan))


@pytest.mark.shared
@pytest.mark.slow
def test_lines_of_trust_are_those_of_the_simulation() -> None:
    theta = np.array(truth()["theta"])
    low = 0.35 / np.arange(1, 11)  # how often an examined document is clicked that is not relevant
    alpha = theta * (0.98 - low) / (0.98 - low[0])
    beta = theta * low - alpha * low[0]
    found = affine(sessions("trust_60k").cells())
    for estimate, se, true, spread in ((found.alpha, found.se_alpha, alpha, SPREAD[0]),
                                       (found.beta, found.se_beta, beta, SPREAD[1])):  # fmt: skip
        assert (np.abs(estimate - true)[1:] < 4 * spread).all()
        # standard errors of single logs differ by a fifth: four of these, to both sides of how much estimates spread
        assert (np.abs(np.log(se[1:] / spread)) < 0.8).all()
    assert found.alpha[0] == 1
    assert found.beta[0] == 0
    assert not any(found.reasons)


@pytest.mark.shared
@pytest.mark.slow
def test_without_trust_bias_lines_go_through_the_origin() -> None:
    found = affine(sessions("pbm_60k").cells())
    # how much estimates spread over 80 logs with the impressions and the law of this one, drawn with seed 641
    alpha = np.array([0.0104, 0.0092, 0.0099, 0.0148, 0.0096, 0.0103, 0.0119, 0.0116, 0.0103])
    beta = np.array([0.0046, 0.0027, 0.0022, 0.0026, 0.0017, 0.0018, 0.0016, 0.0015, 0.0012])
    assert (np.abs(found.beta[1:]) < 4 * beta).all()
    assert (np.abs(found.alpha - truth()["theta"])[1:] < 4 * alpha).all()
    for se, spread in ((found.se_alpha, alpha), (found.se_beta, beta)):
        assert (np.abs(np.log(se[1:] / spread)) < 0.8).all()


def test_lines_that_cannot_be_told_have_a_reason() -> None:
    one = ranked_by_one(np.random.default_rng(3).uniform(0.1, 0.9, 200), THETA, np.random.default_rng(4))
    with pytest.raises(NotEnoughEvidence, match="one ranker's log cannot tell trust from relevance"):
        affine(one)
    cells, gamma = exact()
    alike = Cells(cells.pair, cells.position, cells.impressions, 0.3 * cells.clicks / gamma[cells.pair], cells.query)
    found = affine(alike)
    assert set(found.reasons[1:]) == {"the documents shown here are too alike in relevance to tell a slope"}
    assert np.isnan(found.alpha[1:]).all()
    few = exact(queries=3)[0]
    assert "documents were shown here and elsewhere" in affine(few).reasons[1]
