"""Several collections side by side, as BEIR is read: the mean of each, and the mean of the means."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.measures.measure import Measure
from assay.measures.score import Scores
from assay.results import Result, kept


@kept("collections")
@dataclass(frozen=True, kw_only=True)
class Collections(Result):
    """The scores of each collection, all by the same measures.

    Args:
        names: one a collection, in the order given.
        scores: the scores of each; every one has the same measures and as many runs as the others.
    """

    names: tuple[str, ...]
    scores: tuple[Scores, ...]

    def __post_init__(self) -> None:
        if not self.scores or len(self.names) != len(self.scores):
            raise ValueError(f"{len(self.names)} names of {len(self.scores)} collections")
        if len({(scores.measures, len(scores.runs)) for scores in self.scores}) > 1:
            raise ValueError("the collections have other measures or numbers of runs")

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured, the same in every collection."""
        return self.scores[0].measures

    def mean(self, measure: str | Measure | None = None, run: int = 0) -> float:
        """Mean over the collections of the mean over their queries, each collection counting once.

        Args:
            measure: which measure; may be left out when there is one.
            run: place of the run inside each collection.

        Returns:
            NaN when a collection has no defined mean: leaving it out would compare different sets.
        """
        means = [scores.mean(measure, scores.runs[run]) for scores in self.scores]
        return math.fsum(means) / len(means)
