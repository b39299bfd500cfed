"""What another policy would have earned on a log of documents at positions, each with the chance that it had.

The chance is known, because the system that showed the document drew it: nothing is estimated of positions. A row's
weight is the chance that the other policy shows this document at this position, over the chance that it had.

Source: Horvitz and Thompson, JASA 47, 1952 (ips); Swaminathan and Joachims, NIPS 2015 (snips); Dudik, Langford and Li,
ICML 2011 (dr). Agrees with obp 0.4.1 on its own sample (ips, snips).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.clicks.counterfactual import HIGH, Bounds, quantile
from assay.clicks.pairs import F64, I64, total
from assay.errors import InputError

SHRINK = 10.0
"""Showings that the mean of a position counts for in the model of a document's clicks."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Showings that were drawn, by document, position and chance.

    Args:
        cell: i64[n], the document at a position, from 0.
        position: i64[cells], from 0.
        propensity: f64[n], the chance that it had, above 0 and at most 1.
        impressions, clicks: f64[n].
        target: f64[cells], the chance that the other policy has.
        elsewhere: f64[positions], chances of the other policy that fall on documents that the log never showed there.

    Raises:
        InputError: a chance is not above 0, or above 1.
    """

    cell: I64
    position: I64
    propensity: F64
    impressions: F64
    clicks: F64
    target: F64
    elsewhere: F64

    def __post_init__(self) -> None:
        wrong = ~((self.propensity > 0) & (self.propensity <= 1))
        if wrong.any():
            first = float(self.propensity[int(np.flatnonzero(wrong)[0])])
            raise InputError(
                f"a propensity of {first:g} is no chance above 0 and up to 1", "propensity",
                "leave rows out that were not drawn at random", count=int(self.impressions[wrong].sum()),
            )  # fmt: skip

    @property
    def n(self) -> float:
        """Rows."""
        return float(self.impressions.sum())

    @property
    def weight(self) -> F64:
        """f64[n]: how much likelier the other policy shows it."""
        return self.target[self.cell] / self.propensity


@dataclass(frozen=True, slots=True)
class Policy:
    """What a policy would have earned, in clicks a showing.

    Args:
        value: the estimate.
        se: its standard error, of independent rows.
    """

    value: float
    se: float


def ips(log: Drawn) -> Policy:
    """Mean of weight x click; the error from its spread, divided by n."""
    return clipped(log, math.inf)


def clipped(log: Drawn, clip: float) -> Policy:
    """As `ips`, no row weighing more than `clip`: biased down."""
    weight = np.minimum(log.weight, clip)
    mean = float(weight @ log.clicks) / log.n
    square = float(weight**2 @ log.clicks) / log.n
    return _spread(mean, square, log.n)


def _spread(mean: float, square: float, n: float) -> Policy:
    """A mean with its error, from the mean of the squares."""
    return Policy(mean, math.sqrt(max(square - mean * mean, 0.0) / max(n - 1, 1)))


def snips(log: Drawn) -> Policy:
    """Weighted clicks over the sum of weights; 0 where that is 0."""
    whole = float(log.weight @ log.impressions)
    if not whole:
        return Policy(0.0, 0.0)
    value = float(log.weight @ log.clicks) / whole
    off = log.clicks * (1 - value) ** 2 + (log.impressions - log.clicks) * value**2
    return Policy(value, math.sqrt(float(log.weight**2 @ off)) / whole)


def doubly_robust(log: Drawn) -> Policy:
    """A model of clicks under the policy, plus weight x (click - model).

    The model is the click rate of the document at the position, drawn to that of the position; a row's own click is
    left out of the model that it is held against.
    """
    cells, positions = len(log.target), len(log.elsewhere)
    shown, clicked = (total(log.cell, of, cells) for of in (log.impressions, log.clicks))
    at_position = total(log.position, shown, positions)
    mean = np.divide(total(log.position, clicked, positions), at_position, out=np.zeros(positions),
                     where=at_position > 0)  # fmt: skip
    prior = SHRINK * mean[log.position]
    model = (clicked + prior) / (shown + SHRINK)
    expected = total(log.position, log.target * model, positions) + log.elsewhere * mean
    place = log.position[log.cell]
    sums = np.zeros(2)
    for click, times in ((1.0, log.clicks), (0.0, log.impressions - log.clicks)):
        own = (clicked[log.cell] - click + prior[log.cell]) / (shown[log.cell] - 1 + SHRINK)
        row = expected[place] + log.target[log.cell] * (own - model[log.cell]) + log.weight * (click - own)
        sums += float(row @ times), float(row**2 @ times)
    return _spread(float(sums[0]) / log.n, float(sums[1]) / log.n, log.n)


def difference(log: Drawn) -> Policy:
    """The ips estimate less the clicks that the log has."""
    more = log.weight - 1
    mean = float(more @ log.clicks) / log.n
    return _spread(mean, float(more**2 @ log.clicks) / log.n, log.n)


def mean_weight(log: Drawn) -> Policy:
    """Mean of the weights, which is 1 where chances are right and the policy shows nothing that the log cannot show."""
    mean = float(log.weight @ log.impressions) / log.n
    square = float(log.weight**2 @ log.impressions) / log.n
    return _spread(mean, square, log.n)


def policy_bounds(log: Drawn) -> Bounds:
    """How much of the policy the log ever showed, and what the rest could add to the ips estimate."""
    rows = total(log.position[log.cell], log.impressions, len(log.elsewhere)) / log.n
    missing = float(rows @ log.elsewhere)
    shown, clicked = (total(log.cell, of, len(log.target)) for of in (log.impressions, log.clicks))
    known = shown > 0
    best = quantile(clicked[known] / shown[known], shown[known], HIGH)
    value = ips(log).value
    return Bounds(1 - missing, value, value + missing * best,
                  high_means=f"each document without evidence is clicked at {best:.3f}, as the best are")  # fmt: skip


def no_bounds(supported: float) -> Bounds:
    """What is left where weights cannot be believed: clicks are a share."""
    return Bounds(supported, 0.0, 1.0, "nobody clicks", "everybody clicks")
