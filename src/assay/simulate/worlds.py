"""Queries, documents, what they are worth, and rankers that see it through noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

GRADE_SHARES = (0.45, 0.25, 0.15, 0.10, 0.05)
"""Of grades 0 to 4 among the documents of a query."""

ATTRACTION = (0.05, 0.12, 0.25, 0.45, 0.70)
"""Mean chance of a click, once seen, by grade; titles add noise to it."""


@dataclass(frozen=True, eq=False)
class World:
    """A small world.

    Args:
        grade: i64[queries, documents], what each document is worth for each query, 0 to 4.
        attraction: f64[queries, documents], the chance that it is clicked once it is seen.
        lists: ranker to i64[queries, depth], the documents that it shows, from the top.
        weight: f64[queries], the share of traffic of each query; it falls like a power of its rank.
    """

    grade: I64
    attraction: F64
    lists: dict[str, I64]
    weight: F64

    @classmethod
    def make(
        cls, seed: int, queries: int = 100, documents: int = 15, depth: int = 10,
        noise: tuple[float, ...] = (1.0, 1.6),
    ) -> World:  # fmt: skip
        """A world from a seed.

        Args:
            seed: of the random numbers; the same seed gives the same world.
            queries: how many.
            documents: of each query.
            depth: documents that a ranker shows, at most `documents`.
            noise: standard deviation of what each ranker (A, B, ...) sees of a grade; 0 ranks perfectly.
        """
        if depth > documents:
            raise ValueError(f"{depth} documents cannot be shown of {documents}")
        rng = np.random.default_rng([seed, 1])
        grade = rng.choice(len(GRADE_SHARES), size=(queries, documents), p=GRADE_SHARES)
        mean = np.asarray(ATTRACTION)[grade]
        attraction = np.clip(mean * np.exp(rng.normal(0.0, 0.3, grade.shape)), 0.01, 0.95)
        lists = {
            chr(65 + place): np.argsort(-(grade + rng.normal(0.0, spread, grade.shape)), axis=1)[:, :depth]
            for place, spread in enumerate(noise)
        }
        share = 1.0 / np.arange(1, queries + 1) ** 0.8
        return cls(grade.astype(np.int64), attraction, lists, share / share.sum())
