"""Small rankings for tests: grades in rank order become a run and its judgments, through the real alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.measures.grammar import parse
from assay.measures.measure import Measure
from assay.ranking.align import align, judged
from assay.ranking.conventions import Conventions
from assay.ranking.ranking import Ranking
from assay.tables import Block

UNJUDGED = "?"


@dataclass(frozen=True)
class Shown:
    """One query: grades in rank order ("?" is unjudged), further judged grades, and scores where there are ties."""

    shown: tuple[Any, ...]
    elsewhere: tuple[float, ...] = ()
    scores: tuple[float, ...] | None = None

    @classmethod
    def of(cls, shown: Sequence[Any], known: Sequence[float], scores: Sequence[float] | None = None) -> Shown:
        """From every grade that is known for the query, those that are shown included."""
        left = [float(grade) for grade in known]
        for grade in shown:
            if grade != UNJUDGED:
                left.remove(float(grade))
        return cls(tuple(shown), tuple(left), None if scores is None else tuple(scores))


def blocks(queries: Sequence[Shown], names: Sequence[str] | None = None) -> tuple[Block, Block]:
    """The run and the qrels of some queries, as rows."""
    run: dict[str, list[Any]] = {"query_id": [], "doc_id": [], "score": []}
    qrels: dict[str, list[Any]] = {"query_id": [], "doc_id": [], "grade": []}
    names = names or [f"q{i:05}" for i in range(len(queries))]
    for name, query in zip(names, queries, strict=True):
        scores = query.scores or [float(-i) for i in range(len(query.shown))]
        for i, (grade, score) in enumerate(zip(query.shown, scores, strict=True), 1):
            run["query_id"].append(name)
            run["doc_id"].append(f"d{i}")
            run["score"].append(float(score))
            if grade != UNJUDGED:
                qrels["query_id"].append(name)
                qrels["doc_id"].append(f"d{i}")
                qrels["grade"].append(float(grade))
        for i, grade in enumerate(query.elsewhere, 1):
            qrels["query_id"].append(name)
            qrels["doc_id"].append(f"e{i}")
            qrels["grade"].append(float(grade))
    return Block(run, lambda row: f"run:{row + 1}", "run"), Block(qrels, lambda row: f"qrels:{row + 1}", "qrels")


def ranking(*queries: Shown, names: Sequence[str] | None = None, **conventions: Any) -> Ranking:
    """The ranking of some queries under some conventions."""
    chosen = Conventions(**conventions)
    if not any(query.shown for query in queries):  # a run without any row is refused: another query has one
        queries, names = (*queries, Shown((1,))), [*(names or [f"q{i:05}" for i in range(len(queries))]), "zzz"]
    run, qrels = blocks(queries, names)
    return align(run, judged(qrels, chosen), chosen).ranking


def values(measures: str | Sequence[Measure], query: Shown, **conventions: Any) -> list[float]:
    """The value of each measure for one query."""
    r = ranking(query, **conventions)
    return [float(measure.compute(r)[0]) for measure in parse(measures)]


def value(measure: str, query: Shown, **conventions: Any) -> float:
    """The value of one measure for one query."""
    return values(measure, query, **conventions)[0]
