"""What a comparison says: one difference for each candidate and measure, each segment, and what hangs on what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from assay.compare.deciding import Deciding
from assay.compare.noise import Noise
from assay.compare.stages import Stages
from assay.compare.unjudged import Bounds
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.results import Result, kept
from assay.stats.intervals import Interval
from assay.stats.paired import Tests

if TYPE_CHECKING:
    import polars as pl

F64 = NDArray[np.float64]
Outcome = Literal["better", "worse", "cannot tell"]
Correction = Literal["holm", "max-t", "bh", "tukey", "none"]
Spread = Literal["t", "bootstrap", "bca"]

CLAIM = 25
"""Queries from which a comparison makes a claim."""
FEWEST = 10
"""Queries below which wins and losses are all that is shown."""
TIE = 1e-9
"""Differences up to this are ties, for every test."""
FEW_NONZERO = 10
"""Nonzero differences below which a column stays out of the family: it could not reject, and would only cost power."""


@kept("query-difference")
@dataclass(frozen=True, slots=True)
class QueryDifference:
    """One query of a comparison: its value in both systems, and candidate minus baseline."""

    query_id: str
    baseline: float
    candidate: float
    difference: float


@kept("weighted-difference")
@dataclass(frozen=True, slots=True)
class WeightedDifference:
    """The difference weighted by traffic, or by the design of the sample.

    Args:
        baseline_mean, candidate_mean, difference: weighted means.
        interval: t; None where it is undefined.
        effective_n: (sum w)^2 / sum w^2: how many equally weighted queries it is worth.
        p: of the sign flips of w d, two-sided, not corrected; None where it is undefined.
        estimator: "traffic", "hajek", "stratified" or "horvitz-thompson".
        target: which mean is estimated: "traffic", "query" (each distinct query once) or "shares" (of the strata).
        why: why the mean or its interval is undefined; empty otherwise.
    """

    baseline_mean: float | None
    candidate_mean: float | None
    difference: float | None
    interval: Interval | None
    effective_n: float
    p: float | None = None
    estimator: str = "traffic"
    target: str = "traffic"
    why: str = ""


@kept("difference")
@dataclass(frozen=True, slots=True)
class Difference:
    """Candidate minus baseline on one measure, over all queries or over a segment.

    Args:
        baseline, candidate: the two runs.
        measure: the measure.
        baseline_mean, candidate_mean, difference: over the pairs; None where there is no pair.
        n: pairs: queries whose value is defined in both.
        nonzero: pairs that differ.
        sd: standard deviation of the differences; None below two pairs.
        interval: of the difference, 95 % unless asked otherwise; None with `no_interval_because`.
        no_interval_because: why there is none; empty when there is one.
        tests: the randomisation test, its companions, and the effect size.
        p: of the randomisation test, two-sided; None where it is undefined.
        adjusted: p in its family; None outside of it or where it is not resolvable.
        simultaneous: the interval that holds for all columns of the family at once; None outside of it.
        in_family: whether it takes part in the family.
        left_out_because: why not; empty when it does.
        wins, losses, ties: queries, by |difference| <= 1e-9 unless a larger tie was asked for.
        largest_wins, largest_losses: the largest first.
        undefined: queries whose value is undefined on both sides: left out.
        one_sided: queries whose value is undefined on one side only: left out, and not at random.
        one_sided_queries: their ids, at most 1,000.
        detectable: the smallest difference that this many queries show in 80 % of cases; None where undefined.
        judged_baseline, judged_candidate: mean share of the first k that is judged; None when not known.
        weighted: by traffic; None without weights.
        claim: whether there are queries enough for a claim.
        outcome: what may be said: "better" or "worse" by the adjusted p at 5 %.
        because: why it cannot be told, in words; empty otherwise.
    """

    baseline: str
    candidate: str
    measure: Measure
    baseline_mean: float | None
    candidate_mean: float | None
    difference: float | None
    n: int
    nonzero: int
    sd: float | None
    interval: Interval | None
    no_interval_because: str
    tests: Tests | None
    p: float | None
    adjusted: float | None
    simultaneous: Interval | None
    in_family: bool
    left_out_because: str
    wins: int
    losses: int
    ties: int
    largest_wins: tuple[QueryDifference, ...]
    largest_losses: tuple[QueryDifference, ...]
    undefined: int
    one_sided: int
    one_sided_queries: tuple[str, ...]
    detectable: float | None
    judged_baseline: float | None
    judged_candidate: float | None
    weighted: WeightedDifference | None
    claim: bool
    outcome: Outcome
    because: str = ""


@kept("family")
@dataclass(frozen=True, slots=True)
class Family:
    """Hypotheses that are corrected together.

    Args:
        correction: "holm", "max-t", "bh", "tukey" or "none".
        size: how many hypotheses.
        flips: sign patterns drawn ("tukey": shuffles of the systems); 0 when every p is exact.
        seed: of the signs.
        needed: flips that the correction needs to resolve the level.
        statement: one sentence without a full stop.
        left_out: (what, why) of the columns that take no part.
        null: what the test behind the corrected p supposes, in words.
    """

    correction: Correction
    size: int
    flips: int
    seed: int
    needed: int
    statement: str
    left_out: tuple[tuple[str, str], ...] = ()
    null: str = ""

    @property
    def is_resolvable(self) -> bool:
        """Whether the flips are enough for the correction."""
        return self.flips == 0 or self.flips >= self.needed


@kept("segment-difference")
@dataclass(frozen=True, slots=True)
class Segment:
    """One segment of the queries.

    Args:
        kind: the column.
        name: the value in it.
        queries: its query ids.
        share: of the judged queries.
        traffic: its share of the traffic; None without weights.
        differences: one for each pair of runs and measure, in the order of `Comparison.differences`.
    """

    kind: str
    name: str
    queries: tuple[str, ...]
    share: float
    traffic: float | None
    differences: tuple[Difference, ...]


@kept("heterogeneity")
@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Welch's test of equal mean differences over disjoint segments.

    Args:
        baseline, candidate, measure: of which difference.
        kind: the column.
        p: None where there is no test.
        f, df1, df2: the statistic and its degrees of freedom.
        groups: segments that take part.
        why: why there is no test; empty when there is.
    """

    baseline: str
    candidate: str
    measure: Measure
    kind: str
    p: float | None
    f: float | None
    df1: float | None
    df2: float | None
    groups: tuple[str, ...]
    why: str = ""

    @property
    def null(self) -> str:
        """What is supposed and may be rejected."""
        return "all segments have the same mean difference"


