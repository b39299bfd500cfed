"""Click rates as models: of everything, of positions, of documents, and of both by clicks over expected clicks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from assay.clicks.cells import Cells
from assay.clicks.coec import shrunk_coec
from assay.clicks.em import CERTAIN, HALF, Prior, share
from assay.clicks.models.independent import Independent
from assay.clicks.models.model import along, click_model, look_up
from assay.clicks.pairs import F64, I64, total


@click_model("global-ctr")
@dataclass(frozen=True, eq=False)
class GlobalRate(Independent):
    """One rate for every document at every position.

    Args:
        rate: clicks over impressions.
        pairs: how many pairs there are.
    """

    rate: float
    pairs: int

    @classmethod
    def fit(cls, cells: Cells, prior: Prior = HALF) -> Self:
        """Clicks over impressions."""
        one = np.array([cells.clicks.sum()]), np.array([cells.impressions.sum()])
        return cls(float(share(*one, prior)[0]), cells.pairs)

    @property
    def relevance(self) -> F64:
        """The same for all."""
        return np.full(self.pairs, self.rate)

    def marginal(self, pair: I64) -> F64:
        """The rate wherever a document is."""
        return np.where(pair >= 0, self.rate, 0.0)


@click_model("rank-ctr")
@dataclass(frozen=True, eq=False)
class RankRate(Independent):
    """One rate for each position.

    Args:
        rates: f64[K], clicks over impressions.
        pairs: how many pairs there are.
    """

    rates: F64
    pairs: int

    @classmethod
    def fit(cls, cells: Cells, prior: Prior = HALF) -> Self:
        """Clicks over impressions by position."""
        clicks, shown = (total(cells.position - 1, of, cells.depth) for of in (cells.clicks, cells.impressions))
        return cls(share(clicks, shown, prior), cells.pairs)

    @property
    def relevance(self) -> F64:
        """The same for all: positions say nothing of documents."""
        return np.full(self.pairs, float(self.rates.mean()))

    def marginal(self, pair: I64) -> F64:
        """The rate of the position."""
        return np.where(pair >= 0, along(self.rates, pair.shape[1]), 0.0)


@click_model("document-ctr")
@dataclass(frozen=True, eq=False)
class DocumentRate(Independent):
    """One rate for each query-document pair, wherever it was shown.

    Args:
        rates: f64[n_pairs], clicks over impressions.
    """

    rates: F64

    @classmethod
    def fit(cls, cells: Cells, prior: Prior = HALF) -> Self:
        """Clicks over impressions by pair."""
        clicks, shown = (total(cells.pair, of, cells.pairs) for of in (cells.clicks, cells.impressions))
        return cls(share(clicks, shown, prior))

    @property
    def relevance(self) -> F64:
        """The rate: high where the document was put high."""
        return self.rates

    def marginal(self, pair: I64) -> F64:
        """The rate of the document."""
        return look_up(self.rates, pair)


@click_model("coec")
@dataclass(frozen=True, eq=False)
class ExpectedRate(Independent):
    """The rate of the position times the document's clicks over expected clicks, shrunk towards 1.

    Args:
        rates: f64[K], clicks over impressions of each position.
        coec: f64[n_pairs], shrunk; 1 where a document was not shown.
        strength: how many expected clicks the shrinking is worth.
    """

    rates: F64
    coec: F64
    strength: float

    @classmethod
    def fit(cls, cells: Cells, prior: Prior = HALF) -> Self:
        """Rates by position, then clicks over expected clicks with the strength that makes the counts likeliest."""
        rates = RankRate.fit(cells, prior).rates
        expected = total(cells.pair, cells.impressions * rates[cells.position - 1], cells.pairs)
        coec, strength = shrunk_coec(total(cells.pair, cells.clicks, cells.pairs), expected)
        return cls(rates, coec, strength)

    @property
    def relevance(self) -> F64:
        """Clicks over expected clicks."""
        return self.coec

    def marginal(self, pair: I64) -> F64:
        """Rate of the position times clicks over expected clicks."""
        return np.minimum(look_up(self.coec, pair) * along(self.rates, pair.shape[1]), CERTAIN)
