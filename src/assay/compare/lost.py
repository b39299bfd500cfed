"""Which stage lost each query: in retrieval, in ranking, or both."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.compare.stages import StageQueries, Stages
from assay.ranking.ranking import F64

Lost = Literal["retrieval", "ranking", "both", ""]

NEAR = 1e-9
"""Differences up to this are none."""


def lost_in(stages: Stages, baseline: str, candidate: str) -> tuple[Lost, ...] | None:
    """Where each query that lost against the baseline lost it; None where the stages of either are not known.

    A loss is what the ceiling fell by (retrieval) and what the order costs more than before (ranking). It is of one
    stage when that lost more than twice as much as the other, which may also have gained; otherwise of both. Queries
    that lost nothing have an empty word.

    Args:
        stages: of both systems.
        baseline: its final run.
        candidate: its final run.
    """
    known = {one.system: one for one in stages.queries}
    if baseline not in known or candidate not in known:
        return None
    before, after = known[baseline], known[candidate]
    retrieval = before.ceiling - after.ceiling
    ranking = _cost(after) - _cost(before)
    return tuple(map(_word, retrieval.tolist(), ranking.tolist(), (after.value - before.value).tolist()))


def _cost(one: StageQueries) -> F64:
    return one.ceiling - one.value


def _word(retrieval: float, ranking: float, difference: float) -> Lost:
    if np.isnan(difference) or difference >= -NEAR:
        return ""
    if retrieval > 2 * ranking:
        return "retrieval"
    return "ranking" if ranking > 2 * retrieval else "both"
