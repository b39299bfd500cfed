"""The position-based model: a place is examined with a chance of its own, whatever else is clicked.

Source: Craswell et al., An experimental comparison of click position-bias models, WSDM 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from assay.clicks.cells import Cells
from assay.clicks.em import GAIN, HALF, Prior, two_coins
from assay.clicks.models.independent import Independent
from assay.clicks.models.model import along, click_model, look_up
from assay.clicks.pairs import F64, I64


@click_model("pbm")
@dataclass(frozen=True, eq=False)
class PositionBased(Independent):
    """P(click) = theta[position] gamma[pair].

    Args:
        theta: f64[K], the chance that a position is examined; clicks tell only ratios, the prior the rest.
        gamma: f64[n_pairs], the chance of a click when examined; the prior's where a pair was not shown.
    """

    theta: F64
    gamma: F64

    @classmethod
    def fit(cls, cells: Cells, steps: int = 2000, gain: float = GAIN, prior: Prior = HALF) -> Self:
        """Expectation maximisation; PyClick is steps=50, gain=0 with the default prior.

        Args:
            cells: impressions and clicks by pair and position.
            steps: at most so many.
            gain: stop when the log-likelihood of a showing rises by less; 0 takes all steps.
            prior: see `em.HALF`.
        """
        found = two_coins(
            cells.pair, cells.position - 1, cells.impressions, cells.clicks, cells.pairs, cells.depth, steps=steps,
            gain=gain, prior=prior,
        )  # fmt: skip
        return cls(found.theta, found.gamma)

    @property
    def relevance(self) -> F64:
        """Gamma, the attraction."""
        return self.gamma

    def marginal(self, pair: I64) -> F64:
        """Theta times gamma."""
        return look_up(self.gamma, pair) * along(self.theta, pair.shape[1])
