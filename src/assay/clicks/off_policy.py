"""What a ranking would have earned, in a form that is kept and shown: the estimate, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from assay.clicks.behaviour import LogRead
from assay.results import Result, kept


@kept("reason against a counterfactual")
@dataclass(frozen=True, slots=True)
class Reason:
    """Why an estimate is refused.

    Args:
        rule: "effective sample", "mean weight", "support" or "propensities".
        says: what was found, in words.
    """

    rule: str
    says: str


@kept("tenth of a log by weight")
@dataclass(frozen=True, slots=True)
class Tenth:
    """A part of the impressions of the ranking's documents, by how likely they are looked at or shown.

    Args:
        low, high: of the propensity or exposure.
        impressions, clicks: how many.
        weight: share of the sum of all weights.
        value: share of the estimate.
    """

    low: float
    high: float
    impressions: int
    clicks: int
    weight: float
    value: float


@kept("counterfactual estimator")
@dataclass(frozen=True, slots=True)
class Estimated:
    """What one estimator says.

    Args:
        name: of it.
        value: None where it is refused.
        se: its standard error as counts alone allow it; None where it is refused or not known.
        mean_weight: of its weights.
        why: it is refused; empty where it is not.
    """

    name: str
    value: float | None
    se: float | None
    mean_weight: float
    why: str = ""


@kept("segment of a counterfactual")
@dataclass(frozen=True, slots=True)
class SegmentValue:
    """What a ranking would have earned in one segment, weighed by its own propensities.

    Args:
        name: of the segment.
        searches: how many count.
        value: None where `why` says which rules refuse it.
        low, high: the 95 % interval as counts alone allow it; None likewise.
        supported: share of the discounts that fall on documents that this segment showed; None where nothing was
            counted, as it has no curve that fits or nobody asked.
        ess: effective number of its impressions; None likewise.
        why: it is refused; empty where it is not.
        logged: what the log showed in it is worth by the same estimate; None where `why` says something.
        difference: the value less that.
        difference_low, difference_high: the 95 % interval of it as counts alone allow it.
    """

    name: str
    searches: int
    value: float | None
    low: float | None
    high: float | None
    supported: float | None
    ess: float | None
    why: str = ""
    logged: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None


@kept("counterfactual")
@dataclass(frozen=True, kw_only=True)
class Counterfactual(Result):
    """What a ranking, or a policy, would have earned on the searches of a log.

    Args:
        target: what was valued.
        measure: of what.
        scale: what the value is the mean of, in words.
        estimator: which one.
        value: the estimate; None where `reasons` say why it is refused.
        se: its standard error; None likewise, or where it is not known.
        low, high: the 95 % interval; None likewise.
        se_propensities: the part of `se` that errors of the propensities have.
        errors: how `se` was found, in words.
        worst, best: how low and how high it may be.
        worst_means, best_means: what these stand for, in words.
        supported: share of the discounts that fall on documents with evidence.
        reasons: against an estimate.
        searches: how many count.
        all_searches: how many the log has.
        units: people (or sessions, or searches); 0 where counts were given.
        queries: how many count.
        clicks: on documents of the ranking.
        weighed: what they weigh together, each divided by its propensity.
        ess: effective number of impressions.
        effective_clicks: of clicks.
        mean_weight, mean_weight_se: of the weights; the error is None where it is not known.
        largest: the largest weight against the mean one.
        largest_share: its share of all.
        logged: what the lists of the log are worth by the same estimate; None where refused.
        difference, difference_low, difference_high: value less logged, with an interval given what was shown; None
            where refused.
        others: every estimator.
        tenths: impressions by their weight.
        propensities: where they come from, in words.
        fits: whether the model of the propensities fits; None where it could not be tested.
        log: how it was read; None where counts were given.
        segments: where they look at positions differently, each by itself; else empty.
    """

    target: str
    measure: str
    scale: str
    estimator: str
    value: float | None
    se: float | None
    low: float | None
    high: float | None
    se_propensities: float | None
    errors: str
    worst: float
    best: float
    worst_means: str
    best_means: str
    supported: float
    reasons: tuple[Reason, ...]
    searches: int
    all_searches: int
    units: int
    queries: int
    clicks: int
    weighed: float
    ess: float
    effective_clicks: float
    mean_weight: float
    mean_weight_se: float | None
    largest: float
    largest_share: float
    logged: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    others: tuple[Estimated, ...]
    tenths: tuple[Tenth, ...]
    propensities: str
    fits: bool | None
    log: LogRead | None
    segments: tuple[SegmentValue, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 with an estimate, 2 where it is refused."""
        return 2 if self.reasons else 0
