"""What the search gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.measures.measure import Measure
from assay.measures.reconcile.ways import sentence
from assay.results import Result, kept

Kind = Literal["ours", "tool", "one", "two", "tool-but"]


@kept("convention-match")
@dataclass(frozen=True, slots=True)
class Match:
    """Conventions that give the number.

    Args:
        value: what they give, in full.
        kind: "ours"; a "tool"; "one" or "two" deviations from ours; one deviation from a tool ("tool-but").
        tools: the tools that do so, each with its version and its name of the measure.
        deviations: (axis, answer) where they differ from ours.
        twins: further combinations that give the same in every query.
    """

    value: float
    kind: Kind
    tools: tuple[str, ...]
    deviations: tuple[tuple[str, str], ...]
    twins: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """Where they differ from ours, in words."""
        return tuple(sentence(one) for one in self.deviations)


@kept("telling-query")
@dataclass(frozen=True, slots=True)
class Telling:
    """The query whose value tells the matches apart.

    Args:
        query_id: the query.
        values: its value under each match; None where it is left out.
    """

    query_id: str
    values: tuple[float | None, ...]


@kept("reconciled")
@dataclass(frozen=True, kw_only=True, eq=False)
class Reconciled(Result):
    """Which conventions give a number that another tool printed.

    Args:
        run: the name of the run.
        measure: what the number is said to be.
        query: the id of the query that it is the value of; None for the mean.
        asked: the number.
        digits: decimals that it was compared at.
        ours: what our measure gives under the conventions in force; NaN where it is undefined.
        matches: the conventions that give it, the most plausible first.
        more: how many further ones there are.
        nearest: the nearest values where none gives it.
        tried: combinations of conventions that were worked out.
        distinct: different values among them, at those digits.
        chance: how many of all combinations a made-up number near it would meet by chance, on average.
        chance_tools: the same of the known tools alone.
        telling: the query whose value tells the matches apart.
        alike: what an input must hold to tell those apart that give the same in every query of this one.
    """

    run: str
    measure: Measure
    query: str | None
    asked: float
    digits: int
    ours: float
    matches: tuple[Match, ...]
    more: int = 0
    nearest: tuple[Match, ...] = ()
    tried: int = 0
    distinct: int = 0
    chance: float = 0.0
    chance_tools: float = 0.0
    telling: Telling | None = None
    alike: tuple[str, ...] = ()

    @property
    def is_explained(self) -> bool:
        """Whether some known convention gives the number."""
        return bool(self.matches)


@kept("convention-row")
@dataclass(frozen=True, slots=True)
class Row:
    """One convention of one measure.

    Args:
        measure: which one.
        kind: as in `Match`.
        tools: the tools that do so.
        deviations: (axis, answer) where it differs from ours.
        value: what it gives here; NaN where no query counts.
        difference: that less ours.
    """

    measure: str
    kind: Kind
    tools: tuple[str, ...]
    deviations: tuple[tuple[str, str], ...]
    value: float
    difference: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """Where it differs from ours, in words."""
        return tuple(sentence(one) for one in self.deviations)


@kept("convention-table")
@dataclass(frozen=True, kw_only=True, eq=False)
class ConventionTable(Result):
    """Every known convention of some measures, side by side on one run.

    Args:
        run: the name of the run.
        measures: which measures.
        query: the id of the query; None for means.
        ours: what each measure gives under the conventions in force.
        rows: the conventions, measure by measure, ours first.
        same: for each measure the single answers that change nothing here.
    """

    run: str
    measures: tuple[Measure, ...]
    query: str | None
    ours: tuple[float, ...]
    rows: tuple[Row, ...]
    same: tuple[tuple[str, ...], ...] = ()
