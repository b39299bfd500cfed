"""Baseline against candidates: the difference on each measure, how sure it is, and which queries won and lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from assay.compare.asked import Asked
from assay.compare.columns import Column
from assay.compare.comparison import CLAIM, Difference, Family, Outcome, QueryDifference
from assay.compare.comparison import WeightedDifference as Weighted
from assay.compare.correction import corrected
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.stats.intervals import Interval, t_interval, why_undefined
from assay.stats.max_t import critical_t
from assay.stats.paired import Tests
from assay.stats.power import detectable
from assay.stats.randomisation import randomisation
from assay.stats.sampling import Sampling
from assay.stats.weighted import Estimate, hajek

F64 = NDArray[np.float64]

ONE_SIDED = 0.01
"""Share of queries with a value on one side only above which a difference tells nothing: the loss is not random."""
SHOWN = 5
"""Largest wins and losses that a difference names."""
MANY, FEWER_FLIPS = 50, 10_000
"""With more columns than this, p of weighted differences, which decide nothing, are drawn from fewer patterns."""
NAMED = 1000
"""Ids of queries with a value on one side only that are kept."""


def differences(
    columns: Sequence[Column], scores: Scores, asked: Asked, simultaneous: bool = False
) -> tuple[tuple[Difference, ...], Family]:
    """Every column as a difference, corrected as one family.

    Args:
        columns: what is compared.
        scores: where the values come from.
        asked: see `Asked`.
        simultaneous: also give the intervals that hold for all columns of the family at once.
    """
    matrix = np.array([column.d for column in columns]).reshape(len(columns), len(scores.queries))
    made = corrected(columns, matrix, scores.queries, asked)
    members = np.array([not column.left_out_because() for column in columns], np.bool_)
    wide = np.full(len(columns), np.nan)
    if simultaneous and members.any():
        wide[members] = critical_t(matrix[members], scores.queries, asked.seed, asked.flips, level=asked.level)
    found = [
        _difference(column, test, interval, p, is_open, float(width), by_weight, made.family, scores, asked)
        for column, test, interval, p, is_open, width, by_weight in zip(
            columns, made.tests, intervals(matrix, scores.queries, asked), made.adjusted.tolist(),
            made.unsettled.tolist(), wide, weighted(columns, matrix, scores, asked), strict=True,
        )
    ]  # fmt: skip
    return tuple(found), made.family


def _difference(
    column: Column,
    tests: Tests,
    interval: Interval | None,
    adjusted: float,
    is_open: bool,
    width: float,
    by_weight: Weighted | None,
    family: Family,
    scores: Scores,
    asked: Asked,
) -> Difference:
    use, known = column.pairs, column.known
    n = len(known)
    sd = tests.sd
    only_before = column.which & ~np.isnan(column.before) & np.isnan(column.after)
    only_after = column.which & np.isnan(column.before) & ~np.isnan(column.after)
    one_sided = np.flatnonzero(only_before | only_after)
    claim = n >= CLAIM
    p = None if np.isnan(adjusted) else adjusted
    why = column.left_out_because()
    outcome, because = _outcome(column, tests, why, p, is_open, len(one_sided), family, asked)
    wins, losses = largest(column, scores.queries)
    return Difference(
        baseline=column.baseline,
        candidate=column.candidate,
        measure=column.measure,
        baseline_mean=_mean(column.before[use]),
        candidate_mean=_mean(column.after[use]),
        difference=_mean((column.after - column.before)[use]),
        n=n,
        nonzero=tests.nonzero,
        sd=sd,
        interval=interval,
        no_interval_because=NO_INTERVAL[why_undefined(known)],
        tests=tests,
        p=tests.p,
        adjusted=p,
        simultaneous=_wide(known, width, asked.level),
        in_family=not why,
        left_out_because=why,
        wins=int((known > asked.tie).sum()),
        losses=int((known < -asked.tie).sum()),
        ties=int((np.abs(known) <= asked.tie).sum()),
        largest_wins=wins,
        largest_losses=losses,
        undefined=int((column.which & np.isnan(column.before) & np.isnan(column.after)).sum()),
        one_sided=len(one_sided),
        one_sided_queries=tuple(scores.queries[i] for i in one_sided[:NAMED].tolist()),
        detectable=None if sd is None else detectable(sd, n, alpha=asked.alpha),
        judged_baseline=_judged(scores, column.measure, column.baseline, use),
        judged_candidate=_judged(scores, column.measure, column.candidate, use),
        weighted=by_weight,
        claim=claim,
        outcome=outcome,
        because=because,
    )


def _outcome(
    column: Column, tests: Tests, why: str, p: float | None, is_open: bool, one_sided: int, family: Family,
    asked: Asked,
) -> tuple[Outcome, str]:  # fmt: skip
    """What may be said, and why nothing may."""
    if why:
        return "cannot tell", why
    if one_sided > ONE_SIDED * int(column.which.sum()):
        have = "query has" if one_sided == 1 else "queries have"
        return "cannot tell", f"{one_sided:,} {have} a value on one side only, and such a loss is not random"
    if p is None:
        drawn = "shuffles" if family.correction == "tukey" else "flips"
        return "cannot tell", f"not resolvable with {family.flips:,} {drawn}; {family.needed:,} would do"
    corrected = "" if family.size <= 1 or family.correction == "none" else " after correction"
    if is_open:
        patterns = max(family.flips, 0 if tests.randomisation is None else tests.randomisation.patterns)
        return "cannot tell", f"p is at {asked.alpha:g}{corrected}: {patterns:,} patterns do not settle it"
    if p > asked.alpha:
        return "cannot tell", f"p {p:.4f}{corrected}"
    assert tests.mean is not None, "a column of the family has pairs"
    return ("better" if tests.mean * column.direction > 0 else "worse"), ""


def largest(column: Column, queries: Sequence[str]) -> tuple[tuple[QueryDifference, ...], tuple[QueryDifference, ...]]:
    """The largest wins and losses, the largest first; equal ones by query id."""
    d = np.where(column.pairs, column.d, 0.0)

    def told(sign: int) -> tuple[QueryDifference, ...]:
        order = np.argsort(-sign * d, kind="stable")[:SHOWN]
        return tuple(
            QueryDifference(queries[i], float(column.before[i]), float(column.after[i]), float(d[i]))
            for i in order.tolist()
            if sign * d[i] > 0
        )

    return told(1), told(-1)


def weighted(columns: Sequence[Column], matrix: F64, scores: Scores, asked: Asked) -> list[Weighted | None]:
    """The difference of every column by what its queries stand for; None where no pair has a weight."""
    if scores.weights is None:
        return [None] * len(columns)
    weights = np.where(np.nan_to_num(scores.weights) > 0, scores.weights, np.nan)
    if np.isnan(weights).all():
        return [None] * len(columns)
    # signs of w d are flipped, w about 1: what is a tie depends on no unit of traffic
    signed = matrix * (weights / np.nanmean(weights))
    flips = asked.flips if len(columns) <= MANY else min(asked.flips, FEWER_FLIPS)
    tested = randomisation(signed, scores.queries, asked.seed, flips, at=())
    return [
        _weighted(column, weights, scores.sampling, None if p is None else p.p, asked.level)
        for column, p in zip(columns, tested, strict=True)
    ]


def _weighted(
    column: Column, weights: F64, sampling: Sampling | None, p: float | None, level: float
) -> Weighted | None:
    use = column.pairs & ~np.isnan(weights)
    if not use.any():
        return None
    estimate: Callable[[F64], Estimate] = partial(hajek, weights=np.where(use, weights, np.nan))
    name = "traffic"
    if sampling is not None:
        name = "hajek"
        if column.which.all():  # of a segment neither its total nor the shares of strata in it are known
            estimate, name = sampling.estimate, sampling.estimator
    before, after, d = (
        estimate(np.where(column.pairs, x, np.nan)) for x in (column.before, column.after, column.after - column.before)
    )
    return Weighted(
        baseline_mean=before.mean,
        candidate_mean=after.mean,
        difference=d.mean,
        interval=d.interval(level),
        effective_n=d.effective_n,
        p=p,
        estimator=name,
        target="traffic" if sampling is None else sampling.target,
        why=d.why,
    )


def _wide(known: F64, width: float, level: float) -> Interval | None:
    if not np.isfinite(width) or why_undefined(known):
        return None
    mean, error = float(known.mean()), float(known.std(ddof=1)) / float(np.sqrt(len(known)))
    return Interval(mean - width * error, mean + width * error, level, "max-t", len(known))


def _mean(values: F64) -> float | None:
    return float(values.mean()) if len(values) else None


def _judged(scores: Scores, measure: Measure, run: str, use: NDArray[np.bool_]) -> float | None:
    """Mean share of the first documents that is judged, over the pairs; None where it is not known."""
    shares = scores.judged[scores.runs.index(run), scores.measures.index(measure)][use]
    known = shares[~np.isnan(shares)]
    return float(known.mean()) if len(known) else None


def intervals(matrix: F64, queries: Sequence[str], asked: Asked) -> list[Interval | None]:
    """The interval of each column's mean by the method that was asked for; None where it is undefined."""
    if asked.interval == "t":
        return [t_interval(row, asked.level) for row in matrix]
    from assay.stats.resample import resampled_intervals

    return list(resampled_intervals(matrix, queries, asked.seed, asked.level, asked.interval))


NO_INTERVAL = {
    "all values are equal": "all differences are equal",
    "no value is defined": "no pair",
    "one value has no spread": "one pair has no spread",
    "": "",
}
