"""Matrix products in pieces that stay in the calling thread.

numpy hands a large product to several threads that wait for one another by spinning: on a busy machine that costs five
times the work itself, and helps nobody where several commands run side by side. OpenBLAS does a product of up to 2^18
multiplications in the thread that asks for it, so products are made of such pieces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

TILE = 64
"""Columns of the right side at a time."""
_ROWS = 50
"""Rows of the left side at a time, at most."""
_PIECE = 1 << 18


class Products:
    """A matrix that many narrow ones are multiplied with.

    Args:
        left: float64 of shape (rows, n), whole numbers.
        largest: of the right side. Sums of small whole numbers are exact in float32, which takes half the time.
    """

    def __init__(self, left: F64, largest: float = 1.0) -> None:
        rows, n = left.shape
        narrow = largest * float(np.abs(left).sum(axis=1).max(initial=0)) < 2**23
        self._kind = np.float32 if narrow else np.float64
        groups = [left[start : start + _ROWS] for start in range(0, rows, _ROWS)]
        self._length = max(1, _PIECE // (TILE * max(1, min(rows, _ROWS))))
        self._pieces = -(-n // self._length)
        self._left = [self._cut(group) for group in groups]
        self._right = np.zeros((self._pieces * self._length, TILE), dtype=self._kind)
        self._n = n

    def _cut(self, group: F64) -> NDArray[np.float32] | F64:
        padded = np.zeros((len(group), self._pieces * self._length), dtype=self._kind)
        padded[:, : group.shape[1]] = group
        cut = padded.reshape(len(group), self._pieces, self._length)
        return np.ascontiguousarray(cut.transpose(1, 0, 2))

    def times(self, right: NDArray[np.uint8] | NDArray[np.int64], out: F64) -> None:
        """The product with a matrix of shape (n, at most 64), into `out` of shape (rows, at most 64)."""
        width = right.shape[1]
        self._right[: self._n, :width] = right
        pieces = self._right.reshape(self._pieces, self._length, TILE)
        for at, left in enumerate(self._left):
            found = np.matmul(left, pieces).sum(axis=0)
            out[at * _ROWS : at * _ROWS + found.shape[0]] = found[:, :width]
