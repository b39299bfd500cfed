"""How much raters agree: in all, by rater, by pair of raters, at each step between two grades, and in parts.

Intervals come from resampling queries, never pairs of query and document: what one query's documents have in common
would be counted many times. The list of grades is the rubric's; without one it is said which list was taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from assay.errors import InputError
from assay.judgments.coefficients import (
    INTERVAL,
    RESAMPLES,
    Coefficient,
    alpha_interval,
    coefficients,
    said_once,
    two_grades,
    with_interval,
)
from assay.judgments.mean_kappa import MOST_MEETINGS, mean_kappa, meetings
from assay.judgments.ratings import coded, grades_of
from assay.judgments.roles import apart
from assay.judgments.settled import Settled, settled
from assay.results import Note, Result, kept
from assay.stats.agreement import I64, Ratings, Weights, kappa, never_varied, percent
from assay.tables import Block

LIMIT = 0.6
"""Agreement from which labels are usually trusted for a grade scale; a team sets its own."""

WEIGHTS: tuple[Weights, ...] = ("plain", "linear", "quadratic")
DISPUTES = 20
MOST_PAIRS = 28
"""Pairs of raters that are laid open one by one: eight raters. With more, each rater is compared with all others."""


@kept("boundary")
@dataclass(frozen=True, slots=True)
class Boundary:
    """Agreement on one question: is it at least this grade?

    Args:
        grade: the grade.
        coefficients: percent, alpha, AC1.
    """

    grade: float
    coefficients: tuple[Coefficient, ...]


@kept("agreement-part")
@dataclass(frozen=True, slots=True)
class AgreementPart:
    """Agreement over all judgments, or over a part of them.

    Args:
        by: what the part is a part by ("segment", "dimension", ...); empty for all.
        value: which part.
        ratings: how many ratings it has.
        pairs: (query, document) pairs.
        shared: pairs that two or more raters rated.
        queries: queries of these.
        coefficients: percent, Fleiss, alpha nominal, ordinal, interval, AC1, AC2.
        boundaries: one a step of the scale.
    """

    by: str
    value: str
    ratings: int
    pairs: int
    shared: int
    queries: int
    coefficients: tuple[Coefficient, ...]
    boundaries: tuple[Boundary, ...]


@kept("rater-pair")
@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters on what both rated.

    Args:
        a, b: their names.
        shared: pairs of query and document that both rated.
        coefficients: percent, kappa plain, linear, quadratic.
        table: how often a said the grade of the row and b that of the column, by the list of grades.
    """

    a: str
    b: str
    shared: int
    coefficients: tuple[Coefficient, ...]
    table: tuple[tuple[int, ...], ...]


@kept("one-rater")
@dataclass(frozen=True, slots=True)
class OneRater:
    """One rater against all others.

    Args:
        name: of the rater.
        ratings: how many.
        shared: those of pairs that somebody else rated too.
        mean: the mean grade given.
        lean: mean of the own grade less the mean of the others' on the same pairs: above 0 is milder than the others.
        kappa: quadratic kappa against every other rating of the same pairs.
    """

    name: str
    ratings: int
    shared: int
    mean: float
    lean: float | None
    kappa: Coefficient


@kept("dispute")
@dataclass(frozen=True, slots=True)
class Dispute:
    """A pair of query and document on which raters are far apart."""

    query_id: str
    doc_id: str
    grades: tuple[float, ...]
    raters: tuple[str, ...]


