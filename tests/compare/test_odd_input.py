"""Comparisons of any values at all: no crash, no NaN, no p outside 0 and 1, no claim from few queries."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.compare.asked import Asked
from assay.compare.comparison import Comparison
from assay.flows.compare import compared
from assay.kept import dump, load
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Part, Scores
from assay.report.describe import describe
from assay.report.machine import to_machine
from assay.report.text import to_text
from assay.stats.sampling import Sampling, by_strata

MEASURES = (Measure("nDCG") @ 10, Measure("P") @ 5, Measure("Unjudged") @ 10)
F64 = NDArray[np.float64]


def values(kind: str, shape: tuple[int, int, int], rng: np.random.Generator) -> F64:
    """Values of every query, of a kind that makes trouble."""
    v = rng.random(shape)
    if kind == "constant":
        return np.full(shape, 0.5)
    if kind == "steps":
        return np.round(v, 1)
    if kind == "holes":
        return np.where(rng.random(shape) < 0.3, np.nan, v)
    if kind == "undefined":
        return np.full(shape, np.nan)
    if kind == "identical":
        return np.repeat(v[:1], shape[0], axis=0)
    if kind == "huge":
        return v * 1e12
    return v


def weighed(scores: Scores, kind: str, rng: np.random.Generator) -> Scores:
    """The scores with weights of a kind."""
    n = len(scores.queries)
    if kind == "wide":
        return replace(scores, weights=rng.exponential(1, n) * 10.0 ** rng.integers(-12, 12), _cache={})
    if kind == "nothing":
        return replace(scores, weights=np.where(rng.random(n) < 0.5, np.nan, 0.0), _cache={})
    if kind == "strata":
        strata = np.array([rng.choice(["a", "b"]) for _ in scores.queries], dtype=np.str_)
        made = by_strata(strata, {name: 1.0 for name in "ab" if (strata == name).any()}, {})
        return replace(scores, weights=made.weights, sampling=made, _cache={})
    if kind == "total":
        chance = rng.uniform(0.1, 1, n)
        made = Sampling("horvitz-thompson", "query", 1 / chance, chance, 2.0 * n)
        return replace(scores, weights=made.weights, sampling=made, _cache={})
    return scores


def any_comparison(kind: str, by: str, correction: str | None, seed: int) -> Comparison:
    rng = np.random.default_rng(seed)
    systems, n = int(rng.integers(2, 5)), int(rng.choice([1, 2, 9, 24, 25, 40]))
    v = values(kind, (systems, len(MEASURES), n), rng)
    queries = tuple(f"q{i:02d}" for i in range(n))
    scores = Scores(
        runs=tuple(f"s{i}" for i in range(systems)), measures=MEASURES, queries=queries, values=v,
        judged=np.where(rng.random(v.shape) < 0.2, np.nan, rng.random(v.shape)), coverage=(Coverage(n, n),) * systems,
    )  # fmt: skip
    scores = weighed(scores, by, rng)
    if n > 1:
        cut = int(rng.integers(1, n))
        parts = (Part("kind", "x", scores.only(queries[:cut])), Part("kind", "y", scores.only(queries[cut:])))
        scores = replace(scores, parts=parts, _cache={})
    asked = Asked(seed=seed, flips=60, correction=correction, interval="bca" if kind == "steps" and not by else "t")  # type: ignore[arg-type] # one of them
    return compared(scores, "s0", True, asked)


@pytest.mark.parametrize(
    ("kind", "by"),
    [
        *((kind, "") for kind in ("constant", "steps", "undefined", "identical", "huge")),
        *(("any", by) for by in ("", "wide", "nothing", "strata", "total")),
        *(("holes", by) for by in ("", "strata", "total")),
    ],
)
def test_no_value_makes_nonsense(kind: str, by: str) -> None:
    for seed, correction in enumerate((None, "holm", "max-t", "bh", "tukey")):
        made = any_comparison(kind, by, correction, seed)
        every = [*made.differences, *(d for segment in made.segments for d in segment.differences)]
        for d in every:
            weighted = None if d.weighted is None else d.weighted.p
            assert all(p is None or 0 <= p <= 1 for p in (d.p, d.adjusted, weighted))
            assert d.claim == (d.n >= 25)
            assert d.claim or d.outcome == "cannot tell"
            assert d.wins + d.losses + d.ties == d.n
            if d.interval is not None:
                assert d.interval.low <= (d.difference or 0) + 1e-9 * abs(d.interval.low)
        document = to_machine(made, "json").decode()
        json.loads(document, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
        for width in (60, 120):
            assert "nan" not in to_text(describe(made, tests=True, per_query=True), width).lower().split()
        assert dump(load(dump(made))) == dump(made)
