"""What a witness said of our values: where it agrees, where it differs and why."""

from __future__ import annotations

from dataclasses import dataclass

from assay.results import kept

CAUSES = {
    "ties": "equal scores are ordered otherwise by the witness",
    "scores": "the witness compares scores in 32 bits",
    "grades": "the witness cuts grades to whole numbers",
    "negative": "a negative grade is unjudged for the witness",
    "unlisted": "an absent pair is unjudged for the witness",
    "no-relevant": "no relevant document: not the same rule for such a query",
    "missing": "the run lacks the query: not the same rule for it",
}
"""Why a witness can differ without anybody being wrong."""


@kept("verified-difference")
@dataclass(frozen=True, slots=True)
class Difference:
    """One query in which the witness differs.

    Args:
        query_id: the query.
        ours: our value; None where it is left out.
        theirs: that of the witness; None where it gives none.
        causes: names of `CAUSES`; empty when no known cause explains it.
    """

    query_id: str
    ours: float | None
    theirs: float | None
    causes: tuple[str, ...]


@kept("verified-check")
@dataclass(frozen=True, slots=True)
class Check:
    """One measure of one run against the witness.

    Args:
        run, measure: which values.
        witness: the package, its version and its name of the measure.
        compared: queries that either side has.
        differences: those in which it differs by more than rounding.
    """

    run: str
    measure: str
    witness: str
    compared: int
    differences: tuple[Difference, ...]

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """Those without a known cause."""
        return tuple(one for one in self.differences if not one.causes)


@kept("verified")
@dataclass(frozen=True, slots=True)
class Verified:
    """Our values recomputed by a witness.

    Args:
        checks: one a run and measure that a witness knows.
        without: measures that no witness knows.
        tolerance: what counts as rounding.
    """

    checks: tuple[Check, ...]
    without: tuple[str, ...]
    tolerance: float

    @property
    def is_fine(self) -> bool:
        """Whether every difference has a known cause."""
        return not any(check.unexplained for check in self.checks)
