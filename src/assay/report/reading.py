"""How a reader wants scores shown, and the figures that stand in one line of the summary, for people and machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from assay.measures.measure import Measure
    from assay.measures.scores import Scores

CLAIM = 25
"""From so many queries on an interval is a claim; below it is printed with a warning."""
FEWEST = 10
"""Below so many queries no interval is printed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What of the scores is wanted.

    Args:
        interval: "t" over queries, "bootstrap" (percentile) or "none".
        level: coverage of the interval.
        seed: of the bootstrap.
        per_query: also every query.
        quartiles: also the quartiles on a terminal; where there is room when None.
    """

    interval: Literal["t", "bootstrap", "none"] = "t"
    level: float = 0.95
    seed: int = 0
    per_query: bool = False
    quartiles: bool | None = None

    @property
    def name(self) -> str:
        """What stands above the interval: `95 % interval`."""
        return f"{self.level * 100:g} % interval"


@dataclass(frozen=True, slots=True)
class Line:
    """One measure of one run, over the queries on which it is defined; what is not known is None.

    Args:
        run, measure: which.
        n: queries averaged.
        mean, sd, low, high, q25, median, q75: of the values.
        judged: mean share of the first k that is judged.
        weighted: mean weighted by traffic or by the design of the sample, where that is known.
        weighted_low, weighted_high: its interval.
        why: why there is no interval; empty when there is one.
    """

    run: str
    measure: Measure
    n: int
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    q25: float | None
    median: float | None
    q75: float | None
    judged: float | None
    weighted: float | None
    why: str = ""
    weighted_low: float | None = None
    weighted_high: float | None = None

    @property
    def claim(self) -> bool:
        """Whether the interval rests on enough queries to claim anything from it."""
        return self.n >= CLAIM and self.low is not None


def lines(scores: Scores, reading: Reading) -> Iterator[Line]:
    """The summary: measure by measure, run by run."""
    for measure in scores.measures:
        for run in scores.runs:
            yield line(scores, measure, run, reading)


def line(scores: Scores, measure: Measure, run: str, reading: Reading) -> Line:
    """One measure of one run."""
    low, high = _ends(scores, measure, run, reading)
    by_weight = (None, None) if scores.weights is None else _ends(scores, measure, run, reading, weighted=True)
    q25, median, q75 = map(_known, scores.quartiles(measure, run))
    return Line(
        run=run,
        measure=measure,
        n=scores.n(measure, run),
        mean=_known(scores.mean(measure, run)),
        low=low,
        high=high,
        sd=_known(scores.sd(measure, run)),
        q25=q25,
        median=median,
        q75=q75,
        judged=_known(scores.judged_share(measure, run)),
        weighted=None if scores.weights is None else _known(scores.mean(measure, run, weighted=True)),
        why=scores.why_no_interval(measure, run),
        weighted_low=by_weight[0],
        weighted_high=by_weight[1],
    )


def _ends(
    scores: Scores, measure: Measure, run: str, reading: Reading, weighted: bool = False
) -> tuple[float | None, float | None]:
    if reading.interval == "none":
        return None, None
    found = scores.interval(
        measure, run, level=reading.level, method=reading.interval, seed=reading.seed, weighted=weighted
    )
    return (None, None) if found is None else (float(found.low), float(found.high))


def _known(x: float) -> float | None:
    return float(x) if x == x else None  # NaN is not itself
