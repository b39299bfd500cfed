"""Scores written by hand, so that pages are tested without reading a file or computing a measure."""

from __future__ import annotations

import numpy as np

from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Part, Scores
from assay.results import Note, Source

NDCG, RR = Measure("nDCG", (), 10), Measure("RR")

CONVENTIONS = (
    ("order", "score"), ("ties", "docid"), ("scores", "64-bit"), ("missing", "zero"), ("no_relevant", "drop"),
    ("unlisted", "unjudged"), ("rel", "qrels"),
)  # fmt: skip


def scores(
    values: list[list[list[float]]] | None = None,
    runs: tuple[str, ...] = ("bm25", "dense"),
    measures: tuple[Measure, ...] = (NDCG, RR),
    judged: float = 0.75,
    **more: object,
) -> Scores:
    """Two runs, two measures, four queries of which q4 has no relevant document."""
    nan = float("nan")
    given = np.array(values or [[[1.0, 0.5, 0.0, nan], [1.0, 0.25, 0.0, nan]], [[0.5] * 3 + [nan], [1.0] * 3 + [nan]]])
    shares = np.full(given.shape, judged)
    for m, measure in enumerate(measures):
        if measure.cutoff is None:
            shares[:, m] = nan
    n = given.shape[2]
    defaults: dict[str, object] = {
        "queries": tuple(f"q{i + 1}" for i in range(n)),
        "coverage": tuple(Coverage(judged=n, scored=n - 1, no_relevant=("q4",)) for _ in runs),
        "source": Source(hashes=(("bm25.run", "0123456789abcdef"),), conventions=CONVENTIONS, command="assay evaluate"),
    }
    return Scores(runs=runs, measures=measures, values=given, judged=shares, **(defaults | more))  # type: ignore[arg-type]


def many(n: int, **more: object) -> Scores:
    """One run, one measure, n queries with values 0, 0.5, 1, 0, 0.5, 1, ..."""
    values = [[[(i % 3) / 2 for i in range(n)]]]
    coverage = (Coverage(judged=n, scored=n),)
    return scores(values, ("bm25",), (NDCG,), coverage=coverage, **more)


def in_parts() -> Scores:
    """Sixty queries with traffic, half of it on the ten of the head."""
    weights = np.array([5.0] * 10 + [1.0] * 50)
    whole = many(60, weights=weights)
    head, tail = whole.only(whole.queries[:10]), whole.only(whole.queries[10:])
    return many(60, weights=weights, parts=(Part("segment", "head", head), Part("segment", "tail", tail)))


TIES = Note("ties-inside-cutoff", "1 of 4 queries have equal scores inside rank 10; settled by document id", "bm25", 1)
DOUBT = Note("rank-against-score", "the rank column contradicts the scores in 2 queries", "dense", 2, "warning")
