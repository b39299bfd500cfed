"""Propensities by segment, such as the device or the layout, and a test whether one set would do for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.clicks.attraction import Attractions, attractions
from assay.clicks.cells import Bool, Cells
from assay.clicks.connected import ties
from assay.clicks.pairs import I64, total
from assay.clicks.propensity import Problem, Propensities, propensity
from assay.clicks.strata import curves
from assay.errors import NotEnoughEvidence


@dataclass(frozen=True, slots=True, eq=False)
class BySegment:
    """Propensities of each segment, and whether they may be the same.

    Args:
        segments: the names.
        each: the propensities of each segment, or why there are none.
        common: one theta for all, with attraction free in each segment.
        statistic: twice the difference of log-likelihoods, over positions that all segments know.
        df: its degrees of freedom.
        p: the chance of so large a statistic if theta is the same everywhere; a little cautious, as clicks spread less
            than Poisson counts do. NaN where fewer than two segments have an estimate.
    """

    segments: tuple[str, ...]
    each: tuple[Propensities | str, ...]
    common: Propensities
    statistic: float
    df: int
    p: float


def by_segment(cells: Cells) -> BySegment:
    """Propensities by segment with a likelihood ratio test of one theta for all.

    Raises:
        NotEnoughEvidence: the cells know no segments, or no position is tied to position 1 over all of them.
    """
    from scipy.stats import chi2

    if cells.segment is None:
        raise NotEnoughEvidence("the cells know no segments\n    mend: count by segment, such as the device")
    apart = _apart(cells, cells.segment)
    common = propensity(apart)
    number = range(len(cells.segments) or (int(cells.segment.max()) + 1 if len(cells.segment) else 0))
    parts = [cells.of_segment(at) for at in number]
    each = tuple(_or_reason(part) for part in parts)
    names = tuple(cells.segments) or tuple(str(at) for at in number)
    able = [at for at in number if isinstance(each[at], Propensities)]
    shared = _shared([(parts[at], each[at]) for at in able], cells.depth) if able else np.zeros(0, bool)
    if len(able) < 2 or shared.sum() < 2:
        return BySegment(names, each, common, math.nan, 0, math.nan)
    inside = shared[cells.position - 1] & np.isin(cells.segment, able)
    together = Problem(apart.where(inside), shared)
    fit = together.value(together.shares(together.newton(1e-10, 1000)[0]))
    free = 0.0
    for at in able:
        problem = Problem(parts[at].where(shared[parts[at].position - 1]), shared[: parts[at].depth])
        free += problem.value(problem.shares(problem.newton(1e-10, 1000)[0]))
    statistic, df = max(0.0, 2 * (free - fit)), (len(able) - 1) * int(shared.sum() - 1)
    return BySegment(names, each, common, statistic, df, float(chi2.sf(statistic, df)))


def attractions_by_segment(cells: Cells, each: Sequence[Propensities | str]) -> Attractions:
    """Attraction of each pair over all segments, each with its own propensities.

    Examinations are counted: the impressions of each segment at each position times the propensity there, summed. So it
    does not matter which segment saw a document more often, or higher up. Attraction is taken to be the same in all
    segments, and position 1 to be looked at in each.

    Args:
        cells: that know their segments.
        each: the propensities of each segment, by its number; a segment with a reason in their place is left out.

    Returns:
        Values by pair; the columns of `share` and `cov` are places, see `strata`.
    """
    assert cells.segment is not None  # the caller has asked
    laid = curves(each)
    found = attractions(
        replace(cells, position=laid.places(cells.segment, cells.position)), laid.theta, laid.cov, laid.df
    )
    shown = total(cells.pair, cells.impressions, cells.pairs)
    sums = (total(cells.pair, cells.impressions * cells.position, cells.pairs),
            total(cells.pair, cells.clicks, cells.pairs))  # fmt: skip
    mean_position, rate = (
        np.divide(one, shown, out=np.full(cells.pairs, np.nan), where=shown > 0) for one in sums
    )  # fmt: skip
    return replace(found, mean_position=mean_position, rate=rate)


def _shared(found: list[tuple[Cells, Propensities | str]], depth: int) -> Bool:
    """bool[depth]: what all segments know, also by these positions alone: one may be tied to 1 by way of another."""
    shared: Bool = np.logical_and.reduce([_known(one, depth) for _, one in found])
    while shared.sum() > 1:
        fewer = shared.copy()
        for cells, _ in found:
            tied = ties(cells.where(shared[cells.position - 1])).tied
            fewer[: len(tied)] &= tied
            fewer[len(tied) :] = False
        if (fewer == shared).all():
            break
        shared = fewer
    return shared


def _known(found: Propensities | str, depth: int) -> Bool:
    known = np.zeros(depth, bool)
    if isinstance(found, Propensities):
        known[: len(found.theta)] = ~np.isnan(found.theta)
    return known


def _or_reason(cells: Cells) -> Propensities | str:
    try:
        return propensity(cells)
    except NotEnoughEvidence as why:
        return str(why)


def _apart(cells: Cells, segment: I64) -> Cells:
    """The same document in two segments as two pairs."""
    key = cells.pair * (int(segment.max()) + 1 if len(segment) else 1) + segment
    keys, pair = np.unique(key, return_inverse=True)
    query = cells.query[keys // (int(segment.max()) + 1)] if len(keys) else cells.query[:0]
    return Cells(pair, cells.position, cells.impressions, cells.clicks, query)
