"""The cascade model: the reader goes down the list to the first attractive document, clicks it and is done.

Source: Craswell et al., An experimental comparison of click position-bias models, WSDM 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from assay.clicks.counts import CascadeCounts
from assay.clicks.em import HALF, Prior, share
from assay.clicks.models.chain import Chain
from assay.clicks.models.model import Needs, click_model, look_up
from assay.clicks.models.reader import Reader
from assay.clicks.pairs import F64, I64, total


@click_model("cascade")
@dataclass(frozen=True, eq=False)
class Cascade(Reader):
    """One click at most; everything above it was examined and not attractive.

    Args:
        attraction: f64[n_pairs], the chance of a click when examined.
    """

    needs: ClassVar[Needs] = "cascade"
    attraction: F64

    @classmethod
    def fit(cls, counts: CascadeCounts, prior: Prior = HALF) -> Self:
        """First clicks over showings down to the first click; without a click the whole list was examined."""
        pairs = len(counts.query)
        examined = total(counts.pair, counts.to_first + counts.unclicked, pairs)
        return cls(share(total(counts.pair, counts.first_clicks, pairs), examined, prior))

    @property
    def relevance(self) -> F64:
        """The attraction."""
        return self.attraction

    def chain(self, pair: I64) -> Chain:
        """Goes on after a skip, never after a click."""
        return Chain(look_up(self.attraction, pair), np.ones(pair.shape), np.zeros(pair.shape))
