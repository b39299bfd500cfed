"""Rank-biased overlap of two lists: how alike they are to a reader who goes on to the next rank with chance p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

TieRule = Literal["a", "w", "b"]
"""How equal scores are treated: "a" takes the mean over all their orders, "w" a whole group once a rank of it is
reached, "b" the cosine of what both lists hold, as Kendall's tau-b does."""


@dataclass(frozen=True, eq=False)
class Order:
    """One list.

    Args:
        docs: the documents by rank, each once.
        first, last: the ranks that the group of equal scores of each document spans, int64 of shape (n_docs,).
    """

    docs: Sequence[str]
    first: I64
    last: I64

    @classmethod
    def of_groups(cls, groups: Sequence[Sequence[str]]) -> Order:
        """From groups of documents with equal scores, the best group first."""
        sizes = np.array([len(group) for group in groups], np.int64)
        last = np.cumsum(sizes)
        docs = [doc for group in groups for doc in group]
        return cls(docs, np.repeat(last - sizes + 1, sizes), np.repeat(last, sizes))

    def __len__(self) -> int:
        return len(self.docs)

    def cut(self, depth: int) -> Order:
        """The first documents; a group that goes on below has its last rank there."""
        return Order(self.docs[:depth], self.first[:depth], self.last[:depth])


@dataclass(frozen=True, slots=True)
class Rbo:
    """A rank-biased overlap, from 0 (nothing in common) to 1 (the same list).

    Args:
        value: extrapolated: below the lists it goes on as it was at their end.
        low: if the lists had nothing more in common below; None where the rule for ties has no such bound.
        high: if they agreed as much as they still can.
    """

    value: float
    low: float | None
    high: float | None

    @property
    def residual(self) -> float | None:
        """What the ranks below the lists could still decide."""
        return None if self.low is None or self.high is None else self.high - self.low


def rbo(a: Order, b: Order, p: float = 0.9, ties: TieRule = "a") -> Rbo:
    """Rank-biased overlap of two lists, extrapolated, with its bounds.

    Args:
        a: a list.
        b: another; they may be of different lengths and must not be empty.
        p: between 0 and 1: the first 10 ranks have 86 % of the weight for 0.9.
        ties: see `TieRule`; by "w" and "b" lists are compared down to the end of the shorter one.

    Source: Webber, Moffat & Zobel, ACM TOIS 28(4), 2010, equations 11, 30 and 32; ties: Corsi & Urbano, SIGIR 2024.

    >>> rbo(Order.of_groups([["x"], ["y"]]), Order.of_groups([["x"], ["y"]])).value
    1.0
    """
    if not 0 < p < 1:
        raise ValueError(f"p={p} is not between 0 and 1")
    if not len(a) or not len(b):
        raise ValueError("a list is empty")
    if ties != "a":
        depth = min(len(a), len(b))
        return Rbo(_even(_agreement(a.cut(depth), b.cut(depth), ties), p), None, None)
    short, long = min(len(a), len(b)), max(len(a), len(b))
    shared = shared_by_depth(a, b)
    depths = np.arange(1, long + 1, dtype=np.float64)
    weight = np.power(p, depths) / depths
    factor = (1 - p) / p
    at_short, at_long = float(shared[short - 1]), float(shared[-1])
    below = at_short * (depths[short:] - short) / short
    value = factor * float((shared * weight).sum() + (below * weight[short:]).sum())
    value += ((at_long - at_short) / long + at_short / short) * p**long
    rest = -math.log1p(-p) - float(weight.sum())  # the sum of p^d / d over all ranks below
    low = factor * (float((shared * weight).sum()) + at_long * rest)
    high = low + _residual(short, long, at_long, p)
    return Rbo(_in_range(value), _in_range(low), _in_range(high))


def shared_by_depth(a: Order, b: Order) -> F64:
    """Documents that both lists have in their first d ranks, for each d down to the end of the longer list.

    Where a group of equal scores reaches across d, a document of it is inside with the share of the group that is; the
    sum is the mean over all orders of equal scores.
    """
    depth = max(len(a), len(b))
    in_b = {doc: i for i, doc in enumerate(b.docs)}
    pairs = [(i, in_b[doc]) for i, doc in enumerate(a.docs) if doc in in_b]
    if not pairs:
        return np.zeros(depth)
    mine, theirs = np.array(pairs, np.int64).T
    single = (a.first[mine] == a.last[mine]) & (b.first[theirs] == b.last[theirs])
    enters = np.maximum(a.first[mine[single]], b.first[theirs[single]])
    shared = np.cumsum(np.bincount(enters, minlength=depth + 1)[1:]).astype(np.float64)
    depths = np.arange(1, depth + 1, dtype=np.float64)
    for i, j in zip(mine[~single].tolist(), theirs[~single].tolist(), strict=True):
        shared += _inside(depths, a.first[i], a.last[i]) * _inside(depths, b.first[j], b.last[j])
    return shared


def _inside(depths: F64, first: np.int64, last: np.int64) -> F64:
    """Chance that a document of a group stands in the first d ranks."""
    return np.clip((depths - first + 1) / (last - first + 1), 0.0, 1.0)


def _agreement(a: Order, b: Order, ties: TieRule) -> F64:
    """Agreement at each depth of two lists of one length, by the rules "w" and "b"."""
    depth = len(a)
    depths = np.arange(1, depth + 1, dtype=np.float64)
    in_b = {doc: i for i, doc in enumerate(b.docs)}
    pairs = [(i, in_b[doc]) for i, doc in enumerate(a.docs) if doc in in_b]
    mine, theirs = np.array(pairs, np.int64).reshape(-1, 2).T
    if ties == "w":
        enters = np.maximum(a.first[mine], b.first[theirs])
        both = np.cumsum(np.bincount(enters, minlength=depth + 1)[1:])
        sizes = np.minimum(a.last, depth) + np.minimum(b.last, depth)
        share: F64 = 2.0 * both / sizes
        return share
    products = np.zeros(depth)
    for i, j in zip(mine.tolist(), theirs.tolist(), strict=True):
        products += _inside(depths, a.first[i], a.last[i]) * _inside(depths, b.first[j], b.last[j])
    squares = [sum(_inside(depths, f, n) ** 2 for f, n in zip(x.first, x.last, strict=True)) for x in (a, b)]
    return products / np.sqrt(squares[0] * squares[1])


def _even(agreement: F64, p: float) -> float:
    """The extrapolated value from the agreement at each depth."""
    depths = np.arange(len(agreement), dtype=np.float64)
    value = (1 - p) * float((np.power(p, depths) * agreement).sum()) + p ** len(agreement) * float(agreement[-1])
    return _in_range(value)


def _residual(short: int, long: int, shared: float, p: float) -> float:
    """What lists that agree in all they still can would gain over lists that agree in nothing more."""
    full = math.ceil(long + short - shared)  # from this depth on the two can hold the same documents
    depths = np.arange(1, full + 1, dtype=np.float64)
    weight = np.power(p, depths) / depths
    sums = short * float(weight[short:].sum()) + long * float(weight[long:].sum())
    sums += shared * (-math.log1p(-p) - float(weight.sum()))
    return p**short + p**long - p**full - (1 - p) / p * sums


def _in_range(value: float) -> float:
    """The value without what rounding adds beyond 0 and 1."""
    return min(max(value, 0.0), 1.0) if value > 1e-15 else 0.0
