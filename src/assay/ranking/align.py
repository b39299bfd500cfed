"""One run joined with the judgments: the only place for order, ties, absent pairs, sponsored rows and duplicates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from assay.errors import SHOWN, InputError
from assay.ranking.conventions import Conventions
from assay.ranking.order import place
from assay.ranking.ranking import F64, I64, Bool, Judged, Ranking
from assay.results import Note
from assay.tables import Block

ORGANIC = "organic"


@dataclass(frozen=True, eq=False)
class Facts:
    """What joining a block of a run with the judgments showed.

    Args:
        rows: rows of the block.
        unknown: ids of the queries that nobody judged, at most `EXAMPLES` of them.
        n_unknown: how many there are.
        dropped: later copies of a document that a query has twice, left out by `duplicates="keep-first"`.
        left_out: (kind, rows) of what is neither organic nor included.
        first_tie: for each judged query the rank at which equal scores first appear, 0 where none do.
        disagree: queries whose rank column contradicts the order; None when it was not looked at.
        scattered: whether some query's rows did not stand together.
    """

    rows: int
    unknown: tuple[str, ...]
    n_unknown: int
    dropped: int
    left_out: tuple[tuple[str, int], ...]
    first_tie: I64
    disagree: int | None
    scattered: bool


@dataclass(frozen=True, eq=False)
class Aligned:
    """A block of a run in its order, and what was noticed on the way."""

    ranking: Ranking
    facts: Facts


MANY = 200_000
"""Judgments from which on loading polars is cheaper than dictionaries of them."""

EXAMPLES = 1000
"""How many ids of unknown queries are kept to explain a mismatch."""


def judged(block: Block, conventions: Conventions) -> Judged:
    """Prepares judgments once for every run that is scored with them.

    Args:
        block: columns query_id, doc_id and grade, one rater (several are aggregated before).
        conventions: `rel`, `unlisted`, `negative` and `duplicates` matter here.

    A column `subtopic` gives a pair one row for each of them: the highest counts, and `aspects` keeps them all.

    Raises:
        InputError: a pair is judged twice with different grades, or a grade is not a finite number.
    """
    if "subtopic" in block.columns:
        from assay.ranking.aspects import with_aspects

        return with_aspects(block, conventions)
    if block.is_small and len(block) > MANY:
        block = replace(block, frame=block.polars())
    side = _side(block)
    frame = block.frame
    queries, query = side.codes(frame["query_id"])
    docs: Any = frame["doc_id"]
    grade = _grades(block, side)
    notes: list[Note] = []
    repeated, index = side.prepare(query, docs, len(queries))
    use = np.ones(len(grade), np.bool_)
    if repeated:
        notes += _settle_repeated(block, repeated, grade, docs, frame["query_id"], conventions)
        use[[later for later, _ in repeated]] = False
    notes += _notes_on_grades(grade[use], query[use], conventions)
    only_relevant = len(grade) > 0 and not bool((grade <= 0).any())
    found = Judged(
        queries=queries,
        query=query,
        grade=grade,
        docs=docs,
        rel=conventions.rel,
        unlisted=conventions.unlisted,
        notes=tuple(notes),
        only_relevant=only_relevant,
        _cache={"lookup" if block.is_small else "index": index},
    )
    whole = found if use.all() else _only(found, use)
    if conventions.negative == "unjudged" and bool((whole.grade < 0).any()):
        return replace(_only(whole, whole.grade >= 0), pool=whole)
    return whole


def _only(judged: Judged, use: Any) -> Judged:
    """Some of the judgments; what was counted of all is made anew."""
    kept = np.flatnonzero(use)
    docs = judged.docs
    docs = [docs[i] for i in kept.tolist()] if isinstance(docs, (list, tuple)) else docs.gather(kept)
    return replace(judged, query=judged.query[kept], grade=judged.grade[kept], docs=docs, _cache={})


def _side(block: Block) -> ModuleType:
    """The room that can join this block: plain columns or a polars frame."""
    if block.is_small:
        from assay.ranking import small

        return small
    from assay.ranking import frames

    return frames


def _grades(block: Block, side: ModuleType) -> F64:
    values: F64 = side.numbers(block, "grade") if block.is_small else side.numbers(block, block.polars(), "grade")
    return values


def _settle_repeated(
    block: Block, repeated: list[tuple[int, int]], grade: F64, docs: Any, queries: Any, conventions: Conventions
) -> list[Note]:
    conflicts = [(later, first) for later, first in repeated if grade[later] != grade[first]]
    if conflicts and conventions.duplicates == "refuse":

        def say(pair: tuple[int, int]) -> str:
            later, first = pair
            return (
                f"{queries[later]} {docs[later]} is judged again: grade {grade[later]:g} here, "
                f"{grade[first]:g} at {block.place(first)}"
            )

        raise InputError(
            say(conflicts[0]),
            block.place(conflicts[0][0]),
            "keep one of the lines, name the raters in a column, or pass --duplicates keep-first",
            more=[f"{block.place(later)}: {say((later, first))}" for later, first in conflicts[1:SHOWN]],
            count=len(conflicts),
        )
    what = "pairs that are judged more than once count once, by their first line"
    return [Note("judged-twice", f"{len(repeated):,} {what}", count=len(repeated))]


def _grades_are(n: int) -> str:
    return "1 grade is" if n == 1 else f"{n:,} grades are"


def _notes_on_grades(grade: F64, query: I64, conventions: Conventions) -> list[Note]:
    notes = []
    negative = int((grade < 0).sum())
    if negative:
        meaning = "judged, not relevant" if conventions.negative == "judged" else "unjudged"
        notes.append(Note("negative-grades", f"{_grades_are(negative)} negative: {meaning}", count=negative))
    whole = grade == np.floor(grade)
    if not whole.all():
        fractional = int((~whole).sum())
        relevant = int((grade > 0).sum() if conventions.rel is None else (grade >= conventions.rel).sum())
        level = "above 0" if conventions.rel is None else f"at least {conventions.rel:g}"
        notes.append(
            Note(
                "fractional-grades",
                f"{_grades_are(fractional)} fractional; {relevant:,} pair{'s count' if relevant != 1 else ' counts'} "
                f"as relevant ({level})",
                count=fractional,
            )
        )
    if len(grade) and conventions.unlisted == "unjudged" and not (grade <= 0).any():
        notes.append(
            Note(
                "only-relevant-listed",
                "no judgment has a grade of 0 or less: only relevant documents are listed, so what is unjudged "
                "cannot be told from what is not relevant",
                count=len(grade),
            )
        )
    if len(grade) and bool(((grade == 0) | (grade == 1)).all()):
        notes.append(Note("binary-grades", "every grade is 0 or 1: linear and exponential gain are the same"))
    return notes


def align(block: Block, judged: Judged, conventions: Conventions, *, check_rank: bool = True) -> Aligned:
    """Puts one block of a run into its order and meets it with the judgments.

    Args:
        block: columns query_id, doc_id, score or rank (or neither: the order of the rows), and kind when known.
        judged: the judgments.
        conventions: order, ties, width of scores, duplicates and kinds to include.
        check_rank: whether to compare the rank column, where there is one, with the order.

    Raises:
        InputError: a score is not a finite number, or a query has a document twice.
    """
    side = _side(block)
    key = sort_key(block, conventions)
    keep, left_out, gone = _organic(block, conventions)
    check = check_rank and key == "score" and _nulls(block, "rank") == 0
    joined = side.join(block, judged, key, check, keep)
    dropped = len(joined.repeated)
    if dropped:
        if conventions.duplicates == "refuse":
            raise _document_twice(block, joined.repeated)
        use = np.ones(len(block), np.bool_) if keep is None else np.isin(np.arange(len(block)), keep)
        use[[later for later, _ in joined.repeated]] = False
        joined = side.join(block, judged, key, check, np.flatnonzero(use))
    rows = joined.rows
    if conventions.scores == "32-bit" and key == "score":
        rows = _narrow(rows)
    placed = place(rows, judged, conventions.ties)
    ranking = placed.ranking
    if gone or block.empty:
        ranking = _answered(ranking, gone.union(block.empty))
    facts = Facts(
        rows=len(block),
        unknown=tuple(joined.unknown[:EXAMPLES]),
        n_unknown=len(joined.unknown),
        dropped=dropped,
        left_out=left_out,
        first_tie=placed.first_tie,
        disagree=placed.disagree,
        scattered=joined.scattered,
    )
    return Aligned(ranking, facts)


def sort_key(block: Block, conventions: Conventions) -> str:
    """The column that orders the run: "score", "rank", or "" for the order of the rows."""
    has_score, has_rank = _has(block, "score"), _has(block, "rank")
    if conventions.order != "auto":
        if not (has_score if conventions.order == "score" else has_rank):
            raise InputError(
                f"--order {conventions.order} needs a {conventions.order} column, and the run has none",
                block.name,
                f"pass --order {'rank' if has_rank else 'score' if has_score else 'auto'}",
            )
        return conventions.order
    return "score" if has_score else "rank" if has_rank else ""


def _has(block: Block, column: str) -> bool:
    """Whether the block has the column with a value in it."""
    nulls = _nulls(block, column)
    return nulls is not None and (nulls < len(block) or not len(block))


def _nulls(block: Block, column: str) -> int | None:
    """How many values the column lacks; None when there is no such column."""
    if column not in block.columns:
        return None
    values: Any = block.frame[column]
    if block.is_small:
        return list(values).count(None)
    return int(values.null_count())


def _organic(block: Block, conventions: Conventions) -> tuple[I64 | None, tuple[tuple[str, int], ...], set[str]]:
    """The rows that count (None: all), the others by kind, and the queries that keep none."""
    if "kind" not in block.columns:
        return None, (), set()
    wanted = {None, "", ORGANIC, *conventions.include}
    kinds = list(block.frame["kind"])
    use: Bool = np.array([kind in wanted for kind in kinds], dtype=np.bool_)
    if use.all():
        return None, (), set()
    counts: dict[str, int] = {}
    for kind, used in zip(kinds, use.tolist(), strict=True):
        if not used:
            counts[kind] = counts.get(kind, 0) + 1
    queries = list(block.frame["query_id"])
    left = {query for query, used in zip(queries, use.tolist(), strict=True) if used}
    return np.flatnonzero(use), tuple(sorted(counts.items())), set(queries) - left


def _answered(ranking: Ranking, queries: set[str]) -> Ranking:
    """The ranking with queries that the run has although none of their rows counts."""
    answered = ranking.answered.copy()
    answered[[code for query in queries if (code := ranking.judged.codes.get(query)) is not None]] = True
    return replace(ranking, answered=answered)


def _document_twice(block: Block, repeated: list[tuple[int, int]]) -> InputError:
    queries, docs = block.frame["query_id"], block.frame["doc_id"]

    def say(pair: tuple[int, int]) -> str:
        return f"document {docs[pair[0]]} of query {queries[pair[0]]} was already at {block.place(pair[1])}"

    return InputError(
        say(repeated[0]),
        block.place(repeated[0][0]),
        "remove one of the lines, or pass --duplicates keep-first",
        more=[f"{block.place(pair[0])}: {say(pair)}" for pair in repeated[1:SHOWN]],
        count=len(repeated),
    )


def _narrow(rows: Any) -> Any:
    """The rows with their scores in 32 bits, as trec_eval 9 compares them."""
    with np.errstate(over="ignore"):
        return replace(rows, value=rows.value.astype(np.float32))
