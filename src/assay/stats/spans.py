"""Columns that are differences of two others, as those of all pairs of systems are.

1,225 pairs of 50 systems are made of 49 columns, and so are all their signed sums. Candidates are found by what each
column gives with one fixed random vector, and then checked value by value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

FEWEST = 64
"""Fewer columns are multiplied as they are."""
_SMALL = 1e-3
"""A column whose values are smaller than the others' by this needs a scale of its own."""


@dataclass(frozen=True, eq=False, slots=True)
class Spans:
    """How columns are made of a few.

    Args:
        basis: int64 of shape (few,), the columns that are not differences of others.
        plus, minus: int64 of shape (columns,), places in `basis`: the column is the first less the second; `minus` is
            -1 for a column of the basis itself.
    """

    basis: NDArray[np.int64]
    plus: NDArray[np.int64]
    minus: NDArray[np.int64]

    def expand(self, rows: F64, out: F64) -> None:
        """From a matrix with a row for each column of the basis to one with a row for each column."""
        for at, (plus, minus) in enumerate(zip(self.plus.tolist(), self.minus.tolist(), strict=True)):
            if minus < 0:
                out[at] = rows[plus]
            else:
                np.subtract(rows[plus], rows[minus], out=out[at])


def spans(columns: F64, slack: float) -> Spans | None:
    """Which columns are differences of two others; None where fewer than half of at least 64 are.

    Args:
        columns: float64 of shape (columns, queries), all defined.
        slack: how far a value may be off.
    """
    size, n = columns.shape
    if size < FEWEST:
        return None
    seen = columns @ np.random.default_rng(0).normal(size=n)
    sums = np.abs(columns).sum(axis=1)
    near = max(slack * n, 1e-11 * float(np.abs(seen).max(initial=0)))
    basis: list[int] = []
    plus, minus = np.empty(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    for at in range(size):
        found = None
        if sums[at] > _SMALL * sums.max():
            found = _difference(columns, at, basis, seen, near, slack)
        if found is None:
            plus[at] = len(basis)
            basis.append(at)
            if len(basis) > size // 2:
                return None
        else:
            plus[at], minus[at] = found
    return Spans(np.array(basis, dtype=np.int64), plus, minus)


def _difference(
    columns: F64, at: int, basis: list[int], seen: F64, near: float, slack: float
) -> tuple[int, int] | None:
    """The places of two columns of the basis whose difference this is."""
    if len(basis) < 2:
        return None
    known = seen[basis]
    order = np.argsort(known)
    ordered, wanted = known[order], known + seen[at]
    above = np.searchsorted(ordered, wanted - near)
    fits = above < len(ordered)
    fits[fits] = ordered[above[fits]] <= wanted[fits] + near
    for minus in np.flatnonzero(fits).tolist():
        plus = int(order[above[minus]])
        if (np.abs(columns[basis[plus]] - columns[basis[minus]] - columns[at]) <= slack).all():
            return plus, minus
    return None
