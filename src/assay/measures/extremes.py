"""The lowest and highest value that unjudged documents allow one query, exactly.

Unknown are the grades of the documents without judgment in the first k of the run (in the whole list when the measure
has no cutoff). Setting them all to 0 and then to the top grade does not give the range, since a relevant document
also enlarges what a value is divided by.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.measures.measure import Measure
from assay.ranking.discounts import discount_function, gain_function
from assay.ranking.ranking import F64, I64, Bool, Judged, Ranking

LARGEST = 4_000_000
"""Judgments that all assignments together may hold."""

TRIED = 4096
"""Assignments that are tried one by one where nothing is known of a measure."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Documents of one query that nobody judged.

    Args:
        rank: their ranks.
        first, last: the ranks that the group of equal scores of each spans, when ties are averaged; else its rank.
    """

    rank: I64
    first: I64
    last: I64


@dataclass(frozen=True, slots=True)
class Extremes:
    """The range of one value.

    Args:
        low: the lowest value; None when it is not known.
        high: the highest value; None when it is not known.
        unjudged: how many documents it is about.
        why: how the two were found, or why not.
    """

    low: float | None
    high: float | None
    unjudged: int
    why: str = ""


def extremes(r: Ranking, measure: Measure, unknown: Unknown, levels: F64) -> Extremes:
    """The lowest and highest value of a ranking of one query.

    Args:
        r: the ranking of one query.
        measure: the measure.
        unknown: the unjudged documents in its first k.
        levels: the grades that there are, of all queries; those below 0 are not given.
    """
    levels = np.union1d(levels[levels >= 0], [0.0])
    count = len(unknown.rank)
    about = measure.about
    if about.subtopics and count and r.judged.aspects is not None:
        return Extremes(None, None, count, "which subtopics they would be about is not known")
    if about.extremes == "none":
        return Extremes(None, None, count, "it does not depend on grades")
    if not count:
        value = float(measure.compute(r)[0])
        known = value if np.isfinite(value) and measure.has_relevant(r.judged)[0] else None
        return Extremes(known, known, 0, "" if known is not None else "the value is undefined")
    if about.extremes == "gain":
        return (_normalised if about.name == "nDCG" else _sums)(r, measure, unknown, levels)
    if about.extremes == "relevant":
        return _binary(r, measure, unknown)
    if about.extremes == "monotone":
        return _monotone(r, measure, unknown, levels)
    return _all(r, measure, unknown, levels)


def assigned(r: Ranking, unknown: Unknown, grades: F64) -> Ranking:
    """The ranking once for each assignment of grades to the unjudged documents, as if each were a query.

    Args:
        r: the ranking of one query.
        unknown: its unjudged documents.
        grades: float64 of shape (n_assignments, n_unknown).
    """
    many = len(grades)
    known = np.broadcast_to(r.judged.grade, (many, len(r.judged.grade)))
    everything = np.concatenate([known, grades], axis=1)
    judged = Judged(
        queries=[str(i) for i in range(many)],
        query=np.repeat(np.arange(many), everything.shape[1]),
        grade=everything.ravel(),
        docs=[],
        rel=r.judged.rel,
        unlisted=r.judged.unlisted,
    )
    order = np.argsort(np.concatenate([r.rank, unknown.rank]), kind="stable")
    hits = np.concatenate([np.broadcast_to(r.grade, (many, len(r.grade))), grades], axis=1)[:, order]

    def spread(ours: I64, theirs: I64) -> I64:
        return np.tile(np.concatenate([ours, theirs])[order], many)

    averaged = r.first is not None and r.last is not None
    return Ranking(
        judged=judged,
        query=np.repeat(np.arange(many), len(order)),
        rank=spread(r.rank, unknown.rank),
        grade=hits.ravel(),
        judgment=np.zeros(hits.size, np.int64),
        returned=np.repeat(r.returned, many),
        answered=np.repeat(r.answered, many),
        first=spread(r.first, unknown.first) if averaged else None,  # type: ignore[arg-type] # not None when averaged
        last=spread(r.last, unknown.last) if averaged else None,  # type: ignore[arg-type] # not None when averaged
    )


def _range(r: Ranking, measure: Measure, unknown: Unknown, grades: F64, why: str) -> Extremes:
    """The lowest and highest value over some assignments; those without a value are left out."""
    ranking = assigned(r, unknown, grades)
    values = _plain(measure).compute(ranking)
    values = values[np.isfinite(values) & measure.has_relevant(ranking.judged)]
    if not len(values):
        return Extremes(None, None, len(unknown.rank), "the value is undefined whatever their grades are")
    return Extremes(float(values.min()), float(values.max()), len(unknown.rank), why)


def _plain(measure: Measure) -> Measure:
    """Without `judged_only`: once their grades are known, the unjudged documents stay in the list."""
    changed = tuple(pair for pair in measure.changed if pair[0] != "judged_only")
    return replace(measure, changed=changed)


def _two_grades(r: Ranking, measure: Measure) -> tuple[float, float]:
    """A grade that is not relevant, and one that is."""
    level = r.judged.rel if measure.rel is None else measure.rel
    return (0.0, 1.0) if level is None else (min(level - 1.0, 0.0), level)


def _binary(r: Ranking, measure: Measure, unknown: Unknown) -> Extremes:
    """Of m relevant ones, the m highest give the most and the m lowest the least: each m is tried."""
    count = len(unknown.rank)
    if 2 * (count + 1) * (count + len(r.judged.grade)) > LARGEST:
        return Extremes(None, None, count, f"too many to try ({count:,})")
    no, yes = _two_grades(r, measure)
    upper = np.tri(count + 1, count, -1, dtype=np.bool_)
    which = np.concatenate([upper, upper[:, ::-1]])
    return _range(r, measure, unknown, np.where(which, yes, no), "exact")


def _gains(measure: Measure, levels: F64) -> tuple[F64, F64]:
    """The grades by gain, with their gains, each gain once."""
    gain: Any = measure.params["gain"]
    worth, index = np.unique(gain_function(gain)(levels), return_index=True)
    return levels[index], worth


def _sums(r: Ranking, measure: Measure, unknown: Unknown, levels: F64) -> Extremes:
    """Sums of gains: all at the least and all at the top; without a judged gain, one document alone."""
    grades, _ = _gains(measure, levels)
    return _ends(r, measure, unknown, grades)


def _monotone(r: Ranking, measure: Measure, unknown: Unknown, levels: F64) -> Extremes:
    """A higher grade never lowers the value."""
    is_graded = measure.about.grades and measure.params.get("gain") != "binary"
    return _ends(r, measure, unknown, levels if is_graded else np.array(_two_grades(r, measure)))


def _ends(r: Ranking, measure: Measure, unknown: Unknown, grades: F64) -> Extremes:
    """All unjudged documents at the lowest grade and all at the highest; see `_sums`."""
    count = len(unknown.rank)
    tried = [np.full((1, count), grades[0]), np.full((1, count), grades[-1])]
    if not measure.has_relevant(r.judged)[0]:
        single = np.full((count, count), grades[0])
        for grade in grades[1:]:
            np.fill_diagonal(single, grade)
            tried.append(single.copy())
    return _range(r, measure, unknown, np.concatenate(tried), "exact")


def _normalised(r: Ranking, measure: Measure, unknown: Unknown, levels: F64) -> Extremes:
    """A sum of gains divided by the best possible one.

    With gains g_0 < g_1 < ... and steps e_v = g_v - g_(v-1), let m_v be how many unjudged documents get at least g_v.
    The ideal depends on the m_v alone, and for given m_v the sum is largest when the high grades go to the high
    ranks. So the ratio is a maximum over falling m_v, found by Dinkelbach's method (Management Science 13(7), 1967)
    with a dynamic programme inside; the minimum is the maximum of the negated sum.
    """
    cutoff, params = measure.cutoff, measure.params
    _, worth = _gains(measure, levels)
    if worth[0] > 0:
        return Extremes(None, None, len(unknown.rank), "a grade of 0 has a gain")
    if len(worth) < 2:
        return Extremes(None, None, len(unknown.rank), "no judged document has a gain, so the scale is not known")
    gain: Any = params["gain"]
    discount = discount_function(str(params["discount"]))
    averaged = r.first is not None
    places = Ranking(
        judged=r.judged, query=np.zeros(len(unknown.rank), np.int64), rank=unknown.rank, grade=np.zeros(0),
        judgment=np.zeros(0, np.int64), returned=r.returned, answered=r.answered,
        first=unknown.first if averaged else None, last=unknown.last if averaged else None,
    )  # fmt: skip
    weight = np.sort(places.weighted(discount, cutoff))[::-1]
    total = float((gain_function(gain)(r.grade) * r.weighted(discount, cutoff)).sum())
    known = gain_function(gain)(r.judged.grade if params["ideal"] == "judged" else r.grade)
    deepest = len(known) + len(weight)
    best = np.concatenate([[0.0], np.cumsum(discount(np.arange(1, deepest + 1, dtype=np.float64)))])
    limit = deepest if cutoff is None else min(cutoff, deepest)
    many = np.arange(len(weight) + 1)
    ideal = [best[np.minimum(limit, int((known >= level).sum()) + many)] for level in worth[1:]]
    steps = np.diff(worth)
    high = _largest_ratio(total, np.concatenate([[0.0], np.cumsum(weight)]), steps, ideal)
    low = -_largest_ratio(-total, np.concatenate([[0.0], np.cumsum(-weight[::-1])]), steps, ideal)
    if not (known > 0).any() and measure.has_relevant(r.judged)[0]:
        low = 0.0  # nothing of worth among those returned: the value is 0, not undefined
    return Extremes(max(low, 0.0), min(high, 1.0), len(unknown.rank), "exact")


def _largest_ratio(total: float, gained: F64, steps: F64, ideal: list[F64]) -> float:
    """Largest (total + sum of steps[v] * gained[m_v]) / (sum of steps[v] * ideal[v][m_v]) over falling m_v."""

    def ratio(chosen: list[int]) -> float:
        above = total + sum(step * gained[m] for step, m in zip(steps, chosen, strict=True))
        below = sum(step * level[m] for step, level, m in zip(steps, ideal, chosen, strict=True))
        return float(above / below) if below > 0 else -1e9

    t = ratio([0] * len(steps))
    for _ in range(100):
        best: F64 | None = None
        picked: list[tuple[F64, NDArray[np.intp]]] = []
        for step, level in zip(steps[::-1], ideal[::-1], strict=True):  # from the top gain down, m grows
            worth = step * (gained - t * level) + (0.0 if best is None else best)
            where = _where_largest(worth)
            best = worth[where]
            picked.append((best, where))
        at, chosen = len(gained) - 1, []
        for _, where in reversed(picked):
            at = int(where[at])
            chosen.append(at)
        new = ratio(chosen)
        if new <= t + 1e-15:
            return max(t, new)
        t = new
    return t


def _where_largest(x: F64) -> NDArray[np.intp]:
    """For each place, where the largest element up to there stands."""
    top = np.maximum.accumulate(x)
    rises: Bool = np.concatenate([[True], x[1:] > top[:-1]])
    return np.maximum.accumulate(np.where(rises, np.arange(len(x)), 0))


def _all(r: Ranking, measure: Measure, unknown: Unknown, levels: F64) -> Extremes:
    """Nothing is known of the measure: every assignment is tried, when there are few."""
    count = len(unknown.rank)
    grades = levels if measure.about.grades else np.array(_two_grades(r, measure))
    if count * np.log(len(grades)) > np.log(TRIED):
        return Extremes(None, None, count, f"too many to try ({count:,})")
    return _range(r, measure, unknown, np.array(list(product(grades, repeat=count))), "exact")
