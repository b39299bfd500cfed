"""What a ranking would have earned in each segment, and whether segments that cannot say are too many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.clicks.aim import Aim, seen
from assay.clicks.counterfactual import Estimator, bounds, estimate
from assay.clicks.ideal import between
from assay.clicks.logged import difference
from assay.clicks.off_policy import Reason, SegmentValue
from assay.clicks.pairs import F64
from assay.clicks.spread import chance_variance, reach, slope_freedom, slope_variance
from assay.clicks.strata import Strata
from assay.clicks.weights import SUPPORTED, mean_weight, of_ranking, reasons


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of positions, by place; see `strata`.

    Args:
        theta, df: f64[places].
        cov: f64[places, places] of log theta; None where only `se` is known, or nothing.
        se: f64[places] of log theta; None where not known.
        misfits: what speaks against each segment's.
    """

    theta: F64
    cov: F64 | None
    se: F64 | None
    df: F64 | None
    misfits: Sequence[str]

    def adds(self, slope: F64) -> tuple[float, float]:
        """What errors of propensities add to the variance of a value with a slope, and its degrees of freedom."""
        return slope_variance(slope, self.cov, self.se), slope_freedom(slope, self.cov, self.df)


def segment_values(
    kind: Estimator, clip: float | None, strata: Strata, aimed: Aim, known: Known, ranks: F64,
    left_out: Mapping[str, float],
) -> tuple[tuple[SegmentValue, ...], tuple[Reason, ...]]:  # fmt: skip
    """Each segment by itself, under the same rules as all together; and why there is no value of all.

    Segments that are refused may have a tenth of the searches together, as documents without evidence may have of the
    discounts; the value of all is refused where they have more.

    Args:
        kind: the estimator.
        clip: the most that a click may weigh.
        strata: the counts.
        aimed: the ranking, on all segments with a curve.
        known: of positions.
        ranks: f64[places], what places of the log are worth; see `strata.by_place`.
        left_out: searches of segments without a curve, of queries that count.
    """
    if strata.segment is None:
        return (), ()
    rows, against = [], []
    for at, name in enumerate(strata.segments):
        if strata.why[at]:
            rows.append(
                SegmentValue(name, round(left_out.get(name, 0.0)), None, None, None, None, None, "propensities")
            )
            against.append((rows[-1], Reason("propensities", strata.why[at])))
            continue
        row, why = _one(kind, clip, name, strata, replace(aimed, searches=np.where(
            strata.segment == at, aimed.searches, 0.0)), known, known.misfits[at], ranks)  # fmt: skip
        rows.append(row)
        against += [(row, one) for one in why]
    whole = sum(row.searches for row in rows)
    refused = sum(row.searches for row in rows if row.why)
    if refused <= (1 - SUPPORTED) * whole:
        return tuple(rows), ()
    return tuple(rows), tuple(
        Reason(why.rule, f"in {row.name}, with {100 * row.searches / whole:.0f} % of the searches, {why.says}")
        for row, why in against if row.searches and not (why.rule == "propensities" and strata.knows(row.name))
    )  # fmt: skip


def _one(
    kind: Estimator, clip: float | None, name: str, strata: Strata, aimed: Aim, known: Known, misfit: str, ranks: F64
) -> tuple[SegmentValue, tuple[Reason, ...]]:
    if not aimed.n:
        return SegmentValue(name, 0, None, None, None, None, None, "not asked"), ()
    found = seen(strata.seen, known.theta, aimed)
    one, ends = estimate(kind, found, aimed, clip), bounds(found, aimed)
    weighed, (mean, mean_se) = of_ranking(kind, found, aimed, clip), mean_weight(kind, found, aimed)
    against = reasons(weighed.ess, mean, mean_se, ends.supported, misfit, clicks=weighed.clicks)
    if against:
        why = ", ".join(reason.rule for reason in against)
        return SegmentValue(name, round(aimed.n), None, None, None, ends.supported, weighed.ess, why), against
    value, low, high = between(found, aimed, one.value)
    half = reach(chance_variance(one, found, aimed, kind), math.inf, *known.adds(one.slope))
    beside = difference(found, aimed, ranks, known.adds)
    return SegmentValue(name, round(aimed.n), value, max(low - half, 0.0), high + half, ends.supported, weighed.ess,
                        "", beside.logged, beside.value, beside.low, beside.high), ()  # fmt: skip