@kept("rater-agreement")
@dataclass(frozen=True, kw_only=True)
class RaterAgreement(Result):
    """How much the raters of a set of judgments agree.

    Args:
        grades: the list of grades that counts, rising.
        grades_from: who said so: "given" or "seen".
        total: over all judgments.
        parts: by segment, dimension or another column.
        pairs: every pair of raters, while there are few.
        raters: every named rater.
        disputes: the pairs with the widest spread.
        limit: agreement that is asked for.
        seed: of the resampling.
        settled: every named rater against the adjudicators, whose grades count nowhere else here.
        mean_kappa: mean of the quadratic kappas of every two named raters with common pairs, where there are more than
            two; None where there are not, or too many.
    """

    grades: tuple[float, ...]
    grades_from: str
    total: AgreementPart
    parts: tuple[AgreementPart, ...] = ()
    pairs: tuple[RaterPair, ...] = ()
    raters: tuple[OneRater, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    limit: float = LIMIT
    seed: int = 0
    settled: tuple[Settled, ...] = ()
    mean_kappa: Coefficient | None = None

    @property
    def deciding(self) -> Coefficient:
        """What is held against the limit: quadratic kappa of two raters, the mean of those of every two of more.

        Where raters have no names, or too many of them met, it is alpha by its squared distances.
        """
        if len(self.raters) == 2 and len(self.pairs) == 1:
            return self.pairs[0].coefficients[3]
        if self.mean_kappa is not None:
            return self.mean_kappa
        return next(c for c in self.total.coefficients if c.name == INTERVAL)

    @property
    def is_enough(self) -> bool | None:
        """True when even the lower end reaches the limit, False when the upper end does not, else None."""
        return enough(self.deciding, self.limit)


@dataclass(frozen=True, slots=True)
class Decided:
    """What decides whether raters agree enough, by itself.

    Args:
        deciding: as in `RaterAgreement`.
        limit: agreement that is asked for.
        beside: alpha by its squared distances, where something else decides.
    """

    deciding: Coefficient
    limit: float
    beside: Coefficient | None = None

    @property
    def is_enough(self) -> bool | None:
        """True when even the lower end reaches the limit, False when the upper end does not, else None."""
        return enough(self.deciding, self.limit)


def enough(found: Coefficient, limit: float) -> bool | None:
    """Whether an interval lies above a limit (True), below it (False), or neither can be said (None)."""
    if found.low is None or found.high is None:
        return None
    return True if found.low >= limit else False if found.high < limit else None


def decided(ratings: Ratings, raters: Sequence[str], limit: float = LIMIT, seed: int = 0) -> Decided | None:
    """What `agreement` would decide by, without all else that it says; None where no item has two ratings.

    Args:
        ratings: who said what.
        raters: the name of each rater.
        limit: agreement that is asked for.
        seed: of the resampling.
    """
    several = ratings.counts.sum(axis=1) > 1
    if not several.any():
        return None
    pair = _pair(ratings, raters, 0, 1, seed, RESAMPLES, WEIGHTS[2:]) if len(raters) == 2 else None
    queries = len(np.unique(ratings.query[several]))
    alpha = alpha_interval(ratings, queries, seed, RESAMPLES)
    first = _of_more(ratings, raters, seed, RESAMPLES) if pair is None else pair.coefficients[-1]
    return Decided(alpha, limit) if first is None else Decided(first, limit, alpha)


def _of_more(ratings: Ratings, raters: Sequence[str], seed: int, resamples: int) -> Coefficient | None:
    """The mean of the quadratic kappas of every two named raters of more than two; None where there is none."""
    named = [i for i, name in enumerate(raters) if name]
    return mean_kappa(meetings(ratings, named), seed, resamples) if len(named) > 2 else None


def agreement(
    judgments: Block, *, grades: Sequence[float] | None = None, parts: Sequence[tuple[str, str, Block]] = (),
    limit: float = LIMIT, seed: int = 0, resamples: int = RESAMPLES,
) -> RaterAgreement:  # fmt: skip
    """How much raters agree.

    Args:
        judgments: rows of `Judgment`, a row a rating; rows without a rater are each somebody's own. Those of
            adjudicators, who know that raters differ, are no ratings.
        grades: the rubric's grades; without them, every whole number from the lowest (0 at most) to the highest seen,
            or the grades seen where they are fractions.
        parts: (by, value, rows) to look at by themselves.
        limit: agreement that is asked for.
        seed: of the resampling.
        resamples: how many.

    Raises:
        InputError: no pair has two ratings, a grade is not on the list, or one rater gave one pair two grades.
    """
    listed, said = grades_of(judgments, grades)
    judgments, adjudicated = apart(judgments)
    held = coded(judgments, listed)
    ratings, names, items = held.ratings, held.raters, held.pairs
    shared = np.flatnonzero(ratings.counts.sum(axis=1) > 1)
    if not len(shared):
        raise InputError(
            "no pair of query and document has two ratings", judgments.name,
            "let a second rater label a sample of the same pairs; name the column of raters by --columns rater=COLUMN, "
            "or the columns that are raters by --raters ANA,BO",
        )  # fmt: skip
    named = [i for i, name in enumerate(names) if name]
    two_by_two = list(combinations(named, 2)) if len(named) * (len(named) - 1) // 2 <= MOST_PAIRS else []
    pairs = [_pair(ratings, names, a, b, seed, resamples) for a, b in two_by_two]
    found = tuple(pair for pair in pairs if pair is not None)
    notes = []
    if not named:
        notes.append(Note("no-raters", "the judgments name no raters: agreement in all is told, nobody's own is"))
    elif not two_by_two and len(named) > 1:
        notes.append(Note("many-raters", f"{len(named)} raters: each is held against all others, not pair by pair"))
    together = _of_more(ratings, names, seed, resamples)
    if len(named) > 2 and together is None:
        text = f"more than {MOST_MEETINGS:,} pairs of raters met: alpha by squared distances is held against the limit"
        notes.append(Note("many-meetings", text))
    if said == "seen":
        scale = ", ".join(f"{grade:g}" for grade in listed)
        notes.append(Note("grades-seen", f"no list of grades was given; the scale is taken to be {scale}"))
    if len(adjudicated):
        n = len(adjudicated)
        what = "1 grade of an adjudicator takes" if n == 1 else f"{n:,} grades of adjudicators take"
        text = f"{what} no part in any coefficient: adjudicators are no raters"
        notes.append(Note("adjudicators-apart", text, count=n))
    total = _part("", "", ratings, seed, resamples)
    own = tuple(_one(ratings, names, i, seed, resamples) for i in named)
    held_apart = ((by, value, apart(rows)[0]) for by, value, rows in parts)
    seen = tuple(_part(by, value, coded(rows, listed).ratings, seed, resamples)
                 for by, value, rows in held_apart if len(rows))  # fmt: skip
    return RaterAgreement(
        grades=tuple(listed.tolist()), grades_from=said, limit=limit, seed=seed, pairs=found, total=total, parts=seen,
        notes=(*notes, *_missing(total, found, own, together, seen)), raters=own, mean_kappa=together,
        disputes=_disputes(ratings, names, items, shared), settled=settled(judgments, adjudicated),
    )  # fmt: skip


def _missing(
    total: AgreementPart, pairs: Sequence[RaterPair], raters: Sequence[OneRater], mean: Coefficient | None,
    parts: Sequence[AgreementPart],
) -> tuple[Note, ...]:  # fmt: skip
    """Why values and intervals are missing; steps and parts are shown without remarks."""
    beside = [*total.coefficients, *(one.kappa for one in raters), *(pair.coefficients[-1] for pair in pairs)]
    steps = [step.coefficients[1] for step in total.boundaries]
    inside = [c for part in parts for c in part.coefficients if c.name == INTERVAL]
    return said_once([*beside, *([mean] if mean else [])], [*steps, *inside])


def _part(by: str, value: str, ratings: Ratings, seed: int, resamples: int) -> AgreementPart:
    several = ratings.counts.sum(axis=1) > 1
    queries = len(np.unique(ratings.query[several]))
    total = coefficients(ratings, queries, seed, resamples)
    boundaries = tuple(
        Boundary(float(grade), two_grades(ratings.at_least(place), queries, seed, resamples))
        for place, grade in enumerate(ratings.grades.tolist())
        if place
    )
    shared = int(several.sum())
    return AgreementPart(by, value, len(ratings.item), len(ratings.query), shared, queries, total, boundaries)


def _pair(
    ratings: Ratings, names: Sequence[str], a: int, b: int, seed: int, resamples: int,
    weighted: Sequence[Weights] = WEIGHTS,
) -> RaterPair | None:  # fmt: skip
    tables = ratings.table(a, b)
    table = tables.sum(axis=0)
    if not table.sum():
        return None
    queries = int(tables.any(axis=(1, 2)).sum())
    still = [name for name, fixed in zip((names[a], names[b]), never_varied(table), strict=True) if fixed]
    remark = f"{' and '.join(still)} never varied: kappa cannot differ from 0" if still else ""
    same = "both gave one and the same grade to everything" if len(still) == 2 else ""
    made = [with_interval("percent", tables, percent, queries, seed, resamples, "")]
    for weights in weighted:
        made.append(
            with_interval(
                f"kappa, {weights}", tables, partial(kappa, weights=weights), queries, seed, resamples,
                same, remark,
            )
        )  # fmt: skip
    rows = tuple(tuple(int(x) for x in row) for row in table)
    return RaterPair(names[a], names[b], int(table.sum()), tuple(made), rows)


def _one(ratings: Ratings, names: Sequence[str], rater: int, seed: int, resamples: int) -> OneRater:
    """One rater against every other rating of the same pairs, each pair of query and document with equal weight."""
    own = ratings.rater == rater
    items, codes = ratings.item[own], ratings.code[own]
    counts = ratings.counts[items].astype(np.float64)
    counts[np.arange(len(items)), codes] -= 1
    others = counts.sum(axis=1)
    shared = others > 0
    share = np.divide(counts, others[:, None], out=np.zeros_like(counts), where=shared[:, None])
    tables = np.zeros((ratings.n_queries, ratings.k, ratings.k))
    np.add.at(tables, (ratings.query[items[shared]], codes[shared]), share[shared])
    grades = ratings.grades[codes]
    lean = float((grades[shared] - share[shared] @ ratings.grades).mean()) if shared.any() else None
    queries = int(tables.any(axis=(1, 2)).sum())
    still = len(np.unique(codes[shared])) == 1
    remark = f"{names[rater]} never varied: kappa cannot differ from 0" if still else ""
    lonely = "nobody else rated the same pairs" if not shared.any() else "all gave one and the same grade"
    found = with_interval(
        "kappa, quadratic", tables, partial(kappa, weights="quadratic"), queries, seed, resamples, lonely, remark
    )
    return OneRater(names[rater], len(items), int(shared.sum()), float(grades.mean()), lean, found)


def _disputes(
    ratings: Ratings, names: Sequence[str], items: Sequence[tuple[str, str]], shared: I64
) -> tuple[Dispute, ...]:
    """The pairs with the widest spread of grades, then the largest variance, then in the order of the file."""
    counts = ratings.counts[shared]
    seen = counts > 0
    value = ratings.grades
    low = value[seen.argmax(axis=1)]
    high = value[ratings.k - 1 - seen[:, ::-1].argmax(axis=1)]
    n = counts.sum(axis=1)
    mean = counts @ value / n
    variance = counts @ value**2 / n - mean**2
    order = np.lexsort((shared, -np.round(variance, 12), -(high - low)))[:DISPUTES]
    found = []
    for at in order[(high - low)[order] > 0]:
        own = np.flatnonzero(ratings.item == shared[at])
        given = sorted(zip(ratings.grades[ratings.code[own]].tolist(), (names[r] for r in ratings.rater[own]),
                           strict=True))  # fmt: skip
        query, doc = items[shared[at]]
        found.append(Dispute(query, doc, tuple(g for g, _ in given), tuple(who for _, who in given)))
    return tuple(found)
