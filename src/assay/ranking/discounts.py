"""Gains of grades and discounts of ranks by name, for everything that weighs documents by grade and rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, did_you_mean

F64 = NDArray[np.float64]

GainName = Literal["linear", "exp"]
DiscountName = Literal["log2", "zipf", "jarvelin", "none"]


@dataclass(frozen=True, slots=True)
class GainMap:
    """What some grades are worth; a grade that is not named is worth itself, as in trec_eval.

    Args:
        pairs: (grade, gain), ascending by grade, each grade once.
    """

    pairs: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, gains: Mapping[float, float]) -> GainMap:
        """The map of a dict; grades and gains must be finite and gains not negative."""
        pairs = tuple(sorted((float(grade), float(gain)) for grade, gain in gains.items()))
        if not pairs:
            raise InputError("a gain map names no grade", remedy="write gain={1:3,2:9}")
        for grade, gain in pairs:
            if not (np.isfinite(grade) and np.isfinite(gain) and gain >= 0):
                raise InputError(
                    f"gain {gain:g} of grade {grade:g} is not a finite number from 0", remedy="write gain={1:3,2:9}"
                )
        return cls(pairs)

    def __call__(self, grades: F64) -> F64:
        """The gain of each grade."""
        known = np.array([grade for grade, _ in self.pairs])
        worth = np.array([gain for _, gain in self.pairs])
        place = np.minimum(np.searchsorted(known, grades), len(known) - 1)
        return np.where(known[place] == grades, worth[place], np.maximum(grades, 0.0))

    def __str__(self) -> str:
        return "{" + ",".join(f"{number(grade)}:{number(gain)}" for grade, gain in self.pairs) + "}"


Gain = GainName | GainMap
Function = Callable[[Any], Any]
"""A function of an array of grades (or ranks) to an array of gains (or weights)."""


def number(x: float) -> str:
    """A number as people type it: 2 and not 2.0, else the shortest text that reads back the same."""
    return str(int(x)) if float(x).is_integer() and abs(x) < 1e16 else repr(float(x))


def linear(grades: F64) -> F64:
    """The grade itself; a negative grade is worth nothing."""
    return np.maximum(grades, 0.0)


def exponential(grades: F64) -> F64:
    """2**grade - 1; a negative grade is worth nothing (Burges et al., ICML 2005)."""
    grades = np.maximum(grades, 0.0)
    if len(grades) and grades.max() > 1000:
        raise InputError(
            f"gain=exp of grade {grades.max():g} is too large to be summed", remedy="use gain=linear or a map of gains"
        )
    return np.exp2(grades) - 1.0


def log2(ranks: F64) -> F64:
    """One divided by the logarithm of rank + 1 to base 2."""
    return 1.0 / np.log2(ranks + 1.0)


def zipf(ranks: F64) -> F64:
    """One divided by the rank."""
    return 1.0 / ranks


def jarvelin(ranks: F64) -> F64:
    """1 / max(1, log2(rank)): ranks 1 and 2 count in full, as in the first paper (TOIS 20(4), 2002, base 2)."""
    return 1.0 / np.maximum(1.0, np.log2(ranks))


def none(ranks: F64) -> F64:
    """Every rank counts in full."""
    return np.ones(len(ranks))


GAINS: dict[str, Function] = {"linear": linear, "exp": exponential}
DISCOUNTS: dict[str, Function] = {"log2": log2, "zipf": zipf, "jarvelin": jarvelin, "none": none}
WRITTEN = {
    "log2": "log2(rank + 1)",
    "zipf": "rank",
    "jarvelin": "max(1, log2(rank))",
    "none": "1",
}
"""What the gain is divided by, as it is written in explanations and foot lines."""


def gain_function(gain: Gain) -> Function:
    """The function of that name, or the map itself; the same name gives the same object."""
    return gain if isinstance(gain, GainMap) else _find("gain", gain, GAINS)


def discount_function(discount: str) -> Function:
    """The function of that name; the same name gives the same object."""
    return _find("discount", discount, DISCOUNTS)


def _find(kind: str, name: str, known: dict[str, Function]) -> Function:
    try:
        return known[name]
    except KeyError:
        raise InputError(
            f"unknown {kind} {name}{did_you_mean(str(name), known)}", remedy=f"the {kind}s are {', '.join(known)}"
        ) from None
