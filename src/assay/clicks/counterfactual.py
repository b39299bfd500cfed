"""What a ranking would have earned on the searches of a log: estimators, and the errors that counts allow.

Each estimator is a sum over what was shown, (click x a + b), plus s for each search, over the number of searches. In
this form a and b also give each search's influence on the estimate, so that sums by person give its error.

    ips           click x discount / propensity of the position where it stood
    snips         ips divided by its mean weight
    policy-aware  click x discount / exposure, see `aim`
    clipped       the same, no click weighing more than a limit: biased down, less spread
    dr            policy-aware, with a model of attraction for what was never shown and, with a limit, for what is cut:
                  then it is unbiased only as far as the model is right

Source: ips: Joachims, Swaminathan and Schnabel, WSDM 2017; snips: Swaminathan and Joachims, NIPS 2015; policy-aware:
Oosterhuis and de Rijke, SIGIR 2020; dr: Oosterhuis, Doubly robust estimation for correcting position bias in click
feedback, TOIS 41(3), 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.clicks.aim import Aim, Seen
from assay.clicks.pairs import F64, total

Estimator = Literal["policy-aware", "ips", "snips", "clipped", "dr"]

ESTIMATORS: tuple[Estimator, ...] = ("policy-aware", "ips", "snips", "clipped", "dr")

BY_POSITION = ("ips", "snips")
"""Estimators whose weights know nothing of which documents the rankers of the log show."""

CLIP = 10.0
"""The limit of "clipped" when none is given."""

HIGH = 0.95
"""The quantile of attraction, weighted by examinations, that an unknown document has at best."""

SHRINK = 10.0
"""Examinations that the mean of its query counts for in the model of a document's attraction."""


@dataclass(frozen=True, eq=False)
class Weights:
    """An estimate as a sum; see the top of this file.

    Args:
        click: f64[cells], a: what a click there adds.
        shown: f64[cells], b: what a showing there adds.
        search: f64[queries], s: what a search of that query adds.
        slope: f64[K], the derivative of the estimate in log propensities.
        value: the estimate.
        divisor: what the sum is divided by besides the searches; 1 but for snips.
    """

    click: F64
    shown: F64
    search: F64
    slope: F64
    value: float
    divisor: float = 1.0


def limit(kind: Estimator, clip: float | None) -> float:
    """The most that a click weighs: what was asked for, else 10 of "clipped", else no limit."""
    if kind not in ("clipped", "dr"):
        return math.inf
    return clip if clip is not None else CLIP if kind == "clipped" else math.inf


def estimate(kind: Estimator, found: Seen, aimed: Aim, clip: float | None = None) -> Weights:
    """The estimate of that kind.

    Args:
        kind: which one; with an ideal order, "policy-aware" alone.
        found: counts of the log.
        aimed: the ranking.
        clip: the most that a click may weigh, of "clipped" (10 when None) and "dr" (any when None); 1 is a document
            that every search looks at.
    """
    if kind in BY_POSITION:
        return _by_position(kind, found, aimed)
    if aimed.has_ideal:
        discount, ratio, _, _ = against_ideal(found, aimed)
        return _by_exposure(found, aimed, discount, search=ratio)
    if kind == "policy-aware":
        return _by_exposure(found, aimed, aimed.discount)
    most = np.minimum(_inverse(found.exposure), limit(kind, clip))
    if kind == "clipped":
        return _by_exposure(found, aimed, aimed.discount, most)
    return _doubly_robust(found, aimed, most)


def _by_exposure(
    found: Seen, aimed: Aim, discount: F64, weight: F64 | None = None, search: F64 | None = None
) -> Weights:
    """Clicks by exposure; the estimate is sum discount x weight x exposure x attraction over searches."""
    pair, n = found.cells.pair, aimed.n
    weight = _inverse(found.exposure) if weight is None else weight
    worth = discount * weight * found.exposure * found.attraction
    whole = total(found.query, worth, len(aimed.searches)) if search is None else search
    a = (discount * weight)[pair]
    is_free = np.isclose(weight * found.exposure, 1.0)
    part = found.cells.impressions * a * (found.at_cells() * found.attraction[pair]) * is_free[pair]
    slope = -total(found.cells.position - 1, part, len(found.theta)) / n
    value = float(whole @ aimed.searches) / n
    return Weights(a, -a * found.at_cells() * found.attraction[pair], whole, slope, value)


