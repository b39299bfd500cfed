"""What the lists of a log are worth by the same estimate as another ranking, and how the two differ."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.clicks.aim import Aim, Seen
from assay.clicks.counterfactual import against_ideal
from assay.clicks.ideal import drawn_in
from assay.clicks.pairs import F64, total
from assay.clicks.spread import click_variance, reach


@dataclass(frozen=True, slots=True, eq=False)
class AgainstLog:
    """A ranking and the lists of a log, by policy-aware attractions.

    Args:
        logged: the value of the lists that the log showed.
        difference: that of the ranking less that.
        variance: of the difference, if clicks were independent, given what was shown and the propensities.
        slope: f64[K], the derivative of the difference in log propensities.
    """

    logged: float
    difference: float
    variance: float
    slope: F64


def against_log(found: Seen, aimed: Aim, discounts: F64) -> AgainstLog:
    """How a ranking differs from what the log showed: documents that both have at the same ranks cancel.

    Args:
        found: counts of the log.
        aimed: the ranking.
        discounts: f64[cutoff], of ranks 1, 2, ..., as of `aimed`; they also weigh the positions of the log.
    """
    cells = found.cells
    at = np.append(discounts, np.zeros(max(0, cells.depth - len(discounts))))[cells.position - 1]
    log = total(cells.pair, cells.impressions * at, cells.pairs)
    target = aimed.discount * found.searches * found.is_supported
    more = target - log
    if aimed.has_ideal:
        queries = len(aimed.searches)
        _, _, under, best = against_ideal(found, aimed)
        per = np.divide(1.0, under, out=np.zeros(queries), where=under > 0)[found.query]
        ratio = total(found.query, more * per * found.attraction, queries)[found.query]
        log, more = log * per, (more - ratio * best) * per
        difference = float((target * per - log) @ found.attraction) / aimed.n
    else:
        difference = float(more @ found.attraction) / aimed.n
    per_click = np.divide(more, found.examined, out=np.zeros(cells.pairs), where=found.examined > 0)
    part = (per_click * found.attraction)[cells.pair] * cells.impressions * found.at_cells()
    slope = -total(cells.position - 1, part, len(found.theta)) / aimed.n
    variance = float(per_click**2 @ click_variance(found)) / aimed.n**2
    return AgainstLog(float(log @ found.attraction) / aimed.n, difference, variance, slope)


@dataclass(frozen=True, slots=True)
class Difference:
    """A ranking less what the log showed.

    Args:
        logged: what the log showed.
        value: the ranking less that.
        low, high: the 95 % interval of `value`, if clicks were independent.
    """

    logged: float
    value: float
    low: float
    high: float


def difference(
    found: Seen, aimed: Aim, discounts: F64, adds: Callable[[F64], tuple[float, float]]
) -> Difference:  # fmt: skip
    """How a ranking differs from the log, with its interval; with an ideal order it has both ends, see `ideal`.

    Args:
        found: counts of the log.
        aimed: the ranking.
        discounts: f64[cutoff], see `against_log`.
        adds: what errors of propensities add to the variance of a value with a slope, and the degrees of freedom.
    """
    one = plain = against_log(found, aimed, discounts)
    if aimed.has_ideal:
        one = against_log(drawn_in(found), aimed, discounts)
    half = reach(plain.variance, math.inf, *adds(plain.slope))
    low, high = sorted((one.difference, plain.difference))
    return Difference(one.logged, one.difference, low - half, high + half)
