"""How a sample of queries stands for all of them: which estimator, with which weights, of which mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.results import kept
from assay.stats.weighted import Estimate, hajek, horvitz_thompson, stratified

F64 = NDArray[np.float64]
Estimator = Literal["hajek", "stratified", "horvitz-thompson"]
Target = Literal["traffic", "query", "shares"]
ESTIMATORS = ("traffic", "hajek", "stratified", "horvitz-thompson")
"""What a weighted mean can be asked for by; "traffic" supposes that every query was taken."""


@kept("sampling")
@dataclass(frozen=True, eq=False, slots=True)
class Sampling:
    """The estimator of a mean over all queries from those that were judged.

    Args:
        estimator: "hajek": sum w y / sum w, w = traffic / chance; "stratified": by the share of each stratum;
            "horvitz-thompson": sum w y / known total.
        target: what is estimated: the "traffic" mean, the "query" mean (each distinct query once), or the mean by the
            given "shares" of strata.
        weights: float64 of shape (queries,), what a query stands for; NaN where not known.
        inclusion: float64 of shape (queries,), the chance with which each was drawn.
        total: the traffic of all queries, or their number.
        strata: text of shape (queries,); empty where not known.
        shares: of each stratum.
        sizes: how many queries each stratum has in all; empty where the sample is small against them.
    """

    estimator: Estimator
    target: Target
    weights: F64
    inclusion: F64 | None = None
    total: float | None = None
    strata: NDArray[np.str_] | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    def estimate(self, values: F64) -> Estimate:
        """The mean of values, float64 of shape (queries,); NaN is left out where the estimator allows it."""
        if self.estimator == "stratified" and self.strata is not None:
            known = np.where(self.strata != "", values, np.nan)
            return stratified(known, self.strata, self.shares, self.sizes or None)
        if self.estimator == "horvitz-thompson" and self.total is not None and self.inclusion is not None:
            use = ~np.isnan(self.weights)
            undefined = int(np.isnan(values[use]).sum())
            if undefined:
                have = "query has" if undefined == 1 else "queries have"
                why = f"{undefined} sampled {have} no value, and the known total counts them"
                return Estimate(None, None, None, int(use.sum()) - undefined, 0.0, why)
            return horvitz_thompson(values[use], self.weights[use], self.total, self.inclusion[use])
        return hajek(values, self.weights)

    def part(self, index: NDArray[np.int64] | list[int]) -> Sampling:
        """For some of the queries: the total and the shares there are not known, so it is the Hajek mean."""
        return Sampling("hajek", self.target, self.weights[index])


def by_strata(strata: NDArray[np.str_], shares: Mapping[str, float], sizes: Mapping[str, int]) -> Sampling:
    """Stratified: a query stands for the share of its stratum over the queries that were taken there."""
    total = sum(shares.values())
    taken = {name: int((strata == name).sum()) for name in shares}
    each = {name: share / total / taken[name] for name, share in shares.items() if taken[name]}
    weights = np.array([each.get(name, np.nan) for name in strata.tolist()], dtype=np.float64)
    known = np.where(np.isin(strata, list(shares)), strata, "").astype(np.str_)
    return Sampling("stratified", "shares", weights, strata=known, shares=dict(shares), sizes=dict(sizes))
