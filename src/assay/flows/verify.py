"""`--verify`: our values beside those of an installed witness, and the cause of each difference beyond rounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.ranking.conventions import Conventions
from assay.results import Note
from assay.tables import Block

if TYPE_CHECKING:
    from assay.measures.measure import Measure
    from assay.measures.scores import Scores
    from assay.measures.verified import Difference, Verified
    from assay.measures.witness import Call
    from assay.ranking.ranking import F64

TOLERANCE = 1e-9
"""What counts as rounding: both sides sum doubles, in another order."""


def verified(scores: Scores, runs: Mapping[str, Block], judgments: Block, conventions: Conventions) -> Verified:
    """Recomputes every value that a witness knows.

    Args:
        scores: ours, of these runs.
        runs: each run in one block, by its name.
        judgments: one grade a pair.
        conventions: what ours were computed under.

    Raises:
        MissingExtra: no witness is installed.
    """
    from assay.measures.verified import Check, Verified
    from assay.measures.witness import call_of, load, witness

    load("pytrec_eval")
    calls = {measure: call for measure in scores.measures if (call := call_of(measure, conventions.rel)) is not None}
    grades = _grades(judgments)
    # trec_eval does not end on a query without a grade of 0 or more (ndcg of pytrec-eval-terrier 0.5.11): kept from it
    hidden = {query for query, docs in grades.items() if max(docs.values()) < 0}
    grades = {query: docs for query, docs in grades.items() if query not in hidden}
    checks = []
    for name in scores.runs:
        hits = _hits(runs[name], conventions)
        said = witness(hits, grades, list(calls.values()))
        again = _Again(runs[name], judgments, conventions, list(calls))
        for j, ((measure, call), theirs) in enumerate(zip(calls.items(), said, strict=True)):
            ours = dict(zip(scores.queries, scores.value(measure, name).tolist(), strict=True))
            found = _differences(ours, theirs, set(hits), hidden, j, call, again.of(call))
            compared = len(ours.keys() | theirs.keys())
            checks.append(Check(name, str(measure), call.label, compared, tuple(found)))
    without = tuple(str(measure) for measure in scores.measures if measure not in calls)
    return Verified(tuple(checks), without, TOLERANCE)


def note(found: Verified) -> Note:
    """What was verified, for the formats that show notes alone."""
    n = sum(check.compared for check in found.checks)
    differ = sum(len(check.differences) for check in found.checks)
    open_ = sum(len(check.unexplained) for check in found.checks)
    text = f"{n:,} values compared with a witness: {n - differ:,} equal, {differ - open_:,} differ for a known cause"
    text += f", {open_:,} without one" if open_ else ""
    return Note("verified", text, count=open_, level="warning" if open_ else "info")


def _grades(judgments: Block) -> dict[str, dict[str, int]]:
    """The judgments as trec_eval reads them: grades cut to whole numbers."""
    grades: dict[str, dict[str, int]] = {}
    columns = (_list(judgments, name) for name in ("query_id", "doc_id", "grade"))
    for query, doc, grade in zip(*columns, strict=True):
        docs = grades.setdefault(query, {})
        docs[doc] = max(int(grade), docs.get(doc, int(grade)))  # of several subtopics the highest counts
    return grades


def _hits(run: Block, conventions: Conventions) -> dict[str, dict[str, float]]:
    """The rows that count, each document once, by score (or by falling numbers where ranks or rows say the order)."""
    from assay.ranking.align import ORGANIC, sort_key

    key = sort_key(run, conventions)
    wanted = {None, "", ORGANIC, *conventions.include}
    kinds = _list(run, "kind") if "kind" in run.columns else [None] * len(run)
    values = _list(run, key) if key else list(range(len(run)))
    hits: dict[str, dict[str, float]] = {}
    for query, doc, value, kind in zip(_list(run, "query_id"), _list(run, "doc_id"), values, kinds, strict=True):
        if kind in wanted:
            hits.setdefault(query, {}).setdefault(doc, float(value) if key == "score" else -float(value))
    return hits


def _list(block: Block, column: str) -> list[Any]:
    values: Any = block.frame[column]
    return list(values) if block.is_small else values.to_list()


@dataclass(frozen=True, eq=False)
class _Setting:
    """What our values are computed under when they are to be the witness'."""

    conventions: Conventions
    is_whole: bool


