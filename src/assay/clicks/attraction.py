"""Attraction of each pair, the chance of a click when seen, with errors of its clicks and of the propensities.

What is estimated is attraction and not relevance: a title may promise more than its document holds.

Attraction is a chance. Where a pair has more clicks than it was looked at by estimate, the likeliest value of a chance
stands for it, which is 1: the likelihood of the counts (Poisson, as that of the propensities) rises up to there. Where
even the low end of its interval is above 1, no chance explains the clicks, and the pair has no attraction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.clicks.cells import Bool, Cells
from assay.clicks.pairs import F64, total

Z = 1.959963984540054
"""Of the 95 % intervals."""

ROUNDING = 1e-9
"""By which sums of propensities may be off."""


@dataclass(frozen=True, slots=True, eq=False)
class Attractions:
    """Attraction of query-document pairs.

    Args:
        impressions, clicks: f64[n_pairs], at positions whose propensity and its error are known.
        examined: f64[n_pairs], impressions weighed by the propensities of their positions.
        value: f64[n_pairs], clicks / examined, at most 1: the chance of a click when seen, with position 1 always seen;
            NaN where nothing was shown at such a position, and where no chance explains the clicks.
        se: f64[n_pairs], by the delta method, of clicks and propensities; with no click, or no skip, that of half one.
        low, high: f64[n_pairs], the 95 % interval, as far as it is from 0 to 1.
        is_above: bool[n_pairs], more clicks than estimated looks.
        is_beyond: bool[n_pairs], of these, whose interval begins above 1.
        mean_position: f64[n_pairs], by impressions, over all positions.
        rate: f64[n_pairs], clicks by impressions over all positions: the raw click rate.
        share: f64[n_pairs, K], which part of its examinations each position has; rows add up to 1, or to 0.
        cov: f64[K, K], of log propensities; 0 where not known.
    """

    impressions: F64
    clicks: F64
    examined: F64
    value: F64
    se: F64
    low: F64
    high: F64
    is_above: Bool
    is_beyond: Bool
    mean_position: F64
    rate: F64
    share: F64
    cov: F64


def attractions(cells: Cells, theta: F64, cov: F64, df: F64 | None = None) -> Attractions:
    """Attraction of each pair with its error.

    With C clicks, E = sum n_k theta_k and Q = sum n_k theta_k^2 the variance of C at attraction A is A E - A^2 Q
    (independent clicks), and log E has the variance v = s' cov s, s being the share of each position in E. The standard
    error is sqrt(A E - A^2 Q + A^2 E^2 v) / E. The interval holds each A at which (C - A E)^2 is at most z^2 times the
    variance there: Wilson's where all is shown at position 1.

    Args:
        cells: counts; rankers and segments are summed over.
        theta: f64[K], propensities; NaN where not known.
        cov: f64[K, K], covariance of log theta; NaN where not known, and such positions are left out.
        df: f64[K], degrees of freedom of the errors of theta, by which the interval is wider; normal when None.

    Returns:
        Values by pair.

    Source: the score interval is that of Wilson, JASA 22(158), 1927, with the variance of the propensities added.
    """
    depth, pairs = len(theta), cells.pairs
    usable = ~np.isnan(theta) & ~np.isnan(np.diag(cov))
    usable = np.append(usable, np.zeros(max(0, cells.depth - depth), bool))
    near = cells.where(usable[cells.position - 1]).summed()
    at = near.position - 1
    seen = near.impressions * theta[at]
    examined = total(near.pair, seen, pairs)
    squared = total(near.pair, seen * theta[at], pairs)
    clicks = total(near.pair, near.clicks, pairs)
    share = np.zeros((pairs, depth))
    share[near.pair, at] = seen / examined[near.pair]
    known = np.where(usable[:depth, None] & usable[None, :depth], np.nan_to_num(cov), 0.0)
    value = np.divide(clicks, examined, out=np.full(pairs, np.nan), where=examined > 0)
    near_ends = np.clip(clicks, 0.5, np.maximum(examined - 0.5, 0.5))
    least = np.divide(near_ends, examined, out=np.full(pairs, np.nan), where=examined > 0)
    variance = least * examined - least**2 * squared + (least * examined) ** 2 * _quadratic(share, known)
    se = np.divide(np.sqrt(np.maximum(variance, 0.0)), examined, out=np.full(pairs, np.nan), where=examined > 0)
    low, high = _score(clicks, examined, squared, _quadratic(share, known) * _wider(share, known, df) ** 2)
    is_above, is_beyond = np.nan_to_num(value) > 1 + ROUNDING, np.nan_to_num(low) > 1 + ROUNDING
    value, se, low, high = (
        np.where(is_beyond, np.nan, one)
        for one in (np.minimum(value, 1.0), se, np.minimum(low, 1.0), np.minimum(high, 1.0))
    )
    shown = total(cells.pair, cells.impressions, pairs)
    return Attractions(
        total(near.pair, near.impressions, pairs), clicks, examined, value, se, low, high, is_above, is_beyond,
        _over(total(cells.pair, cells.impressions * cells.position, pairs), shown),
        _over(total(cells.pair, cells.clicks, pairs), shown), share, known,
    )  # fmt: skip


def _over(top: F64, bottom: F64) -> F64:
    found: F64 = np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom > 0)
    return found


def _quadratic(share: F64, cov: F64) -> F64:
    found: F64 = np.einsum("pk,pk->p", share @ cov, share)
    return found


def _wider(share: F64, cov: F64, df: F64 | None) -> F64 | float:
    """How many times as far as the normal quantile the t quantile lies, f64[n_pairs].

    Degrees of freedom of a sum of parts, one a position (Satterthwaite, Biometrics Bulletin 2(6), 1946).
    """
    from scipy.special import stdtrit

    if df is None:
        return 1.0
    part = np.abs(share * (share @ cov))
    per_df = np.where(np.isnan(df), 0.0, 1 / np.nan_to_num(df, nan=1.0))
    spread = part**2 @ per_df
    of_pair = np.divide(part.sum(axis=1) ** 2, spread, out=np.full(len(part), np.inf), where=spread > 0)
    wider: F64 = stdtrit(np.minimum(np.maximum(of_pair, 1.0), 1e6), 0.975) / Z
    return wider


def _score(clicks: F64, examined: F64, squared: F64, of_log: F64) -> tuple[F64, F64]:
    """Both roots in A of (C - A E)^2 = z^2 (A E - A^2 Q + A^2 E^2 v)."""
    a = examined**2 * (1 - Z**2 * of_log) + Z**2 * squared
    half = (clicks + Z**2 / 2) * examined
    root = np.sqrt(np.maximum(half**2 - a * clicks**2, 0.0))
    is_known = examined > 0
    low, high = np.full(len(a), np.nan), np.full(len(a), np.nan)
    np.divide(clicks**2, half + root, out=low, where=is_known)  # the lower root, without cancellation
    np.divide(half + root, a, out=high, where=is_known & (a > 0))
    high[is_known & (a <= 0)] = np.inf
    return low, high
