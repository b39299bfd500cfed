"""Queries, documents, what they are worth, and rankers that see it through noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

GRADE_SHARES = (0.45, 0.25, 0.15, 0.10, 0.05)
"""Of grades 0 to 4 among the documents of a query."""

ATTRACTION = (0.05, 0.12, 0.25, 0.45, 0.70)
"""Mean chance of a click, once seen, by grade; titles add noise to it."""


NOISE = 0.3
"""Standard deviation of the log of attraction among documents of one grade: titles promise more or less."""

KINDS = ("cheap", "green", "heavy", "indoor", "kids", "light", "outdoor", "spare", "used", "winter")
THINGS = ("bicycle", "chair", "gloves", "helmet", "jacket", "lamp", "pump", "saddle", "tent", "wheel")


@dataclass(frozen=True, eq=False)
class World:
    """A small world.

    Args:
        grade: i64[queries, documents], what each document is worth for each query, 0 to 4.
        attraction: f64[queries, documents], the chance that it is clicked once it is seen.
        lists: ranker to i64[queries, depth], the documents that it shows, from the top; -1 below the end of a list.
        weight: f64[queries], the share of traffic of each query.
        query_ids: of each query.
        texts: what each asks.
        doc_ids: of each query's documents.
    """

    grade: I64
    attraction: F64
    lists: dict[str, I64]
    weight: F64
    query_ids: tuple[str, ...]
    texts: tuple[str, ...]
    doc_ids: tuple[tuple[str, ...], ...]

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
        lists = {
            chr(65 + place): np.argsort(-(grade + rng.normal(0.0, spread, grade.shape)), axis=1)[:, :depth]
            for place, spread in enumerate(noise)
        }
        names = tuple(f"d{place + 1:02d}" for place in range(documents))
        return cls(
            grade, attractions(grade, rng), lists, traffic(queries), tuple(f"q{i + 1:03d}" for i in range(queries)),
            tuple(text_of(place) for place in range(queries)), (names,) * queries,
        )  # fmt: skip

    @classmethod
    def of(
        cls, seed: int, runs: Mapping[str, Mapping[str, Sequence[str]]], grades: Mapping[str, Mapping[str, float]],
        texts: Mapping[str, str], depth: int = 10,
    ) -> World:  # fmt: skip
        """A world whose rankers are runs, and whose truth is what judgments say.

        Args:
            seed: of how documents of one grade differ in attraction.
            runs: name of each ranker to its documents by query, from the top.
            grades: document to grade by query; the largest of all counts as 4, an absent one as 0.
            texts: what each query asks, where that is known.
            depth: documents of each list that are shown.

        Raises:
            ValueError: no query has a list of every ranker and a judgment.
        """
        queries = tuple(sorted(set(grades).intersection(*runs.values())))
        if not queries:
            raise ValueError("no query has a list of every run, and judgments")
        documents = {
            query: tuple(dict.fromkeys(doc for run in runs.values() for doc in run[query][:depth])) for query in queries
        }
        width = max(len(documents[query]) for query in queries)
        most = max(max(found.values(), default=0.0) for found in grades.values()) or 1.0
        grade = np.zeros((len(queries), width), np.int64)
        lists = {name: np.full((len(queries), depth), -1) for name in runs}
        for row, query in enumerate(queries):
            place = {doc: column for column, doc in enumerate(documents[query])}
            for doc, column in place.items():
                grade[row, column] = round(4 * max(0.0, grades[query].get(doc, 0.0)) / most)
            for name, run in runs.items():
                shown = [place[doc] for doc in run[query][:depth]]
                lists[name][row, : len(shown)] = shown
        return cls(
            grade, attractions(grade, np.random.default_rng([seed, 1])), lists, traffic(len(queries)), queries,
            tuple(texts.get(query, query) for query in queries), tuple(documents[query] for query in queries),
        )  # fmt: skip


def attractions(grade: I64, rng: Generator) -> F64:
    """Chances of a click once seen, by grade, with noise among documents of one grade."""
    mean: F64 = np.asarray(ATTRACTION, np.float64)[grade]
    return np.clip(mean * np.exp(rng.normal(0.0, NOISE, grade.shape)), 0.01, 0.95).astype(np.float64)


def traffic(queries: int) -> F64:
    """Shares of traffic that fall like a power of the rank of the query."""
    share = np.arange(1, queries + 1, dtype=np.float64) ** -0.8
    return np.asarray(share / share.sum(), np.float64)


def text_of(place: int) -> str:
    """What is asked by the query at a place; every hundred of them the words come again, with a number."""
    first, second = KINDS[place % 10], THINGS[place // 10 % 10]
    return f"{first} {second}" if place < 100 else f"{first} {second} {place // 100 + 1}"
