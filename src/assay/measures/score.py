"""Scores one run: its blocks are put in order, met with the judgments, and measured; what is odd becomes a note."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import SHOWN, InputError
from assay.measures.measure import Measure
from assay.measures.scores import F64, Coverage, Part, Scores
from assay.ranking.align import Aligned, Facts, align, sort_key
from assay.ranking.collected import Collected
from assay.ranking.conventions import Conventions
from assay.ranking.mismatch import why_nothing_in_common
from assay.ranking.pieces import ROWS, ByQuery, Pieces
from assay.ranking.ranking import I64, Bool, Judged, Ranking
from assay.results import Note
from assay.tables import Block

__all__ = ["Coverage", "Measured", "Part", "Scores", "check", "described", "join", "measured", "score"]


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured of one run, wherever its rows were read.

    Args:
        values: float64 of shape (measures, queries); NaN is undefined or not averaged.
        shares: float64 of that shape: the share of the first documents that is judged; NaN where it is not known.
        answered: whether the run has the query, bool of shape (queries,).
        returned: documents returned for each query, int64 of shape (queries,).
        facts: what joining the run with the judgments showed.
        is_compared: whether the rank column was compared with the order in every row.
        key: what ordered the run: "score", "rank", or "" for the order of the rows.
    """

    values: F64
    shares: F64
    answered: Bool
    returned: I64
    facts: Facts
    is_compared: bool
    key: str


def score(
    blocks: Iterable[Block],
    judged: Judged,
    measures: Sequence[Measure],
    conventions: Conventions,
    name: str = "run",
) -> Scores:
    """Scores one run.

    Args:
        blocks: the rows of the run, each query's rows in one block; or, when they turn out not to be, an object whose
            `whole()` gives them in one block.
        judged: the judgments, shared by all runs.
        measures: what to measure.
        conventions: order, ties, missing queries, queries without a relevant document and so on.
        name: what the run is called.

    Raises:
        InputError: the run and the judgments have no query in common, a row is malformed, or a judged query is missing
            under `missing="error"`.
    """
    if isinstance(blocks, Iterator) and any(measure.judgments(judged) is not judged for measure in measures):
        blocks = list(blocks)
    ranking, facts, complete, key = _read(blocks, judged, conventions)
    check(ranking.answered, facts, judged, conventions, name)
    measures = [measure.on_scale(judged.levels) for measure in measures]
    rankings = {id(judged): ranking}
    for known in (measure.judgments(judged) for measure in measures):
        if id(known) not in rankings:
            rankings[id(known)] = _read(blocks, known, conventions)[0]
    values, shares = measured(lambda known: rankings[id(known)], judged, measures, conventions)
    found = Measured(values, shares, ranking.answered, ranking.returned, facts, complete, key)
    return described(found, judged, measures, conventions, name)


def check(answered: Bool, facts: Facts, judged: Judged, conventions: Conventions, name: str) -> None:
    """Refuses a run that has no judged query, or lacks one under `missing="error"`."""
    if facts.rows and not answered.any():
        what, remedy = why_nothing_in_common(facts.unknown, judged.queries)
        raise InputError(what, name, remedy)
    if conventions.missing == "error" and not answered.all():
        raise _queries_missing([judged.queries[code] for code in np.flatnonzero(~answered).tolist()], name)


def measured(
    ranking_of: Callable[[Judged], Ranking], judged: Judged, measures: Sequence[Measure], conventions: Conventions
) -> tuple[F64, F64]:
    """Every measure of every judged query.

    Args:
        ranking_of: the ranking that was joined with these judgments: those given, or those of the pool.
        judged: the judgments.
        measures: on the scale of all judgments.
        conventions: the rules for missing queries and for queries without a relevant document.

    Returns:
        The values and the judged shares, each float64 of shape (measures, queries).
    """
    values = [_values(ranking_of(measure.judgments(judged)), measure, conventions) for measure in measures]
    shares = [_judged_share(ranking_of(judged), measure.cutoff) for measure in measures]
    return np.array(values).reshape(-1, judged.n), np.array(shares).reshape(-1, judged.n)


def described(
    found: Measured, judged: Judged, measures: Sequence[Measure], conventions: Conventions, name: str
) -> Scores:
    """What was measured of one run, with its coverage and what is odd about it."""
    coverage = _coverage(found, judged, conventions)
    notes = (
        judged.notes
        + _without_subtopics(judged, measures)
        + _notes(found.facts, coverage, measures, conventions, name, found.is_compared)
    )
    return Scores(
        runs=(name,),
        measures=tuple(measures),
        queries=tuple(judged.queries),
        values=found.values[None],
        judged=found.shares[None],
        coverage=(coverage,),
        notes=notes,
    )


