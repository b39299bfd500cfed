"""A comparison whose figures were typed in, those of the sample shop; nothing in it was computed by assay."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.compare.comparison import (
    Comparison,
    Difference,
    Family,
    Heterogeneity,
    Lists,
    QueryDifference,
    Says,
    Segment,
    WeightedDifference,
)
from assay.measures.grammar import parse
from assay.measures.scores import Coverage, Scores
from assay.results import Source
from assay.stats.intervals import Interval

BASE, CANDIDATE = "bm25-12", "hybrid-07"
MEASURES = tuple(parse("nDCG@10 P@10 RR R@100"))
QUERIES = ("q1", "q2", "q3", "q4")
TEXTS = {"q1": "cassette 11-42", "q2": "chain oil", "q3": "gloves for cold rain", "q4": "<b>saddle</b>"}
TITLES = {"d1": "Winter gloves, waterproof", "d2": "Rain over-mitts", "d3": "</script><script>alert(1)</script>"}

MEANS = {  # measure: baseline, candidate, difference, low, high, Holm p, outcome
    "nDCG@10": (0.6890, 0.7210, 0.0320, 0.0130, 0.0510, 0.0022, "better"),
    "P@10": (0.5042, 0.5333, 0.0292, 0.0150, 0.0440, 0.0005, "better"),
    "RR": (0.9241, 0.9414, 0.0173, -0.0110, 0.0450, 0.2313, "cannot tell"),
    "R@100": (0.8655, 0.9431, 0.0776, 0.0614, 0.0940, 0.00001, "better"),
}
SEGMENTS = {  # segment: n, traffic, difference, low, high, detectable, wins, losses, outcome
    "head": (60, 0.41, 0.0590, 0.0268, 0.0940, 0.0483, 42, 18, "better"),
    "torso": (70, 0.22, 0.0738, 0.0388, 0.1081, 0.0503, 54, 16, "better"),
    "tail": (80, 0.27, -0.0188, -0.0555, 0.0212, 0.0551, 31, 49, "cannot tell"),
    "known-item": (30, 0.10, 0.0156, 0.0025, 0.0292, 0.0193, 11, 3, "better"),
}


def difference(measure: Any, base: float | None, other: float | None, x: float | None, low: float | None,
               high: float | None, p: float | None, outcome: Any, n: int = 240, **more: Any) -> Difference:  # fmt: skip
    """One difference; what is not given is what a page needs least."""
    interval = None if low is None or high is None else Interval(low, high, 0.95, "t", n)
    fields = {
        "baseline": BASE, "candidate": CANDIDATE, "measure": measure, "baseline_mean": base,
        "candidate_mean": other, "difference": x, "n": n, "nonzero": n, "sd": 0.1, "interval": interval,
        "no_interval_because": "", "tests": None, "p": p, "adjusted": p, "simultaneous": None, "in_family": True,
        "left_out_because": "", "wins": 138, "losses": 86, "ties": 16,
        "largest_wins": (QueryDifference("q4", 0.05, 0.32, 0.276),),
        "largest_losses": (QueryDifference("q1", 0.890, 0.593, -0.297), QueryDifference("q2", 0.759, 0.502, -0.258)),
        "undefined": 0, "one_sided": 0, "one_sided_queries": (), "detectable": 0.027, "judged_baseline": 0.9742,
        "judged_candidate": 0.8946, "weighted": None, "claim": n >= 25, "outcome": outcome,
    } | more  # fmt: skip
    return Difference(**fields)


def scores(n: int = 4) -> Scores:
    """Four queries of two runs and four measures."""
    values = np.zeros((2, 4, n))
    values[0, :, :] = [0.890, 0.759, 0.884, 0.046]
    values[1, :, :] = [0.593, 0.502, 0.634, 0.323]
    coverage = Coverage(judged=n, scored=n)
    return Scores(runs=(BASE, CANDIDATE), measures=MEASURES, queries=QUERIES, values=values,
                  judged=np.full((2, 4, n), 0.9), coverage=(coverage, coverage))  # fmt: skip


def lists(run: str, docs: list[list[str]], grades: list[list[float]]) -> Lists:
    """The first documents of each query."""
    start = np.cumsum([0, *map(len, docs)])
    flat = np.array([doc for row in docs for doc in row], dtype=np.str_)
    return Lists(run, 10, start, flat, np.array([g for row in grades for g in row], dtype=np.float64))


def comparison(**more: Any) -> Comparison:
    """The sample shop: better overall, the tail cannot tell."""
    found = tuple(difference(measure, *MEANS[str(measure)]) for measure in MEASURES)
    weighted = WeightedDifference(0.70, 0.7369, 0.0369, Interval(0.018, 0.056, 0.95, "t", 240), 100.0)
    found = (difference(MEASURES[0], *MEANS["nDCG@10"], weighted=weighted), *found[1:])
    parts = []
    for place, (name, (n, traffic, x, low, high, detectable, wins, losses, outcome)) in enumerate(SEGMENTS.items()):
        d = difference(MEASURES[0], 0.7, 0.7 + x, x, low, high, 0.01, outcome, n, detectable=detectable, wins=wins,
                       losses=losses)  # fmt: skip
        parts.append(Segment("segment", name, (QUERIES[place],), n / 240, traffic, (d,)))
    nan = float("nan")
    fields: dict[str, Any] = {
        "baseline": BASE, "candidates": (CANDIDATE,), "all_pairs": False, "scores": scores(), "primary": MEASURES[0],
        "differences": found,
        "family": Family("holm", 4, 100_000, 7, 8_000, "Holm over 4 measures"),
        "segments": tuple(parts),
        "heterogeneity": (Heterogeneity(BASE, CANDIDATE, MEASURES[0], "segment", 0.0004, 6.0, 3.0, 100.0,
                                        ("head", "torso", "tail", "known-item")),),
        "says": (
            Says("better", "nDCG@10 +0.0320 (+0.0130 to +0.0510), p 0.0011"),
            Says("may-hide", "the total may hide a loss on tail queries (27 % of traffic)",
                 "nDCG@10 −0.0188 (−0.0555 to +0.0212)"),
            Says("fragile", "unjudged documents could move the difference to −0.0015 or +0.1605"),
            Says("no-stages", "nDCG alone cannot tell which stage failed"),
        ),
        "lists": (
            lists(BASE, [["d1", "d2"], ["d1"], ["d2", "d1", "d3"], []], [[3, nan], [0], [2, 3, 0], []]),
            lists(CANDIDATE, [["d2", "d1"], ["d3"], ["d1", "d4"], ["d1"]], [[nan, 3], [0], [3, nan], [1]]),
        ),
        "source": Source((("judgments.qrels", "ab" * 32),), (("assay", "1.0.0"),), (("order", "auto"),), 7,
                         "assay compare bm25-12.run hybrid-07.run judgments.qrels"),
        "texts": TEXTS, "titles": TITLES,
    }  # fmt: skip
    return Comparison(**(fields | more))
