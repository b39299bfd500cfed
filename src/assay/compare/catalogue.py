"""What lists do to a catalogue: how much of it they show, to how few items the exposure goes, how new and varied it is.

Nothing here says whether a list is good: these figures stand beside the relevance of the lists, never for it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assay.ranking.listed import Listed
from assay.results import Note, Result, kept
from assay.stats.intervals import Interval, t_interval, why_undefined

F64 = NDArray[np.float64]

TOP = 0.01
"""The share of the catalogue whose part of the exposure is told."""


@dataclass(frozen=True, eq=False)
class Popularity:
    """How well known items are.

    Args:
        count: item to the people who interacted with it (or to its interactions).
        total: all people (or all interactions).
        by: "users" or "events".
    """

    count: Mapping[str, int]
    total: int
    by: str = "users"

    def information(self, item: str) -> float:
        """Self-information in bits, -log2 of the popularity; an item without any interaction counts as having one."""
        return -math.log2(max(self.count.get(item, 0), 1) / self.total)


@dataclass(frozen=True, eq=False)
class Likeness:
    """What items are like.

    Args:
        features: item to its numbers; an item that lacks one of them, or whose numbers are all 0, is not there.
        names: of the numbers.
        categories: item to its categories; an item without any is not there.
    """

    features: Mapping[str, F64]
    names: tuple[str, ...]
    categories: Mapping[str, frozenset[str]]


@kept("catalogue mean")
@dataclass(frozen=True, slots=True)
class Mean:
    """A figure averaged over queries.

    Args:
        value: the mean; None when no query has one.
        interval: of the mean, by the t distribution; None where there is none.
        why: why there is none.
        n: queries that have a value.
    """

    value: float | None
    interval: Interval | None
    why: str
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """The mean of the values of the queries; NaN is left out."""
        known: F64 = np.array([value for value in values if value == value], np.float64)
        interval = t_interval(known)
        why = "" if interval else why_undefined(known)
        return cls(float(known.mean()) if len(known) else None, interval, why, len(known))


@kept("catalogue of a run")
@dataclass(frozen=True, slots=True)
class RunCatalogue:
    """What one run shows of the catalogue in its first k.

    Args:
        run: its name.
        queries: lists that show anything.
        exposures: places filled: items shown, each as often as it is.
        shown: distinct items of the catalogue that are shown.
        outside: distinct items shown that the catalogue lacks; they count in no share of it.
        coverage: shown, divided by the catalogue.
        gini: of the exposure of all items of the catalogue: 0 when all have the same, near 1 when few have all.
        top_share: share of the exposure that the most shown 1 % of the catalogue has.
        top_items: how many items that is.
        novelty: mean self-information of the items shown, in bits; None without a log.
        by_features: mean of 1 - cosine over the pairs of a list; None without features.
        by_category: mean Jaccard distance of the categories over the pairs of a list; None without categories.
    """

    run: str
    queries: int
    exposures: int
    shown: int
    outside: int
    coverage: float
    gini: float | None
    top_share: float | None
    top_items: int
    novelty: Mean | None = None
    by_features: Mean | None = None
    by_category: Mean | None = None


@kept("catalogue")
@dataclass(frozen=True, kw_only=True)
class Catalogue(Result):
    """What runs show of a catalogue.

    Args:
        k: how many first items of a list are looked at.
        size: items of the catalogue.
        told_by: what says which items there are: "items", "log" or "runs".
        popularity: "users" or "events", what novelty counts; empty without a log.
        people: the people (or events) of the log.
        features: columns that likeness by features looks at.
        runs: one a run.
    """

    k: int
    size: int
    told_by: str
    popularity: str = ""
    people: int = 0
    features: tuple[str, ...] = ()
    runs: tuple[RunCatalogue, ...]


def catalogue(
    runs: Mapping[str, Listed], items: Collection[str], *, k: int = 10, told_by: str = "items",
    popularity: Popularity | None = None, likeness: Likeness | None = None, notes: Sequence[Note] = (),
) -> Catalogue:  # fmt: skip
    """What the first k of each list of some runs show of a catalogue.

    Args:
        runs: name to lists.
        items: every item that could be shown.
        k: how many first items of a list are looked at.
        told_by: what says which items there are.
        popularity: how well known items are, for novelty.
        likeness: what items are like, for diversity inside a list.
        notes: what reading showed.

    Source: coverage and the Gini index: Ge, Delgado-Battenfeld & Jannach, RecSys 2010, and Adomavicius & Kwon, IEEE
        TKDE 24(5), 2012; novelty: Zhou et al., PNAS 107(10), 2010; intra-list diversity: Smyth & McClave, ICCBR 2001.
    """
    known = frozenset(items)
    found = tuple(_of_run(name, run, known, k, popularity, likeness) for name, run in runs.items())
    return Catalogue(
        k=k,
        size=len(known),
        told_by=told_by,
        popularity="" if popularity is None else popularity.by,
        people=0 if popularity is None else popularity.total,
        features=() if likeness is None else likeness.names,
        runs=found,
        notes=(*notes, *_notes(runs, found, k, popularity, likeness)),
    )


def _of_run(
    name: str, run: Listed, known: frozenset[str], k: int, popularity: Popularity | None, likeness: Likeness | None
) -> RunCatalogue:
    tops = [one.docs[:k] for one in run.lists.values() if one.docs]
    exposure: dict[str, int] = {}
    for top in tops:
        for item in top:
            exposure[item] = exposure.get(item, 0) + 1
    counts = np.zeros(len(known))
    inside = [count for item, count in exposure.items() if item in known]
    counts[: len(inside)] = inside
    counts.sort()
    most = math.ceil(TOP * len(known))
    total = float(counts.sum())
    novelty = by_features = by_category = None
    if popularity is not None:
        bits = {item: popularity.information(item) for item in exposure}
        novelty = Mean.of([sum(bits[item] for item in top) / len(top) for top in tops])
    if likeness is not None and likeness.features:
        by_features = Mean.of([cosine_distance(top, likeness.features) for top in tops])
    if likeness is not None and likeness.categories:
        by_category = Mean.of([jaccard_distance(top, likeness.categories) for top in tops])
    return RunCatalogue(
        run=name,
        queries=len(tops),
        exposures=sum(map(len, tops)),
        shown=len(inside),
        outside=len(exposure) - len(inside),
        coverage=len(inside) / len(known),
        gini=gini(counts) if total else None,
        top_share=float(counts[len(known) - most :].sum()) / total if total else None,
        top_items=most,
        novelty=novelty,
        by_features=by_features,
        by_category=by_category,
    )


def gini(counts: F64) -> float:
    """The Gini index of how often each item is shown: the mean absolute difference over twice the mean.

    Args:
        counts: of every item, ascending; not all 0.

    >>> gini(np.array([0.0, 0.0, 0.0, 4.0]))
    0.75
    """
    n = len(counts)
    place = 2 * np.arange(1, n + 1) - n - 1
    return float((place * counts).sum() / (n * counts.sum()))


def cosine_distance(items: Sequence[str], features: Mapping[str, F64]) -> float:
    """Mean of 1 - cosine over the pairs of a list whose features are known; NaN when there is no pair."""
    known = [features[item] for item in items if item in features]
    if len(known) < 2:
        return math.nan
    rows = np.array(known)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    n = len(rows)
    # the sum over all pairs, from the square of the sum of the rows
    cosines = (float((rows.sum(axis=0) ** 2).sum()) - n) / (n * (n - 1))
    return 1.0 - cosines


def jaccard_distance(items: Sequence[str], categories: Mapping[str, frozenset[str]]) -> float:
    """Mean of 1 - shared categories / all categories over the pairs of a list; NaN when there is no pair."""
    known = [categories[item] for item in items if item in categories]
    if len(known) < 2:
        return math.nan
    distances = [1.0 - len(a & b) / len(a | b) for a, b in combinations(known, 2)]
    return math.fsum(distances) / len(distances)


def _notes(
    runs: Mapping[str, Listed], found: Sequence[RunCatalogue], k: int, popularity: Popularity | None,
    likeness: Likeness | None,
) -> list[Note]:  # fmt: skip
    notes = []
    for name, one in zip(runs, found, strict=True):
        tops = [entry.docs[:k] for entry in runs[name].lists.values() if entry.docs]
        shown = {item for top in tops for item in top}
        said = [
            ("short-lists", sum(len(top) < k for top in tops), ("list is", "lists are"),
             f"shorter than {k}"),
            ("outside-catalogue", one.outside, ("item shown is", "items shown are"),
             "not in the catalogue, and counted in no share of it"),
        ]  # fmt: skip
        without = ("item shown is", "items shown are")
        if popularity is not None:
            unseen = sum(item not in popularity.count for item in shown)
            said.append(("never-met", unseen, without, "in no interaction of the log: counted as in one"))
        if likeness is not None and likeness.features:
            lacking = sum(item not in likeness.features for item in shown)
            said.append(("no-features", lacking, without, "without features (or 0 in all): their pairs are left out"))
        if likeness is not None and likeness.categories:
            lacking = sum(item not in likeness.categories for item in shown)
            said.append(("no-category", lacking, without, "without a category: their pairs are left out"))
        for code, number, (singular, plural), text in said:
            if number:
                who = f"1 {singular}" if number == 1 else f"{number:,} {plural}"
                odd = code != "short-lists"
                notes.append(Note(code, f"{who} {text}", name, number, "warning" if odd else "info"))
    return notes
