"""What a query set can show: its smallest detectable difference, and the queries that a difference takes."""

from __future__ import annotations

from dataclasses import dataclass

from assay.compare.asked import SMALLEST_TAIL
from assay.compare.columns import columns_of, pairs_of
from assay.errors import InputError
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.results import Result, kept
from assay.stats.power import detectable, power, queries_needed


@kept("power-row")
@dataclass(frozen=True, slots=True)
class PowerRow:
    """One measure and pair of runs.

    Args:
        baseline, candidate: the runs whose differences were measured.
        measure: the measure.
        n: pairs of this query set.
        sd: standard deviation of the differences; None below two pairs or when all are equal.
        detectable: the smallest difference that n queries show with the wanted chance; None where undefined.
        queries: how many queries the wanted difference takes; None where no number does, or none was asked.
        power: the chance that n queries show the wanted difference.
        because: why a figure is missing; empty when none is.
    """

    baseline: str
    candidate: str
    measure: Measure
    n: int
    sd: float | None
    detectable: float | None
    queries: int | None
    power: float | None
    because: str = ""


@kept("power")
@dataclass(frozen=True, kw_only=True)
class Power(Result):
    """What a query set can show.

    Args:
        rows: one a measure and candidate.
        difference: the difference that is worth finding; None when none was named.
        chance: the power that is wanted.
        alpha: level of the two-sided t test.
    """

    rows: tuple[PowerRow, ...]
    difference: float | None
    chance: float
    alpha: float


def check_planned(difference: float | None, chance: float, alpha: float) -> None:
    """Refuses what no number of queries answers: no difference, and chances of 0 or 1."""
    if difference == 0:
        raise InputError("--difference 0 needs no queries to find", remedy="pass the smallest gain that is worth it")
    if difference is not None and not abs(difference) < float("inf"):
        raise InputError(
            f"--difference {difference} is no difference", remedy="pass the smallest gain that is worth it: 0.02"
        )
    for name, share in (("power", chance), ("alpha", alpha)):
        if not 0 < share < 1:
            raise InputError("the power and alpha are shares between 0 and 1", remedy="pass --power 0.8 --alpha 0.05")
        if min(share, 1 - share) < SMALLEST_TAIL:
            raise InputError(f"--{name} {share!r} is too near to 0 or 1 to plan for",
                             remedy=f"stay {SMALLEST_TAIL:g} away from 0 and 1")  # fmt: skip


def power_of(scores: Scores, baseline: str, difference: float | None, chance: float, alpha: float) -> Power:
    """The power of a query set for differences like those between the baseline and the other runs.

    Args:
        scores: two runs or more.
        baseline: one of them.
        difference: the difference that is worth finding.
        chance: the power that is wanted.
        alpha: level of the two-sided t test.
    """
    import numpy as np

    every = np.ones(len(scores.queries), np.bool_)
    rows = []
    for column in columns_of(scores, pairs_of(scores.runs, baseline, False), [("", "all", every)]):
        d = column.known
        n = len(d)
        varies = n > 1 and bool(d.min() != d.max())
        sd = float(d.std(ddof=1)) if varies else None
        rows.append(
            PowerRow(
                baseline=column.baseline,
                candidate=column.candidate,
                measure=column.measure,
                n=n,
                sd=sd,
                detectable=None if sd is None else detectable(sd, n, chance, alpha),
                queries=None if sd is None or difference is None else queries_needed(difference, sd, chance, alpha),
                power=None if sd is None or difference is None else power(difference, sd, n, alpha),
                because="" if varies else "fewer than two pairs" if n < 2 else "all differences are equal",
            )
        )
    return Power(rows=tuple(rows), difference=difference, chance=chance, alpha=alpha)