def _by_position(kind: Estimator, found: Seen, aimed: Aim) -> Weights:
    cells = found.cells
    a = aimed.discount[cells.pair] / found.at_cells()
    parts = a * cells.clicks / aimed.n
    slope = -total(cells.position - 1, parts, len(found.theta))
    value, divisor = float(parts.sum()), 1.0
    if kind == "snips":
        shown, expected = shown_mass(found, aimed)
        divisor = shown / expected if expected else 1.0
    nothing = np.zeros(len(aimed.searches))
    scaled = value / divisor if divisor else 0.0
    return Weights(a, np.zeros(len(a)), nothing, slope / (divisor or 1.0), scaled, divisor or 1.0)


def _doubly_robust(found: Seen, aimed: Aim, weight: F64) -> Weights:
    """Source: Oosterhuis, TOIS 41(3), 2023: discount x (model + weight x (click - propensity x model))."""
    cells, n, queries = found.cells, aimed.n, len(aimed.searches)
    model, mean = modelled(found, queries)
    search = total(found.query, aimed.discount * model, queries)
    search = search + mean * aimed.unseen
    a = (aimed.discount * weight)[cells.pair]
    b = -a * found.at_cells() * model[cells.pair]
    value = float((a @ cells.clicks + b @ cells.impressions + search @ aimed.searches) / n)
    is_free = np.isclose(weight * found.exposure, 1.0)[cells.pair]
    per_look = np.where(is_free, found.attraction[cells.pair], model[cells.pair])
    part = cells.impressions * a * found.at_cells() * per_look
    # the influence of a click is the same whatever the model; that of a showing is against what is seen there
    influence = np.where(is_free, -a * found.at_cells() * found.attraction[cells.pair], b)
    gap = total(cells.pair, (b - influence) * cells.impressions, cells.pairs)
    moved = total(found.query, gap, queries)
    search = search + np.divide(moved, aimed.searches, out=np.zeros(queries), where=aimed.searches > 0)
    slope = -total(cells.position - 1, part, len(found.theta)) / n
    return Weights(a, influence, search, slope, value)


def cut_off(kind: Estimator, found: Seen, aimed: Aim, clip: float | None) -> float:
    """The share of the weights that a limit takes away, over documents with evidence."""
    most = np.minimum(_inverse(found.exposure), limit(kind, clip))
    mass = aimed.discount * found.searches * found.is_supported
    whole = float(mass.sum())
    return 1 - float(mass @ (most * found.exposure)) / whole if whole else 0.0


def modelled(found: Seen, queries: int) -> tuple[F64, F64]:
    """A model of attraction: that of the document, drawn to the mean of its query, and that to the mean of all.

    Returns:
        f64[pairs], and f64[queries]: that of a document of which nothing is known.
    """
    trusted = found.examined / (found.examined + SHRINK)  # documents count alike once they are known, not by traffic
    everywhere = float(trusted @ found.attraction) / float(trusted.sum()) if trusted.any() else 0.0
    above = total(found.query, trusted * found.attraction, queries) + everywhere
    mean = above / (total(found.query, trusted, queries) + 1)
    return (found.clicks + SHRINK * mean[found.query]) / (found.examined + SHRINK), mean


def _inverse(x: F64) -> F64:
    return np.divide(1.0, x, out=np.zeros(len(x)), where=x > 0)


def against_ideal(found: Seen, aimed: Aim) -> tuple[F64, F64, F64, F64]:
    """A ranking against the best order of what the log has for each query.

    Returns:
        Discounts f64[pairs] by which the ratio changes with each attraction, the ratio f64[queries], the ideal
        f64[queries], and the discounts f64[pairs] of the best order.
    """
    queries = len(aimed.searches)
    attraction = found.attraction
    order = np.lexsort((-attraction, found.query))
    starts = np.searchsorted(found.query[order], np.arange(queries))
    rank = np.arange(len(order)) - starts[found.query[order]]
    best = np.zeros(len(order))
    inside = rank < len(aimed.ranks)
    best[order[inside]] = aimed.ranks[rank[inside]]
    over = total(found.query, aimed.discount * attraction, queries)
    under = total(found.query, best * attraction, queries)
    ratio = np.divide(over, under, out=np.zeros(queries), where=under > 0)
    per = _inverse(under)[found.query]
    return (aimed.discount - ratio[found.query] * best) * per, ratio, under, best


