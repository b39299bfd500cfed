"""The range of one value over the unjudged, against ranges found by trying every assignment elsewhere."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from assay.measures.extremes import Unknown, extremes
from assay.measures.grammar import parse
from assay.ranking.align import align, judged
from assay.ranking.conventions import Conventions
from assay.tables import Block
from conftest import SHARED

BOUNDS = SHARED / "golden" / "stats" / "bounds.json"
STORED = json.loads(BOUNDS.read_text("utf-8")) if BOUNDS.is_file() else {"cases": [], "large_ndcg": []}


def _range(case: dict[str, Any], name: str, run: str) -> list[float | None]:
    """The range for one of two runs: documents that only the other one shows may be relevant too, out of sight here."""
    shown, cutoff = case[run], case["cutoff"]
    known = case["judged"] or {"elsewhere": 0}  # a query that nobody judged is no query
    open_ = [doc for doc in dict.fromkeys([*case["A"][:cutoff], *case["B"][:cutoff]]) if doc not in known]
    rows = {"query_id": ["q"] * len(shown), "doc_id": shown, "rank": list(range(1, len(shown) + 1))}
    qrels = {"query_id": ["q"] * len(known), "doc_id": list(known), "grade": [float(g) for g in known.values()]}
    conventions = Conventions(order="rank")
    r = align(Block(rows, str, "run"), judged(Block(qrels, str, "qrels"), conventions), conventions).ranking
    unseen = 10**6
    ranks = sorted(shown.index(d) + 1 if d in shown[:cutoff] else unseen + i for i, d in enumerate(open_))
    at = np.array(ranks, np.int64)
    (measure,) = parse(name)
    found = extremes(r, measure @ cutoff, Unknown(at, at, at), np.array(case["grades"], np.float64))
    return [found.low, found.high]


@pytest.mark.shared
@pytest.mark.parametrize("number", range(len(STORED["cases"])) or [0])
def test_small_cases_have_the_range_of_every_assignment(number: int):
    case = STORED["cases"][number]
    for name, stored in case["measures"].items():
        for run in "AB":
            assert _range(case, name, run) == pytest.approx(stored[run], abs=1e-12), (name, run, case["why"])


@pytest.mark.shared
@pytest.mark.parametrize("number", range(len(STORED["large_ndcg"])) or [0])
def test_large_cases_have_the_stored_range(number: int):
    case = STORED["large_ndcg"][number]
    for name in ("nDCG", "nDCG(gain=exp)"):
        for run in "AB":
            assert _range(case, name, run) == pytest.approx(case[name][run], abs=1e-9), (name, run)


def test_too_many_to_try_is_said():
    shown = [f"d{i}" for i in range(3000)]
    rows = {"query_id": ["q"] * 3000, "doc_id": shown, "rank": list(range(1, 3001))}
    qrels = {"query_id": ["q"], "doc_id": ["d0"], "grade": [1.0]}
    conventions = Conventions(order="rank")
    r = align(Block(rows, str, "run"), judged(Block(qrels, str, "qrels"), conventions), conventions).ranking
    at = np.arange(2, 3001)
    found = extremes(r, parse("AP")[0], Unknown(at, at, at), np.array([1.0]))
    assert (found.low, found.high, found.why) == (None, None, "too many to try (2,999)")
