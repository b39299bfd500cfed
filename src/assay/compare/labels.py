"""Every rater's label of each judged pair, and labels drawn from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.judgments.roles import ADJUDICATOR
from assay.judgments.rows import where
from assay.ranking.ranking import F64, I64, Judged
from assay.tables import Block

How = Literal["mean", "majority", "median", "one"]
"""How labels become a grade; "one" takes one rater's."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Every rater's label of each judged pair.

    Args:
        judged: the judgments that the labels became.
        start: where the labels of each judgment begin in `label`.
        count: how many it has.
        label: the grades that raters gave.
        agreement: grades, and the chance of each as another rater's label given one's own, row by row.
        settled: how many judgments have an adjudicator's grade.
    """

    judged: Judged
    start: I64
    count: I64
    label: F64
    agreement: tuple[F64, F64]
    settled: int = 0


def labels_of(block: Block, judged: Judged, raters: Block | None = None) -> Labels | None:
    """The labels behind some judgments; None when no pair has labels of two raters.

    Args:
        block: rows of `Judgment` with a column `rater`, those that count; one rater's second label of a pair counts no
            more, and of their labels for its subtopics the highest does.
        judged: what the rows became.
        raters: the rows of all raters, where the block has an adjudicator's in place of some: these tell how raters
            disagree, and the pairs that had to be settled are those where they do.
    """
    if "rater" not in block.columns:
        return None
    rows, label = _given(block, judged)
    count = np.bincount(rows, minlength=len(judged.grade)).astype(np.int64)
    of_raters = (rows, label) if raters is None else _given(raters, judged)
    if not (np.bincount(of_raters[0], minlength=1) > 1).any():
        return None
    order = np.argsort(rows, kind="stable")
    settled = 0
    if raters is not None:
        settled = len(set(_given(where(block, "role", ADJUDICATOR.__eq__), judged)[0].tolist()))
    table = _agreement(*of_raters, np.unique(np.concatenate([label, of_raters[1]])), len(judged.grade))
    return Labels(judged, np.cumsum(count) - count, count, label[order], table, settled)


def _given(block: Block, judged: Judged) -> tuple[I64, F64]:
    """The judgment and the grade of every label, each rater's first of each pair."""
    frame = block.polars().to_dict(as_series=False) if not block.is_small else block.frame
    queries = judged.queries
    docs: Any = judged.docs
    ids = docs if isinstance(docs, list) else list(docs)
    row_of = {(queries[code], doc): row for row, (code, doc) in enumerate(zip(judged.query.tolist(), ids, strict=True))}
    given: dict[tuple[int, str], float] = {}
    by_subtopic = "subtopic" in block.columns
    columns = (frame["query_id"], frame["doc_id"], frame["rater"], frame["grade"])
    for query, doc, rater, grade in zip(*columns, strict=True):
        row = row_of.get((query, doc))
        if row is not None:
            first = given.setdefault((row, rater or ""), float(grade))
            if by_subtopic and grade > first:
                given[row, rater or ""] = float(grade)
    return np.array([row for row, _ in given], dtype=np.int64), np.array(list(given.values()), dtype=np.float64)


def _agreement(rows: I64, label: F64, grades: F64, n: int) -> tuple[F64, F64]:
    """Counts of ordered pairs of labels of one document as chances; a grade that none gave beside another stays."""
    each = np.bincount(rows * len(grades) + np.searchsorted(grades, label), minlength=n * len(grades))
    counts: F64 = each.reshape(n, len(grades)).astype(np.float64)
    several = counts[counts.sum(axis=1) > 1]
    return grades, shares(several.T @ several - np.diag(several.sum(axis=0)))


def joined(drawn: F64, votes: I64, grades: F64, how: How) -> F64:
    """Votes as one grade each: drawn has the shape (times, judgments, votes) and NaN where there are fewer."""
    if how in ("mean", "one"):
        return np.nansum(drawn, axis=2) / np.maximum(votes, 1)  # type: ignore[no-any-return] # float64
    if how == "median":
        ordered = np.sort(drawn, axis=2)  # NaN comes last
        low, high = (votes - 1) // 2, votes // 2
        index = np.arange(drawn.shape[1])
        return (ordered[:, index, low] + ordered[:, index, high]) / 2
    given = np.stack([(drawn == grade).sum(axis=2) for grade in grades], axis=2)
    most: F64 = grades[given.argmax(axis=2)]  # of several grades with the most votes the lowest
    return most


def picked(edges: F64, chance: F64) -> I64:
    """Which grade each chance falls on, given cumulative shares row by row."""
    picked: I64 = (chance[:, :, None] >= edges[None, :, :-1]).sum(axis=2)
    return picked


def shares(table: F64) -> F64:
    """Rows that sum to 1; a row of nothing stays at its own grade."""
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.where(total > 0, total, 1), np.eye(len(table)))
