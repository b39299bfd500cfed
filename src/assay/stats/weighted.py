"""Means of queries that were sampled by a design, or that count by their traffic, with their standard errors.

The *traffic mean* weighs a query by its traffic f: sum f y / sum f. The *query mean* gives every distinct query the
same weight. Which of them an estimate is of is said where it is made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.stats.intervals import Interval, t_quantile, why_undefined

F64 = NDArray[np.float64]
Design = Literal["fixed", "poisson"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error.

    Args:
        mean: None where it is undefined.
        se: None where it is undefined, with `why`.
        df: of its t interval.
        n: values it rests on.
        effective_n: (sum w)^2 / sum w^2, how many equally weighted values it is worth.
        why: why there is no standard error; empty where there is.
    """

    mean: float | None
    se: float | None
    df: float | None
    n: int
    effective_n: float
    why: str = ""

    def interval(self, level: float = 0.95) -> Interval | None:
        """The t interval; None without a standard error."""
        if self.mean is None or self.se is None or self.df is None:
            return None
        half = t_quantile((1 + level) / 2, self.df) * self.se
        return Interval(self.mean - half, self.mean + half, level, "t", self.n)


def effective_n(weights: F64) -> float:
    """How many equally weighted values they are worth: (sum w)^2 / sum w^2; 0 when all are 0."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def stratified(
    values: F64, strata: NDArray[np.str_], shares: Mapping[str, float], sizes: Mapping[str, int] | None = None
) -> Estimate:
    """The mean over strata by their shares, each with equal chances inside: sum W mean, variance sum W^2 s^2 / n.

    With shares of traffic it is the traffic mean only where traffic and value have nothing to do with one another
    inside a stratum. Degrees of freedom by Satterthwaite.

    Args:
        values: float64 of shape (n,); NaN is left out.
        strata: the stratum of each.
        shares: what each stratum weighs; made to add up to 1.
        sizes: how many queries each stratum has in all, for the finite population correction.

    Returns:
        Undefined where a stratum with a share has no value; without a standard error where one has a single value.
    """
    known = ~np.isnan(values)
    values, strata = values[known], strata[known]
    total = sum(shares.values())
    mean, parts, dfs, alone = 0.0, [], [], []
    for name, share in shares.items():
        inside = values[strata == name]
        weight = share / total
        if weight == 0:
            continue
        if not len(inside):
            return Estimate(None, None, None, len(values), 0.0, f"no value in the stratum {name}")
        mean += weight * float(inside.mean())
        if len(inside) == 1:
            alone.append(name)
            continue
        correction = 1 - len(inside) / sizes[name] if sizes is not None else 1.0
        spread = 0.0 if why_undefined(inside) else float(inside.var(ddof=1))
        parts.append(weight**2 * spread / len(inside) * correction)
        dfs.append(len(inside) - 1)
    each = {name: shares[name] / total / max(1, int((strata == name).sum())) for name in shares}
    worth = effective_n(np.array([each.get(name, 0.0) for name in strata.tolist()]))
    if alone:
        why = f"one value in the stratum {', '.join(alone)}: merge it with its neighbour"
        return Estimate(mean, None, None, len(values), worth, why)
    variance = sum(parts)
    if variance <= 0:
        return Estimate(mean, None, None, len(values), worth, "all values of each stratum are equal")
    df = variance**2 / sum(part**2 / df for part, df in zip(parts, dfs, strict=True))
    return Estimate(mean, math.sqrt(variance), df, len(values), worth)


def hajek(values: F64, weights: F64, design: Design = "fixed", inclusion: F64 | None = None) -> Estimate:
    """The mean sum w y / sum w: adding a constant to all values adds it to the mean.

    With w = f / pi it is the traffic mean, with w = 1 / pi the query mean, pi the chance that a query was sampled; with
    w = f and every query taken, the traffic mean.

    Args:
        values: float64 of shape (n,); NaN is left out.
        weights: float64 of shape (n,); 0 and NaN are left out.
        design: "fixed": n/(n-1) sum z^2, z = w (y - mean) / sum w, conservative; "poisson", each query sampled by
            itself: sum (1 - pi) z^2.
        inclusion: float64 of shape (n,), pi; for "poisson" only.
    """
    use = ~np.isnan(values) & (weights > 0)
    y, w = values[use], weights[use]
    n = len(y)
    if n == 0:
        return Estimate(None, None, None, 0, 0.0, "no value is defined")
    share = w / w.sum()
    mean = float((share * y).sum())
    z = share * (y - mean)
    if why := why_undefined(y):
        return Estimate(mean, None, None, n, effective_n(w), why)
    if design == "poisson":
        if inclusion is None:
            raise ValueError("the variance of Poisson sampling needs the chances of inclusion")
        variance = float(((1 - inclusion[use]) * z**2).sum())
    else:
        variance = n / (n - 1) * float((z**2).sum())
    return Estimate(mean, math.sqrt(variance), n - 1, n, effective_n(w))


def horvitz_thompson(values: F64, weights: F64, total: float, inclusion: F64) -> Estimate:
    """The mean sum w y / known total, for queries that were sampled each by itself (Poisson).

    Args:
        values: float64 of shape (n,), all defined.
        weights: w = f / pi for the traffic mean, 1 / pi for the query mean.
        total: sum of f over all queries, or their number.
        inclusion: pi.
    """
    z = weights * values / total
    variance = float(((1 - inclusion) * z**2).sum())
    n, mean, worth = len(values), float(z.sum()), effective_n(weights)
    if n < 2:
        return Estimate(
            mean if n else None, None, None, n, worth, "one value has no spread" if n else "no value is defined"
        )
    if (inclusion >= 1).all():
        return Estimate(mean, None, None, n, worth, "every query was taken, so the sample makes no error")
    return Estimate(mean, math.sqrt(variance), n - 1, n, worth)


def drawn_with_replacement(values: F64) -> Estimate:
    """The traffic mean of queries drawn with replacement by traffic: the plain mean; drawn twice counts twice."""
    return hajek(values, np.ones(len(values)))


def hansen_hurwitz(values: F64, chances: F64, population: int) -> Estimate:
    """The query mean of queries drawn with replacement: the mean of y / (M p).

    Args:
        values: float64 of shape (draws,), all defined; a query drawn twice stands twice.
        chances: p of each at one draw.
        population: M, how many distinct queries there are.
    """
    found = hajek(values / (population * chances), np.ones(len(values)))
    return Estimate(found.mean, found.se, found.df, found.n, effective_n(1 / chances), found.why)
