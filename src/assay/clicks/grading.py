"""From attraction to grades: cut points, their calibration on human grades, and which pairs are left without a grade.

A grade is given where the interval of a pair's attraction spans one cut at most; else the pair stays unjudged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.clicks.pairs import F64, I64, total
from assay.errors import InputError, NotEnoughEvidence
from assay.keys import fingerprint
from assay.results import kept
from assay.stats.agreement import kappa
from assay.stats.clustered import clustered_share

FOLDS = 5
FEWEST_QUERIES = 10
"""With human grades and known attraction, below which nothing is calibrated: two a fold."""


@kept("grade cuts")
@dataclass(frozen=True, slots=True)
class Cuts:
    """Attractions at which grades change.

    Args:
        levels: grades, ascending.
        at: attraction from which each level but the first is given, not falling; infinite where none suffices.
    """

    levels: tuple[float, ...]
    at: tuple[float, ...]

    def place(self, attraction: F64) -> I64:
        """The place of each attraction's grade in `levels`, from 0."""
        found: I64 = np.searchsorted(np.array(self.at), attraction, side="right").astype(np.int64)
        return found

    @property
    def name(self) -> str:
        """Tells one set of cuts from another."""
        said = ",".join(f"{level:g}" for level in self.levels) + "|" + ",".join(f"{cut:.9g}" for cut in self.at)
        return fingerprint(said)[:12]


@kept("agreement of click grades")
@dataclass(frozen=True, slots=True)
class Agreed:
    """How well grades of clicks agree with people, on queries that the cuts were not made from.

    Args:
        pairs: that both graded.
        judged: pairs with a human grade and a known attraction; the others of these stayed without a grade.
        queries: of the pairs that both graded.
        equal, low, high: share of them with the same grade, 95 % interval clustered by query.
        near: share that is one grade off at most.
        kappa: Cohen's, quadratic weights; None where it is undefined.
        guess: share of the pairs that have the most frequent human grade: what one grade for all would reach.
        table: table[i][j], pairs with the human grade i and the click grade j, by place in the levels.
    """

    pairs: int
    judged: int
    queries: int
    equal: float
    low: float
    high: float
    near: float
    kappa: float | None
    guess: float
    table: tuple[tuple[int, ...], ...]


def cuts_of(at: Sequence[float]) -> Cuts:
    """Grades 0, 1, ... by cut points that were given.

    Raises:
        InputError: there is none, or they are not rising numbers above 0 and up to 1.
    """
    if not at or any(not 0 < one < np.inf for one in at) or any(a >= b for a, b in pairwise(at)):
        raise InputError(f"cut points {', '.join(f'{one:g}' for one in at) or '(none)'} are not rising numbers above 0",
                         "--cuts", "pass such as --cuts 0.05,0.2,0.4")  # fmt: skip
    if at[-1] > 1:
        raise InputError(f"a cut point of {at[-1]:g}: attraction is a chance", "--cuts",
                         "pass cut points above 0 and up to 1, such as --cuts 0.05,0.2,0.4")  # fmt: skip
    return Cuts(tuple(float(place) for place in range(len(at) + 1)), tuple(float(one) for one in at))


def calibrate(attraction: F64, se: F64, grade: F64, levels: Sequence[float] | None = None) -> Cuts:
    """Cuts where a rising fit of human grades on attraction passes the middle between two grades.

    A pair weighs 1 / (1 + se^2 / spread^2), the part of its attraction that is not chance.

    Args:
        attraction: f64[n], known.
        se: f64[n], of it.
        grade: f64[n], of people.
        levels: the grades of the scale; those that occur when None.

    Raises:
        NotEnoughEvidence: there is one grade or one attraction alone.

    Source: isotonic regression by pooling adjacent violators, Ayer et al., Ann. Math. Stat. 26(4), 1955.
    """
    from scipy.optimize import isotonic_regression

    scale = tuple(float(one) for one in (np.unique(grade) if levels is None else levels))
    spread = float(attraction.std()) if len(attraction) else 0.0
    if len(scale) < 2 or spread == 0:
        raise NotEnoughEvidence("the judged pairs have one grade or one attraction: nothing to calibrate on\n"
                                "    mend: pass --cuts")  # fmt: skip
    weight = 1 / (1 + (se / spread) ** 2)
    points, at = np.unique(attraction, return_inverse=True)
    mass = total(at, weight, len(points))
    fitted = isotonic_regression(total(at, weight * grade, len(points)) / mass, weights=mass).x
    cuts = []
    for lower, upper in pairwise(scale):
        first = int(np.searchsorted(fitted, (lower + upper) / 2, side="left"))
        if first == len(points):
            cuts.append(np.inf)
        else:
            cuts.append(float(points[first] if first == 0 else (points[first - 1] + points[first]) / 2))
    return Cuts(scale, tuple(cuts))


