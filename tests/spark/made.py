"""Runs and judgments that are made for tests on Spark, and what is asked of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay import evaluate
from assay.errors import AssayError

QUERIES = [f"q{i:02d}" for i in range(40)]
DOCS = [f"d{i:02d}" for i in range(60)]
PLAIN = pl.DataFrame({"query_id": ["q01", "q01", "q02", "q03"], "doc_id": ["d1", "d2", "d1", "d1"],
                      "score": [3.0, 2.0, 1.0, 5.0], "rank": [1, 2, 1, 1]})  # fmt: skip


def judgments(seed=1, **columns):
    """Grades -1 to 3; two queries have no relevant document, and four are in no run."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in [*QUERIES, "away1", "away2", "away3", "away4"]:
        for doc in rng.choice(DOCS, 14, replace=False):
            grade = int(rng.choice([-1, 0, 0, 1, 2, 3]))
            rows.append({"query_id": query, "doc_id": str(doc), "grade": min(grade, 0) if query == "q07" else grade})
    frame = pl.DataFrame(rows)
    return frame.with_columns(**columns) if columns else frame


def hits(seed=2, depth=25):
    """Scores with many ties; ranks that contradict some; sponsored rows; queries that nobody judged."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in [*QUERIES, "unjudged1", "unjudged2"]:
        shown = rng.choice([*DOCS, "x1", "x2", "x3"], int(rng.integers(1, depth)), replace=False)
        for rank, doc in enumerate(shown, start=1):
            kind = rng.choice(["organic", "", "sponsored"]) if query != "q09" else "sponsored"
            rows.append({"query_id": query, "doc_id": str(doc), "score": float(rng.integers(0, 9)) / 4, "rank": rank,
                         "kind": str(kind) or None})  # fmt: skip
    return pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=seed)


def one_file(folder, frame):
    frame.write_parquet(folder / "whole.parquet")
    return folder / "whole.parquet"


def unnamed(scores):
    """The scores without the name of the run and without what was read."""
    values = [scores.values, scores.judged]
    return values, scores.coverage, [(n.code, n.text, n.count) for n in scores.notes if n.code != "read"]


def fault(run, qrels=None, **options):
    with pytest.raises(AssayError) as caught:
        evaluate(run, judgments() if qrels is None else qrels, "nDCG@10", on="spark", **options)
    return str(caught.value)
