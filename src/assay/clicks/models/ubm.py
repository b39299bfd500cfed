"""The user browsing model: how likely a place is examined depends on its position and on the last click above.

Source: Dupret and Piwowarski, A user browsing model to predict search engine click data from past observations,
SIGIR 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from assay.clicks.cells import Bool
from assay.clicks.counts import LastClickCells
from assay.clicks.em import GAIN, HALF, Prior, two_coins
from assay.clicks.lists import Lists
from assay.clicks.models.model import Needs, click_model, look_up
from assay.clicks.pairs import F64, I64


@click_model("ubm")
@dataclass(frozen=True, eq=False)
class UserBrowsing:
    """P(click | last click at r) = theta[k, r] gamma[pair].

    Args:
        theta: f64[K, K]: row position - 1, column the last click above, 0 for none; the prior's where r >= k.
        gamma: f64[n_pairs], the chance of a click when examined.
    """

    needs: ClassVar[Needs] = "by_last_click"
    theta: F64
    gamma: F64

    @classmethod
    def fit(cls, cells: LastClickCells, steps: int = 2000, gain: float = GAIN, prior: Prior = HALF) -> Self:
        """Expectation maximisation, as for the position-based model; PyClick is steps=50, gain=0.

        Args:
            cells: impressions and clicks by pair, position and last click.
            steps: at most so many.
            gain: stop when the log-likelihood of a showing rises by less; 0 takes all steps.
            prior: see `em.HALF`.
        """
        depth = int(cells.position.max()) if len(cells.position) else 0
        key = (cells.position - 1) * depth + cells.last
        found = two_coins(
            cells.pair, key, cells.impressions, cells.clicks, len(cells.query), depth**2, steps=steps, gain=gain,
            prior=prior,
        )  # fmt: skip
        return cls(found.theta.reshape(depth, depth), found.gamma)

    @property
    def relevance(self) -> F64:
        """Gamma, the attraction."""
        return self.gamma

    def marginal(self, pair: I64) -> F64:
        """Sum over where the last click may have been."""
        n, depth = pair.shape
        gamma, theta = look_up(self.gamma, pair), self._theta(depth)
        last = np.zeros((n, depth + 1))  # chance that the last click so far was at r
        last[:, 0] = 1.0
        out = np.zeros((n, depth))
        for k in range(depth):
            click = last[:, : k + 1] * theta[k, : k + 1] * gamma[:, k : k + 1]
            out[:, k] = click.sum(1)
            last[:, : k + 1] -= click
            last[:, k + 1] = out[:, k]
        return out

    def conditional(self, lists: Lists) -> F64:
        """Theta at the position and the last click, times gamma."""
        theta = self._theta(lists.depth)
        return look_up(self.gamma, lists.pair) * theta[np.arange(lists.depth), lists.last]

    def sample(self, pair: I64, rng: np.random.Generator) -> Bool:
        """Clicks of one reader a list."""
        n, depth = pair.shape
        gamma, theta = look_up(self.gamma, pair), self._theta(depth)
        out, last = np.zeros((n, depth), bool), np.zeros(n, np.int64)
        for k in range(depth):
            out[:, k] = rng.random(n) < theta[k, last] * gamma[:, k]
            last = np.where(out[:, k], k + 1, last)
        return out

    def _theta(self, depth: int) -> F64:
        """f64[depth, depth]; deeper positions are read like the last one that is known."""
        known = np.minimum(np.arange(depth), len(self.theta) - 1)
        theta: F64 = self.theta[np.ix_(known, known)]
        return theta
