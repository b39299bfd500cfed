"""Rules on the service, from the status file of a run: empty answers, errors, latency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.compare.rule import LEVEL, Check, Facts, Outcome, Remedy, Served, Status, decided, rule
from assay.compare.shares import is_share, share_check
from assay.errors import InputError
from assay.stats.quantiles import quantile_bounds


def again(status: Status) -> tuple[Remedy, ...]:
    """More requests, where these are too few to tell."""
    text = "capture the candidate with more queries: these are too few to tell"
    return (Remedy("captures", text),) if status == "INCONCLUSIVE" else ()


@rule("zero_results")
@dataclass(frozen=True, kw_only=True)
class ZeroResults:
    """Few queries are answered with nothing.

    Args:
        at_most: their share.
    """

    label: ClassVar[str] = "few empty pages"
    thresholds: ClassVar[tuple[str, ...]] = ("at_most",)
    needs_status: ClassVar[bool] = True

    at_most: float

    def __post_init__(self) -> None:
        is_share("at_most", self.at_most)

    def decide(self, facts: Facts) -> Outcome:
        """By the exact interval of the share of requests; errors are the other rule's business."""
        served = _served(facts, self)
        answered = ~served.is_error
        check = share_check(
            "zero-result share", "at most", self.at_most, int((served.is_empty & answered).sum()),
            int(answered.sum()), "answered requests",
        )  # fmt: skip
        return decided(self, check.status, check.because, (check,), again(check.status))


@rule("errors")
@dataclass(frozen=True, kw_only=True)
class Errors:
    """Few queries end in an error.

    Args:
        at_most: their share; 0 allows none in this capture, whatever it says about others.
    """

    label: ClassVar[str] = "few errors"
    thresholds: ClassVar[tuple[str, ...]] = ("at_most",)
    needs_status: ClassVar[bool] = True

    at_most: float

    def __post_init__(self) -> None:
        is_share("at_most", self.at_most)

    def decide(self, facts: Facts) -> Outcome:
        """By the exact interval of the share of requests."""
        served = _served(facts, self)
        check = share_check(
            "share of requests with an error", "at most", self.at_most, int(served.is_error.sum()),
            len(served.query_ids), "requests",
        )  # fmt: skip
        return decided(self, check.status, check.because, (check,), again(check.status))


@rule("latency")
@dataclass(frozen=True, kw_only=True)
class Latency:
    """A percentile of the latency stays under a limit.

    Args:
        at_most_ms: the limit.
        percentile: which one, such as 95.
    """

    label: ClassVar[str] = "fast enough"
    thresholds: ClassVar[tuple[str, ...]] = ("at_most_ms",)
    needs_status: ClassVar[bool] = True

    at_most_ms: float
    percentile: float = 95.0

    def __post_init__(self) -> None:
        if not 0 < self.at_most_ms < float("inf"):
            raise ValueError("at_most_ms is a time above 0")
        if not 0 < self.percentile < 100:
            raise ValueError("percentile lies between 0 and 100")

    def decide(self, facts: Facts) -> Outcome:
        """By the order-statistic interval of the percentile; requests that failed have no latency."""
        served = _served(facts, self)
        known = np.sort(served.latency_ms[~served.is_error & ~np.isnan(served.latency_ms)])
        unknown = int((~served.is_error).sum()) - len(known)
        on = f"latency, {self.percentile:g}th percentile"
        if not len(known) or unknown > 0.01 * len(served.query_ids):
            why = "no request has a latency_ms" if not len(known) else f"{unknown:,} answered requests have no latency"
            check = Check(on, "at most", self.at_most_ms, None, None, None, "ms", len(known), "INCONCLUSIVE",
                          f"{on} is not known: {why}", "requests")  # fmt: skip
            return decided(self, "INCONCLUSIVE", check.because, (check,), again(check.status))
        value, low, high = quantile_bounds(known, self.percentile / 100, LEVEL)
        status: Status = "INCONCLUSIVE"
        if high is not None and high <= self.at_most_ms:
            status = "PASS"
        elif low is not None and low > self.at_most_ms:
            status = "FAIL"
        words = {"PASS": "is", "FAIL": "is not", "INCONCLUSIVE": "may not be"}[status]
        because = f"{on} {words} within {self.at_most_ms:g} ms: {value:g} ms"
        if status == "INCONCLUSIVE" and high is None:
            because += f"; {len(known):,} requests are too few for an upper end"
        check = Check(on, "at most", self.at_most_ms, value, low, high, "ms", len(known), status, because, "requests")
        return decided(self, status, because, (check,), again(check.status))


def _served(facts: Facts, rule: Errors | Latency | ZeroResults) -> Served:
    if facts.served is None:
        raise InputError(
            f"the rule {rule.rule} needs the status file of the candidate",  # type: ignore[union-attr] # registered rules have it
            remedy="pass --status FILE with the columns query_id, status and latency_ms",
        )
    return facts.served