class _Again:
    """Our values under the witness' conventions, and under all of them but one; computed when a query differs."""

    def __init__(self, run: Block, judgments: Block, conventions: Conventions, measures: list[Measure]) -> None:
        self.run, self.judgments, self.measures = run, judgments, measures
        self.own = _Setting(conventions, False)
        self._known: dict[Any, dict[str, F64]] = {}
        plain = conventions.but(ties="docid", unlisted="unjudged", missing="zero", no_relevant="zero")
        self._theirs = {
            "pytrec_eval": _Setting(plain.but(scores="32-bit", negative="unjudged"), True),
            "ir_measures": _Setting(plain.but(scores="64-bit", negative="judged"), True),
        }
        self.theirs = self._theirs["pytrec_eval"]

    def of(self, call: Call) -> _Again:
        """With the conventions of the peer that is called."""
        self.theirs = self._theirs[call.module]
        return self

    def values(self, setting: _Setting) -> dict[str, F64]:
        """Values of each measure by query."""
        key = (setting.conventions, setting.is_whole)
        if key not in self._known:
            from assay.measures.score import score
            from assay.ranking.align import judged

            block = _whole(self.judgments) if setting.is_whole else self.judgments
            rows: list[F64] = []
            queries: tuple[str, ...] = ()
            for measure in self.measures:
                found = score([self.run], judged(block, setting.conventions), [measure], setting.conventions)
                queries = found.queries
                rows.append(found.value())
            self._known[key] = dict(zip(queries, np.array(rows).T, strict=True))
        return self._known[key]

    def as_theirs(self, query: str, measure: int) -> float:
        """Our value under everything that the witness does."""
        return float(self.values(self.theirs)[query][measure])

    def without(self, cause: str, query: str, measure: int) -> float:
        """The same with one cause left as it is with us."""
        if cause == "grades":
            setting = _Setting(self.theirs.conventions, False)
        else:
            own = {FIELDS[cause]: getattr(self.own.conventions, FIELDS[cause])}
            setting = _Setting(self.theirs.conventions.but(**own), True)
        return float(self.values(setting)[query][measure])

    def alone(self, cause: str, query: str, measure: int) -> float:
        """Our own value with that cause alone."""
        if cause == "grades":
            setting = _Setting(self.own.conventions, True)
        else:
            theirs = {FIELDS[cause]: getattr(self.theirs.conventions, FIELDS[cause])}
            setting = _Setting(self.own.conventions.but(**theirs), False)
        return float(self.values(setting)[query][measure])

    def bounds(self, query: str, measure: int) -> tuple[float, float]:
        """Our value with the worst and the best order of equal scores."""
        sides = (self.theirs.conventions.but(ties=ties) for ties in ("worst", "best"))
        low, high = (float(self.values(_Setting(side, True))[query][measure]) for side in sides)
        return min(low, high), max(low, high)


def _whole(judgments: Block) -> Block:
    """The judgments with their grades cut to whole numbers."""
    if judgments.is_small:
        frame: Any = {name: _list(judgments, name) for name in judgments.columns}
        frame["grade"] = [float(int(grade)) for grade in frame["grade"]]
        return replace(judgments, frame=frame)
    import polars as pl

    return replace(judgments, frame=judgments.polars().with_columns(pl.col("grade").cast(pl.Int64).cast(pl.Float64)))


def _differences(
    ours: Mapping[str, float], theirs: Mapping[str, float], answered: set[str], hidden: set[str], measure: int,
    call: Call, again: _Again,
) -> list[Difference]:  # fmt: skip
    from assay.measures.verified import Difference

    found = []
    for query in sorted(ours.keys() | theirs.keys()):
        own, other = ours.get(query, float("nan")), theirs.get(query, float("nan"))
        if _same(own, other):
            continue
        is_hidden = query in hidden
        causes = ("no-relevant",) if is_hidden else _causes(query, own, other, answered, measure, call, again)
        found.append(Difference(query, None if np.isnan(own) else own, None if np.isnan(other) else other, causes))
    return found


FIELDS = {"no-relevant": "no_relevant", "ties": "ties", "scores": "scores", "negative": "negative",
          "unlisted": "unlisted"}  # fmt: skip
"""Causes that are one of our conventions, and its field."""

CANDIDATES = (*FIELDS, "grades")


def _causes(
    query: str, own: float, other: float, answered: set[str], measure: int, call: Call, again: _Again
) -> tuple[str, ...]:
    """What makes the difference: the conventions without which ours would not be the witness' value."""
    if query not in answered:
        return ("missing",) if np.isnan(other) or other == 0 else ()
    if not _same(float(again.values(again.own)[query][measure]), own):
        return ()  # ours cannot be made again: no convention explains that
    if _same(again.as_theirs(query, measure), other):
        needed = [cause for cause in CANDIDATES if not _same(again.without(cause, query, measure), other)]
        # where either of two would do, neither is needed: then those that move ours
        return tuple(needed) or tuple(c for c in CANDIDATES if not _same(again.alone(c, query, measure), own))
    low, high = again.bounds(query, measure)
    if call.module == "ir_measures" and low < high and low - TOLERANCE <= other <= high + TOLERANCE:
        return ("ties",)
    return ()


def _same(value: float, other: float) -> bool:
    return bool(abs(value - other) <= TOLERANCE or (np.isnan(value) and np.isnan(other)))
