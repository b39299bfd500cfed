"""`assay simulate loop`: a ranker that learns from clicks on its own lists, with position in them and taken out."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import InputError
from assay.results import QUIET, Progress, Result, Source, kept
from assay.simulate.loop import WAYS, Learnt, contested, loop
from assay.simulate.worlds import World

NOISE = 1.6
"""Of the early ranking: what it sees of a grade is off by so much (standard deviation)."""


@kept("feedback loops")
@dataclass(frozen=True, kw_only=True)
class FeedbackLoop(Result):
    """The same early ranking, learnt from raw clicks and from clicks with position taken out.

    Args:
        queries: of the made world.
        contested: of these, where the early winner is not the most attractive document.
        documents: of each query, all of them shown.
        searches: of each round.
        swaps: share of searches in which the first document changes places with a random lower one.
        eta: a position k is looked at with chance 1 / k ** eta.
        ways: "raw" and "corrected", with their rounds.
    """

    queries: int
    contested: int
    documents: int
    searches: int
    swaps: float
    eta: float
    ways: tuple[Learnt, ...]


def simulate_loop(
    *,
    rounds: int = 10,
    searches: int = 4_000,
    queries: int = 40,
    documents: int = 10,
    swaps: float = 0.05,
    eta: float = 1.0,
    seed: int = 0,
    progress: Progress = QUIET,
    command: str = "",
) -> FeedbackLoop:
    """A made world in which a ranker learns round by round from the clicks on its own lists.

    Args:
        rounds: of showing, clicking and learning from all clicks so far; the first shows the early ranking.
        searches: of each round.
        queries: of the world.
        documents: of each query, all of them shown.
        swaps: share of searches in which the first document changes places with a random lower one; clicks with
            position taken out need some.
        eta: a position k is looked at with chance 1 / k ** eta.
        seed: of the random numbers.
        progress: told how far the work has come.
        command: how the result was asked for, kept in it.

    Raises:
        InputError: an option means nothing, or every early winner is the best document.
    """
    import numpy as np

    from assay import __version__

    if min(rounds, searches, queries) < 1 or documents < 2:
        raise InputError("a loop has a round with a search of a query, and two documents to choose from",
                         "--rounds, --searches, --queries, --documents", "pass larger numbers")  # fmt: skip
    if not 0 <= swaps <= 1:
        raise InputError(f"{swaps} is no share", "--swaps", "pass a number from 0 to 1")
    world = World.make(seed, queries, documents, documents, (NOISE,))
    held = len(contested(world))
    if not held:
        raise InputError("in this world each early winner is the best document", "--seed",
                         "pass another seed, or more queries")  # fmt: skip
    progress.start("learning from clicks", len(WAYS))
    ways = []
    for way in WAYS:
        ways.append(loop(world, way, rounds, searches, np.random.default_rng([seed, 4]), eta, swaps))
        progress.advance()
    progress.stop()
    return FeedbackLoop(
        queries=queries, contested=held, documents=documents, searches=searches, swaps=swaps, eta=eta,
        ways=tuple(ways), source=Source(versions=(("assay", __version__),), seed=seed, command=command),
    )  # fmt: skip
