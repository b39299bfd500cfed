"""Expectation maximisation for readers: what it needs of the lists, laid out once, and the loop over its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from assay.clicks.lists import Lists
from assay.clicks.models.chain import Chain, Posterior, below, posterior
from assay.clicks.pairs import F64, total

GAIN = 1e-7
"""Steps stop when the log-likelihood of a list rises by less."""

M = TypeVar("M")


class Walk:
    """Lists as a reader sees them.

    Attributes:
        pair, shown, clicked: [n, K], as in `Lists`.
        count: f64[n, K], how often the list occurred, at every place.
        goes_on: bool[n, K], whether something below is clicked.
        not_end: bool[n, K], places with another below: only there it shows whether the reader goes on.
        at_last_click: bool[n, K], the last click of a list, where it is not at its end.
        clicks, decided: f64[n_pairs], all clicks, and those that are not at the end of a list.
        pairs: how many pairs there are.
    """

    def __init__(self, lists: Lists) -> None:
        self.pair, self.shown, self.clicked = lists.pair, lists.shown, lists.clicked
        self.pairs, self.lists = len(lists.query), max(float(lists.count.sum()), 1.0)
        self.count = np.broadcast_to(lists.count[:, None], self.pair.shape)
        self.goes_on = below(self.clicked)
        self.not_end = np.zeros_like(self.shown)
        self.not_end[:, :-1] = self.shown[:, 1:]
        self.at_last_click = self.clicked & ~self.goes_on & self.not_end
        self.clicks = self.sum(self.clicked.astype(np.float64))
        self.decided = self.sum((self.clicked & self.not_end).astype(np.float64))

    def sum(self, values: F64) -> F64:
        """f64[n_pairs]: values f64[n, K] times counts, added up by pair."""
        return total(self.pair[self.shown], (self.count * values)[self.shown], self.pairs)

    def read(self, chain: Chain) -> tuple[Posterior, float]:
        """What the clicks say of the readers, and the mean log-likelihood of a list."""
        found = posterior(chain, self.clicked, self.goes_on)
        went, skipped = self.goes_on, ~self.clicked & self.goes_on
        with np.errstate(divide="ignore"):
            logs = np.where(self.clicked, np.log(chain.attraction), 0.0)
            logs += np.where(skipped, np.log1p(-chain.attraction) + np.log(chain.after_skip), 0.0)
            logs += np.where(self.clicked & went, np.log(chain.after_click), 0.0)
        onward = chain.after_click * found.silence[:, 1:] + 1 - chain.after_click
        logs += np.where(self.clicked & ~went, np.log(onward), 0.0)
        silent = ~self.clicked.any(1)
        whole = float((self.count * logs).sum()) + float(self.count[silent, 0] @ np.log(found.silence[silent, 0]))
        return found, whole / self.lists


def climb(walk: Walk, start: M, step: Callable[[M, Walk], tuple[M, float]], steps: int, gain: float) -> M:
    """The model after the last step; stops when the log-likelihood of a list rises by less than `gain`."""
    model, before = start, -np.inf
    for _ in range(steps):
        model, likelihood = step(model, walk)
        if likelihood - before < gain:
            break
        before = likelihood
    return model
