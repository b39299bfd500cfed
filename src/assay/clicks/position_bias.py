"""How likely positions are looked at, in a form that is kept and shown: estimates, tests of the model, cross-checks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.clicks.behaviour import LogRead
from assay.clicks.cells import Cells
from assay.clicks.pairs import F64, total
from assay.clicks.propensity import Propensities
from assay.results import Result, kept


@kept("propensity at a position")
@dataclass(frozen=True, slots=True)
class Examined:
    """How likely one position is looked at, against position 1.

    Args:
        position: from 1.
        impressions, clicks: how many.
        theta: 1 at position 1; None where `why` says why it cannot be known.
        low, high: the 95 % interval; None where theta is, and at position 1, which is fixed.
        se: standard error of log theta; None likewise.
        why: there is no estimate; empty where there is one.
        is_weak: few clicks tie it to position 1.
    """

    position: int
    impressions: int
    clicks: int
    theta: float | None
    low: float | None
    high: float | None
    se: float | None
    why: str = ""
    is_weak: bool = False

    @property
    def rate(self) -> float:
        """Clicks by impressions."""
        return self.clicks / self.impressions if self.impressions else math.nan

    @property
    def weight(self) -> float | None:
        """What a click here is worth in clicks at position 1."""
        return 1 / self.theta if self.theta else None


@kept("propensity curve")
@dataclass(frozen=True, slots=True)
class Curve:
    """Propensities of one part of the log, or by one method.

    Args:
        name: the segment, or the method.
        thetas: by position; None where not known.
        lows, highs: 95 % intervals; None where not known, or where the method gives none.
        why: there is no estimate at all; empty where there is one.
    """

    name: str
    thetas: tuple[float | None, ...]
    lows: tuple[float | None, ...] = ()
    highs: tuple[float | None, ...] = ()
    why: str = ""


@kept("test of the position model")
@dataclass(frozen=True, slots=True)
class ModelTest:
    """One test whether positions and attraction explain the clicks.

    Args:
        name: chi-square, trust, or the model that predicts later lists against it.
        p: how often a log that fits looks like this; None where the test could not be made.
        says: what was found, in words.
        is_against: whether it speaks against the model.
        segment: the part of the log that it is of; empty where it is of all.
    """

    name: str
    p: float | None
    says: str
    is_against: bool
    segment: str = ""


@kept("line of trust")
@dataclass(frozen=True, slots=True)
class TrustLine:
    """Click rates at one position as a line over relevance: alpha x relevance + beta.

    Args:
        position: from 1.
        alpha: slope; 1 at position 1, None where `why` says why it cannot be known.
        beta: rate of a document that nobody clicks at position 1.
        se_alpha, se_beta: standard errors, clustered by query.
        alpha_low, alpha_high, beta_low, beta_high: 95 % intervals; None at position 1.
        why: there is no estimate; empty where there is one.
    """

    position: int
    alpha: float | None
    beta: float | None
    se_alpha: float | None
    se_beta: float | None
    alpha_low: float | None = None
    alpha_high: float | None = None
    beta_low: float | None = None
    beta_high: float | None = None
    why: str = ""


@kept("position bias")
@dataclass(frozen=True, kw_only=True)
class PositionBias(Result):
    """Propensities by position, and whether they can be believed.

    Args:
        positions: one each, over all segments.
        fits: whether no test speaks against the model; None where none could be made, or where segments have curves
            of their own and not all could be tested.
        verdict: in words.
        tests: chi-square, trust, rivals; of each segment where segments have curves of their own.
        dispersion: chi-square over its degrees of freedom: 1 where the model fits; None where not known; where segments
            have curves of their own the largest of theirs.
        queries: how many the estimate rests on.
        pairs: pairs of query and document that were shown at several positions.
        method: "two-way Poisson" and how it was solved.
        segments: curves by segment.
        homogeneity: p of one curve for all segments; None where not tested.
        is_apart: whether segments differ so clearly that each has a curve of its own, and is tested by it.
        checks: curves by other methods.
        lines: where trust in high positions was asked for; else empty.
        searches: how many lists the rivals were fitted on and tested with; 0 when they were not.
        log: how it was read; None where cells were given.
    """

    positions: tuple[Examined, ...]
    fits: bool | None
    verdict: str
    tests: tuple[ModelTest, ...]
    dispersion: float | None
    queries: int
    pairs: int
    method: str
    segments: tuple[Curve, ...]
    homogeneity: float | None
    checks: tuple[Curve, ...]
    lines: tuple[TrustLine, ...]
    searches: int
    log: LogRead | None
    is_apart: bool = False

    @property
    def theta(self) -> F64:
        """f64[K], NaN where not known."""
        return np.array([math.nan if one.theta is None else one.theta for one in self.positions])


def examined(cells: Cells, found: Propensities) -> tuple[Examined, ...]:
    """Propensities with the counts of their positions."""
    depth = len(found.theta)
    shown = total(cells.position - 1, cells.impressions, depth)
    clicked = total(cells.position - 1, cells.clicks, depth)
    lows, highs = found.interval()
    weak = set(found.weak().tolist())
    rows = []
    for at in range(depth):
        is_known = not math.isnan(found.theta[at])
        is_free = is_known and at > 0
        rows.append(Examined(
            at + 1, round(float(shown[at])), round(float(clicked[at])), some(found.theta[at]),
            some(lows[at]) if is_free else None, some(highs[at]) if is_free else None,
            some(found.se[at]) if is_free else None, found.reasons[at], at + 1 in weak,
        ))  # fmt: skip
    return tuple(rows)


def curve(name: str, found: Propensities | str) -> Curve:
    """The curve of one segment, or why it has none."""
    if isinstance(found, str):
        return Curve(name, (), why=found)
    lows, highs = found.interval()
    return Curve(name, tuple(map(some, found.theta)), tuple(map(some, lows)), tuple(map(some, highs)))


def some(x: float) -> float | None:
    """A number as it is kept: None for what is not known."""
    return None if math.isnan(x) else float(x)
