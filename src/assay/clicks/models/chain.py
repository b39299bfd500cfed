"""A reader who goes down the list, and after each document goes on or stops: cascade, DCM, SDBN, DBN and CCM.

All arrays are f64[n, K]. The first document is examined. An examined document is clicked with chance `attraction`; then
the next one is examined with chance `after_skip` or `after_click`. Who stopped does not come back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.clicks.cells import Bool
from assay.clicks.pairs import F64


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The three chances at each place; below the end of a list attraction is 0.

    Args:
        attraction: of a click, when examined.
        after_skip, after_click: of examining the next one.
    """

    attraction: F64
    after_skip: F64
    after_click: F64


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """What all clicks of a list say of its reader.

    Args:
        examined: chance that the place was examined.
        stays: chance that the next one was, given that this one was.
        silence: chance that nothing from this place on is clicked, given that it is examined; its column K, below the
            list, is 1: f64[n, K + 1].
    """

    examined: F64
    stays: F64
    silence: F64


def marginal(chain: Chain) -> F64:
    """Chance of a click at each place when only the list is known."""
    out = np.zeros_like(chain.attraction)
    examined = np.ones(len(out))
    for k in range(out.shape[1]):
        attraction = chain.attraction[:, k]
        out[:, k] = examined * attraction
        examined = examined * (attraction * chain.after_click[:, k] + (1 - attraction) * chain.after_skip[:, k])
    return out


def conditional(chain: Chain, clicked: Bool) -> F64:
    """Chance of a click at each place given the clicks above."""
    out = np.zeros_like(chain.attraction)
    examined = np.ones(len(out))
    for k in range(out.shape[1]):
        chance = examined * chain.attraction[:, k]
        out[:, k] = chance
        skipped = examined * (1 - chain.attraction[:, k]) * chain.after_skip[:, k]
        skipped = np.divide(skipped, 1 - chance, out=np.zeros(len(out)), where=chance < 1)
        examined = np.where(clicked[:, k], chain.after_click[:, k], skipped)
    return out


def sample(chain: Chain, rng: np.random.Generator) -> Bool:
    """Clicks of one reader a list."""
    out = np.zeros_like(chain.attraction, dtype=np.bool_)
    examined = np.ones(len(out), bool)
    for k in range(out.shape[1]):
        out[:, k] = examined & (rng.random(len(out)) < chain.attraction[:, k])
        onward = np.where(out[:, k], chain.after_click[:, k], chain.after_skip[:, k])
        examined &= rng.random(len(out)) < onward
    return out


def posterior(chain: Chain, clicked: Bool, clicked_below: Bool) -> Posterior:
    """Forward and backward over each list.

    Args:
        chain: the chances.
        clicked: bool[n, K].
        clicked_below: bool[n, K], whether anything below is clicked, so that the reader surely went on.
    """
    n, depth = len(clicked), int(clicked.shape[1])
    silence = np.ones((n, depth + 1))
    stays: F64 = np.empty((n, depth))
    for k in reversed(range(depth)):
        onward = np.where(clicked[:, k], chain.after_click[:, k], chain.after_skip[:, k])
        quiet = onward * silence[:, k + 1] + 1 - onward
        stays[:, k] = np.where(clicked_below[:, k], 1.0, onward * silence[:, k + 1] / quiet)
        skip = chain.after_skip[:, k]
        silence[:, k] = (1 - chain.attraction[:, k]) * (skip * silence[:, k + 1] + 1 - skip)
    examined = np.ones((n, depth))
    examined[:, 1:] = np.cumprod(stays[:, :-1], axis=1)
    return Posterior(examined, stays, silence)


def below(clicked: Bool) -> Bool:
    """bool[n, K]: whether anything below a place is clicked."""
    out = np.zeros_like(clicked)
    out[:, :-1] = np.logical_or.accumulate(clicked[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return out
