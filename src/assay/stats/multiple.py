"""Families of hypotheses: Holm, Benjamini-Hochberg, and which columns take part."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from assay.stats.signs import TIE

F64 = NDArray[np.float64]

HOLM_UP_TO = 50
"""Hypotheses up to which Holm is the usual correction; above, max-T."""
FEW_QUERIES = 25
FEW_NONZERO = 10


def holm(p: F64) -> F64:
    """Holm's adjusted p: the running maximum of (m - k + 1) p(k), at most 1. Controls the chance of any false claim.

    Args:
        p: float64 of shape (m,); NaN takes no part and stays NaN.
    """
    known = ~np.isnan(p)
    order = np.argsort(p[known], kind="stable")
    m = len(order)
    steps = np.maximum.accumulate((m - np.arange(m)) * p[known][order])
    return _placed(np.minimum(steps, 1.0), order, known)


def benjamini_hochberg(p: F64) -> F64:
    """Benjamini and Hochberg's adjusted p: the running minimum from the top of m p(k) / k, at most 1.

    Controls the expected share of false claims among the claims: no gate may use it.
    """
    known = ~np.isnan(p)
    order = np.argsort(p[known], kind="stable")
    m = len(order)
    steps = np.minimum.accumulate((m * p[known][order] / np.arange(1, m + 1))[::-1])[::-1]
    return _placed(np.minimum(steps, 1.0), order, known)


def _placed(adjusted: F64, order: NDArray[np.intp], known: NDArray[np.bool_]) -> F64:
    within = np.empty(len(order))
    within[order] = adjusted
    out = np.full(len(known), np.nan)
    out[known] = within
    return out


def flips_needed(hypotheses: int, alpha: float = 0.05) -> int:
    """Sign patterns that Holm needs for so many drawn p: its first step is at alpha / m, so ten times m / alpha."""
    return math.ceil(10 * hypotheses / alpha - 1e-9)


def why_left_out(columns: F64, queries: int = FEW_QUERIES, nonzero: int = FEW_NONZERO) -> tuple[str, ...]:
    """Why a column takes no part in the family, empty where it does.

    Where differences are few the studentised family is too often wrong, and a column that cannot reject costs power.

    Args:
        columns: float64 of shape (columns, queries); NaN where there is no pair.
        queries: fewer pairs are too few.
        nonzero: fewer pairs that differ are too few.
    """
    pairs = (~np.isnan(columns)).sum(axis=1)
    differ = (np.abs(columns) > TIE).sum(axis=1)
    return tuple(
        f"{n} queries, below {queries}"
        if n < queries
        else f"{d} nonzero differences, below {nonzero}"
        if d < nonzero
        else ""
        for n, d in zip(pairs.tolist(), differ.tolist(), strict=True)
    )
