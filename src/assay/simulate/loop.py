"""The feedback loop: a ranker that learns from the clicks on its own lists, raw or with position taken out.

Raw click rates reward what stood high, which then stands high again: the early winner stays first also where a better
document stands below it. With position taken out, clicks on what stands lower count for more: the loop mends itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.clicks.cells import Cells
from assay.clicks.pairs import F64, I64
from assay.clicks.propensity import attraction, propensity
from assay.errors import NotEnoughEvidence
from assay.results import kept
from assay.simulate.logs import clicks
from assay.simulate.worlds import World

WAYS = ("raw", "corrected")


@kept("round of a feedback loop")
@dataclass(frozen=True, slots=True)
class Round:
    """What users were shown in one round, before it is learnt from.

    Args:
        number: from 1, which is the early ranking.
        winner_first: share of the contested queries whose early winner stands first.
        best_first: share of them whose most attractive document stands first.
        clicks: a search, to be expected of all queries by their traffic.
        share_of_best: of the clicks that the best order of each query would have.
    """

    number: int
    winner_first: float
    best_first: float
    clicks: float
    share_of_best: float


@kept("feedback loop by one way of learning")
@dataclass(frozen=True, slots=True)
class Learnt:
    """The rounds of one way of learning.

    Args:
        way: "raw" (click rates) or "corrected" (attraction).
        rounds: in order.
        propensities: as estimated from all rounds, by position; empty for "raw", which has none.
    """

    way: str
    rounds: tuple[Round, ...]
    propensities: tuple[float, ...] = ()


def contested(world: World) -> I64:
    """The queries whose early winner, the first of the first ranker, is not their most attractive document."""
    first = _early(world)[:, 0]
    found: I64 = np.flatnonzero(world.attraction.argmax(axis=1) != first)
    return found


def loop(world: World, way: str, rounds: int, searches: int, rng: np.random.Generator, eta: float = 1.0,
         swaps: float = 0.05) -> Learnt:  # fmt: skip
    """Rounds of showing, clicking and learning from all clicks so far.

    Clicks follow the position model. What has the same value keeps its order. Where the log does not yet tie positions
    together, the corrected way keeps the order, too.

    Args:
        world: whose first ranker gives the early ranking, of all documents.
        way: "raw": documents by clicks / impressions; "corrected": by clicks / expected examinations, with propensities
            that are estimated from the same log.
        rounds: how many.
        searches: of each round.
        rng: the random numbers.
        eta: a position k is looked at with chance 1 / k ** eta.
        swaps: share of searches in which the first document changes places with a random lower one, in both ways.
    """
    order = _early(world)
    seen, clicked = np.zeros((2, *world.grade.shape, order.shape[1]))
    kept_: list[Round] = []
    propensities: F64 = np.zeros(0)
    early = order[:, 0].copy()
    for number in range(1, rounds + 1):
        kept_.append(_round(world, number, order, early, eta))
        made = clicks(replace(world, lists={way: order}), searches, rng, "pbm", eta, swaps)
        at = (made.query[:, None], made.shown, np.arange(order.shape[1]))
        np.add.at(seen, at, 1.0)
        np.add.at(clicked, at, made.clicked)
        value, propensities = _values(seen, clicked, way)
        order = _by(value, order)
    return Learnt(way, tuple(kept_), tuple(float(one) for one in propensities))


def _early(world: World) -> I64:
    """The lists of the first ranker; they hold all documents of each query."""
    lists = world.lists[next(iter(world.lists))]
    if lists.shape != world.grade.shape:
        raise ValueError("the first ranker of the world does not show all documents")
    return lists


def _values(seen: F64, clicked: F64, way: str) -> tuple[F64, F64]:
    """What each document is thought to be worth, f64[queries, documents], and the propensities that were used.

    NaN where nothing is known.
    """
    if way == "raw":
        shown = seen.sum(axis=2)
        rates: F64 = np.divide(clicked.sum(axis=2), shown, out=np.full(shown.shape, np.nan), where=shown > 0)
        return rates, np.zeros(0)
    queries, documents, depth = seen.shape
    pair, place = np.nonzero(seen.reshape(-1, depth))
    counts = [table.reshape(-1, depth)[pair, place] for table in (seen, clicked)]
    cells = Cells(pair, place + 1, counts[0], counts[1], np.repeat(np.arange(queries), documents))
    try:
        theta = propensity(cells).theta
    except NotEnoughEvidence:
        return np.full((queries, documents), np.nan), np.zeros(0)
    return attraction(cells, theta).reshape(queries, documents), theta


def _by(value: F64, order: I64) -> I64:
    """Each list by falling value; what has no value counts as the least, and equals stay as they are."""
    shown = np.take_along_axis(np.nan_to_num(value, nan=-1.0), order, axis=1)
    moved: I64 = np.take_along_axis(order, np.argsort(-shown, axis=1, kind="stable"), axis=1)
    return moved


def _round(world: World, number: int, order: I64, early: I64, eta: float) -> Round:
    here = contested(world)
    first, best = order[here, 0], world.attraction.argmax(axis=1)[here]
    theta = 1.0 / np.arange(1, order.shape[1] + 1) ** eta
    shown = np.take_along_axis(world.attraction, order, axis=1) @ theta
    ideal = -np.sort(-world.attraction, axis=1) @ theta
    return Round(number, float((first == early[here]).mean()), float((first == best).mean()),
                 float(world.weight @ shown), float(world.weight @ shown / (world.weight @ ideal)))  # fmt: skip
