"""The dependent click model: after a click at position k the reader goes on with chance lambda_k.

Source: Guo, Liu and Wang, Efficient multiple-click models in web search, WSDM 2009. Their closed form takes the last
click for the end of reading; it puts attraction too high and continuation too low, as readers who went on and clicked
nothing more are taken for readers who stopped. `fit` allows for them, `from_counts` is the closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from assay.clicks.counts import CascadeCounts
from assay.clicks.em import HALF, Prior, share
from assay.clicks.lists import Lists
from assay.clicks.models.chain import Chain
from assay.clicks.models.climb import GAIN, Walk, climb
from assay.clicks.models.model import Needs, along, click_model, look_up
from assay.clicks.models.reader import Reader
from assay.clicks.pairs import F64, I64, total

Unclicked = Literal["examined", "dropped"]


def attraction_to_last(counts: CascadeCounts, unclicked: Unclicked, prior: Prior) -> F64:
    """f64[n_pairs]: clicks over showings down to the last click.

    Args:
        counts: how far lists were read.
        unclicked: lists without a click were "examined" to their end (PyClick), or are "dropped".
        prior: see `em.HALF`.
    """
    pairs = len(counts.query)
    seen = counts.to_last + counts.unclicked if unclicked == "examined" else counts.to_last
    return share(total(counts.pair, counts.clicks, pairs), total(counts.pair, seen, pairs), prior)


@click_model("dcm")
@dataclass(frozen=True, eq=False)
class DependentClick(Reader):
    """Several clicks; how likely one more is depends on the position of the last.

    Args:
        attraction: f64[n_pairs], the chance of a click when examined.
        continuation: f64[K], lambda: the chance of going on after a click.
    """

    needs: ClassVar[Needs] = "lists"
    attraction: F64
    continuation: F64

    @classmethod
    def fit(cls, lists: Lists, steps: int = 500, gain: float = GAIN, prior: Prior = HALF) -> DependentClick:
        """Expectation maximisation, forward and backward over distinct lists.

        Args:
            lists: distinct lists and their counts.
            steps: at most so many.
            gain: stop when the log-likelihood of a list rises by less; 0 takes all steps.
            prior: of every parameter, see `em.HALF`.
        """
        start = DependentClick(np.full(len(lists.query), 0.5), np.full(lists.depth, 0.5))
        return climb(Walk(lists), start, lambda model, walk: _step(model, walk, prior), steps, gain)

    @classmethod
    def from_counts(cls, counts: CascadeCounts, unclicked: Unclicked = "examined", prior: Prior = HALF) -> Self:
        """Attraction down to the last click; lambda is the share of clicks that were not the last of their list."""
        depth = int(counts.position.max()) if len(counts.position) else 0
        clicks, last = (total(counts.position - 1, of, depth) for of in (counts.clicks, counts.last_clicks))
        return cls(attraction_to_last(counts, unclicked, prior), share(clicks - last, clicks, prior))

    @property
    def relevance(self) -> F64:
        """The attraction."""
        return self.attraction

    def chain(self, pair: I64) -> Chain:
        """Goes on after a skip, and after a click with lambda."""
        onward = np.broadcast_to(along(self.continuation, pair.shape[1]), pair.shape)
        return Chain(look_up(self.attraction, pair), np.ones(pair.shape), onward)


def _step(model: DependentClick, walk: Walk, prior: Prior) -> tuple[DependentClick, float]:
    """One better model, and the log-likelihood of the one before."""
    found, likelihood = walk.read(model.chain(walk.pair))
    told = np.where(walk.clicked & walk.not_end, walk.count, 0.0)
    better = DependentClick(
        share(walk.clicks, walk.sum(found.examined), prior),
        share((told * found.stays).sum(0), told.sum(0), prior),
    )
    return better, likelihood