def shown_mass(found: Seen, aimed: Aim) -> tuple[float, float]:
    """Discounts of the ranking's documents that searches showed, and of those that they could have shown, summed.

    Where the rankers of the log show different documents, a search shows only some of them: dividing by propensities
    of positions then finds too few clicks.
    """
    shown = float(aimed.discount[found.cells.pair] @ found.cells.impressions)
    expected = float((aimed.discount * found.is_supported) @ aimed.searches[found.query])
    return shown, expected


@dataclass(frozen=True, slots=True)
class Bounds:
    """What documents without evidence could make of an estimate.

    Args:
        supported: share of the discounts of the ranking, over searches, that falls on documents with evidence.
        low: the estimate if nobody wants the others.
        high: the estimate if they attract as the best do.
        low_means: what `low` stands for, in words.
        high_means: the same of `high`.
    """

    supported: float
    low: float
    high: float
    low_means: str = "nobody wants the documents without evidence"
    high_means: str = "the documents without evidence attract as the best do"


def bounds(found: Seen, aimed: Aim) -> Bounds:
    """Supported discount mass and worst cases of the policy-aware estimate.

    With an ideal order these are outer bounds: the unknown documents are worthless in the ranking but not in the ideal,
    or the other way round.
    """
    queries = len(aimed.searches)
    missing = total(found.query, aimed.discount * ~found.is_supported, queries) + aimed.unseen
    mass = total(found.query, aimed.discount * found.is_supported, queries) + missing
    whole = float(mass @ aimed.searches)
    supported = 1 - float(missing @ aimed.searches) / whole if whole else 0.0
    best = quantile(found.attraction[found.is_supported], found.examined[found.is_supported], HIGH)
    if not aimed.has_ideal:
        low = estimate("policy-aware", found, aimed).value
        return Bounds(supported, low, low + best * float(missing @ aimed.searches) / aimed.n, high_means=_at_best(best))
    _, ratio, under, _ = against_ideal(found, aimed)
    over = total(found.query, aimed.discount * found.attraction, queries)
    blank = total(found.query, ((aimed.discount > 0) & ~found.is_supported).astype(np.float64), queries)
    holes = blank.astype(np.int64) + aimed.holes
    reach = np.append(0.0, np.cumsum(aimed.ranks))
    most = under + best * reach[np.minimum(holes, len(aimed.ranks))]
    lows = np.divide(over, most, out=np.zeros(queries), where=most > 0)
    highs = np.divide(over + best * missing, under, out=np.ones(queries), where=under > 0)
    ends = (np.minimum(lows, ratio), np.minimum(np.maximum(highs, ratio), 1.0))
    low, high = (float(one @ aimed.searches) / aimed.n for one in ends)
    return Bounds(supported, low, high, high_means=_at_best(best))


def _at_best(best: float) -> str:
    return f"each document without evidence attracts {best:.3f}, as the best do"


def loose_bounds(found: Seen, aimed: Aim, supported: float) -> Bounds:
    """Bounds that need no propensities below position 1: a document attracts at least as it is clicked, at most all.

    With an ideal order they say nothing: 0 and 1.
    """
    means = ("attraction is what clicks show if every position is looked at as much as the first",
             "whoever looks at a document clicks it")  # fmt: skip
    if aimed.has_ideal:
        return Bounds(supported, 0.0, 1.0, "nothing of worth stands high", "the best stands highest")
    shown = total(found.cells.pair, found.cells.impressions, found.cells.pairs)
    rate = np.divide(found.clicks, shown, out=np.zeros(len(shown)), where=shown > 0)
    whole = float(aimed.discount @ found.searches) + float(aimed.unseen @ aimed.searches)
    return Bounds(supported, float((aimed.discount * rate) @ found.searches) / aimed.n, whole / aimed.n, *means)


def quantile(values: F64, weight: F64, share: float) -> float:
    """The value below which that share of the weight lies; 1 where there is none."""
    if not len(values):
        return 1.0
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][min(int(np.searchsorted(reached, share * reached[-1])), len(values) - 1)])