def join(scores: Sequence[Scores]) -> Scores:
    """Scores of several runs by the same measures over the same queries, side by side; each note is kept once."""
    first = scores[0]
    assert all(s.queries == first.queries and s.measures == first.measures for s in scores), "not the same queries"
    return replace(
        first,
        runs=tuple(run for s in scores for run in s.runs),
        values=np.concatenate([s.values for s in scores]),
        judged=np.concatenate([s.judged for s in scores]),
        coverage=tuple(coverage for s in scores for coverage in s.coverage),
        notes=tuple(dict.fromkeys(note for s in scores for note in s.notes)),
        _cache={},
    )


def _read(blocks: Any, judged: Judged, conventions: Conventions) -> tuple[Ranking, Facts, bool, str]:
    """The whole run in order, what it showed, whether the rank column was looked at in every row, what ordered it."""
    if conventions.order == "rank" and hasattr(blocks, "wants_rank"):
        blocks.wants_rank = True
    if isinstance(blocks, list) and len(blocks) == 1 and not blocks[0].is_small and len(blocks[0]) > 2 * ROWS:
        blocks = Pieces(blocks[0])
    collected = Collected(judged)
    key = ""
    for block in blocks:
        key = key or sort_key(block, conventions)
        part = align(block, judged, conventions)
        again = bool((collected.answered & part.ranking.answered).any())
        if hasattr(blocks, "whole") and (part.facts.scattered or again):
            whole = _whole(blocks.whole(), judged, conventions)
            return whole.ranking, whole.facts, True, key
        if again:
            raise InputError("a query stands in several blocks", block.name, "give each query's rows in one block")
        collected.add(part)
    if not collected.parts:
        raise InputError("the run has no rows", getattr(blocks, "name", ""), "check that it is the right file")
    whole = collected.all()
    return whole.ranking, whole.facts, collected.is_compared, key


def _whole(block: Block, judged: Judged, conventions: Conventions) -> Aligned:
    """A run whose rows of one query do not stand together: a large one a few queries at a time."""
    if block.is_small or len(block) <= 2 * ROWS:
        return align(block, judged, conventions)
    collected = Collected(judged)
    try:
        for piece in ByQuery(block):
            collected.add(align(piece, judged, conventions))
    except InputError:
        align(block, judged, conventions)  # says all that is wrong, not that of the piece alone
        raise
    return collected.all()


def _queries_missing(ids: list[str], name: str) -> InputError:
    return InputError(
        f"the run lacks the judged query {ids[0]}",
        name,
        "run every query, or pass --missing zero|skip",
        more=[f"{name}: the run lacks the judged query {query}" for query in ids[1:SHOWN]],
        count=len(ids),
    )


def _values(ranking: Ranking, measure: Measure, conventions: Conventions) -> F64:
    """The value of each query under the rules for missing queries and for queries without a relevant document."""
    values = measure.compute(ranking)
    without = ~measure.has_relevant(ranking.judged)
    if without.any():
        values = values.copy()
        if conventions.no_relevant == "drop":
            values[without] = np.nan
        elif conventions.no_relevant == "one":
            values[without] = 1.0
        else:
            values[without & np.isnan(values)] = 0.0
    if conventions.missing == "skip" and not ranking.answered.all():
        values = np.where(ranking.answered, values, np.nan)
    return values


def _judged_share(ranking: Ranking, cutoff: int | None) -> F64:
    """Share of the first `cutoff` documents (or of all, when fewer) that is judged; NaN where nothing is known."""
    if cutoff is None or (ranking.judged.only_relevant and ranking.judged.unlisted == "unjudged"):
        return np.full(ranking.n, np.nan)
    shown: F64 = np.minimum(ranking.returned, cutoff).astype(np.float64)
    found = shown if ranking.judged.unlisted == "not-relevant" else ranking.per_query(ranking.within(cutoff))
    share: F64 = np.divide(found, shown, out=np.full(ranking.n, np.nan), where=shown > 0)
    return share


