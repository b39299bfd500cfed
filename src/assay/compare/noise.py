"""What disagreement between raters alone does to a difference: labels are drawn anew, values computed again.

A document's label is one rater's opinion, and another rater might have said otherwise. Drawing labels from those that
were given, the same for every run, shows how far a difference moves when nothing but the rater changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from assay.compare.labels import How, Labels, joined, picked, shares
from assay.measures.measure import Measure
from assay.ranking.ranking import F64, I64, Bool, Judged, Ranking
from assay.results import Note, kept

DRAWS = 2000
"""Times that labels are drawn."""

FEWEST_DRAWS = 200
"""Times that they are drawn at least, however many there are: enough for a standard deviation within 5 %."""

_LABELS = 40_000_000
"""Labels that all draws together may take."""

WITHIN = 1.96
"""Standard deviations up to which a difference is within rater noise."""

_ROOM = 1 << 18
"""Labels drawn at a time."""

_TRIES = 200
"""Times that a query is drawn anew when a draw leaves it without a relevant document."""


@kept("noise-floor")
@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """What rater disagreement alone does to one difference.

    Args:
        measure: the measure.
        baseline, candidate: the runs.
        difference: candidate minus baseline with the labels as they are; None where no query counts.
        sd: standard deviation of the mean difference over draws of labels; None where no query counts.
        n: queries that the mean is over.
    """

    measure: Measure
    baseline: str
    candidate: str
    difference: float | None
    sd: float | None
    n: int

    @property
    def floor(self) -> float | None:
        """Differences below this are within rater noise."""
        return None if self.sd is None else WITHIN * self.sd

    @property
    def is_within(self) -> bool | None:
        """Whether the difference is within rater noise; None where it is not known."""
        return None if self.floor is None or self.difference is None else abs(self.difference) < self.floor


@kept("noise")
@dataclass(frozen=True)
class Noise:
    """What rater disagreement alone does to the differences of several runs.

    Args:
        floors: one a measure and pair of runs.
        draws: times that labels were drawn.
        seed: of the draws.
        method: "raters": labels were drawn from those given; "agreement": from a table of who says what when another
            says this, which overstates the noise by up to a factor of 1.41, since the label itself holds noise.
        raters: labels of a pair that has several, on average.
        several: judged pairs with labels of several raters.
        single: judged pairs with one label; drawn from the table of the others.
        votes: labels that a grade is made of: 0 stands for as many as each pair has.
        redrawn: queries drawn anew because a draw left them without a relevant document.
        kept_as_given: queries whose labels stayed, because no draw left them with one.
        notes: what should be said beside it.
    """

    floors: tuple[NoiseFloor, ...]
    draws: int
    seed: int
    method: Literal["raters", "agreement"]
    raters: float
    several: int
    single: int
    votes: int
    redrawn: int
    kept_as_given: int
    notes: tuple[Note, ...] = ()

    def floor(self, measure: Measure, baseline: str, candidate: str) -> NoiseFloor | None:
        """The floor of one difference; None when it was not computed."""
        for one in self.floors:
            if (one.measure, one.baseline, one.candidate) == (measure, baseline, candidate):
                return one
        return None


def rater_noise(
    labels: Labels,
    runs: Mapping[str, Ranking],
    measures: Sequence[Measure],
    pairs: Sequence[tuple[str, str]],
    rng: Generator,
    *,
    seed: int = 0,
    draws: int | None = None,
    how: How = "mean",
    votes: int | None = None,
    counts: Mapping[tuple[Measure, str, str], Bool] | None = None,
) -> Noise:
    """The noise floor of each difference, labels drawn from those that the raters gave.

    Args:
        labels: every rater's labels.
        runs: rankings, all of `labels.judged`.
        measures: what to measure.
        pairs: (baseline, candidate).
        rng: where the draws come from.
        seed: of `rng`, to be told.
        draws: how often labels are drawn; when None `DRAWS`, and fewer where there are very many of them.
        how: how labels become a grade; "one" takes one rater's.
        votes: labels that a grade is made of; as many as each pair has when None, one when `how` is "one".
        counts: queries that each mean is over; those with what the measure needs when None.

    A sample of r labels varies less than raters do, by the factor (r - 1) / r; the variance is divided by it.
    """
    draws = usual_draws(labels.judged) if draws is None else draws
    many = labels.count
    number = np.ones_like(many) if how == "one" else np.minimum(many, votes) if votes else many
    grades, table = labels.agreement
    edges = np.cumsum(table, axis=1)
    single = np.flatnonzero(many == 1)
    own = np.searchsorted(grades, labels.label[labels.start[single]])

    def draw(times: int, which: I64) -> F64:
        """Grades of some judgments, of shape (times, judgments)."""
        k = np.maximum(number[which], 1)
        deepest = int(k.max(initial=0))
        drawn = np.full((times, len(which), deepest), np.nan)
        for vote in range(deepest):
            at = np.floor(rng.random((times, len(which))) * many[which]).astype(np.int64)
            place = np.minimum(labels.start[which] + at, len(labels.label) - 1)
            drawn[:, :, vote] = np.where(vote < k, labels.label[place], np.nan)
        out = joined(drawn, k, grades, how)
        lone = np.flatnonzero(many[which] == 1)
        if len(lone):
            row = own[np.searchsorted(single, which[lone])]
            out[:, lone] = grades[picked(edges[row], rng.random((times, len(lone))))]
        unlabelled = many[which] == 0
        out[:, unlabelled] = labels.judged.grade[which[unlabelled]]
        return out

    per_query = np.bincount(labels.judged.query, np.where(many > 1, many, 0), minlength=labels.judged.n)
    pairs_with = np.bincount(labels.judged.query[many > 1], minlength=labels.judged.n)
    r = np.divide(per_query, pairs_with, out=np.full(labels.judged.n, np.inf), where=pairs_with > 0)
    factor = np.divide(r, np.maximum(r - 1, 1), out=np.ones_like(r), where=np.isfinite(r))
    floors, redrawn, stuck = _floors(labels.judged, runs, measures, pairs, draws, draw, factor, counts)
    several = int((many > 1).sum())
    notes = _notes(redrawn, stuck, len(single) - labels.settled, draws, labels.settled)
    return Noise(
        floors=floors, draws=draws, seed=seed, method="raters",
        raters=float(many[many > 1].mean()) if several else 1.0, several=several, single=len(single),
        votes=1 if how == "one" else votes or 0, redrawn=redrawn, kept_as_given=stuck, notes=notes,
    )  # fmt: skip


def agreement_noise(
    judged: Judged,
    grades: Sequence[float],
    agreement: F64,
    runs: Mapping[str, Ranking],
    measures: Sequence[Measure],
    pairs: Sequence[tuple[str, str]],
    rng: Generator,
    *,
    seed: int = 0,
    draws: int | None = None,
    counts: Mapping[tuple[Measure, str, str], Bool] | None = None,
) -> Noise:
    """As `rater_noise`, where only agreement is known: the cautious floor.

    Args:
        judged: the judgments, one grade a pair.
        grades: the grades of the table, ascending.
        agreement: counts of (this rater's grade, another rater's grade), of shape (grades, grades).
        runs: rankings; this and the other arguments are as for `rater_noise`.
        measures: what to measure.
        pairs: (baseline, candidate).
        rng: where the draws come from.
        seed: of `rng`, to be told.
        draws: how often labels are drawn.
        counts: queries that each mean is over.
    """
    draws = usual_draws(judged) if draws is None else draws
    levels = np.asarray(grades, dtype=np.float64)
    edges = np.cumsum(shares(np.asarray(agreement, dtype=np.float64)), axis=1)
    middle = (levels[1:] + levels[:-1]) / 2
    own = np.searchsorted(middle, judged.grade)  # a fraction is drawn as the nearest grade

    def draw(times: int, which: I64) -> F64:
        return levels[picked(edges[own[which]], rng.random((times, len(which))))]

    floors, redrawn, stuck = _floors(judged, runs, measures, pairs, draws, draw, np.ones(judged.n), counts)
    return Noise(
        floors=floors, draws=draws, seed=seed, method="agreement", raters=1.0, several=0, single=len(judged.grade),
        votes=1, redrawn=redrawn, kept_as_given=stuck, notes=_notes(redrawn, stuck, 0, draws),
    )  # fmt: skip


def usual_draws(judged: Judged) -> int:
    """How often labels are drawn when nobody says it."""
    return max(FEWEST_DRAWS, min(DRAWS, _LABELS // max(len(judged.grade), 1)))


def _floors(
    judged: Judged, runs: Mapping[str, Ranking], measures: Sequence[Measure], pairs: Sequence[tuple[str, str]],
    draws: int, draw: Any, factor: F64, counts: Mapping[tuple[Measure, str, str], Bool] | None,
) -> tuple[tuple[NoiseFloor, ...], int, int]:  # fmt: skip
    """The standard deviation of each mean difference, and how often queries were drawn anew.

    Labels of different queries are drawn apart, so the variance of the mean is the sum of the variances of the queries.
    """
    keys = [(measure, baseline, candidate) for measure in measures for baseline, candidate in pairs]
    uses = {key: key[0].has_relevant(judged) if counts is None else counts[key] for key in keys}
    sums = {key: np.zeros((2, judged.n)) for key in keys}
    now = {key: _differences(key, runs) for key in keys}
    needs = {measure: np.any([uses[key] for key in keys if key[0] == measure], axis=0) for measure in measures}
    redrawn, stuck = 0, np.zeros(judged.n, np.bool_)
    size = max(1, _ROOM // max(len(judged.grade), 1))
    for start in range(0, draws, size):
        times = min(size, draws - start)
        grade = draw(times, np.arange(len(judged.grade)))
        again, left = _redraw(judged, grade, needs, draw)
        redrawn += again
        stuck |= left
        copies = {name: copied(r, judged, grade) for name, r in runs.items() if any(name in key[1:] for key in keys)}
        for measure in measures:
            values = {name: measure.compute(r).reshape(times, -1) for name, r in copies.items()}
            for key in keys:
                if key[0] == measure:
                    moved = np.nan_to_num(values[key[2]] - values[key[1]] - now[key])
                    sums[key] += np.array([moved.sum(axis=0), (moved**2).sum(axis=0)])
    floors = []
    for key in keys:
        measure, baseline, candidate = key
        use = uses[key]
        n = int(use.sum())
        mean = sums[key] / draws
        variance = (mean[1] - mean[0] ** 2).clip(0) * factor * draws / max(draws - 1, 1)
        sd = float(np.sqrt(variance[use].sum())) / n if n else None
        difference = float(np.nanmean(now[key][use])) if n else None
        floors.append(NoiseFloor(measure, baseline, candidate, difference, sd, n))
    return tuple(floors), redrawn, int(stuck.sum())


def _differences(key: tuple[Measure, str, str], runs: Mapping[str, Ranking]) -> F64:
    measure, baseline, candidate = key
    return measure.compute(runs[candidate]) - measure.compute(runs[baseline])


def copied(r: Ranking, judged: Judged, grade: F64) -> Ranking:
    """A ranking under several sets of grades, as if each query were one query a set.

    Args:
        r: the ranking.
        judged: its judgments.
        grade: float64 of shape (sets, judgments).
    """
    times = len(grade)
    shift = np.arange(times)[:, None] * judged.n
    many = replace(
        judged, queries=[""] * (times * judged.n), query=(shift + judged.query).ravel(), grade=grade.ravel(), docs=[],
        _cache={},
    )  # fmt: skip

    def again(values: I64) -> I64:
        return np.tile(values, times)

    return Ranking(
        many, (shift + r.query).ravel(), again(r.rank), grade[:, r.judgment].ravel(), again(r.judgment),
        again(r.returned), np.tile(r.answered, times),
        None if r.first is None else again(r.first), None if r.last is None else again(r.last),
    )  # fmt: skip


def _redraw(judged: Judged, grade: F64, needs: Mapping[Measure, Bool], draw: Any) -> tuple[int, Bool]:
    """Draws a query anew where it was left without what a measure needs, in `grade` itself."""
    total = 0
    stuck = np.zeros(judged.n, np.bool_)
    by_query = np.argsort(judged.query, kind="stable")
    bounds = np.searchsorted(judged.query[by_query], np.arange(judged.n + 1))
    for tries in range(_TRIES):
        lacks = _lacking(judged, grade, needs)
        if not lacks.any():
            break
        if not tries:
            total = int(lacks.sum())
        for q in np.flatnonzero(lacks.any(axis=0)).tolist():
            sets = np.flatnonzero(lacks[:, q])
            rows = by_query[bounds[q] : bounds[q + 1]]
            if tries == _TRIES - 1:
                grade[np.ix_(sets, rows)] = judged.grade[rows]
                stuck[q] = True
            else:
                grade[np.ix_(sets, rows)] = draw(len(sets), rows)
    return total, stuck


def _lacking(judged: Judged, grade: F64, needs: Mapping[Measure, Bool]) -> Bool:
    """Which (set of grades, query) has no relevant document although the measure needs one there."""
    times = len(grade)
    query = (np.arange(times)[:, None] * judged.n + judged.query).ravel()
    made = replace(judged, queries=[""] * (times * judged.n), query=query, grade=grade.ravel(), docs=[], _cache={})
    out = np.zeros((times, judged.n), np.bool_)
    for measure, use in needs.items():
        out |= ~measure.has_relevant(made).reshape(times, -1) & use
    return out


def _notes(redrawn: int, stuck: int, single: int, draws: int, settled: int = 0) -> tuple[Note, ...]:
    notes = []
    if redrawn:
        text = f"{redrawn:,} times in {draws:,} draws a query was left without a relevant document and drawn anew"
        notes.append(Note("noise-redrawn", text, count=redrawn))
    if stuck:
        text = f"{stuck:,} queries kept their grades in some draws: no draw left them with a relevant document"
        notes.append(Note("noise-kept", text, count=stuck))
    if settled:
        text = (
            f"{'1 pair was' if settled == 1 else f'{settled:,} pairs were'} settled by an adjudicator, whose grade was "
            "drawn as if it were one rater's: the floor is rather too high than too low"
        )
        notes.append(Note("noise-settled", text, count=settled))
    if single > 0:
        text = f"{single:,} pairs have one label; it was drawn as raters of the other pairs disagree"
        notes.append(Note("noise-single", text, count=single))
    return tuple(notes)
