"""Rules on the ranking's quality: it improves, it must not drop, nowhere and for no query that counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.compare.columns import Column
from assay.compare.comparison import CLAIM, FEW_NONZERO, TIE
from assay.compare.first_lines import signed
from assay.compare.limits import (
    Seen,
    all_judged,
    column_of,
    decided_by,
    difference_check,
    every_query,
    seen,
    weights_of,
    where_of,
)
from assay.compare.rule import F64, LEVEL, Check, Facts, Outcome, Remedy, Status, decided, rule
from assay.errors import InputError, did_you_mean
from assay.stats.intervals import t_interval, why_undefined
from assay.stats.max_t import critical_t
from assay.stats.randomisation import randomisation

Weights = Literal["", "traffic"]
"""What a query counts in a mean."""


@rule("improvement")
@dataclass(frozen=True, kw_only=True)
class Improvement:
    """The candidate is better: the 90 % interval lies above 0, and the randomisation test agrees at 5 %, one-sided.

    Args:
        measure: the measure.
        plan: the smallest gain that is worth the change; queries are planned for it, never for the observed gain.
        min_gain: a gain that is surely below it fails; without it only a loss does.
        segment: only the queries of this segment.
        weights: "traffic" counts each query by its traffic; all alike unless given.
    """

    label: ClassVar[str] = "improves"
    thresholds: ClassVar[tuple[str, ...]] = ("plan",)

    measure: str
    plan: float
    min_gain: float | None = None
    segment: str = ""
    weights: Weights = ""

    def __post_init__(self) -> None:
        _not_below("plan", self.plan, above=True)
        if self.min_gain is not None:
            _not_below("min_gain", self.min_gain)

    def decide(self, facts: Facts) -> Outcome:
        """PASS above 0 by interval and test, FAIL below 0 or surely below `min_gain`."""
        weights = weights_of(facts, self.weights)
        column, _ = column_of(facts, self.measure, self.segment)
        found = seen(facts, column, weights)
        status, why = self._by_evidence(facts, column, found, weights)
        limit = 0.0
        if status == "FAIL" and self.min_gain is not None and not found.lies_below(0.0):
            limit = self.min_gain
        return decided_by(
            self, facts, column, where_of(column, weights), found, status, why, limit=limit, relation="above",
            plan=self.plan, margin=0.0, weights=weights,
        )  # fmt: skip

    def _by_evidence(self, facts: Facts, column: Column, found: Seen, weights: F64 | None) -> tuple[Status, str]:
        if found.lies_below(0.0):
            return "FAIL", "got worse"
        if self.min_gain is not None and found.lies_below(self.min_gain):
            return "FAIL", f"gains less than the {self.min_gain:.4f} that is worth it"
        if not found.lies_above(0.0):
            return "INCONCLUSIVE", "may be no better"
        d = (column.d * column.direction)[None, :]
        if weights is not None:  # signs of w d are flipped, w about 1: what is a tie depends on no unit of traffic
            d = d * (weights / np.nanmean(weights))
        # two-sided 10 % is one-sided 5 %
        (test,) = randomisation(d, facts.comparison.scores.queries, facts.seed, facts.flips, at=(1 - LEVEL,))
        if test is None or test.p_greater > (1 - LEVEL) / 2 or test.at is not None:
            p = "" if test is None else f": one-sided p {test.p_greater:.4f}"
            return "INCONCLUSIVE", f"is above 0 by its interval and not by the randomisation test{p}"
        return "PASS", "is better"


@rule("non_inferiority")
@dataclass(frozen=True, kw_only=True)
class NonInferiority:
    """The candidate is not worse by more than a margin.

    Args:
        measure: the measure.
        margin: what may be lost, in units of the measure.
        segment: only the queries of this segment.
        weights: "traffic" counts each query by its traffic; all alike unless given.
    """

    label: ClassVar[str] = "must not drop"
    thresholds: ClassVar[tuple[str, ...]] = ("margin",)

    measure: str
    margin: float
    segment: str = ""
    weights: Weights = ""

    def __post_init__(self) -> None:
        _not_below("margin", self.margin)

    def decide(self, facts: Facts) -> Outcome:
        """PASS when the lower end lies above -margin, FAIL when the upper end lies below."""
        weights = weights_of(facts, self.weights)
        column, _ = column_of(facts, self.measure, self.segment)
        found = seen(facts, column, weights)
        status, why = by_margin(found, self.margin)
        return decided_by(
            self, facts, column, where_of(column, weights), found, status, why, limit=-self.margin, relation="at least",
            plan=0.0, margin=self.margin, weights=weights,
        )  # fmt: skip


@rule("known_item")
@dataclass(frozen=True, kw_only=True)
class KnownItem:
    """Queries with one right answer must not drop: no query loses, or the mean loses less than a margin.

    That no query loses is about these queries: with none among 25, up to 11 % of others like them may still lose.

    Args:
        measure: the measure; RR tells most where one document is right.
        margin: what the mean may lose.
        segment: the segment that holds these queries.
    """

    label: ClassVar[str] = "known items must not drop"
    thresholds: ClassVar[tuple[str, ...]] = ("margin",)

    measure: str
    margin: float
    segment: str = "known-item"

    def __post_init__(self) -> None:
        _not_below("margin", self.margin)

    def decide(self, facts: Facts) -> Outcome:
        """PASS when no query loses or the lower end lies above -margin, FAIL when the upper end lies below."""
        column, where = column_of(facts, self.measure, self.segment)
        found = seen(facts, column)
        d = column.known * column.direction
        if found.usable and not (d < -TIE).any():
            status: Status
            status, why = "PASS", "has no query that lost"
        else:
            status, why = by_margin(found, self.margin)
        return decided_by(
            self, facts, column, where, found, status, why, limit=-self.margin, relation="at least", plan=0.0,
            margin=self.margin,
        )  # fmt: skip


@rule("no_segment_worse")
@dataclass(frozen=True, kw_only=True)
class NoSegmentWorse:
    """No segment is worse by more than a margin.

    Args:
        measure: the measure.
        margin: what each segment may lose.
        by: the column of the segments; all that the topics tell when empty.
    """

    label: ClassVar[str] = "no segment worse than"
    thresholds: ClassVar[tuple[str, ...]] = ("margin",)

    measure: str
    margin: float
    by: str = ""

    def __post_init__(self) -> None:
        _not_below("margin", self.margin)

    def decide(self, facts: Facts) -> Outcome:
        """PASS when every segment of 25 shows it at 5 % each, FAIL when one shows harm corrected over all of them."""
        columns = self._columns(facts)
        large = [column for column in columns if len(column.known) >= CLAIM]
        small = [f"{column.name} ({len(column.known)})" for column in columns if len(column.known) < CLAIM]
        too_small = f"{', '.join(small)}: fewer than {CLAIM} queries, no claim" if small else ""
        if not large:
            remedy = Remedy("queries", f"give a segment at least {CLAIM} queries", CLAIM)
            return decided(self, "INCONCLUSIVE", f"no segment has {CLAIM} queries: {too_small}", (), (remedy,))
        uppers = self._uppers(facts, large)
        checks: list[Check] = []
        remedies: list[Remedy] = []
        for column, upper in zip(large, uppers, strict=True):
            found = seen(facts, column)
            status, why = by_margin(found, self.margin)
            if status == "FAIL" and not (found.is_constant or (upper is not None and upper < -self.margin)):
                status, why = "INCONCLUSIVE", "is worse at 5 % alone, and not with all segments looked at"
            elif found.usable and upper is not None and upper < -self.margin:
                status, why = "FAIL", "got worse"
            check, wanted = difference_check(
                facts, column, f"{column.measure}, {column.name}", found, status, why, limit=-self.margin,
                relation="at least", plan=0.0, margin=self.margin, who=f"{column.name} queries",
            )  # fmt: skip
            checks.append(check)
            remedies += wanted
        return _worst(self, checks, remedies, f"no segment lost more than {self.margin:.4f}", too_small)

    def _columns(self, facts: Facts) -> list[Column]:
        kinds = list(dict.fromkeys(kind for kind, _ in facts.sets))
        if self.by and self.by not in kinds:
            raise InputError(
                f"there are no segments by {self.by}{did_you_mean(self.by, kinds)}",
                remedy=f"the segments are by {', '.join(kinds)}" if kinds else "pass --topics with that column",
            )
        if not facts.sets:
            raise InputError(
                "there are no segments", remedy="pass --topics with a segment column, or with the traffic of each query"
            )
        return [
            column_of(facts, self.measure, kind=kind, name=name)[0]
            for kind, name in facts.sets
            if not self.by or kind == self.by
        ]

    def _uppers(self, facts: Facts, columns: list[Column]) -> list[float | None]:
        """The upper end of each segment that holds for all of them at once; None where it has no spread to tell."""
        matrix = np.array([column.d * column.direction for column in columns])
        takes_part = [np.count_nonzero(column.known) >= FEW_NONZERO for column in columns]
        members = np.array([part and not why_undefined(row) for part, row in zip(takes_part, matrix, strict=True)])
        if not members.any():
            return [None] * len(columns)
        queries = facts.comparison.scores.queries
        width = critical_t(matrix[members], queries, facts.seed, facts.flips, alternative="less")
        if width is None:
            return [None] * len(columns)
        out: list[float | None] = []
        for row, member in zip(matrix, members.tolist(), strict=True):
            d = row[~np.isnan(row)]
            out.append(float(d.mean() + width * d.std(ddof=1) / np.sqrt(len(d))) if member else None)
        return out


@rule("protected_queries")
@dataclass(frozen=True, kw_only=True)
class ProtectedQueries:
    """None of the named queries loses more than a margin. This is about these queries, not about others like them.

    Args:
        measure: the measure.
        margin: what each may lose.
        queries: their ids.
    """

    label: ClassVar[str] = "protected queries"
    thresholds: ClassVar[tuple[str, ...]] = ("margin", "queries")

    measure: str
    margin: float
    queries: tuple[str, ...]

    def __post_init__(self) -> None:
        _not_below("margin", self.margin)
        if not self.queries:
            raise ValueError("queries names no query")

    def decide(self, facts: Facts) -> Outcome:
        """FAIL when one loses more, INCONCLUSIVE when one has no value or hangs on unjudged documents."""
        known = facts.comparison.scores.queries
        places = {query: i for i, query in enumerate(known)}
        for query in self.queries:
            if query not in places:
                raise InputError(
                    f"the protected query {query} is not judged{did_you_mean(query, known)}",
                    remedy="correct its id, or judge it",
                )
        which = np.zeros(len(known), np.bool_)
        which[[places[query] for query in self.queries]] = True
        column, _ = every_query(facts, self.measure)
        checks, remedies = [], []
        for query in dict.fromkeys(self.queries):
            check, wanted = self._one(facts, column, query, places[query])
            checks.append(check)
            remedies += wanted
        return _worst(self, checks, remedies, f"no protected query lost more than {self.margin:.4f}", "")

    def _one(self, facts: Facts, column: Column, query: str, at: int) -> tuple[Check, list[Remedy]]:
        d = float(column.d[at]) * column.direction
        limit = -self.margin
        on = f"{column.measure}, {query}"
        if np.isnan(d):
            because = f"{query} has no value of {column.measure} on both sides"
            remedy = Remedy("input", f"judge a relevant document of {query}, or mend what failed for it")
            return Check(on, "at least", limit, None, None, None, "difference", 0, "INCONCLUSIVE", because), [remedy]
        only = np.zeros(len(column.d), np.bool_)
        only[at] = True
        status: Status = "FAIL" if d < limit - TIE else "PASS"
        verb = "lost" if status == "FAIL" else "did not lose"
        because = f"{query} {verb} more than {self.margin:.4f} of {column.measure} ({signed(d)})"
        found = Seen(1, d, None, None, None, True, "")
        check, remedies = difference_check(
            facts, column, on, found, status, because, limit=limit, relation="at least", plan=0.0, margin=self.margin,
            who=query, which=only, is_sentence=True,
        )  # fmt: skip
        return check, remedies


@rule("at_least")
@dataclass(frozen=True, kw_only=True)
class AtLeast:
    """The candidate's own mean reaches a fixed value. No value is good by itself: a guard against accidents only.

    Args:
        measure: the measure.
        limit: the value.
        segment: only the queries of this segment.
    """

    label: ClassVar[str] = "reaches a fixed value"
    thresholds: ClassVar[tuple[str, ...]] = ("limit",)
    is_absolute: ClassVar[bool] = True

    measure: str
    limit: float
    segment: str = ""

    def __post_init__(self) -> None:
        if not math.isfinite(self.limit):
            raise ValueError("limit is a finite number")

    def decide(self, facts: Facts) -> Outcome:
        """PASS when the 90 % interval of the mean lies on the right side, FAIL when it lies on the other."""
        column, where = column_of(facts, self.measure, self.segment)
        sign = column.direction
        values = column.after[column.which & ~np.isnan(column.after)]
        n, interval = len(values), t_interval(values, LEVEL)
        mean = float(values.mean()) if n else None
        low, high = (interval.low, interval.high) if interval else (mean, mean)
        status: Status = "INCONCLUSIVE"
        if n >= CLAIM and low is not None and high is not None:
            inside, outside = (low >= self.limit, high < self.limit) if sign > 0 else (
                high <= self.limit, low > self.limit)  # fmt: skip
            status = "PASS" if inside else "FAIL" if outside else "INCONCLUSIVE"
        words = {"PASS": "reaches", "FAIL": "does not reach", "INCONCLUSIVE": "may not reach"}
        because = f"{where} of {facts.candidate} {words[status]} {self.limit:.4f}"
        if blocked := seen(facts, column).unusable_because:
            status, because = "INCONCLUSIVE", f"{where} tells nothing: {blocked}"
        bounds = facts.bounds.get(column.measure)
        counted = column.which & column.pairs
        if status != "INCONCLUSIVE" and bounds is not None and bounds.is_computed and counted.any():
            ends = float(bounds.candidate_low[counted].mean()), float(bounds.candidate_high[counted].mean())
            if ends[0] < self.limit < ends[1]:
                status = "INCONCLUSIVE"
                because = f"{where}: unjudged documents could move it to {ends[0]:.4f} or {ends[1]:.4f}"
        elif status != "INCONCLUSIVE" and facts.bounds_unknown_because and not all_judged(facts, column, counted):
            status = "INCONCLUSIVE"
            because = f"{where} hangs on unjudged documents: {facts.bounds_unknown_because}"
        relation = "at least" if sign > 0 else "at most"
        check = Check(where, relation, self.limit, mean, low, high, "", n, status, because)  # type: ignore[arg-type] # two of three relations
        remedy = Remedy("queries", f"compare with a baseline instead: no rule says that {self.limit:.4f} is good")
        if n < CLAIM:
            remedy = Remedy("queries", f"gate on at least {CLAIM} queries", CLAIM)
        return decided(self, status, because, (check,), (remedy,) if status == "INCONCLUSIVE" else ())


def by_margin(found: Seen, margin: float) -> tuple[Status, str]:
    """Non-inferiority: PASS above -margin, FAIL below it."""
    if found.lies_above(-margin):
        return "PASS", f"cannot have lost more than {margin:.4f}"
    if found.lies_below(-margin):
        return "FAIL", f"lost more than {margin:.4f}"
    return "INCONCLUSIVE", f"may have lost more than the {margin:.4f} allowed"


def _worst(rule: object, checks: list[Check], remedies: list[Remedy], good: str, also: str) -> Outcome:
    order = {"FAIL": 0, "INCONCLUSIVE": 1, "PASS": 2}
    checks = sorted(checks, key=lambda check: order[check.status])
    first = checks[0]
    rest = [check.on for check in checks[1:] if check.status == first.status]
    because = good if first.status == "PASS" else first.because
    if first.status != "PASS" and rest:
        because += f"; so {', '.join(rest)}"
    if also:
        because += f" ({also})"
    return decided(rule, first.status, because, tuple(checks), tuple(remedies) if first.status != "FAIL" else ())


def _not_below(key: str, value: float, above: bool = False) -> None:
    if not 0 <= value < math.inf or (above and value == 0):
        raise ValueError(f"{key} is a size and {'above 0' if above else 'at least 0'}")
