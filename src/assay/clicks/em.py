"""Expectation maximisation of theta[key] gamma[pair]: two hidden coins, and a click where both come up.

It works on counts, so it costs the same for a thousand sessions as for a thousand million with equal cells. It is slow
to converge: propensities are better taken from `propensity`. It is here for click models, and for parity with tools
that stop it after 50 steps.

Source: Craswell et al., WSDM 2008; the two posteriors as in Chuklin, Markov and de Rijke, Click Models for Web Search,
2015, section 4.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.clicks.pairs import F64, I64, total

Prior = tuple[float, float]

HALF: Prior = (1.0, 2.0)
"""Clicks and showings that every parameter is given before any is counted, in each step; PyClick's choice."""

CERTAIN = 1 - 1e-6
"""No chance is taken for larger, so that the opposite stays possible; PyClick's choice."""

NEVER = 1e-12
"""The least chance of no click, where a model without prior says that there is none."""

GAIN = 1e-9
"""Steps stop when the log-likelihood of a showing rises by less."""


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """What was fitted.

    Args:
        theta: f64[n_keys], the chance of being examined.
        gamma: f64[n_pairs], the chance of being clicked when examined.
        steps: how many were taken.
        log_likelihood: of a showing, on average, before the last step.
    """

    theta: F64
    gamma: F64
    steps: int
    log_likelihood: float


def share(part: F64, whole: F64, prior: Prior, certain: float = CERTAIN) -> F64:
    """(part + prior) / (whole + prior), at most `certain`; where both are 0, the share over all."""
    above, below = part + prior[0], whole + prior[1]
    everywhere = float(part.sum() / whole.sum()) if whole.sum() > 0 else 0.5
    out = np.full(len(part), everywhere)
    np.divide(above, below, out=out, where=below > 0)
    capped: F64 = np.minimum(out, certain)
    return capped


def two_coins(
    pair: I64, key: I64, impressions: F64, clicks: F64, pairs: int, keys: int, *, steps: int = 2000,
    gain: float = GAIN, prior: Prior = HALF, certain: float = CERTAIN,
    gamma_step: Callable[[F64, F64], F64] | None = None,
) -> Product:  # fmt: skip
    """Theta and gamma of cells, from 0.5 each.

    Args:
        pair: i64[n], which gamma a cell has.
        key: i64[n], which theta a cell has.
        impressions: f64[n].
        clicks: f64[n], at most impressions.
        pairs: how many gammas there are.
        keys: how many thetas there are.
        steps: at most so many.
        gain: stop when the log-likelihood of a showing rises by less; 0 takes all steps.
        prior: see HALF; (0, 0) is the largest likelihood.
        certain: the largest chance that a parameter may have; it decides where steps end that have not converged.
        gamma_step: from attracted showings and showings, f64[n_pairs] each, to gamma; by default their share.
            Regression goes here.
    """
    theta, gamma = np.full(keys, 0.5), np.full(pairs, 0.5)
    skips, showings = impressions - clicks, max(float(impressions.sum()), 1.0)
    by_key, by_pair = total(key, impressions, keys), total(pair, impressions, pairs)
    clicked = clicks > 0
    before, taken, here = -np.inf, 0, -np.inf
    for taken in range(1, steps + 1):
        examined, attracted = theta[key], gamma[pair]
        none = np.maximum(1 - examined * attracted, NEVER)
        if gain > 0 or taken == steps:
            ones = float((clicks[clicked] * np.log(1 - none[clicked])).sum())
            here = (ones + float((skips * np.log(none)).sum())) / showings
        unseen = skips * examined * (1 - attracted) / none
        unloved = skips * attracted * (1 - examined) / none
        theta = share(total(key, clicks + unseen, keys), by_key, prior, certain)
        likes = total(pair, clicks + unloved, pairs)
        gamma = share(likes, by_pair, prior, certain) if gamma_step is None else gamma_step(likes, by_pair)
        if gain > 0 and here - before < gain:
            break
        before = here
    return Product(theta, gamma, taken, here)
