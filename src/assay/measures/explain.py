"""One value worked out line by line: what each document adds, the best order beside it, and the closing formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.measures.explanation import Explanation, IdealLine, Line
from assay.measures.extremes import Unknown, assigned, extremes
from assay.measures.measure import Measure, Steps
from assay.ranking.alone import of_query
from assay.ranking.conventions import Conventions
from assay.ranking.discounts import WRITTEN, discount_function
from assay.ranking.ranking import F64, I64, Bool, Ranking

__all__ = ["Explanation", "IdealLine", "Line", "explain"]

Row = tuple[int, str, float | None, bool]
"""(rank, document, score, whether another row of the query has the same score)."""


def explain(
    ranking: Ranking,
    measure: Measure,
    query_id: str,
    rows: Sequence[Row] | None = None,
    *,
    titles: Mapping[str, str] | None = None,
    conventions: Conventions | None = None,
) -> Explanation:
    """Works one value out line by line.

    Args:
        ranking: one run joined with its judgments.
        measure: what is measured.
        query_id: a judged query.
        rows: every row of the query in its final order; without them unjudged documents have no name.
        titles: document to title.
        conventions: says how ties were settled and what a query without a relevant document counts.
    """
    conventions = Conventions() if conventions is None else conventions
    measure = measure.on_scale(ranking.judged.levels)
    r = of_query(ranking, query_id)
    value = float(measure.compute(r)[0])
    steps = measure.steps(r)
    if measure.about.steps is None and not r.is_averaged:
        steps = Steps(_revealed(r, measure), value)
    rows = _rows(r) if rows is None else rows
    by_doc = {r.judged.docs[judgment]: hit for hit, judgment in enumerate(r.judgment.tolist())}
    spans = _spans(r, rows, by_doc)
    lines = _lines(r, measure, steps, rows, spans, by_doc, titles or {})
    bounds = extremes(r, measure, _unknown(r, measure, rows, spans, by_doc), ranking.judged.levels)
    low_is_good = measure.about.best == "low"
    is_counted = bool(measure.has_relevant(r.judged)[0]) or conventions.no_relevant != "drop"
    why = "" if np.isfinite(value) and is_counted else _why_undefined(r, measure)
    shown = None if why else value
    return Explanation(
        measure=measure,
        query_id=query_id,
        value=shown,
        lines=lines,
        ideal=_ideal(steps),
        total=steps.total if np.isfinite(steps.total) else None,
        divisor=steps.divisor,
        closing=f"{measure} is undefined: {why}" if why else closing(measure, steps, value),
        divided_by=_divided_by(measure, steps),
        ties=_ties(lines, rows, conventions),
        returned=int(r.returned[0]),
        relevant=int(r.judged.relevant(measure.rel)[0]),
        unjudged=bounds.unjudged,
        worst=bounds.high if low_is_good else bounds.low,
        best=bounds.low if low_is_good else bounds.high,
        bounds=bounds.why,
        undefined=why,
    )


def _divided_by(measure: Measure, steps: Steps) -> str:
    """What gains are divided by; nothing for measures without gains."""
    if steps.divided_by or measure.about.needs != "gain":
        return steps.divided_by
    return WRITTEN[str(measure.params.get("discount", "none"))]


def closing(measure: Measure, steps: Steps, value: float) -> str:
    """The formula that ends an explanation."""
    if steps.written:
        formula = f"{measure} = {steps.written}"
    elif steps.divisor is None:
        formula = f"{measure}"
    else:
        formula = f"{measure} = {figure(steps.total)} / {figure(steps.divisor)}"
    if not np.isfinite(steps.adds).all():
        return f"{formula} = {value:.4f}, the mean over all orders of equal scores"
    return f"{formula} = {figure(value) if steps.divisor is None and not steps.written else f'{value:.4f}'}"


def figure(x: float) -> str:
    """A whole number as it is, any other with four decimals."""
    return f"{x:.0f}" if float(x).is_integer() and abs(x) < 1e15 else f"{x:.4f}"


def _why_undefined(r: Ranking, measure: Measure) -> str:
    if not measure.has_relevant(r.judged)[0]:
        what = "has a gain" if measure.about.needs == "gain" else "is relevant"
        return f"no judged document of the query {what}"
    if not r.judged.is_relevant(r.grade, measure.rel).any():
        return "no relevant document was returned"
    return "the definition gives no value here"


def _rows(r: Ranking) -> list[Row]:
    """The ranks of one query with the documents that are known."""
    names = dict(zip(r.rank.tolist(), (r.judged.docs[int(i)] for i in r.judgment), strict=True))
    return [(rank, names.get(rank, ""), None, False) for rank in range(1, int(r.returned[0]) + 1)]


def _lines(
    r: Ranking,
    measure: Measure,
    steps: Steps,
    rows: Sequence[Row],
    spans: tuple[I64, I64],
    by_doc: Mapping[str, int],
    titles: Mapping[str, str],
) -> tuple[Line, ...]:
    """The list down to the last rank that can count."""
    first, last = spans
    cutoff = measure.cutoff
    condensed = r.condensed() if measure.params.get("judged_only") is True else r
    places = condensed.rank.tolist()
    skips = condensed is not r
    counts = np.ones(len(r.rank), np.bool_)
    if cutoff is not None:
        counts = (condensed.rank if condensed.first is None else condensed.first) <= cutoff
    is_relevant = r.is_relevant(measure.rel)
    shown = 0
    for at, row in enumerate(rows):
        hit = by_doc.get(row[1])
        if (hit is not None and counts[hit]) or (not skips and (cutoff is None or first[at] <= cutoff)):
            shown = at + 1
    lines: list[Line] = []
    running = 0.0
    for at, (rank, doc_id, score, is_tied) in enumerate(rows[:shown]):
        hit = by_doc.get(doc_id)
        inside = _inside(int(first[at]), int(last[at]), cutoff)
        unjudged = 0.0 if skips else steps.unjudged * float(inside.mean())
        added = unjudged if hit is None else float(steps.adds[hit])
        running += added
        known = hit is not None
        lines.append(
            Line(
                rank=rank,
                doc_id=doc_id,
                title=titles.get(doc_id, ""),
                score=score,
                grade=float(r.grade[hit]) if known else None,
                is_relevant=bool(is_relevant[hit]) if known else None,
                is_tied=is_tied or bool(first[at] < last[at]),
                place=places[hit] if hit is not None else None if skips else rank,
                gain=None if steps.gain is None else float(steps.gain[hit]) if known else 0.0,
                discount=_discount(steps, measure, hit, int(first[at]), inside),
                adds=added if np.isfinite(added) else None,
                running=running if np.isfinite(running) else None,
            )
        )
    return tuple(lines)


def _unknown(
    r: Ranking, measure: Measure, rows: Sequence[Row], spans: tuple[I64, I64], by_doc: Mapping[str, int]
) -> Unknown:
    """The unjudged documents in the first k of the list as it was returned."""
    first, last = spans
    cutoff = measure.cutoff
    known = r.judged.unlisted == "not-relevant"
    at = [
        i for i, row in enumerate(rows) if not known and row[1] not in by_doc and (cutoff is None or first[i] <= cutoff)
    ]
    rank = np.array([rows[i][0] for i in at], np.int64)
    return Unknown(rank, first[at], last[at])


def _spans(r: Ranking, rows: Sequence[Row], by_doc: Mapping[str, int]) -> tuple[I64, I64]:
    """The ranks that the group of ties of each row spans, where ties are averaged; else its own rank."""
    rank = np.array([row[0] for row in rows], np.int64)
    first, last = rank.copy(), rank.copy()
    if not r.is_averaged:
        return first, last
    start = 0
    for at in range(1, len(rows) + 1):
        same = at < len(rows) and rows[at][3] and rows[start][3] and rows[at][2] == rows[start][2]
        if not same:
            first[start:at], last[start:at] = rank[start], rank[at - 1]
            start = at
    assert r.first is not None
    assert r.last is not None
    for at, (_, doc_id, score, _) in enumerate(rows):
        hit = by_doc.get(doc_id)
        if hit is not None and score is None:  # rows without scores: the hits know their groups
            first[at], last[at] = r.first[hit], r.last[hit]
            inside = (rank >= first[at]) & (rank <= last[at])
            first[inside], last[inside] = first[at], last[at]
    return first, last


def _inside(first: int, last: int, cutoff: int | None) -> Bool:
    """Which ranks of a group of ties are counted."""
    ranks = np.arange(first, last + 1)
    inside: Bool = ranks > 0 if cutoff is None else ranks <= cutoff
    return inside


def _discount(steps: Steps, measure: Measure, hit: int | None, first: int, inside: Bool) -> float | None:
    """The discount of a document; that of an unjudged one is shown beside its gain of 0."""
    if steps.discount is None:
        return None
    if hit is not None:
        return float(steps.discount[hit])
    weight = steps.weight or discount_function(str(measure.params.get("discount", "none")))
    return float((weight(first + np.arange(len(inside), dtype=np.float64)) * inside).mean())


def _ideal(steps: Steps) -> tuple[IdealLine, ...]:
    if steps.ideal is None:
        return ()
    grade, gain, discount = steps.ideal
    adds = gain * discount
    columns = zip(
        grade.tolist(), gain.tolist(), discount.tolist(), adds.tolist(), np.cumsum(adds).tolist(), strict=True
    )
    return tuple(IdealLine(rank, *values) for rank, values in enumerate(columns, 1))


def _revealed(r: Ranking, measure: Measure) -> F64:
    """For a measure that does not lay open its steps: how the value changes as each judged document is revealed."""
    n = len(r.rank)
    if not n or (n + 1) * len(r.judged.grade) > 1_000_000:
        return np.full(n, np.nan)
    prefixes = assigned(r, Unknown(*(np.zeros(0, np.int64),) * 3), np.zeros((n + 1, 0)))
    keep = prefixes.rank.reshape(n + 1, n) <= np.concatenate([[0], r.rank])[:, None]
    shown = Ranking(
        judged=prefixes.judged,
        query=prefixes.query[keep.ravel()],
        rank=prefixes.rank[keep.ravel()],
        grade=prefixes.grade[keep.ravel()],
        judgment=prefixes.judgment[keep.ravel()],
        returned=prefixes.returned,
        answered=prefixes.answered,
    )
    values = measure.compute(shown)
    return np.diff(np.nan_to_num(values))


SETTLED = {
    "docid": "ordered by document id, descending",
    "input": "left in the order of the file",
    "expected": "counted as the mean over all their orders",
    "best": "ordered with the best grade first",
    "worst": "ordered with the worst grade first",
}


def _ties(lines: Sequence[Line], rows: Sequence[Row], conventions: Conventions) -> tuple[str, ...]:
    """Which of the counted ranks have equal scores, and how their order was settled."""
    shown = lines[-1].rank if lines else 0
    said = []
    start = 0
    for at in range(1, len(rows) + 1):
        same = at < len(rows) and rows[at][3] and rows[start][3] and rows[at][2] == rows[start][2]
        if not same:
            if at - start > 1 and rows[start][0] <= shown:
                ranks = f"ranks {rows[start][0]} to {rows[at - 1][0]}"
                said.append(f"{ranks} have one score: {SETTLED[conventions.ties]}")
            start = at
    return tuple(said)
