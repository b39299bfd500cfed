"""Random signs that belong to a query: the same for every column, in any order of queries, on any number of threads.

The bits of a query come from SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) started at a hash of the seed and the
query's id, so any stretch of them can be made by itself. The sums are of whole numbers small enough to be exact in
floating point: neither the order of the sum nor the number of threads can change one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.keys import fingerprint
from assay.stats.products import TILE, Products
from assay.stats.spans import spans

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]

TIE = 1e-9
"""Differences up to this are ties; times the sum of |d|, also how far two sums may differ and still be equal."""
FINEST = 2000
"""Steps to 1 of the finest lattice that is looked for."""
_ROUNDING = 1e-14
"""How far a difference of two differences of values from 0 to 1 may be off."""
_BLOCK = 8192
"""Patterns in a block of sums at most, so that the sums of a column stay near the processor."""
_HELD = 1 << 22
"""Sums held at a time."""
_EXACT_BITS = 52
"""Whole numbers up to 2^53 are exact in float64; one bit is left for the doubling of a sum."""


@dataclass(frozen=True, slots=True)
class Signs:
    """Sign patterns over queries: random ones, or every one of them.

    Args:
        keys: uint64 of shape (queries,), where each query's bits start; None enumerates.
        count: how many patterns.
        queries: how many queries.
    """

    keys: U64 | None
    count: int
    queries: int

    def bits(self, start: int, stop: int) -> U8:
        """The patterns from `start` up to `stop`: 1 keeps a difference, 0 turns it over.

        Returns:
            uint8 of shape (queries, stop - start).
        """
        if self.keys is None:
            patterns = np.arange(start, stop, dtype=np.uint64)
            return ((patterns >> np.arange(self.queries, dtype=np.uint64)[:, None]) & np.uint64(1)).astype(np.uint8)
        first, last = start // 64, -(-stop // 64)
        words = _mixed(self.keys[:, None] + np.arange(first + 1, last + 1, dtype=np.uint64) * _GAMMA)
        unpacked = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, bitorder="little")
        return unpacked[:, start - 64 * first : stop - 64 * first]


_GAMMA = np.uint64(0x9E3779B97F4A7C15)


def _mixed(z: U64) -> U64:
    """SplitMix64's output function, in place."""
    scratch = np.empty_like(z)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        np.right_shift(z, np.uint64(shift), out=scratch)
        np.bitwise_xor(z, scratch, out=z)
        np.multiply(z, np.uint64(factor), out=z)
    np.right_shift(z, np.uint64(31), out=scratch)
    np.bitwise_xor(z, scratch, out=z)
    return z


def query_keys(queries: Sequence[str], seed: int, purpose: str = "sign flips") -> U64:
    """Where the random bits of each query start: 64 bits of a hash of the seed, the purpose and the query's id."""
    return np.array([int(fingerprint(purpose, str(seed), query)[:16], 16) for query in queries], dtype=np.uint64)


def random_signs(keys: U64, count: int) -> Signs:
    """`count` random patterns."""
    return Signs(keys, count, len(keys))


def every_sign(queries: int) -> Signs:
    """All 2^queries patterns, the last of them the observed one."""
    return Signs(None, 1 << queries, queries)


def lattice_steps(values: F64) -> int | None:
    """The fewest equal steps to 1 of which all values are multiples, at most 2,000; None where there are none.

    10 for P@10, 1 for counts and hit rates. Values within 1e-9 of a step are on it.
    """
    steps = np.arange(1, FINEST + 1)
    few = np.abs(values[:_FEW])  # most columns are on no lattice, and a few values tell: the others need not be sorted
    for sizes in (few, np.unique(np.abs(values[_FEW:]))):
        for start in range(0, len(sizes), 16):
            scaled = sizes[start : start + 16, None] * steps
            steps = steps[(np.abs(scaled - np.rint(scaled)) <= 1e-9).all(axis=0)]
            if not len(steps):
                return None
    return int(steps[0])


_FEW = 64


def whole(columns: F64) -> tuple[F64, F64]:
    """The columns as whole numbers, whose signed sums are exact whatever their order.

    Values on a lattice become its steps. Others are rounded to a 2^52nd part of the sum of |d|: that moves a sum of
    thousands by less than 1e-12 of it, far below the tolerance for ties.

    Args:
        columns: float64 of shape (columns, queries), all defined.

    Returns:
        The whole numbers, and what to divide them by, of shape (columns, 1).
    """
    found = [lattice_steps(column) for column in columns]
    steps = [step for step in found if step is not None]
    if len(steps) == len(found):
        scale = np.array(steps, dtype=np.float64)[:, None]
        return np.rint(columns * scale), scale
    largest = np.abs(columns).sum(axis=1, keepdims=True)
    _, exponent = np.frexp(np.where(largest > 0, largest, 1.0))
    # rounding adds a half to each at most, so many together may add a bit
    spare = max(0, math.ceil(math.log2(columns.shape[1] + 1)) - _EXACT_BITS + 2) + 1
    scale = np.ldexp(1.0, _EXACT_BITS - spare - exponent)
    if (made := spans(columns, _ROUNDING)) is not None:
        # what is a difference of two columns stays one, so that its sums are as well
        pairs = made.minus >= 0
        used = np.unique(np.concatenate([made.plus[pairs], made.minus[pairs]]))
        scale[made.basis[used]] = scale[made.basis[used]].min() / 2
        scale[pairs] = scale[made.basis[used]].min()
        numbers = np.empty_like(columns)
        made.expand(np.rint(columns[made.basis] * scale[made.basis]), numbers)
        return numbers, scale
    return np.rint(columns * scale), scale


def signed_sums(columns: F64, signs: Signs, start: int = 0) -> Iterator[F64]:
    """The sum of s d of every column under every pattern, block by block.

    Args:
        columns: float64 of shape (columns, queries), whole numbers (see `whole`).
        signs: the patterns.
        start: the first pattern.

    Yields:
        float64 of shape (columns, patterns of the block); the memory is used again for the next block.
    """
    size = len(columns)
    totals = columns.sum(axis=1, keepdims=True)
    made = spans(columns, 0.0)
    products = Products(columns if made is None else columns[made.basis])
    block = max(TILE, min(_BLOCK, _HELD // max(size, 1)) // TILE * TILE)
    out = np.empty((size, block))
    few = out if made is None else np.empty((len(made.basis), block))
    for begin in range(start, signs.count, block):
        end = min(begin + block, signs.count)
        for at in range(begin, end, TILE):
            stop = min(at + TILE, end)
            products.times(signs.bits(at, stop), few[:, at - begin : stop - begin])
        found = out[:, : end - begin]
        if made is not None:
            made.expand(few[:, : end - begin], found)
        found *= 2
        found -= totals
        yield found