@kept("says")
@dataclass(frozen=True, slots=True)
class Says:
    """One of the first lines of the report.

    Args:
        code: a stable name: "better", "worse", "cannot-tell", "hides-a-loss", "may-hide", "weights-disagree",
            "stages", "one-sided-pool", "fragile", "no-stages"; of many pairs or candidates "pairs", "candidates".
        text: a sentence without a full stop.
        detail: what stands beside it; empty for none.
    """

    code: str
    text: str
    detail: str = ""


@kept("lists")
@dataclass(frozen=True, eq=False, slots=True)
class Lists:
    """The first documents of one run for every query, in their final order.

    Args:
        run: the run.
        depth: how many of each query.
        start: int64 of shape (queries + 1,): where each query of `Comparison.scores.queries` begins.
        docs: document ids, text of shape (rows,), by query and rank.
        grade: float64 of shape (rows,); NaN is unjudged.
    """

    run: str
    depth: int
    start: NDArray[np.int64]
    docs: NDArray[np.str_]
    grade: F64


@kept("comparison")
@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(Result):
    """A baseline beside its candidates, or all pairs of several runs.

    Args:
        baseline: the run that the others are compared with; the first run of all pairs.
        candidates: the others.
        all_pairs: whether every pair is compared.
        scores: every value of every query and run.
        primary: the measure that the first line speaks of.
        differences: by measure, then by pair of runs.
        family: what they are corrected with.
        segments: the same by segment.
        segment_family: what the segments' differences are corrected with; None without segments.
        heterogeneity: whether segments differ from one another.
        stages: where each system loses; None when nobody said what the stages are.
        bounds: what the unjudged documents could do to each difference.
        deciding: the labels that could decide a difference that hangs on unjudged documents, by pair of runs.
        noise: what rater disagreement alone does to each difference; None where the labels are of one rater.
        lists: the first documents of each run, when asked for.
        says: the first lines, the answer first.
        texts: what was searched for, by query id; empty when not known.
        titles: of the documents in `lists`, by document id; empty when not known.
        interval_method, level, tie, alpha: what was asked for.
    """

    baseline: str
    candidates: tuple[str, ...]
    all_pairs: bool
    scores: Scores
    primary: Measure
    differences: tuple[Difference, ...]
    family: Family
    segments: tuple[Segment, ...] = ()
    segment_family: Family | None = None
    heterogeneity: tuple[Heterogeneity, ...] = ()
    stages: Stages | None = None
    bounds: tuple[Bounds, ...] = ()
    deciding: tuple[Deciding, ...] = ()
    noise: Noise | None = None
    lists: tuple[Lists, ...] = ()
    says: tuple[Says, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    interval_method: Spread = "t"
    level: float = 0.95
    tie: float = TIE
    alpha: float = 0.05

    def difference(self, measure: str | Measure | None = None, candidate: str | None = None) -> Difference:
        """The difference of one candidate on one measure: the primary measure and the first candidate when None."""
        wanted = str(self.primary if measure is None else measure)
        other = self.candidates[0] if candidate is None else candidate
        for found in self.differences:
            if str(found.measure) == wanted and (found.candidate, found.baseline) == (other, self.baseline):
                return found
        from assay.errors import InputError

        raise InputError(
            f"there is no comparison of {other} with {self.baseline} on {wanted}",
            remedy=f"the measures are {', '.join(str(m) for m in self.scores.measures)}; "
            f"the candidates are {', '.join(self.candidates)}",
        )

    def per_query(self, measure: str | Measure | None = None, candidate: str | None = None) -> F64:
        """Candidate minus baseline of each query of `scores.queries`; NaN where there is no pair."""
        measure = self.primary if measure is None else measure
        other = self.candidates[0] if candidate is None else candidate
        found: F64 = self.scores.value(measure, other) - self.scores.value(measure, self.baseline)
        return found

    @property
    def summary(self) -> pl.DataFrame:
        """One row a difference, over all queries and by segment, as a polars frame; what is undefined is null."""
        import polars as pl

        whole = [("", "all", d) for d in self.differences]
        parts = [(segment.kind, segment.name, d) for segment in self.segments for d in segment.differences]
        return pl.DataFrame([_row(*one) for one in (*whole, *parts)], infer_schema_length=None)

    def __repr__(self) -> str:
        """The first lines."""
        runs = f"{len(self.candidates)} candidate{'' if len(self.candidates) == 1 else 's'} against {self.baseline}"
        lines = [f"{says.code}: {says.text}{f'; {says.detail}' if says.detail else ''}" for says in self.says]
        return "\n  ".join([f"Comparison of {runs} over {len(self.scores.queries):,} judged queries", *lines])


def _row(kind: str, name: str, d: Difference) -> dict[str, str | float | int | bool | None]:
    return {
        "kind": kind,
        "segment": name,
        "baseline": d.baseline,
        "candidate": d.candidate,
        "measure": str(d.measure),
        "queries": d.n,
        "baseline_mean": d.baseline_mean,
        "candidate_mean": d.candidate_mean,
        "difference": d.difference,
        "low": None if d.interval is None else d.interval.low,
        "high": None if d.interval is None else d.interval.high,
        "weighted_difference": None if d.weighted is None else d.weighted.difference,
        "p": d.p,
        "adjusted": d.adjusted,
        "t_p": None if d.tests is None or d.tests.t is None else d.tests.t.p,
        "wilcoxon_p": None if d.tests is None or d.tests.wilcoxon is None else d.tests.wilcoxon.p,
        "sign_p": None if d.tests is None else d.tests.sign_p,
        "d_z": None if d.tests is None or d.tests.effect is None else d.tests.effect.d_z,
        "detectable": d.detectable,
        "wins": d.wins,
        "losses": d.losses,
        "ties": d.ties,
        "claim": d.claim,
        "outcome": d.outcome,
        "because": d.because or None,
    }
