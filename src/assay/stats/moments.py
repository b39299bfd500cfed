"""Sums that add up over days and shards, and what follows from them: means, ratios of means, differences.

A unit is what was assigned or what may be dependent within itself (a person, a session). Each brings a numerator y and
a denominator x; their six sums are enough for the ratio and its error, by the delta method. Source: Deng, Knoblich
and Lu, Applying the delta method in metric analytics, KDD 2018; degrees of freedom after Welch and Satterthwaite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.results import kept
from assay.stats.clustered import share_with_variance
from assay.stats.intervals import Interval, t_quantile, t_tail


@kept("moments")
@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over units.

    Args:
        n: units.
        x, y: sums of the denominators and of the numerators; a plain mean has x = 1 for every unit.
        xx, yy, xy: sums of their squares and of their products.
    """

    n: float
    x: float
    y: float
    xx: float
    yy: float
    xy: float

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n + other.n, self.x + other.x, self.y + other.y, self.xx + other.xx, self.yy + other.yy,
                       self.xy + other.xy)  # fmt: skip

    @property
    def ratio(self) -> float | None:
        """Sum of the numerators over sum of the denominators; None where that is 0."""
        return self.y / self.x if self.x else None

    @property
    def variance(self) -> float | None:
        """Of the ratio: (s_yy - 2 R s_xy + R^2 s_xx) / (n mean_x^2), with n - 1 in the moments; None below 2 units."""
        ratio = self.ratio
        if ratio is None or self.n < 2:
            return None
        mean_x, mean_y = self.x / self.n, self.y / self.n
        s_xx, s_yy, s_xy = (
            (self.xx - self.n * mean_x * mean_x) / (self.n - 1),
            (self.yy - self.n * mean_y * mean_y) / (self.n - 1),
            (self.xy - self.n * mean_x * mean_y) / (self.n - 1),
        )
        spread = s_yy - 2 * ratio * s_xy + ratio * ratio * s_xx
        return max(0.0, spread) / (self.n * mean_x * mean_x)


def ratio_interval(moments: Moments, level: float = 0.95) -> Interval | None:
    """Where a ratio lies, by units: t with n - 1 degrees of freedom; None below 2 units or without a denominator."""
    ratio, variance = moments.ratio, moments.variance
    if ratio is None or variance is None:
        return None
    half = t_quantile((1 + level) / 2, moments.n - 1) * math.sqrt(variance)
    return Interval(ratio - half, ratio + half, level, "t", int(moments.n))


def share_interval(moments: Moments, level: float = 0.95) -> Interval | None:
    """Where a share lies, whose numerator counts some of what its denominator counts; within 0 and 1.

    None below 2 units or without a denominator. Source: see `clustered_share`, of which this is the form on sums.
    """
    ratio, variance = moments.ratio, moments.variance
    if ratio is None or variance is None:
        return None
    found = share_with_variance(ratio, variance, round(moments.x), round(moments.n), level)
    return Interval(found.low, found.high, level, "clustered share", round(moments.n))


@kept("difference of ratios")
@dataclass(frozen=True, slots=True)
class Difference:
    """The ratio of a second group of units minus that of a first one.

    Args:
        first, second: the ratios.
        se: standard error of their difference.
        df: degrees of freedom after Welch and Satterthwaite.
        p: two-sided, by the t distribution.
        interval: of the difference.
        lift: second / first - 1; None where the first is 0.
        lift_low, lift_high: its ends, on the log scale; None where either ratio is not above 0.
    """

    first: float
    second: float
    se: float
    df: float
    p: float
    interval: Interval
    lift: float | None
    lift_low: float | None
    lift_high: float | None

    @property
    def value(self) -> float:
        """Second minus first."""
        return self.second - self.first


def difference(first: Moments, second: Moments, level: float = 0.95) -> Difference | None:
    """How the ratios of two groups of units differ; None where either has no error.

    Args:
        first: the control.
        second: what is compared with it.
        level: of the intervals.
    """
    a, b, var_a, var_b = first.ratio, second.ratio, first.variance, second.variance
    if a is None or b is None or var_a is None or var_b is None:
        return None
    total = var_a + var_b
    se = math.sqrt(total)
    shares = var_a * var_a / (first.n - 1) + var_b * var_b / (second.n - 1)
    df = total * total / shares if shares else first.n + second.n - 2
    p = 1.0 if a == b else (2 * t_tail(abs(b - a) / se, df) if se else 0.0)
    quantile = t_quantile((1 + level) / 2, df)
    interval = Interval(b - a - quantile * se, b - a + quantile * se, level, "t", int(first.n + second.n))
    low = high = None
    if a > 0 and b > 0:
        spread = quantile * math.sqrt(var_a / (a * a) + var_b / (b * b))
        low, high = b / a * math.exp(-spread) - 1, b / a * math.exp(spread) - 1
    return Difference(a, b, se, df, p, interval, b / a - 1 if a else None, low, high)
