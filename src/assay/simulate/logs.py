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
Law = Literal["pbm", "dbn", "trust"]

CONTINUES = 0.85
"""Chance that somebody who is not yet satisfied reads on, where lists are read from the top."""

TRUST = 0.35
"""Chance of a click at position 1 on what does not deserve it, where people trust the ranking; by 1 / position."""

KINDS = ("cheap", "green", "heavy", "indoor", "kids", "light", "outdoor", "spare", "used", "winter")
THINGS = ("bicycle", "chair", "gloves", "helmet", "jacket", "lamp", "pump", "saddle", "tent", "wheel")

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
        law: "pbm" (a click needs that the position is looked at and the document attracts), "dbn" (lists are read
            from the top until satisfied) or "trust" (high positions are clicked without merit, too).
        eta: a position k is looked at with chance 1 / k ** eta, in "pbm" and "trust".
        swaps: share of searches in which the first document changes places with a random lower one.
    """
    names = list(world.lists)
    depth = world.lists[names[0]].shape[1]
    query = rng.choice(len(world.weight), size=n, p=world.weight)
    ranker = rng.integers(len(names), size=n)
    shown = np.stack([world.lists[name] for name in names])[ranker, query]
    swap = np.where(rng.random(n) < swaps, rng.integers(2, depth + 1, size=n), 0)
    rows = np.flatnonzero(swap)
    shown[rows, 0], shown[rows, swap[rows] - 1] = shown[rows, swap[rows] - 1], shown[rows, 0].copy()
    attraction: F64 = world.attraction[query[:, None], shown]
    if law == "dbn":
        satisfied: F64 = 0.2 + 0.15 * world.grade[query[:, None], shown]
        return Clicks(query, ranker, swap, shown, _from_the_top(attraction, satisfied, rng))
    return Clicks(query, ranker, swap, shown, rng.random((n, depth)) < chance(attraction, law, eta))


def chance(attraction: F64, law: Law, eta: float) -> F64:
    """The chance of a click at each position of lists, f64[n, depth], where positions do not depend on each other."""
    rank = np.arange(1, attraction.shape[1] + 1)
    seen = 1.0 / rank**eta
    if law == "pbm":
        return seen * attraction
    return seen * (0.98 * attraction + TRUST / rank * (1 - attraction))


def _from_the_top(attraction: F64, satisfied: F64, rng: Generator) -> NDArray[np.bool_]:
    n, depth = attraction.shape
    clicked = np.zeros((n, depth), bool)
    reads = np.ones(n, bool)
    for place in range(depth):
        clicked[:, place] = reads & (rng.random(n) < attraction[:, place])
        stops = clicked[:, place] & (rng.random(n) < satisfied[:, place])
        reads &= ~stops & (rng.random(n) < CONTINUES)
    return clicked


def text_of(place: int) -> str:
    """What is asked by the query at a place; every hundred of them the words come again, with a number."""
    first, second = KINDS[place % 10], THINGS[place // 10 % 10]
    return f"{first} {second}" if place < 100 else f"{first} {second} {place // 100 + 1}"


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
    search = np.repeat(np.arange(n), depth)
    names = np.array([f"q{place + 1:03d}" for place in range(len(world.weight))])
    texts = np.array([text_of(place) for place in range(len(world.weight))])
    documents = np.array([f"d{place + 1:02d}" for place in range(world.grade.shape[1])])
    phone = rng.random(n) < 0.5
    return pl.DataFrame(
        {
            "impression_id": np.array([f"s{place:07d}" for place in range(n)])[search],
            "unit_id": np.array([f"u{one:06d}" for one in person])[search],
            "session_id": np.array(sessions)[search],
            "at": pl.Series(moment[search]).cast(pl.Datetime("us", "UTC")),
            "query_id": names[found.query][search],
            "query": texts[found.query][search],
            "doc_id": documents[found.shown.ravel()],
            "position": np.tile(np.arange(1, depth + 1), n),
            "clicked": found.clicked.ravel().astype(np.int64),
            "ranker": np.array(list(world.lists))[found.ranker][search],
            "swap": found.swap[search],
            "device": np.where(phone, "phone", "desktop")[search],
        }
    )  # fmt: skip
