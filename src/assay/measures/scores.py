"""What `evaluate` gives back: every value of every run, and what must be said beside a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, did_you_mean
from assay.measures.measure import Measure
from assay.measures.verified import Verified
from assay.results import LabelAges, Result, kept
from assay.stats import averages
from assay.stats.intervals import Interval, Method, t_interval, weighted_t_interval, why_undefined
from assay.stats.sampling import Sampling

if TYPE_CHECKING:
    import polars as pl
    from numpy.random import Generator

F64 = NDArray[np.float64]

CLAIM = 25
"""Queries from which an interval is ground for a claim."""


@kept("coverage")
@dataclass(frozen=True, slots=True)
class Coverage:
    """Which queries a run's means are over, and what was left out on the way.

    Args:
        judged: queries of the judgments.
        scored: queries that count in the means of measures that need a relevant document.
        missing: ids of the judged queries that the run lacks.
        no_relevant: ids of the queries without a relevant document.
        empty: judged queries that the run has and that return nothing.
        unknown: queries of the run that nobody judged.
        rows: rows of the run.
        duplicates: later copies of a document of one query that were dropped.
        left_out: (kind, rows) of sponsored, pinned and other rows that do not count.
        order: what ordered the run: its "score", its "rank", or the order of its "rows"; empty when not known.
    """

    judged: int
    scored: int
    missing: tuple[str, ...] = ()
    no_relevant: tuple[str, ...] = ()
    empty: int = 0
    unknown: int = 0
    rows: int = 0
    duplicates: int = 0
    left_out: tuple[tuple[str, int], ...] = ()
    order: Literal["score", "rank", "rows", ""] = ""


@kept("part")
@dataclass(frozen=True)
class Part:
    """The scores of one segment, intent, source or rater.

    Args:
        kind: what the part is of: the name of the column.
        name: the value in that column.
        scores: the part's own scores.
    """

    kind: str
    name: str
    scores: Scores


@kept("scores")
@dataclass(frozen=True, kw_only=True, eq=False)
class Scores(Result):
    """The value of every measure for every judged query, of one run or several.

    Args:
        runs: their names.
        measures: what was measured.
        queries: ids of the judged queries, ascending by bytes.
        values: float64 of shape (runs, measures, queries); NaN is undefined or not averaged.
        judged: float64 of that shape: the share of the first `cutoff` documents that is judged; NaN without a cutoff.
        coverage: one a run.
        weights: what each query stands for, by traffic or by the design of the sample, float64 of shape (queries,), NaN
            where not known; None when known nowhere.
        sampling: how the weighted mean is estimated; None: by traffic, every query being taken.
        parts: the same scores by segment, intent, source or rater.
        verified: what a witness says of the values; None when none was asked.
        labels: how many of the labels no longer hold; None where nothing tells it.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    values: F64
    judged: F64
    coverage: tuple[Coverage, ...]
    weights: F64 | None = None
    sampling: Sampling | None = None
    parts: tuple[Part, ...] = ()
    verified: Verified | None = None
    labels: LabelAges | None = None
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        shape = (len(self.runs), len(self.measures), len(self.queries))
        if self.values.shape != shape or self.judged.shape != shape:
            raise ValueError(f"values of shape {self.values.shape}, judged {self.judged.shape}, and not {shape}")
        if len(self.coverage) != len(self.runs):
            raise ValueError(f"{len(self.coverage)} coverages of {len(self.runs)} runs")
        if self.weights is not None and self.weights.shape != shape[2:]:
            raise ValueError(f"weights of shape {self.weights.shape} of {shape[2]} queries")
        if any((part.scores.runs, part.scores.measures) != (self.runs, self.measures) for part in self.parts):
            raise ValueError("a part has other runs or measures")

    def value(self, measure: str | Measure | None = None, run: str | None = None) -> F64:
        """The value of each query, float64 of shape (queries,)."""
        values: F64 = self.values[self._run(run), self._measure(measure)]
        return values

    def mean(self, measure: str | Measure | None = None, run: str | None = None, weighted: bool = False) -> float:
        """Mean over the queries whose value is defined, or the average that the measure names; NaN when none is.

        Args:
            measure: which one; may be left out when there is one.
            run: which one; may be left out when there is one.
            weighted: by the traffic of each query, or by the design of the sample; a query whose weight is not known is
                left out.
        """
        values = self.value(measure, run)
        kind = self.measures[self._measure(measure)].average
        if kind != "mean":
            return averages.average(values, kind, self._weights() if weighted else None)
        use = ~np.isnan(values)
        if not weighted:
            return float(values[use].mean()) if use.any() else float("nan")
        if self.sampling is not None:
            found = self.sampling.estimate(values).mean
            return float("nan") if found is None else found
        use &= ~np.isnan(self._weights())
        weights = self._weights()[use]
        total = float(weights.sum())
        return float((weights * values[use]).sum()) / total if total > 0 else float("nan")

    def interval(
        self,
        measure: str | Measure | None = None,
        run: str | None = None,
        level: float = 0.95,
        method: Method = "t",
        *,
        weighted: bool = False,
        seed: int = 0,
        rng: Generator | None = None,
    ) -> Interval | None:
        """Interval of the mean over queries like these; None where it is undefined, see `why_no_interval`.

        Args:
            measure: which one; may be left out when there is one.
            run: which one; may be left out when there is one.
            level: the confidence.
            method: "t", or "bootstrap" (percentile); the latter covers less than it says below 50 queries.
            weighted: of the weighted mean; always t where the design of the sample is known.
            seed: of the bootstrap, when no `rng` is given.
            rng: where the bootstrap draws from.
        """
        if not 0 < level < 1:
            raise InputError(f"level {level} is not between 0 and 1", remedy="write 0.95 for 95 %")
        if 1 - level < 1e-9:
            raise InputError(f"level {level!r} is nearer to 1 than t can be computed", remedy="stay 1e-09 away from it")
        values = self.value(measure, run)
        kind = self.measures[self._measure(measure)].average
        if kind != "mean":  # a bootstrap adds nothing to these; weights would need a design that they do not have
            return None if weighted else averages.interval(values, kind, level)
        weights = self._weights() if weighted else None
        if weighted and self.sampling is not None:
            return self.sampling.estimate(values).interval(level)
        if method == "t":
            return t_interval(values, level) if weights is None else weighted_t_interval(values, weights, level)
        if method != "bootstrap":
            raise InputError(
                f"unknown interval {method}{did_you_mean(method, ('t', 'bootstrap'))}", remedy="use t or bootstrap"
            )
        from assay.stats.resample import bootstrap_interval

        if rng is not None:
            return bootstrap_interval(values, rng, level, weights=weights)
        from assay.keys import stream

        found = bootstrap_interval(values, stream(seed, "interval of a mean"), level, weights=weights)
        return None if found is None else replace(found, seed=seed)

    def why_no_interval(self, measure: str | Measure | None = None, run: str | None = None) -> str:
        """Why there is no interval; empty when there is one."""
        kind = self.measures[self._measure(measure)].average
        values = self.value(measure, run)
        return why_undefined(values) if kind == "mean" else averages.why_no_interval(values, kind)

    def sd(self, measure: str | Measure | None = None, run: str | None = None) -> float:
        """Standard deviation over queries (n - 1); NaN below two defined values."""
        values = self.value(measure, run)
        known = values[~np.isnan(values)]
        return float(known.std(ddof=1)) if len(known) > 1 else float("nan")

    def quartiles(self, measure: str | Measure | None = None, run: str | None = None) -> tuple[float, float, float]:
        """First quartile, median and third quartile over queries; NaN when no value is defined."""
        values = self.value(measure, run)
        known = values[~np.isnan(values)]
        if not len(known):
            return (float("nan"),) * 3
        ordered = np.sort(known)
        return _between(ordered, 0.25), _between(ordered, 0.5), _between(ordered, 0.75)

    def n(self, measure: str | Measure | None = None, run: str | None = None) -> int:
        """How many queries the mean is over."""
        return int((~np.isnan(self.value(measure, run))).sum())

    def judged_share(self, measure: str | Measure | None = None, run: str | None = None) -> float:
        """Mean share of the first `cutoff` documents that is judged, over the queries of the mean; NaN when unknown."""
        shares = self.judged[self._run(run), self._measure(measure)]
        use = ~np.isnan(shares) & ~np.isnan(self.value(measure, run))
        return float(shares[use].mean()) if use.any() else float("nan")

    @property
    def per_query(self) -> pl.DataFrame:
        """Columns run, measure, query_id, value, judged; what is undefined is null."""
        if "per_query" not in self._cache:
            import polars as pl

            runs, measures, queries = len(self.runs), len(self.measures), len(self.queries)
            frame = pl.DataFrame(
                {
                    "run": np.repeat(np.array(self.runs, dtype=object), measures * queries),
                    "measure": np.tile(
                        np.repeat(np.array([str(m) for m in self.measures], dtype=object), queries), runs
                    ),
                    "query_id": list(self.queries) * (runs * measures),
                    "value": self.values.ravel(),
                    "judged": self.judged.ravel(),
                },
                schema={
                    "run": pl.String,
                    "measure": pl.String,
                    "query_id": pl.String,
                    "value": pl.Float64,
                    "judged": pl.Float64,
                },
            )
            self._cache["per_query"] = frame.with_columns(pl.col("value", "judged").fill_nan(None))
        return self._cache["per_query"]  # type: ignore[no-any-return] # the cache holds the frame made above

    @property
    def summary(self) -> pl.DataFrame:
        """One row a run and measure: mean, interval, spread, number of queries, weighted mean, judged share, claim.

        An interval of fewer than 25 queries is no ground for a claim.
        """
        import polars as pl

        rows = []
        for run in self.runs:
            for measure in self.measures:
                interval = self.interval(measure, run)
                first, median, third = self.quartiles(measure, run)
                rows.append(
                    {
                        "run": run,
                        "measure": str(measure),
                        "mean": self.mean(measure, run),
                        "low": None if interval is None else interval.low,
                        "high": None if interval is None else interval.high,
                        "no_interval_because": self.why_no_interval(measure, run) or None,
                        "sd": self.sd(measure, run),
                        "q25": first,
                        "median": median,
                        "q75": third,
                        "n": self.n(measure, run),
                        "weighted": None if self.weights is None else self.mean(measure, run, weighted=True),
                        "judged": self.judged_share(measure, run),
                        "claim": interval is not None and self.n(measure, run) >= CLAIM,
                        "definition": measure.definition(),
                    }
                )
        numbers = ("mean", "low", "high", "sd", "q25", "median", "q75", "weighted", "judged")
        texts = ("run", "measure", "no_interval_because", "definition")
        kinds = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64) | {"claim": pl.Boolean}
        schema = {name: kinds.get(name, pl.Int64) for name in rows[0]}
        return pl.DataFrame(rows, schema=schema).with_columns(pl.col(*numbers).fill_nan(None))

    def only(self, queries: Sequence[str]) -> Scores:
        """The scores of some of the queries; ids that are not judged are passed over."""
        if isinstance(queries, str):  # one id, not its letters
            queries = [queries]
        wanted = set(queries)
        index = [i for i, query in enumerate(self.queries) if query in wanted]
        return replace(
            self,
            queries=tuple(self.queries[i] for i in index),
            values=self.values[:, :, index],
            judged=self.judged[:, :, index],
            weights=None if self.weights is None else self.weights[index],
            sampling=None if self.sampling is None else self.sampling.part(index),
            coverage=tuple(_narrow(coverage, wanted, len(index)) for coverage in self.coverage),
            parts=(),
            _cache={},
        )

    def __repr__(self) -> str:
        """The means, one line a run."""
        runs = "1 run" if len(self.runs) == 1 else f"{len(self.runs)} runs"
        lines = [f"Scores of {runs} over {len(self.queries):,} judged queries"]
        for run in self.runs:
            means = ", ".join(f"{measure} {self._written(measure, run)}" for measure in self.measures)
            lines.append(f"  {run}: {means}")
        lines += [f"  {note.text}" for note in self.notes]
        return "\n".join(lines)

    def _written(self, measure: Measure, run: str) -> str:
        mean, interval = self.mean(measure, run), self.interval(measure, run)
        text = "n/a" if np.isnan(mean) else f"{mean:.4f}"
        return text if interval is None else f"{text} [{interval.low:.4f}, {interval.high:.4f}]"

    def _run(self, run: str | None) -> int:
        return _place("run", run, self.runs)

    def _measure(self, measure: str | Measure | None) -> int:
        if isinstance(measure, Measure) and measure in self.measures:
            return self.measures.index(measure)
        return _place("measure", None if measure is None else str(measure), tuple(str(m) for m in self.measures))

    def _weights(self) -> F64:
        if self.weights is None:
            raise InputError("the queries have no weights", remedy="give a topics table with a column weight")
        return self.weights


def _place(kind: str, name: str | None, names: tuple[str, ...]) -> int:
    if name is None:
        if len(names) != 1:
            raise InputError(f"there are {len(names)} {kind}s: say which", remedy=f"name one of {', '.join(names)}")
        return 0
    if name not in names:
        raise InputError(f"no {kind} {name}{did_you_mean(name, names)}", remedy=f"name one of {', '.join(names)}")
    return names.index(name)


def _between(ordered: F64, share: float) -> float:
    """The quantile, between two values where it falls between them; `np.quantile` would load numpy.ma."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (place - low))


def _narrow(coverage: Coverage, wanted: set[str], judged: int) -> Coverage:
    missing = tuple(query for query in coverage.missing if query in wanted)
    no_relevant = tuple(query for query in coverage.no_relevant if query in wanted)
    return replace(coverage, judged=judged, missing=missing, no_relevant=no_relevant, scored=judged - len(no_relevant))
