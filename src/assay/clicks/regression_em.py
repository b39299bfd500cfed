"""Propensities where attraction is a function of features: expectation maximisation with a regression in each step.

Source: Wang et al., Position bias estimation for unbiased learning to rank in personal search, WSDM 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.clicks.cells import Cells
from assay.clicks.em import GAIN, Product, two_coins
from assay.clicks.pairs import F64, total
from assay.errors import InputError


def regression_em(
    cells: Cells, features: F64, regressor: Any = None, steps: int = 200, gain: float = GAIN,
) -> Product:  # fmt: skip
    """Expectation maximisation where attraction is a function of features, learned anew in each step.

    It needs no interventions, and is as right as the function is: what the features do not know of relevance goes into
    theta.

    Args:
        cells: impressions and clicks by pair and position.
        features: f64[n_pairs, p], of each query-document pair.
        regressor: has `fit(features, target, sample_weight=)` and `predict(features)`, as in scikit-learn, for targets
            from 0 to 1; by default a logistic regression.
        steps: at most so many.
        gain: stop when the log-likelihood of a showing rises by less.

    Raises:
        InputError: not one row of features a pair, or a feature is not finite.
    """
    if len(features) != cells.pairs or not np.isfinite(features).all():
        raise InputError(f"features for {len(features)} of {cells.pairs} pairs, or some not finite", where="features")
    learner = Logistic() if regressor is None else regressor
    shown = total(cells.pair, cells.impressions, cells.pairs) > 0

    def step(attracted: F64, showings: F64) -> F64:
        learner.fit(features[shown], attracted[shown] / showings[shown], sample_weight=showings[shown])
        return np.clip(np.asarray(learner.predict(features), dtype=np.float64), 1e-6, 1 - 1e-6)

    counts = (cells.pair, cells.position - 1, cells.impressions, cells.clicks, cells.pairs, cells.depth)
    return two_coins(*counts, steps=steps, gain=gain, prior=(0.0, 0.0), gamma_step=step)


class Logistic:
    """Logistic regression of shares from 0 to 1, by Newton's method, warm from its last fit.

    Args:
        ridge: penalty on the coefficients of standardised features, in showings.
    """

    def __init__(self, ridge: float = 1.0) -> None:
        self.ridge = ridge
        self.coefficients: F64 = np.zeros(0)

    def fit(self, features: F64, target: F64, sample_weight: F64) -> None:
        """Finds the coefficients of the likeliest shares."""
        self.mean, spread = features.mean(0), features.std(0)
        self.spread = np.where(spread > 0, spread, 1.0)
        x = self._design(features)
        coefficients = self.coefficients if len(self.coefficients) else np.zeros(x.shape[1])
        penalty = np.full(x.shape[1], self.ridge)
        penalty[0] = 0.0
        for _ in range(50):
            chance = 1 / (1 + np.exp(-np.clip(x @ coefficients, -30, 30)))
            slope = x.T @ (sample_weight * (target - chance)) - penalty * coefficients
            bend = (x * (sample_weight * np.maximum(chance * (1 - chance), 1e-9))[:, None]).T @ x + np.diag(penalty)
            move = np.linalg.solve(bend + 1e-9 * np.eye(len(bend)), slope)
            coefficients = coefficients + move / max(1.0, np.abs(move).max() / 5)
            if np.abs(move).max() < 1e-10:
                break
        self.coefficients = coefficients

    def predict(self, features: F64) -> F64:
        """The share that each row is expected to have."""
        chance: F64 = 1 / (1 + np.exp(-np.clip(self._design(features) @ self.coefficients, -30, 30)))
        return chance

    def _design(self, features: F64) -> F64:
        return np.column_stack([np.ones(len(features)), (features - self.mean) / self.spread])
