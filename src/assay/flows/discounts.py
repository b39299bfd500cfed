"""What was typed as a measure to the discounts of ranks, for what weighs documents by rank alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.clicks.pairs import F64
    from assay.measures.measure import Measure

KNOWN = ("DCG", "nDCG", "CG", "P", "RR", "RBP")


@dataclass(frozen=True, slots=True)
class Discounts:
    """A measure as a sum over ranks.

    Args:
        name: as it is shown.
        cutoff: ranks that count; None for all.
        measure: which one; None where numbers were given.
        given: the numbers.
    """

    name: str
    cutoff: int | None
    measure: Measure | None = None
    given: tuple[float, ...] = ()

    @property
    def is_ideal(self) -> bool:
        """Whether each query is divided by its best order."""
        return self.measure is not None and self.measure.name == "nDCG"

    def of(self, depth: int) -> F64:
        """f64[k]: the discounts of ranks 1 to the cutoff, or to the depth of the longest list."""
        import numpy as np

        from assay.ranking.discounts import discount_function

        if self.measure is None:
            return np.array(self.given)
        ranks = np.arange(1, (depth if self.cutoff is None else min(self.cutoff, depth)) + 1, dtype=np.float64)
        name, params = self.measure.name, self.measure.params
        if name in ("DCG", "nDCG"):
            found: F64 = np.asarray(discount_function(str(params["discount"]))(ranks), np.float64)
            return found
        if name == "P":
            return np.full(len(ranks), 1 / (self.cutoff or 1))
        if name == "RBP":
            p = float(params["p"])  # type: ignore[arg-type] # a number by its declaration
            return (1 - p) * p ** (ranks - 1)
        return 1 / ranks if name == "RR" else np.ones(len(ranks))


def discounts_of(measure: str, given: str | Sequence[float] | None) -> Discounts:
    """A measure that is a sum over ranks of a discount times what a document is worth.

    Args:
        measure: DCG, nDCG, CG, P, RR or RBP, with a cutoff where they want one.
        given: the discounts themselves, from rank 1 on; they replace the measure.

    Raises:
        InputError: the measure is no such sum, or the numbers are none.
    """
    if given is not None:
        return _given(given)
    from assay.measures.grammar import parse

    found = parse(measure)
    if len(found) != 1:
        raise InputError(f"{len(found)} measures where one is estimated", "--measure", "pass --measure DCG@10")
    (one,) = found
    if one.name not in KNOWN:
        raise InputError(f"{one.name} is no sum over ranks, so that clicks cannot be weighed by it", "--measure",
                         f"pass one of {', '.join(KNOWN)}, or --discounts 1,0.63,0.5")  # fmt: skip
    if one.name == "P" and one.cutoff is None:
        raise InputError("P without a cutoff divides by nothing", "--measure", "pass --measure P@10")
    if one.params.get("gain", "linear") not in ("linear", "binary"):
        raise InputError("clicks have no grades that a gain could be of", "--measure", f"write {one.name} without gain")
    return Discounts(str(one), one.cutoff, one)


def _given(given: str | Sequence[float]) -> Discounts:
    import math

    pieces = given.split(",") if isinstance(given, str) else given
    try:
        numbers = tuple(float(piece) for piece in pieces)
    except ValueError:
        raise InputError(f"{given!r} is no list of numbers", "--discounts", "pass --discounts 1,0.63,0.5") from None
    if not numbers or not all(math.isfinite(one) and one >= 0 for one in numbers) or not sum(numbers):
        raise InputError("discounts are numbers from 0, and not all of them 0", "--discounts",
                         "pass --discounts 1,0.63,0.5")  # fmt: skip
    return Discounts(f"sum with discounts {', '.join(f'{one:g}' for one in numbers)}", len(numbers), None, numbers)
