"""Measures of agreement with their intervals, from sums by query.

Intervals come from resampling queries, never pairs of query and document: what one query's documents have in common
would be counted many times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from assay.keys import stream
from assay.results import Note, kept
from assay.stats.agreement import F64, Level, Ratings, alpha, fleiss, fleiss_sums, gwet, gwet_sums, percent
from assay.stats.resample import percentile_ends

RESAMPLES = 5_000
FEWEST_QUERIES = 10
"""Under this many queries resampling them says nothing."""

AT_ONCE = 4_000_000
"""Counts that are drawn at once (32 MB): of many queries, a part of the resamples at a time."""

MOST_UNDEFINED = 0.05
"""Share of resamples without a value up to which the others make an interval."""

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
INTERVAL = "alpha, interval"
SAME = "only one grade occurs: there is nothing to agree about beyond chance"
ONE_SIDE = "every rating is on one side"
FEW = "no interval from "
GONE = "no interval: undefined in "


@kept("coefficient")
@dataclass(frozen=True, slots=True)
class Coefficient:
    """One measure of agreement.

    Args:
        name: of it, with its weights or level.
        value: 1 is perfect, 0 what chance gives (a share for "percent"); None where it is undefined.
        low, high: 95 % percentile bootstrap over queries; None where there is none.
        remark: why there is no value or no interval, or what the value cannot tell; may be empty.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    remark: str = ""


def own_remark(found: Coefficient) -> str:
    """What is said of one coefficient alone, without what `said_once` says of all."""
    return "; ".join(part for part in _reasons(found) if part != SAME and not part.startswith(FEW))


def said_once(beside: Iterable[Coefficient], alone: Iterable[Coefficient] = ()) -> tuple[Note, ...]:
    """A note for each reason why values or intervals are missing.

    Args:
        beside: coefficients that are shown with their own remark.
        alone: coefficients that are shown without one.
    """
    silent = {part for c in alone for part in _reasons(c)}
    every = silent.union(part for c in beside for part in _reasons(c))
    told = (
        (any(part.startswith(FEW) for part in every), "few-queries",
         f"no interval (n/a) where fewer than {FEWEST_QUERIES} queries have pairs that several rated: resampling so "
         "few says nothing"),
        (SAME in every, "one-grade", f"no value (n/a) where {SAME}"),
        (any(part.startswith(GONE) for part in silent), "undefined-resamples",
         f"no interval (n/a) where over {MOST_UNDEFINED:.0%} of the resamples have no value".replace("%", " %")),
        (ONE_SIDE in silent, "one-side", f"no alpha (n/a) at a step where {ONE_SIDE}"),
    )  # fmt: skip
    return tuple(Note(code, text) for is_so, code, text in told if is_so)


def _reasons(found: Coefficient) -> list[str]:
    return [part for part in found.remark.split("; ") if part]


def coefficients(ratings: Ratings, shared: int, seed: int, resamples: int) -> tuple[Coefficient, ...]:
    """Percent, Fleiss, alpha at three levels, AC1 and AC2; `shared`: queries with a pair that several rated."""
    together, grades = ratings.coincidences, ratings.grades
    sums = fleiss_sums(ratings)
    made = [
        with_interval("percent", together, percent, shared, seed, resamples, "no pair has two ratings"),
        Coefficient("kappa, Fleiss", None, remark="not every pair has the same number of ratings; read alpha")
        if sums is None
        else with_interval("kappa, Fleiss", sums.sums, fleiss, shared, seed, resamples, SAME),
    ]
    for level in LEVELS:
        made.append(
            with_interval(
                f"alpha, {level}", together, partial(alpha, grades=grades, level=level), shared, seed, resamples,
                SAME,
            )
        )  # fmt: skip
    made.append(with_interval("AC1", gwet_sums(ratings, "plain"), gwet, shared, seed, resamples, SAME))
    made.append(
        with_interval(
            "AC2, quadratic", gwet_sums(ratings, "quadratic"), partial(gwet, weights="quadratic"), shared, seed,
            resamples, SAME,
        )
    )  # fmt: skip
    return tuple(made)


def alpha_interval(ratings: Ratings, shared: int, seed: int, resamples: int) -> Coefficient:
    """Alpha by squared distances alone; as `coefficients` has it."""
    finish = partial(alpha, grades=ratings.grades, level="interval")
    return with_interval(INTERVAL, ratings.coincidences, finish, shared, seed, resamples, SAME)


def two_grades(ratings: Ratings, shared: int, seed: int, resamples: int) -> tuple[Coefficient, ...]:
    """Percent, alpha and AC1 of ratings that have two grades only."""
    together = ratings.coincidences
    return (
        with_interval("percent", together, percent, shared, seed, resamples, "no pair has two ratings"),
        with_interval(
            "alpha", together, partial(alpha, grades=(0, 1), level="nominal"), shared, seed, resamples, ONE_SIDE
        ),
        with_interval("AC1", gwet_sums(ratings, "plain"), gwet, shared, seed, resamples, ONE_SIDE),
    )


def with_interval(
    name: str, sums: F64, finish: Callable[[F64], F64], shared: int, seed: int, resamples: int, undefined: str,
    remark: str = "",
) -> Coefficient:  # fmt: skip
    """A coefficient of the sums over all queries, with its interval over resampled queries.

    Args:
        name: of the coefficient.
        sums: f64[n_queries, ...].
        finish: sums f64[..., *] to values f64[...].
        shared: how many queries have a pair that several rated.
        seed: of the resampling.
        resamples: how many.
        undefined: what is said where there is no value.
        remark: what is said of a value.
    """
    value = float(finish(sums.sum(axis=0)))
    if np.isnan(value):
        return Coefficient(name, None, remark=undefined)

    def resampled() -> F64:
        flat = sums.reshape(len(sums), -1)
        flat = flat[flat.any(axis=1)]  # AC1 and AC2 also count pairs that one rated; all others have no part in it
        both = [counts @ flat for counts in drawn(len(flat), seed, resamples)]
        return finish(np.vstack(both).reshape(resamples, *sums.shape[1:]))

    return ends(name, value, resampled, shared, resamples, remark)


def ends(
    name: str, value: float, resampled: Callable[[], F64], shared: int, resamples: int, remark: str
) -> Coefficient:  # fmt: skip
    """A value with its interval; without one, and a remark why, from few queries or where resamples have no value.

    Args:
        name: of the coefficient.
        value: of it.
        resampled: its values f64[resamples] in all resamples.
        shared: how many queries have a pair that several rated.
        resamples: how many.
        remark: what is said of the value.
    """
    if shared < FEWEST_QUERIES:
        few = f"{FEW}{shared} quer{'y' if shared == 1 else 'ies'}"
        return Coefficient(name, value, remark="; ".join(filter(None, (remark, few))))
    values = resampled()
    known = values[~np.isnan(values)]
    if len(known) < (1 - MOST_UNDEFINED) * resamples:
        gone = f"{GONE}{1 - len(known) / resamples:.0%} of the resamples".replace("%", " %")
        return Coefficient(name, value, remark="; ".join(filter(None, (remark, gone))))
    low, high = percentile_ends(known)
    return Coefficient(name, value, low, high, remark)


def drawn(n: int, seed: int, resamples: int) -> Iterator[F64]:
    """How often each of n queries is in each resample, f64[*, n], some at a time; the same whatever n at a time."""
    rng = stream(seed, "agreement over queries")
    shares = np.full(n, 1 / n)
    step = max(AT_ONCE // n, 1)
    for start in range(0, resamples, step):
        yield rng.multinomial(n, shares, size=min(step, resamples - start)).astype(np.float64)