def graded(cuts: Cuts, value: F64, low: F64, high: F64) -> I64:
    """The place of each pair's grade; -1 where its interval spans more than one cut, or all that there are.

    Args:
        cuts: the cut points.
        value: f64[n], attraction; NaN stays without a grade.
        low: f64[n], of its interval.
        high: f64[n], of its interval.
    """
    known = ~np.isnan(value)
    found = np.full(len(value), -1, np.int64)
    spans = cuts.place(high[known]) - cuts.place(low[known])
    most = 1 if len(cuts.at) > 1 else 0
    found[known] = np.where(spans <= most, cuts.place(value[known]), -1)
    return found


def folds(queries: Sequence[str]) -> I64:
    """The fold of each query, 0 to FOLDS - 1, by the hash of its name: of equal size, the same in each run."""
    order = np.argsort(np.array([fingerprint("fold", query) for query in queries]), kind="stable")
    found = np.empty(len(queries), np.int64)
    found[order] = np.arange(len(queries)) % FOLDS
    return found


def cross_validated(
    value: F64, se: F64, low: F64, high: F64, grade: F64, query: I64, names: Sequence[str], levels: Sequence[float]
) -> Agreed | None:
    """Agreement with people, each query graded by cuts that were made from the others.

    Args:
        value: f64[n], attraction of pairs, known.
        se: f64[n], of it.
        low: f64[n], of its interval.
        high: f64[n], of its interval.
        grade: f64[n], of people.
        query: i64[n], place of each pair's query in `names`.
        names: query ids.
        levels: the grades of the scale, ascending; a mean of raters counts as the nearest of them.

    Returns:
        None where no pair gets a grade.

    Raises:
        NotEnoughEvidence: there are fewer than FEWEST_QUERIES queries, or a part of them has one grade alone.
    """
    asked = np.unique(query)
    if len(asked) < FEWEST_QUERIES:
        raise NotEnoughEvidence(
            f"{len(asked)} queries have both clicks and judgments; a calibration needs {FEWEST_QUERIES}\n"
            "    mend: judge more queries of the log, or pass --cuts"
        )
    fold = np.zeros(len(names), np.int64)
    fold[asked] = folds([names[one] for one in asked.tolist()])
    place = np.full(len(value), -1, np.int64)
    for one in range(FOLDS):
        out = fold[query] == one
        cuts = calibrate(value[~out], se[~out], grade[~out], levels)
        place[out] = graded(cuts, value[out], low[out], high[out])
    human = np.abs(grade[:, None] - np.array(levels)).argmin(axis=1).astype(np.int64)
    return agreement(human, place, query, len(levels))


def agreement(human: I64, clicks: I64, query: I64, k: int) -> Agreed | None:
    """Agreement of grades, given as places in one list of `k`; -1 of clicks is no grade; None where both share none."""
    both: NDArray[np.bool_] = clicks >= 0
    if not both.any():
        return None
    _, asked = np.unique(query[both], return_inverse=True)
    equal = (human == clicks)[both].astype(np.float64)
    queries = int(asked.max()) + 1
    share = clustered_share(total(asked, equal, queries), total(asked, np.ones(len(asked)), queries))
    assert share is not None  # there is a pair
    table = np.zeros((k, k))
    np.add.at(table, (human[both], clicks[both]), 1)
    weighed = float(kappa(table, "quadratic"))
    return Agreed(
        len(equal), len(human), queries, share.share, share.low, share.high,
        float((np.abs(human - clicks)[both] <= 1).mean()), None if np.isnan(weighed) else weighed,
        float(table.sum(axis=1).max() / len(equal)), tuple(tuple(int(n) for n in row) for row in table),
    )  # fmt: skip
