"""Click models side by side, in a form that is kept and shown."""

from __future__ import annotations

from dataclasses import dataclass

from assay.clicks.behaviour import LogRead
from assay.results import Result, kept


@kept("click model compared")
@dataclass(frozen=True, slots=True)
class Compared:
    """How well one model predicts later lists; see `Quality` for each figure.

    Args:
        name: of the model.
        by_list: mean log-likelihood of a list; larger is better.
        by_place: mean log-likelihood of a place, as PyClick prints it.
        perplexity: mean over positions, the clicks above not known; 1 is always right.
        pooled: over all places at once.
        conditional: mean over positions, the clicks above known.
        auc: how often a relevant document has more relevance in the model than one that is not; None without
            judgments of both kinds.
    """

    name: str
    by_list: float
    by_place: float
    perplexity: float
    pooled: float
    conditional: float
    auc: float | None


@kept("click models compared")
@dataclass(frozen=True, kw_only=True)
class ModelsCompared(Result):
    """Click models on one log.

    Args:
        models: the best first, by log-likelihood.
        earlier: searches that they were fitted to.
        later: searches that they predict.
        log: how it was read.
    """

    models: tuple[Compared, ...]
    earlier: int
    later: int
    log: LogRead
