"""What models have in common in which a reader goes down the list: the three chances say everything."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from assay.clicks.cells import Bool
from assay.clicks.lists import Lists
from assay.clicks.models import chain as down
from assay.clicks.models.chain import Chain
from assay.clicks.pairs import F64, I64


class Reader(ABC):
    """A model that is a chain of examined places."""

    @abstractmethod
    def chain(self, pair: I64) -> Chain:
        """The chances at each place of these lists."""

    def marginal(self, pair: I64) -> F64:
        """Chance of a click at each place when only the list is known."""
        return down.marginal(self.chain(pair))

    def conditional(self, lists: Lists) -> F64:
        """Chance of a click at each place given the clicks above."""
        return down.conditional(self.chain(lists.pair), lists.clicked)

    def sample(self, pair: I64, rng: np.random.Generator) -> Bool:
        """Clicks of one reader a list."""
        return down.sample(self.chain(pair), rng)
