"""What an explanation of one value holds: the list with what each document adds, the best order, the formula."""

from __future__ import annotations

from dataclasses import dataclass

from assay.measures.measure import Measure
from assay.results import Result, kept


@kept("explanation line")
@dataclass(frozen=True, slots=True)
class Line:
    """One document of the list.

    Args:
        rank: its rank in the run.
        doc_id: the document; empty when it is not known.
        title: its title, when documents were given.
        score: its retrieval score, when there is one.
        grade: its grade; None when nobody judged it.
        is_relevant: whether the grade is relevant; None when nobody judged it.
        is_tied: whether another document of the query has the same score.
        place: the rank that counts: another one where unjudged documents are taken out of the list; None for those.
        gain: what the grade is worth, for measures with gains.
        discount: what the gain is multiplied by, for measures with gains.
        adds: what the document adds; None where ties are averaged and it cannot be told apart.
        running: the sum up to here.
    """

    rank: int
    doc_id: str
    title: str
    score: float | None
    grade: float | None
    is_relevant: bool | None
    is_tied: bool
    place: int | None
    gain: float | None
    discount: float | None
    adds: float | None
    running: float | None


@kept("explanation ideal")
@dataclass(frozen=True, slots=True)
class IdealLine:
    """One document of the best order.

    Args:
        rank: its rank there.
        grade: its grade.
        gain: what the grade is worth.
        discount: what the gain is multiplied by.
        adds: what the document adds.
        running: the sum up to here.
    """

    rank: int
    grade: float
    gain: float
    discount: float
    adds: float
    running: float


@kept("explanation")
@dataclass(frozen=True, kw_only=True)
class Explanation(Result):
    """One value of one query, worked out.

    Args:
        measure: the measure.
        query_id: the query.
        value: the value; None where it is undefined.
        lines: the list, down to the last rank that can count.
        ideal: the best order, for measures that are divided by it.
        total: what the lines add up to.
        divisor: what it is divided by; None when the total is the value.
        closing: the closing formula, such as `nDCG@3 = 4.2619 / 5.8928 = 0.7232`.
        divided_by: what gains are divided by, such as "log2(rank + 1)"; empty for measures without gains.
        ties: which ranks have equal scores and how their order was settled, as sentences.
        returned: how many documents the run returned for the query.
        relevant: how many documents of the query are judged relevant.
        unjudged: how many documents without judgment could change the value.
        worst: the value if their grades were as bad for it as can be; None when it is not known.
        best: the value if their grades were as good for it as can be; None when it is not known.
        bounds: how worst and best were found, or why not.
        undefined: why there is no value; empty when there is one.
    """

    measure: Measure
    query_id: str
    value: float | None
    lines: tuple[Line, ...]
    ideal: tuple[IdealLine, ...] = ()
    total: float | None = None
    divisor: float | None = None
    closing: str = ""
    divided_by: str = ""
    ties: tuple[str, ...] = ()
    returned: int = 0
    relevant: int = 0
    unjudged: int = 0
    worst: float | None = None
    best: float | None = None
    bounds: str = ""
    undefined: str = ""
