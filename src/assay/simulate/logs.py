"""Click logs of a world, by a law of clicking that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from assay.simulate.worlds import World

if TYPE_CHECKING:
    import polars as pl

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Law = Literal["pbm", "cascade", "dbn", "trust"]

CONTINUES = 0.85
"""Chance that somebody who is not yet satisfied reads on, where lists are read from the top."""

TRUST = 0.35
"""Chance of a click at position 1 on what does not deserve it, where people trust the ranking; by 1 / position."""

START = 1_767_225_600_000_000
"""The first moment of a log: 2026-01-01 in UTC, in microseconds."""

SECONDS = 28 * 86_400


@dataclass(frozen=True, eq=False)
class Clicks:
    """Searches and what was clicked.

    Args:
        query: i64[n], of each search.
        ranker: i64[n], place of the ranker in the names of the world.
        swap: i64[n], the position that changed places with the first one; 0 for none.
        shown: i64[n, depth], documents from the top.
        clicked: bool[n, depth].
    """

    query: I64
    ranker: I64
    swap: I64
    shown: I64
    clicked: NDArray[np.bool_]


def clicks(world: World, n: int, rng: Generator, law: Law = "pbm", eta: float = 1.0, swaps: float = 0.0) -> Clicks:
    """Clicks on the lists of a world.

    Args:
        world: what is shown, and how it attracts.
        n: searches; each is ranked by one of the rankers, with equal chances.
        rng: the random numbers.
        law: "pbm" (a click needs that the position is looked at and the document attracts), "cascade" (lists are read
            from the top to the first click: Craswell et al., WSDM 2008), "dbn" (lists are read from the top until
            satisfied) or "trust" (high positions are clicked without merit, too).
        eta: a position k is looked at with chance 1 / k ** eta, in "pbm" and "trust".
        swaps: share of searches in which the first document changes places with a random lower one.
    """
    names = list(world.lists)
    depth = world.lists[names[0]].shape[1]
    query = rng.choice(len(world.weight), size=n, p=world.weight)
    ranker = rng.integers(len(names), size=n)
    shown = np.stack([world.lists[name] for name in names])[ranker, query]
    length = (shown >= 0).sum(axis=1)
    swap = np.where((rng.random(n) < swaps) & (length > 1), 2 + (rng.random(n) * (length - 1)).astype(np.int64), 0)
    rows = np.flatnonzero(swap)
    shown[rows, 0], shown[rows, swap[rows] - 1] = shown[rows, swap[rows] - 1], shown[rows, 0].copy()
    attraction: F64 = np.where(shown < 0, 0.0, world.attraction[query[:, None], shown])
    if law == "cascade":
        return Clicks(query, ranker, swap, shown, _from_the_top(attraction, np.ones(attraction.shape), rng, 1.0))
    if law == "dbn":
        satisfied = satisfaction(world.grade[query[:, None], shown])
        return Clicks(query, ranker, swap, shown, _from_the_top(attraction, satisfied, rng, CONTINUES))
    return Clicks(query, ranker, swap, shown, (rng.random((n, depth)) < chance(attraction, law, eta)) & (shown >= 0))


def chance(attraction: F64, law: Law, eta: float) -> F64:
    """The chance of a click at each position of lists, f64[n, depth], where positions do not depend on each other."""
    rank = np.arange(1, attraction.shape[1] + 1)
    seen = 1.0 / rank**eta
    if law == "pbm":
        return seen * attraction
    return seen * (0.98 * attraction + TRUST / rank * (1 - attraction))


def satisfaction(grade: I64) -> F64:
    """The chance that somebody who clicked needs no more, by grade, where lists are read until satisfied."""
    return np.asarray(0.2 + 0.15 * grade, np.float64)


def truth(world: World, law: Law) -> pl.DataFrame:
    """What went into a log, one row for each document that a ranker can show.

    Args:
        world: of the log.
        law: of clicking.

    Returns:
        query_id, doc_id, grade (0 to 4), traffic (the share of searches that ask this query), attraction, satisfaction
        (null where the law has none); in the order of the world.
    """
    import polars as pl

    rows = []
    for place, (query, documents) in enumerate(zip(world.query_ids, world.doc_ids, strict=True)):
        for column, doc in enumerate(documents):
            rows.append((query, doc, int(world.grade[place, column]), float(world.weight[place]),
                         float(world.attraction[place, column])))  # fmt: skip
    names = ("query_id", "doc_id", "grade", "traffic", "attraction")
    found = pl.DataFrame(rows, schema=names, orient="row")
    satisfied = {"dbn": satisfaction(found["grade"].to_numpy()), "cascade": np.ones(found.height)}.get(law)
    return found.with_columns(pl.Series("satisfaction", satisfied if satisfied is not None else [None] * found.height,
                                        pl.Float64))  # fmt: skip


def _from_the_top(attraction: F64, satisfied: F64, rng: Generator, continues: float) -> NDArray[np.bool_]:
    n, depth = attraction.shape
    clicked = np.zeros((n, depth), bool)
    reads = np.ones(n, bool)
    for place in range(depth):
        clicked[:, place] = reads & (rng.random(n) < attraction[:, place])
        stops = clicked[:, place] & (rng.random(n) < satisfied[:, place])
        reads &= ~stops & (rng.random(n) < continues)
    return clicked


def frame(world: World, found: Clicks, seed: int) -> pl.DataFrame:
    """A log as a team would have it: one row for each document that a search showed.

    Args:
        world: of the clicks.
        found: the clicks.
        seed: of who searched when: people search several times, in sessions.

    Returns:
        impression_id, unit_id, session_id, at, query_id, query, doc_id, position, clicked, ranker, swap, device.
    """
    import polars as pl

    n, depth = found.shown.shape
    rng = np.random.default_rng([seed, 2])
    activity = rng.lognormal(0.0, 1.0, size=max(1, n // 4))
    person: I64 = np.asarray(rng.choice(len(activity), size=n, p=activity / activity.sum()))
    moment = START + np.sort(rng.integers(0, SECONDS, size=n)) * 1_000_000
    half_hours = moment // 1_800_000_000
    sessions = [f"u{one:06d}-{half}" for one, half in zip(person.tolist(), half_hours.tolist(), strict=True)]
    is_there = found.shown.ravel() >= 0
    search = np.repeat(np.arange(n), depth)[is_there]
    documents = np.full((len(world.doc_ids), max(map(len, world.doc_ids))), "", object)
    for row, names in enumerate(world.doc_ids):
        documents[row, : len(names)] = names
    phone = rng.random(n) < 0.5
    return pl.DataFrame(
        {
            "impression_id": np.array([f"s{place:07d}" for place in range(n)])[search],
            "unit_id": np.array([f"u{one:06d}" for one in person])[search],
            "session_id": np.array(sessions)[search],
            "at": pl.Series(moment[search]).cast(pl.Datetime("us", "UTC")),
            "query_id": np.array(world.query_ids)[found.query][search],
            "query": np.array(world.texts)[found.query][search],
            "doc_id": pl.Series(
                documents[found.query[search], found.shown.ravel()[is_there]].tolist(), dtype=pl.String
            ),
            "position": np.tile(np.arange(1, depth + 1), n)[is_there],
            "clicked": found.clicked.ravel()[is_there].astype(np.int64),
            "ranker": np.array(list(world.lists))[found.ranker][search],
            "swap": found.swap[search],
            "device": np.where(phone, "phone", "desktop")[search],
        }
    )
