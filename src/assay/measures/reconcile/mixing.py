"""The order in which numba's `argsort` leaves equal keys: ranx sorts runs by it.

It is a quicksort that keeps the order of equal keys in short lists alone, so a number that ranx prints for longer lists
with equal scores can be had only by sorting as it does. The steps are those of numba/misc/quicksort.py (0.68), and its
answers are in the tests.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

SHORT = 16
"""Lists below this length are sorted by insertion, which keeps the order of equal keys."""


def mixed(query: I64, key: F64, *, is_turned: bool = False) -> I64:
    """All rows by query, and ascending by key as numba sorts the rows of each.

    Args:
        query: of each row, int64 of shape (rows,).
        key: what is sorted by, float64 of that shape, without NaN.
        is_turned: the rows of each query are sorted descending and then turned round, as ranx does with plain dicts.

    Returns:
        Indices of rows, int64 of that shape.
    """
    order = np.lexsort((np.arange(len(query)), query))
    begins = np.flatnonzero(np.diff(query[order], prepend=-1))
    for begin, end in zip(begins, np.append(begins[1:], len(query)), strict=True):
        rows = order[begin:end]
        keys = -key[rows] if is_turned else key[rows]
        if len(rows) < SHORT or len(np.unique(keys)) == len(rows):
            found = rows[np.argsort(keys, kind="stable")]
        else:
            found = rows[numba_order(keys.tolist())]
        order[begin:end] = found[::-1] if is_turned else found
    return order


def numba_order(keys: list[float]) -> list[int]:
    """What numba's `argsort` returns for keys without NaN."""
    at = list(range(len(keys)))
    waiting = [(0, len(keys) - 1)]
    while waiting:
        low, high = waiting.pop()
        while high - low >= SHORT - 1:
            middle = _parted(keys, at, low, high)
            if high - middle > middle - low:  # the longer side waits
                waiting.append((middle + 1, high))
                high = middle - 1
            else:
                waiting.append((low, middle - 1))
                low = middle + 1
        _inserted(keys, at, low, high)
    return at


def _parted(keys: list[float], at: list[int], low: int, high: int) -> int:
    """Puts what is below the pivot, a median of three, before it; where the pivot then is."""
    middle = (low + high) >> 1
    for left, right in ((low, middle), (middle, high), (low, middle)):
        if keys[at[right]] < keys[at[left]]:
            at[left], at[right] = at[right], at[left]
    pivot = keys[at[middle]]
    at[high], at[middle] = at[middle], at[high]
    i, j = low, high - 1
    while True:
        while i < high and keys[at[i]] < pivot:
            i += 1
        while j >= low and pivot < keys[at[j]]:
            j -= 1
        if i >= j:
            break
        at[i], at[j] = at[j], at[i]
        i, j = i + 1, j - 1
    at[i], at[high] = at[high], at[i]
    return i


def _inserted(keys: list[float], at: list[int], low: int, high: int) -> None:
    for i in range(low + 1, high + 1):
        row, j = at[i], i
        while j > low and keys[row] < keys[at[j - 1]]:
            at[j] = at[j - 1]
            j -= 1
        at[j] = row
