"""Errors of counterfactual values: from counts alone, and from errors of the propensities."""

from __future__ import annotations

import math

import numpy as np

from assay.clicks.aim import Aim, Seen
from assay.clicks.counterfactual import BY_POSITION, Estimator, Weights
from assay.clicks.pairs import F64, total
from assay.stats.intervals import t_quantile


def chance_variance(weights: Weights, found: Seen, aimed: Aim, kind: Estimator) -> float:
    """Variance of an estimate if clicks were independent, given what was shown: what counts alone allow.

    Clicks of a pair have the variance sum n p (1 - p), p = theta gamma. gamma^2 is taken less the variance of gamma, so
    that pairs that were seldom shown are not taken for certain ones; of a pair that was shown once, the variance is
    the number of its clicks.
    """
    cells = found.cells
    if kind in BY_POSITION:
        n = cells.impressions
        plain = cells.clicks * (1 - cells.clicks / n)
        spread = np.where(n > 1, plain * n / np.maximum(n - 1, 1), cells.clicks)
        return float(weights.click**2 @ spread) / (aimed.n * weights.divisor) ** 2
    by_pair = np.zeros(cells.pairs)
    by_pair[cells.pair] = weights.click
    return float(by_pair**2 @ click_variance(found)) / aimed.n**2


def click_variance(found: Seen) -> F64:
    """f64[pairs]: variance of the clicks of each pair, given how often it was shown where."""
    cells = found.cells
    squares = total(cells.pair, cells.impressions * found.at_cells() ** 2, cells.pairs)
    share = np.divide(squares, found.examined**2, out=np.ones(cells.pairs), where=found.examined > 0)
    plain = found.clicks - squares * found.attraction**2
    few = share > 0.9
    spread: F64 = np.where(few, found.clicks, np.maximum(plain, 0.0) / np.maximum(1 - share, 0.1))
    return np.minimum(spread, found.clicks)


def slope_variance(slope: F64, cov: F64 | None, se: F64 | None) -> float:
    """What errors of the propensities add to the variance of an estimate (delta method).

    Args:
        slope: f64[K], the derivative in log propensities.
        cov: f64[K, K] of log propensities; None where only their errors are known.
        se: f64[K], standard errors of log propensities, then taken to be wrong all in the same direction, the worst
            that can be; NaN is 0.
    """
    if cov is not None:
        known = ~np.isnan(np.diag(cov))
        at = np.flatnonzero(known[: len(slope)])
        return max(float(slope[at] @ cov[np.ix_(at, at)] @ slope[at]), 0.0)
    if se is None:
        return 0.0
    deep = min(len(se), len(slope))
    return float((np.abs(slope[:deep]) @ np.nan_to_num(se[:deep])) ** 2)


def slope_freedom(slope: F64, cov: F64 | None, df: F64 | None) -> float:
    """Degrees of freedom of what errors of propensities add: those of the positions, by what each adds.

    Args:
        slope: f64[K], the derivative in log propensities.
        cov: f64[K, K] of log propensities; None where not known, as if they were known for sure.
        df: f64[K], of each error.
    """
    if cov is None or df is None:
        return math.inf
    deep = min(len(slope), len(df))
    part = np.abs(slope[:deep]) * np.sqrt(np.nan_to_num(np.diag(cov)[:deep]))
    known = ~np.isnan(df[:deep]) & (part > 0)
    return float(part[known] @ df[:deep][known] / part[known].sum()) if known.any() else math.inf


def reach(variance: float, df: float, more: float = 0.0, more_df: float = math.inf) -> float:
    """Half the length of a 95 % interval of an estimate whose variance has two parts.

    Source: t with degrees of freedom after Satterthwaite, Biometrics Bulletin 2(6), 1946.
    """
    parts = variance**2 / df + (more**2 / more_df if more else 0.0)
    freedom = (variance + more) ** 2 / parts if parts > 0 else math.inf
    return t_quantile(0.975, min(max(freedom, 1.0), 1e6)) * math.sqrt(variance + more)
