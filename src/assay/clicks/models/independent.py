"""What models have in common in which one click says nothing of the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from assay.clicks.cells import Bool
from assay.clicks.lists import Lists
from assay.clicks.models.model import Needs
from assay.clicks.pairs import F64, I64


class Independent(ABC):
    """Clicks do not depend on the clicks above: every chance is the marginal one."""

    needs: ClassVar[Needs] = "cells"

    @abstractmethod
    def marginal(self, pair: I64) -> F64:
        """f64[n, K]: chance of a click when only the list is known."""

    def conditional(self, lists: Lists) -> F64:
        """Chance of a click at each place; the clicks above say nothing."""
        return self.marginal(lists.pair)

    def sample(self, pair: I64, rng: np.random.Generator) -> Bool:
        """Clicks of one reader a list."""
        drawn: Bool = rng.random(pair.shape) < self.marginal(pair)
        return drawn
