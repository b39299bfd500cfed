"""The click chain model: whether the reader goes on after a click depends on how relevant the document was.

Source: Guo et al., Click chain model in web search, WWW 2009. Relevance is estimated by expectation maximisation at its
most likely value, as PyClick does, where the paper keeps a posterior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.clicks.em import HALF, Prior, share
from assay.clicks.lists import Lists
from assay.clicks.models.chain import Chain
from assay.clicks.models.climb import GAIN, Walk, climb
from assay.clicks.models.model import Needs, click_model, look_up
from assay.clicks.models.reader import Reader
from assay.clicks.pairs import F64, I64


@click_model("ccm")
@dataclass(frozen=True, eq=False)
class ClickChain(Reader):
    """After a skip the reader goes on with one chance; after a click with one of two, by the document's relevance.

    Args:
        relevance: f64[n_pairs], the chance of a click when examined, and of a satisfying document when clicked.
        after_skip: alpha 1.
        after_poor, after_good: alpha 2 and 3, after a click on what does not, and what does, satisfy.
    """

    needs: ClassVar[Needs] = "lists"
    relevance: F64
    after_skip: float
    after_poor: float
    after_good: float

    @classmethod
    def fit(cls, lists: Lists, steps: int = 500, gain: float = GAIN, prior: Prior = HALF) -> ClickChain:
        """Expectation maximisation, forward and backward over distinct lists.

        Args:
            lists: distinct lists and their counts.
            steps: at most so many.
            gain: stop when the log-likelihood of a list rises by less; 0 takes all steps.
            prior: of relevance, see `em.HALF`.
        """
        start = ClickChain(np.full(len(lists.query), 0.5), 0.9, 0.6, 0.3)
        return climb(Walk(lists), start, lambda model, walk: _step(model, walk, prior), steps, gain)

    def chain(self, pair: I64) -> Chain:
        """Goes on with one of three chances."""
        relevance = look_up(self.relevance, pair)
        after_click = self.after_poor * (1 - relevance) + self.after_good * relevance
        return Chain(relevance, np.full(pair.shape, self.after_skip), after_click)


def _step(model: ClickChain, walk: Walk, prior: Prior) -> tuple[ClickChain, float]:
    """One better model, and the log-likelihood of the one before."""
    chain = model.chain(walk.pair)
    found, likelihood = walk.read(chain)
    good = chain.attraction
    silence = found.silence[:, 1:]
    told = walk.clicked & walk.not_end
    # the chance of what was seen below, when the reader went on and when not, and whether the document was good
    on = np.where(walk.goes_on, 1.0, silence)
    off = np.where(walk.goes_on, 0.0, 1.0)
    on_good, on_poor = good * model.after_good * on, (1 - good) * model.after_poor * on
    off_good, off_poor = good * (1 - model.after_good) * off, (1 - good) * (1 - model.after_poor) * off
    whole = np.where(told, on_good + on_poor + off_good + off_poor, 1.0)

    def mean(values: F64) -> F64:
        return np.where(told, values / whole, 0.0)

    def added(values: F64) -> float:
        return float((walk.count * values).sum())

    was_good = mean(on_good + off_good)
    skipped = np.where(walk.clicked | ~walk.not_end, 0.0, found.examined)
    onward = added(skipped * found.stays)
    better = ClickChain(
        share(walk.clicks + walk.sum(was_good), walk.sum(found.examined) + walk.decided, prior),
        _over(onward, added(skipped), model.after_skip),
        _over(added(mean(on_poor)), added(mean(on_poor + off_poor)), model.after_poor),
        _over(added(mean(on_good)), added(mean(on_good + off_good)), model.after_good),
    )
    return better, likelihood


def _over(part: float, whole: float, otherwise: float) -> float:
    return part / whole if whole else otherwise