def _coverage(found: Measured, judged: Judged, conventions: Conventions) -> Coverage:
    ids, answered, facts = judged.queries, found.answered, found.facts
    relevant = judged.relevant() > 0
    counts = answered if conventions.missing == "skip" else np.ones(judged.n, np.bool_)
    scored = counts if conventions.no_relevant != "drop" else counts & relevant
    return Coverage(
        judged=judged.n,
        scored=int(scored.sum()),
        missing=tuple(ids[code] for code in np.flatnonzero(~answered).tolist()),
        no_relevant=tuple(ids[code] for code in np.flatnonzero(~relevant).tolist()),
        empty=int((answered & (found.returned == 0)).sum()),
        unknown=facts.n_unknown,
        rows=facts.rows,
        duplicates=facts.dropped,
        left_out=facts.left_out,
        order="score" if found.key == "score" else "rank" if found.key == "rank" else "rows",
    )


def _without_subtopics(judged: Judged, measures: Sequence[Measure]) -> tuple[Note, ...]:
    """What is said where a measure looks for subtopics and the judgments name none."""
    named = [str(measure) for measure in measures if measure.about.subtopics]
    if not named or judged.aspects is not None:
        return ()
    text = f"the judgments name no subtopics: every query has one for {', '.join(named)}"
    return (Note("no-subtopics", text, level="warning"),)


def _queries(count: int, of: int) -> str:
    return f"{count:,} of {of:,} queries"


def _notes(
    facts: Facts,
    coverage: Coverage,
    measures: Sequence[Measure],
    conventions: Conventions,
    run: str,
    complete: bool,
) -> tuple[Note, ...]:
    """What is odd but lawful about this run."""
    notes = []

    def note(code: str, count: int, text: str, *, warn: bool = False) -> None:
        if count:
            notes.append(Note(code, text, run, count, "warning" if warn else "info"))

    n = coverage.judged
    fate = "left out of every mean" if conventions.missing == "skip" else "counted as returning nothing"
    missing = len(coverage.missing)
    note("queries-missing", missing, f"{_queries(missing, n)} are missing from the run; {fate}", warn=True)
    note("queries-empty", coverage.empty, f"{_queries(coverage.empty, n)} returned nothing; counted as 0")
    fates = {"drop": "listed, not averaged", "zero": "counted as 0", "one": "counted as 1"}
    without = len(coverage.no_relevant)
    note(
        "queries-without-relevant", without,
        f"{_queries(without, n)} have no relevant document; {fates[conventions.no_relevant]}",
    )  # fmt: skip
    unknown = _many(coverage.unknown, "query of the run is", "queries of the run are")
    note("queries-unknown", coverage.unknown, f"{unknown} judged by nobody; left out")
    dropped = _many(coverage.duplicates, "repeated document was", "repeated documents were")
    note("duplicates-dropped", coverage.duplicates, f"{dropped} dropped; the first of each was kept", warn=True)
    for kind, rows in coverage.left_out:
        left = _many(rows, f"{kind} row is", f"{kind} rows are")
        note("rows-left-out", rows, f"{left} left out of the measures; --include {kind} counts them")
    cutoffs = [measure.cutoff for measure in measures if measure.about.sees != "no" or measure.cutoff is not None]
    if cutoffs:
        note(*_tie_note(facts, cutoffs, conventions, n))
    if facts.disagree:
        where = "" if complete else " in the first block of the run, the only one compared"
        count = _many(facts.disagree, "query", "queries")
        text = f"the rank column contradicts the scores in {count}{where}; the order is by score"
        note("rank-against-score", facts.disagree, text, warn=True)
    return tuple(notes)


def _many(n: int, one: str, more: str) -> str:
    return f"1 {one}" if n == 1 else f"{n:,} {more}"


def _tie_note(facts: Facts, cutoffs: list[int | None], conventions: Conventions, n: int) -> tuple[str, int, str]:
    first = facts.first_tie
    if None in cutoffs:
        tied, where = int((first > 0).sum()), "have equal scores"
    else:
        deepest = max(cutoff for cutoff in cutoffs if cutoff is not None)
        tied, where = int(((first > 0) & (first <= deepest)).sum()), f"have equal scores inside rank {deepest}"
    rules = {
        "docid": "settled by document id, descending",
        "input": "kept in the order of the input",
        "expected": "averaged over all orders",
        "best": "the best grade first",
        "worst": "the worst grade first",
    }
    return "ties-inside-cutoff", tied, f"{_queries(tied, n)} {where}; {rules[conventions.ties]}"
