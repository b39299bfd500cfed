"""Baseline against candidates: the difference on each measure, how sure it is, and which queries won and lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.compare.columns import Column
from assay.compare.comparison import CLAIM, Correction, Difference, Family, Outcome, QueryDifference, Spread
from assay.compare.comparison import WeightedDifference as Weighted
from assay.errors import InputError, did_you_mean
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.stats.intervals import Interval, t_interval, weighted_t_interval, why_undefined
from assay.stats.max_t import MaxT, all_pairs, critical_t, max_t
from assay.stats.multiple import HOLM_UP_TO, benjamini_hochberg, flips_needed, holm
from assay.stats.paired import Tests, paired_tests
from assay.stats.power import detectable
from assay.stats.randomisation import FLIPS
from assay.stats.weighted import effective_n

F64 = NDArray[np.float64]

CORRECTIONS = ("holm", "max-t", "bh", "none")
SPREADS = ("t", "bootstrap", "bca")
ONE_SIDED = 0.01
"""Share of queries with a value on one side only above which a difference tells nothing: the loss is not random."""
SHOWN = 5
"""Largest wins and losses that a difference names."""
NAMED = 1000
"""Ids of queries with a value on one side only that are kept."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a comparison.

    Args:
        seed: of every random number.
        flips: sign patterns drawn where a p is not exact.
        correction: "holm", "max-t", "bh" or "none"; by the number of hypotheses when None.
        interval: "t", "bootstrap" (percentile) or "bca".
        level: of the intervals.
        alpha: level of the claims.
        tie: differences up to this are shown as ties; tests keep their own 1e-9.
    """

    seed: int = 0
    flips: int = FLIPS
    correction: Correction | None = None
    interval: Spread = "t"
    level: float = 0.95
    alpha: float = 0.05
    tie: float = 1e-9

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("family", self.correction, CORRECTIONS),
            ("interval", self.interval, SPREADS),
        ):
            if value is not None and value not in allowed:
                raise InputError(
                    f"--{name} {value!r} is not one of {', '.join(allowed)}{did_you_mean(value, allowed)}",
                    remedy=f"pass --{name} {'|'.join(allowed)}",
                )
        if self.flips < 1:
            raise InputError("--flips counts sign patterns and is at least 1", remedy="pass --flips 100000")
        if not 0 < self.level < 1:
            raise InputError(f"level {self.level} is not between 0 and 1", remedy="write 0.95 for 95 %")
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha {self.alpha} is not between 0 and 1", remedy="write 0.05 for 5 %")
        if not self.tie >= 0:
            raise InputError(f"--tie {self.tie} is below 0", remedy="pass the largest difference that is a tie: 0.01")


def differences(
    columns: Sequence[Column], scores: Scores, asked: Asked, simultaneous: bool = False
) -> tuple[tuple[Difference, ...], Family]:
    """Every column as a difference, corrected as one family.

    Args:
        columns: what is compared.
        scores: where the values come from.
        asked: see `Asked`.
        simultaneous: also give the intervals that hold for all columns of the family at once.
    """
    matrix = np.array([column.d for column in columns]).reshape(len(columns), len(scores.queries))
    why_not = [column.left_out_because() for column in columns]
    members = np.array([not why for why in why_not], np.bool_)
    # under max-T no verdict hangs on a p of its own: it need not be told apart from alpha by ten times the flips
    at = () if correction_of(int(members.sum()), asked) == "max-t" else (asked.alpha,)
    tests = paired_tests(matrix, scores.queries, asked.seed, asked.flips, at=at)
    adjusted, family = _adjusted(columns, matrix, tests, members, why_not, scores.queries, asked)
    wide = np.full(len(columns), np.nan)
    if simultaneous and members.any():
        wide[members] = critical_t(matrix[members], scores.queries, asked.seed, asked.flips, level=asked.level)
    found = [
        _difference(column, test, interval, why, p, float(width), family, scores, asked)
        for column, test, interval, why, p, width in zip(
            columns, tests, intervals(matrix, scores.queries, asked), why_not, adjusted.tolist(), wide, strict=True
        )
    ]
    return tuple(found), family


def correction_of(size: int, asked: Asked) -> Correction:
    """What was asked for, or by the number of hypotheses."""
    return asked.correction or ("holm" if size <= HOLM_UP_TO else "max-t")


def max_t_of(
    columns: Sequence[Column], matrix: F64, members: NDArray[np.bool_], queries: Sequence[str], asked: Asked
) -> MaxT:
    """Step-down max-T over the members of the family; all pairs of systems come from one product of signs."""
    runs = list(dict.fromkeys(run for column in columns for run in (column.baseline, column.candidate)))
    pairs = [(first, second) for i, first in enumerate(runs) for second in runs[i + 1 :]]
    is_all = members.all() and [(column.baseline, column.candidate) for column in columns] == pairs
    if not is_all or np.isnan(matrix).any():
        return max_t(matrix[members], queries, asked.seed, asked.flips)
    values = [columns[0].before, *(column.after for column in columns[: len(runs) - 1])]
    return all_pairs(np.array(values), queries, asked.seed, asked.flips).tests


def _adjusted(
    columns: Sequence[Column],
    matrix: F64,
    tests: Sequence[Tests],
    members: NDArray[np.bool_],
    why_not: Sequence[str],
    queries: Sequence[str],
    asked: Asked,
) -> tuple[F64, Family]:
    """The adjusted p of every column (NaN outside the family, or where it is not resolvable), and the family."""
    size = int(members.sum())
    correction = correction_of(size, asked)
    is_drawn = np.array([t.randomisation is not None and t.randomisation.seed is not None for t in tests], np.bool_)
    drawn = [
        t.randomisation.patterns for t in tests if t.randomisation is not None and t.randomisation.seed is not None
    ]
    patterns = min(drawn, default=0)
    needed = flips_needed(size, asked.alpha) if correction == "holm" and size else 0
    p = np.array([np.nan if test.p is None or not member else test.p
                  for test, member in zip(tests, members, strict=True)])  # fmt: skip
    if correction == "max-t":
        if size:
            found = max_t_of(columns, matrix, members, queries, asked)
            p[members] = found.adjusted
            patterns = 0 if found.exact else found.patterns
    elif correction == "holm":
        p = holm(p)
        if patterns and patterns < needed:
            p[is_drawn] = np.nan
    elif correction == "bh":
        p = benjamini_hochberg(p)
    names = tuple((column.label, why) for column, why in zip(columns, why_not, strict=True) if why)
    family = Family(
        correction=correction,
        size=size,
        flips=patterns,
        seed=asked.seed,
        needed=needed,
        statement=_statement(correction, columns, members),
        left_out=names,
    )
    return p, family


def _statement(correction: Correction, columns: Sequence[Column], members: NDArray[np.bool_]) -> str:
    used = [column for column, member in zip(columns, members.tolist(), strict=True) if member]
    if not used:
        return f"no hypothesis has {CLAIM} queries, so nothing is claimed"
    counts = [
        (len({c.measure for c in used}), "measure"),
        (len({(c.baseline, c.candidate) for c in used}), "pair of runs"),
        (len({(c.kind, c.name) for c in used}), "segment" if used[0].kind else "set"),
    ]
    spelt = [f"{n} {_plural(word, n)}" for n, word in counts if n > 1 or (word == "measure")]
    how = {
        "holm": "Holm",
        "max-t": "max-T (Westfall and Young, studentised, under sign symmetry)",
        "bh": "Benjamini-Hochberg (the false discovery rate)",
        "none": "no correction",
    }[correction]
    hypotheses = "hypothesis" if len(used) == 1 else "hypotheses"
    return f"{how} over {len(used)} {hypotheses} ({', '.join(spelt)})"


def _plural(word: str, n: int) -> str:
    if n == 1:
        return word
    return "pairs of runs" if word == "pair of runs" else f"{word}s"


def _difference(
    column: Column,
    tests: Tests,
    interval: Interval | None,
    why: str,
    adjusted: float,
    width: float,
    family: Family,
    scores: Scores,
    asked: Asked,
) -> Difference:
    use, known = column.pairs, column.known
    n = len(known)
    sd = tests.sd
    only_before = column.which & ~np.isnan(column.before) & np.isnan(column.after)
    only_after = column.which & np.isnan(column.before) & ~np.isnan(column.after)
    one_sided = np.flatnonzero(only_before | only_after)
    claim = n >= CLAIM
    p = None if np.isnan(adjusted) else adjusted
    outcome, because = _outcome(column, tests, why, p, len(one_sided), family, asked)
    wins, losses = largest(column, scores.queries)
    return Difference(
        baseline=column.baseline,
        candidate=column.candidate,
        measure=column.measure,
        baseline_mean=_mean(column.before[use]),
        candidate_mean=_mean(column.after[use]),
        difference=_mean((column.after - column.before)[use]),
        n=n,
        nonzero=tests.nonzero,
        sd=sd,
        interval=interval,
        no_interval_because=NO_INTERVAL[why_undefined(known)],
        tests=tests,
        p=tests.p,
        adjusted=p,
        simultaneous=_wide(known, width, asked.level),
        in_family=not why,
        left_out_because=why,
        wins=int((known > asked.tie).sum()),
        losses=int((known < -asked.tie).sum()),
        ties=int((np.abs(known) <= asked.tie).sum()),
        largest_wins=wins,
        largest_losses=losses,
        undefined=int((column.which & np.isnan(column.before) & np.isnan(column.after)).sum()),
        one_sided=len(one_sided),
        one_sided_queries=tuple(scores.queries[i] for i in one_sided[:NAMED].tolist()),
        detectable=None if sd is None else detectable(sd, n, alpha=asked.alpha),
        judged_baseline=_judged(scores, column.measure, column.baseline, use),
        judged_candidate=_judged(scores, column.measure, column.candidate, use),
        weighted=weighted(column, scores.weights, asked.level),
        claim=claim,
        outcome=outcome,
        because=because,
    )


def _outcome(
    column: Column, tests: Tests, why: str, p: float | None, one_sided: int, family: Family, asked: Asked
) -> tuple[Outcome, str]:
    """What may be said, and why nothing may."""
    if why:
        return "cannot tell", why
    if one_sided > ONE_SIDED * int(column.which.sum()):
        return "cannot tell", f"{one_sided} queries have a value on one side only, and such a loss is not random"
    if p is None:
        return "cannot tell", f"not resolvable with {family.flips:,} flips; {family.needed:,} would do"
    if tests.randomisation is not None and tests.randomisation.at is not None:
        return "cannot tell", f"p is at {tests.randomisation.at:g}: more flips do not settle it"
    if p > asked.alpha:
        corrected = "" if family.size <= 1 or family.correction == "none" else " after correction"
        return "cannot tell", f"p {p:.4f}{corrected}"
    assert tests.mean is not None, "a column of the family has pairs"
    return ("better" if tests.mean * column.direction > 0 else "worse"), ""


def largest(column: Column, queries: Sequence[str]) -> tuple[tuple[QueryDifference, ...], tuple[QueryDifference, ...]]:
    """The largest wins and losses, the largest first; equal ones by query id."""
    d = np.where(column.pairs, column.d, 0.0)

    def told(sign: int) -> tuple[QueryDifference, ...]:
        order = np.argsort(-sign * d, kind="stable")[:SHOWN]
        return tuple(
            QueryDifference(queries[i], float(column.before[i]), float(column.after[i]), float(d[i]))
            for i in order.tolist()
            if sign * d[i] > 0
        )

    return told(1), told(-1)


def weighted(column: Column, weights: F64 | None, level: float) -> Weighted | None:
    """The difference weighted by traffic; None where no pair has a weight."""
    if weights is None:
        return None
    use = column.pairs & (np.nan_to_num(weights) > 0)
    if not use.any():
        return None
    w = weights[use]
    share = w / w.sum()
    d = column.d[use]
    return Weighted(
        baseline_mean=float(share @ column.before[use]),
        candidate_mean=float(share @ column.after[use]),
        difference=float(share @ d),
        interval=weighted_t_interval(d, w, level),
        effective_n=effective_n(w),
    )


def _wide(known: F64, width: float, level: float) -> Interval | None:
    if not np.isfinite(width) or why_undefined(known):
        return None
    mean, error = float(known.mean()), float(known.std(ddof=1)) / float(np.sqrt(len(known)))
    return Interval(mean - width * error, mean + width * error, level, "max-t", len(known))


def _mean(values: F64) -> float | None:
    return float(values.mean()) if len(values) else None


def _judged(scores: Scores, measure: Measure, run: str, use: NDArray[np.bool_]) -> float | None:
    """Mean share of the first documents that is judged, over the pairs; None where it is not known."""
    shares = scores.judged[scores.runs.index(run), scores.measures.index(measure)][use]
    known = shares[~np.isnan(shares)]
    return float(known.mean()) if len(known) else None


def intervals(matrix: F64, queries: Sequence[str], asked: Asked) -> list[Interval | None]:
    """The interval of each column's mean by the method that was asked for; None where it is undefined."""
    if asked.interval == "t":
        return [t_interval(row, asked.level) for row in matrix]
    from assay.stats.resample import resampled_intervals

    return list(resampled_intervals(matrix, queries, asked.seed, asked.level, asked.interval))


NO_INTERVAL = {
    "all values are equal": "all differences are equal",
    "no value is defined": "no pair",
    "one value has no spread": "one pair has no spread",
    "": "",
}
