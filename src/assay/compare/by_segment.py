"""The same by segment: how large, how sure, whether segments differ, and what the total hides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.compare.asked import Asked
from assay.compare.columns import Column, columns_of
from assay.compare.comparison import FEWEST, Difference, Family, Heterogeneity, Segment
from assay.compare.differences import differences
from assay.measures.scores import Part, Scores
from assay.stats.groups import welch

F64 = NDArray[np.float64]
Sets = Sequence[tuple[str, str, NDArray[np.bool_]]]


def sets_of(scores: Scores) -> list[tuple[str, str, NDArray[np.bool_]]]:
    """(column, segment, which queries) of every part of the scores that is a set of queries."""
    places = {query: i for i, query in enumerate(scores.queries)}
    found = []
    for part in scores.parts:
        if _is_set(part, scores):
            which = np.zeros(len(scores.queries), np.bool_)
            which[[places[query] for query in part.scores.queries]] = True
            found.append((part.kind, part.name, which))
    return found


def _is_set(part: Part, scores: Scores) -> bool:
    """Parts by rater or by source hold the same queries under other judgments."""
    return part.kind not in ("rater", "source")


def segments(
    scores: Scores, pairs: Sequence[tuple[str, str]], sets: Sets, asked: Asked
) -> tuple[tuple[Segment, ...], Family | None, tuple[Heterogeneity, ...]]:
    """Every difference in every segment, corrected as one family, and whether the segments differ.

    Args:
        scores: the values.
        pairs: (baseline, candidate).
        sets: (column, segment, which queries).
        asked: see `Asked`.
    """
    if not sets:
        return (), None, ()
    columns = columns_of(scores, pairs, sets)
    found, family = differences(columns, scores, asked, simultaneous=True)
    each = len(pairs) * len(scores.measures)
    traffic = None if scores.weights is None else np.nan_to_num(scores.weights)
    total = 0.0 if traffic is None else float(traffic.sum())
    made = tuple(
        Segment(
            kind=kind,
            name=name,
            queries=tuple(scores.queries[q] for q in np.flatnonzero(which).tolist()),
            share=float(which.mean()),
            traffic=float(traffic[which].sum()) / total if traffic is not None and total > 0 else None,
            differences=found[i * each : (i + 1) * each],
        )
        for i, (kind, name, which) in enumerate(sets)
    )
    return made, family, tuple(_tested(columns, each))


def _tested(columns: Sequence[Column], each: int) -> list[Heterogeneity]:
    """One test for each column of the topics, measure and pair."""
    kinds: dict[str, list[int]] = {}
    for i in range(0, len(columns), each):
        kinds.setdefault(columns[i].kind, []).append(i)
    found = []
    for kind, starts in kinds.items():
        for offset in range(each):
            one = [columns[start + offset] for start in starts]
            first = one[0]
            groups = {column.name: column.known for column in one}
            overlap = int(np.sum([column.which for column in one], axis=0).max()) > 1
            found.append(heterogeneity(first, kind, groups, overlap))
    return found


def heterogeneity(column: Column, kind: str, groups: Mapping[str, F64], overlap: bool = False) -> Heterogeneity:
    """Welch's test of equal mean differences.

    Args:
        column: the comparison that the differences are of.
        kind: the column of the topics.
        groups: segment to its differences, all defined.
        overlap: whether a query is in two segments: then there is no test.
    """
    found = None if overlap else welch(list(groups.values()))
    why = "segments share queries" if overlap else "" if found else "fewer than two segments of 5 queries that vary"
    compared = (column.baseline, column.candidate, column.measure)
    if found is None:
        return Heterogeneity(*compared, kind, None, None, None, None, tuple(groups), why)
    names = list(groups)
    used = tuple(names[at] for at in found.groups)
    return Heterogeneity(*compared, kind, found.p, found.f, float(found.df1), found.df2, used)


def hidden_losses(total: Difference, segments: Sequence[Segment], at: int) -> tuple[list[Segment], list[Segment]]:
    """Segments that lose although the total does not, and segments that may.

    Args:
        total: the difference over all queries.
        segments: the segments.
        at: which of a segment's differences is the same comparison.

    Returns:
        The segments whose simultaneous interval lies on the losing side, or all of whose differences are the same loss
        beyond chance; and those that lose on average but whose interval does not settle it.
    """
    sign = direction(total)
    if total.difference is None or not sign or sign * total.difference < 0:
        return [], []
    lost: list[Segment] = []
    perhaps: list[Segment] = []
    for segment in segments:
        d = segment.differences[at]
        if d.difference is None or sign * d.difference >= 0 or d.n < FEWEST:
            continue
        (lost if _is_loss(d, sign) else perhaps).append(segment)
    return lost, perhaps


def _is_loss(d: Difference, sign: int) -> bool:
    if d.simultaneous is not None:
        return max(sign * d.simultaneous.low, sign * d.simultaneous.high) < 0
    return d.outcome == "worse" and math.isclose(d.sd or 0.0, 0.0)


def direction(d: Difference) -> int:
    """1 where a higher value of the measure is better, -1 where a lower one is, 0 where neither is."""
    return {"high": 1, "low": -1, "neither": 0}[d.measure.about.best]
