"""Which positions can be compared with position 1: only documents that were shown at several positions tie them.

Clicks of a document that was shown at positions k and l say how theta_k and theta_l compare. The largest likelihood is
at finite values where each position can be reached from each other one along such documents in both directions, as for
paired comparisons (Ford, American Mathematical Monthly 64(8), 1957); otherwise a position has no estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.clicks.cells import Cells
from assay.clicks.pairs import F64, total

Bool = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ties:
    """How positions hang together with position 1.

    Args:
        tied: bool[K], whether the position can be compared with position 1.
        clicks: f64[K], the clicks at the weakest link of the best chain to position 1; a link between two positions is
            worth the clicks of documents that were shown at both, at the position of the two that has fewer of them.
            Infinite at position 1, 0 where not tied.
        reasons: why a position is not tied; empty for those that are.
    """

    tied: Bool
    clicks: F64
    reasons: tuple[str, ...]


def ties(cells: Cells) -> Ties:
    """How the positions of these cells hang together; see `Ties`."""
    depth = cells.depth
    if not depth:
        return Ties(np.zeros(0, bool), np.zeros(0), ())
    links = _links(cells)
    both = np.minimum(links, links.T)
    tied = _reached(links > 0) & _reached(links.T > 0)
    shown = total(cells.position - 1, cells.impressions, depth)
    clicked = total(cells.position - 1, cells.clicks, depth)
    reasons = []
    for at in range(depth):
        if tied[at] and clicked[at]:
            reasons.append("")
        elif not shown[at]:
            reasons.append("never shown")
        elif not clicked[at]:
            reasons.append("no click at this position")
        else:
            reasons.append("no clicked document ties it to position 1")
    fine = np.array([not reason for reason in reasons])
    return Ties(fine, np.where(fine, _widest(both), 0.0), tuple(reasons))


def _links(cells: Cells) -> F64:
    """f64[K, K]: clicks at k of documents that were also shown at l."""
    from scipy.sparse import csr_array

    one, shape = cells.summed(), (cells.pairs, cells.depth)
    places = (one.pair, one.position - 1)
    clicks = csr_array((one.clicks, places), shape=shape)
    shown = csr_array((np.ones(len(one.pair)), places), shape=shape)
    found: F64 = (clicks.T @ shown).toarray()
    return found


def _reached(edges: Bool) -> Bool:
    """bool[K]: the positions that can be reached from the first one."""
    reached = np.zeros(len(edges), bool)
    reached[0] = True
    while True:
        wider = reached | edges[reached].any(0)
        if (wider == reached).all():
            return reached
        reached = wider


def _widest(weight: F64) -> F64:
    """f64[K]: the largest weight such that a chain of links of at least this weight leads to the first position."""
    width = np.zeros(len(weight))
    width[0] = np.inf
    open_ = np.ones(len(weight), bool)
    while open_.any():
        best = int(np.argmax(np.where(open_, width, -1.0)))
        open_[best] = False
        width = np.where(open_, np.maximum(width, np.minimum(width[best], weight[best])), width)
    return width
