"""Two lists with unjudged documents, made by hand, and what brute force says of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from assay.compare.lists import Lists, side_by_side
from assay.measures.measure import Measure
from assay.ranking.align import judged as prepared
from assay.ranking.conventions import Conventions
from assay.ranking.shown import shown
from assay.tables import Block

Query = dict[str, Any]
"""Lists A and B and the grades that are known."""


def block(lists: list[list[str]]) -> Block:
    rows = [(f"q{i:03}", doc, rank) for i, docs in enumerate(lists) for rank, doc in enumerate(docs, 1)]
    query, docs, ranks = (list(column) for column in zip(*rows, strict=True))
    return Block({"query_id": query, "doc_id": docs, "rank": ranks}, lambda i: f"run:{i + 1}", "run")


def judged_block(grades: list[dict[str, float]]) -> Block:
    rows = [
        (f"q{i:03}", doc, float(grade))
        for i, known in enumerate(grades)
        for doc, grade in {"elsewhere": 0.0, **known}.items()
    ]
    query, docs, values = (list(column) for column in zip(*rows, strict=True))
    return Block({"query_id": query, "doc_id": docs, "grade": values}, lambda i: f"qrels:{i + 1}", "qrels")


def lists_of(queries: list[Query], depth: int | None = None, conventions: Conventions | None = None) -> Lists:
    conventions = conventions or Conventions()
    judged = prepared(judged_block([q["judged"] for q in queries]), conventions)
    sides = [shown(block([q[name] for q in queries]), judged, conventions, depth) for name in ("A", "B")]
    return side_by_side(*sides)


def values(measure: Measure, query: Query) -> tuple[float, float]:
    """The values of both lists when everything that is not in `judged` is not relevant; NaN without a relevant one."""
    lists = lists_of([query])
    defined = measure.has_relevant(lists.baseline.judged)[0] or measure.name in ("P", "HitRate", "DCG", "CG")
    pair = [float(measure.compute(r)[0]) if defined else float("nan") for r in (lists.baseline, lists.candidate)]
    return pair[0], pair[1]


def unknown(query: Query, depth: int | None) -> list[str]:
    found = dict.fromkeys(doc for name in ("A", "B") for doc in query[name][:depth] if doc not in query["judged"])
    return list(found)


def brute_force(measure: Measure, query: Query, grades: tuple[float, ...], depth: int | None) -> dict[str, Any]:
    """Lowest and highest values and difference over every grade of every unjudged document."""
    docs = unknown(query, depth)
    rows = []
    for labels in product(grades, repeat=len(docs)):
        rows.append(values(measure, {**query, "judged": {**query["judged"], **dict(zip(docs, labels, strict=True))}}))
    table = np.array([row for row in rows if np.isfinite(row).all()]).reshape(-1, 2)
    if not len(table):
        return {"A": (np.nan, np.nan), "B": (np.nan, np.nan), "diff": (np.nan, np.nan)}
    difference = table[:, 1] - table[:, 0]
    return {
        "A": (table[:, 0].min(), table[:, 0].max()),
        "B": (table[:, 1].min(), table[:, 1].max()),
        "diff": (difference.min(), difference.max()),
    }
