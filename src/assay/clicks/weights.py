"""Whether weights can carry an estimate: how many equal ones they are worth, their mean, and the largest.

Rules refuse an estimate that would be a confident wrong number. Few effective impressions: the estimate is that of a
few. A mean weight that is not 1: clicks are weighed by something else than what showed them. Little supported mass:
much of the ranking was never seen. Propensities that do not fit: every weight is wrong.

Source: Kong, A note on importance sampling using standardized weights, Univ. of Chicago TR 348, 1992 (effective size).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.clicks.aim import Aim, Seen
from assay.clicks.counterfactual import BY_POSITION, Estimator, limit, shown_mass
from assay.clicks.off_policy import Reason, Tenth
from assay.clicks.pairs import F64, total

FEWEST = 100.0
"""Effective impressions below which there is no estimate."""

SUPPORTED = 0.9
"""Share of the discounts that must fall on documents with evidence."""

OFF = 3.0
"""Standard errors by which a mean weight may be off 1."""

ROUNDING = 1e-9
"""By which a mean weight is off that is 1."""

TENTHS = 10


@dataclass(frozen=True, slots=True)
class Carried:
    """What weights are like.

    Args:
        ess: effective number of impressions, (sum w)^2 / sum w^2.
        clicks: how many clicks count.
        effective_clicks: the same of the clicks alone.
        largest: the largest weight, against the mean one.
        share: the largest weight's share of the sum of all.
        tenths: impressions in ten parts by their weight, the lightest first.
    """

    ess: float
    clicks: float
    effective_clicks: float
    largest: float
    share: float
    tenths: tuple[Tenth, ...]


def carried(weight: F64, impressions: F64, clicks: F64, chance: F64) -> Carried:
    """What weights are like.

    Args:
        weight: f64[n], of each impression of a cell; cells with weight 0 do not count as evidence.
        impressions: f64[n], how often each was shown.
        clicks: f64[n].
        chance: f64[n], the propensity or exposure that the weight comes from.
    """
    whole, squares = float(weight @ impressions), float(weight**2 @ impressions)
    worth, worth_squares = float(weight @ clicks), float(weight**2 @ clicks)
    largest = float(weight[impressions > 0].max(initial=0.0))
    counts = weight > 0
    count = float(impressions.sum())
    return Carried(
        whole**2 / squares if squares else 0.0, float(clicks[counts].sum()),
        worth**2 / worth_squares if worth_squares else 0.0, largest / (whole / count) if whole else 0.0,
        largest / whole if whole else 0.0,
        tenths(weight[counts], impressions[counts], clicks[counts], chance[counts]),
    )  # fmt: skip


def of_ranking(kind: Estimator, found: Seen, aimed: Aim, clip: float | None = None) -> Carried:
    """What the weights of an estimate of a ranking are like: discount by what the click is divided by."""
    pair = found.cells.pair
    discount = aimed.discount[pair]
    chance = found.at_cells() if kind in BY_POSITION else found.exposure[pair]
    weight = discount * np.minimum(1 / chance, limit(kind, clip))
    counts = discount > 0
    return carried(weight[counts], found.cells.impressions[counts], found.cells.clicks[counts], chance[counts])


def tenths(weight: F64, impressions: F64, clicks: F64, chance: F64) -> tuple[Tenth, ...]:
    """Ten parts with a tenth of the impressions each; cells of one chance stay together."""
    if not len(weight):
        return ()
    chance = np.round(chance, 12)  # what differs by rounding is one chance
    order = np.argsort(-chance, kind="stable")
    before = np.cumsum(impressions[order]) - impressions[order]
    _, first, group = np.unique(-chance[order], return_index=True, return_inverse=True)
    part = np.minimum((before[first][group] / impressions.sum() * TENTHS).astype(np.int64), TENTHS - 1)
    sums = [total(part, of[order], TENTHS) for of in (impressions, clicks, impressions * weight, clicks * weight)]
    found = []
    for at in np.unique(part):
        here = chance[order][part == at]
        n, c, w, v = (float(one[at]) for one in sums)
        found.append(Tenth(float(here.min()), float(here.max()), round(n), round(c), w / sums[2].sum(),
                           v / sums[3].sum() if sums[3].sum() else 0.0))  # fmt: skip
    return tuple(found)


def mean_weight(kind: Estimator, found: Seen, aimed: Aim) -> tuple[float, float]:
    """The mean weight of searches and its standard error as counts alone allow it.

    By exposure it is 1 by construction. By position it is the share of the ranking's discounts that searches showed;
    its error is the largest that counts allow, as if all documents of a query came and went together.
    """
    if kind not in BY_POSITION:
        return 1.0, 0.0
    shown, expected = shown_mass(found, aimed)
    if not expected:
        return 0.0, 0.0
    times = total(found.cells.pair, found.cells.impressions, found.cells.pairs)
    share = np.divide(times, found.searches, out=np.zeros(len(times)), where=found.searches > 0)
    spread = aimed.discount * np.sqrt(found.searches * np.maximum(share * (1 - share), 0.0))
    by_query = total(found.query, spread, len(aimed.searches))
    return shown / expected, float(np.sqrt((by_query**2).sum())) / expected


def reasons(
    ess: float, mean: float, mean_se: float, supported: float, misfit: str = "", remedy: str = "", clicks: float = 1.0
) -> tuple[Reason, ...]:  # fmt: skip
    """Why an estimate is refused; empty when it is not.

    Args:
        ess: effective impressions.
        mean: of the weights.
        mean_se: its error; NaN where it is not known.
        supported: share of the discounts.
        misfit: what speaks against the propensities.
        remedy: what to do about a mean weight that is off.
        clicks: how many count.
    """
    found = []
    if not clicks:
        found.append(Reason("effective sample", "nobody clicked its documents: an error cannot be told from no click"))
    elif ess < FEWEST:
        found.append(Reason("effective sample", f"the impressions are worth {ess:,.1f} of equal weight, below "
                            f"{FEWEST:g}: the estimate would be that of a few"))  # fmt: skip
    off = abs(mean - 1)
    if off > ROUNDING and (math.isnan(mean_se) or off > OFF * mean_se):
        error = "" if math.isnan(mean_se) else f", {off / mean_se:,.0f} standard errors off" if mean_se else ""
        found.append(Reason("mean weight", f"the mean weight is {mean:.4f} and not 1{error}{remedy}"))
    if supported < SUPPORTED:
        found.append(Reason("support", f"{supported:.0%} of the discounts fall on documents with evidence, below "
                            f"{SUPPORTED:.0%}: the log never showed the rest where somebody looked"
                            .replace("%", " %")))  # fmt: skip
    if misfit:
        found.append(Reason("propensities", misfit))
    return tuple(found)
