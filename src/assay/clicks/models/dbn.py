"""The dynamic Bayesian network of clicks, and its simplified form: a clicked document satisfies, or not.

Source: Chapelle and Zhang, A dynamic Bayesian network click model for web search ranking, WWW 2009.
The closed form of the simplified model, `SimplifiedDynamic.from_counts`, takes the last click for the end of reading:
who was not satisfied and clicked nothing more is taken for satisfied. `fit` allows for such readers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from assay.clicks.counts import CascadeCounts
from assay.clicks.em import HALF, Prior, share
from assay.clicks.lists import Lists
from assay.clicks.models.chain import Chain, Posterior
from assay.clicks.models.climb import GAIN, Walk, climb
from assay.clicks.models.dcm import Unclicked, attraction_to_last
from assay.clicks.models.model import Needs, click_model, look_up
from assay.clicks.models.reader import Reader
from assay.clicks.pairs import F64, I64, total


def _until_satisfied(attraction: F64, satisfaction: F64, continuation: float, pair: I64) -> Chain:
    """Goes on with one chance, unless satisfied."""
    onward = continuation * (1 - look_up(satisfaction, pair))
    return Chain(look_up(attraction, pair), np.full(pair.shape, continuation), onward)


@click_model("sdbn")
@dataclass(frozen=True, eq=False)
class SimplifiedDynamic(Reader):
    """Nobody tires: the reader stops only when satisfied, at the last click.

    Args:
        attraction: f64[n_pairs], the chance of a click when examined.
        satisfaction: f64[n_pairs], the chance that a click is the last.
    """

    needs: ClassVar[Needs] = "lists"
    attraction: F64
    satisfaction: F64

    @classmethod
    def fit(cls, lists: Lists, steps: int = 500, gain: float = GAIN, prior: Prior = HALF) -> Self:
        """Expectation maximisation, forward and backward over distinct lists.

        Args:
            lists: distinct lists and their counts.
            steps: at most so many.
            gain: stop when the log-likelihood of a list rises by less; 0 takes all steps.
            prior: of attraction and satisfaction, see `em.HALF`.
        """
        half = np.full(len(lists.query), 0.5)
        found = climb(
            Walk(lists), Dynamic(half, half, 1.0), lambda model, walk: _step(model, walk, prior, 1.0), steps, gain
        )
        return cls(found.attraction, found.satisfaction)

    @classmethod
    def from_counts(cls, counts: CascadeCounts, unclicked: Unclicked = "examined", prior: Prior = HALF) -> Self:
        """Attraction: clicks over showings down to the last click. Satisfaction: last clicks over clicks.

        Args:
            counts: how far lists were read.
            unclicked: lists without a click were "examined" to their end (PyClick), or are "dropped" (common where
                labels for learning are made).
            prior: see `em.HALF`.
        """
        pairs = len(counts.query)
        clicks, last = (total(counts.pair, of, pairs) for of in (counts.clicks, counts.last_clicks))
        return cls(attraction_to_last(counts, unclicked, prior), share(last, clicks, prior))

    @property
    def relevance(self) -> F64:
        """Attraction times satisfaction: the chance that an examined document ends the search."""
        return self.attraction * self.satisfaction

    def chain(self, pair: I64) -> Chain:
        """Goes on unless satisfied."""
        return _until_satisfied(self.attraction, self.satisfaction, 1.0, pair)


@click_model("dbn")
@dataclass(frozen=True, eq=False)
class Dynamic(Reader):
    """Who is not satisfied goes on with one chance, after a skip as after a click.

    Args:
        attraction: f64[n_pairs], the chance of a click when examined.
        satisfaction: f64[n_pairs], the chance that a clicked document satisfies.
        continuation: the chance of going on when not satisfied.
    """

    needs: ClassVar[Needs] = "lists"
    attraction: F64
    satisfaction: F64
    continuation: float

    @classmethod
    def fit(cls, lists: Lists, steps: int = 500, gain: float = GAIN, prior: Prior = HALF) -> Dynamic:
        """Expectation maximisation, forward and backward over distinct lists.

        Args:
            lists: distinct lists and their counts.
            steps: at most so many.
            gain: stop when the log-likelihood of a list rises by less; 0 takes all steps.
            prior: of attraction and satisfaction, see `em.HALF`.
        """
        half = np.full(len(lists.query), 0.5)
        return climb(Walk(lists), Dynamic(half, half, 0.9), lambda model, walk: _step(model, walk, prior), steps, gain)

    @property
    def relevance(self) -> F64:
        """Attraction times satisfaction: the chance that an examined document ends the search."""
        return self.attraction * self.satisfaction

    def chain(self, pair: I64) -> Chain:
        """Goes on unless satisfied or tired."""
        return _until_satisfied(self.attraction, self.satisfaction, self.continuation, pair)


def _step(model: Dynamic, walk: Walk, prior: Prior, continuation: float | None = None) -> tuple[Dynamic, float]:
    """One better model, and the log-likelihood of the one before; `continuation` is fitted unless it is given."""
    g, end = model.continuation, walk.at_last_click
    found, likelihood = walk.read(model.chain(walk.pair))
    content = model.satisfaction[walk.pair[end]]
    quiet = (1 - content) * (g * found.silence[:, 1:][end] + 1 - g)  # not satisfied, and no click below
    happy = content / (content + quiet)
    satisfied = total(walk.pair[end], walk.count[end] * happy, walk.pairs)
    better = Dynamic(
        share(walk.clicks, walk.sum(found.examined), prior),
        share(satisfied, walk.decided, prior),
        _continuation(walk, found, happy) if continuation is None else continuation,
    )
    return better, likelihood


def _continuation(walk: Walk, found: Posterior, happy: F64) -> float:
    """How many of those who were not satisfied went on, where there was something below."""
    onward = (walk.count[:, :-1] * found.examined[:, 1:])[walk.shown[:, 1:]].sum()
    unsatisfied = found.examined.copy()
    unsatisfied[walk.at_last_click] = 1 - happy
    chances = (walk.count * unsatisfied)[walk.not_end].sum()
    return float(onward / chances) if chances else 1.0
