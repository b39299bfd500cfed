"""Judgments by subtopic, for measures of diversity: kept beside the grades, so that no other measure pays for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import SHOWN, InputError
from assay.ranking.align import judged
from assay.ranking.conventions import Conventions
from assay.ranking.ranking import F64, I64, Judged, Ranking
from assay.results import Note
from assay.tables import Block


@dataclass(frozen=True, eq=False)
class Aspects:
    """Grades by subtopic. A subtopic belongs to one query and is known by its number here.

    Args:
        names: the name of each subtopic inside its query.
        owner: code of the query of each subtopic, ascending, int64 of shape (n_subtopics,).
        judgment: which judgment of `Judged` each grade belongs to, int64 of shape (n_grades,).
        subtopic: number of the subtopic of each grade, int64 of shape (n_grades,).
        grade: float64 of shape (n_grades,).
    """

    names: Sequence[str]
    owner: I64
    judgment: I64
    subtopic: I64
    grade: F64

    def renumbered(self, number: I64) -> Aspects:
        """The grades when judgment i is called number[i]; those called -1 are left out."""
        judgment = number[self.judgment]
        left = np.flatnonzero(judgment >= 0)
        return replace(self, judgment=judgment[left], subtopic=self.subtopic[left], grade=self.grade[left])

    def of_query(self, code: int) -> Aspects:
        """The subtopics of one query, which is then query 0; judgments keep their numbers."""
        mine = np.flatnonzero(self.owner == code)
        place = np.full(len(self.owner), -1, np.int64)
        place[mine] = np.arange(len(mine))
        left = np.flatnonzero(place[self.subtopic] >= 0)
        return Aspects(
            [self.names[i] for i in mine.tolist()], np.zeros(len(mine), np.int64), self.judgment[left],
            place[self.subtopic[left]], self.grade[left],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class BySubtopic:
    """A ranking as if each subtopic were a query.

    Args:
        ranking: its queries are the subtopics; a document stands in the list of every subtopic that it was judged for.
        origin: which hit of the whole ranking each of its hits is.
        owner: code of the query of each subtopic.
        n: how many queries there are.
    """

    ranking: Ranking
    origin: I64
    owner: I64
    n: int

    def relevant(self, rel: float | None) -> F64:
        """Subtopics of each query that some judged document is relevant to, float64 of shape (n,)."""
        known = self.ranking.judged.relevant(rel) > 0
        return np.bincount(self.owner, known, minlength=self.n).astype(np.float64, copy=False)

    def sums(self, values: F64) -> F64:
        """Sums one number a subtopic by query, float64 of shape (n,); NaN counts nothing."""
        return np.bincount(self.owner, np.nan_to_num(values), minlength=self.n).astype(np.float64, copy=False)


def by_subtopic(r: Ranking) -> BySubtopic:
    """The ranking by subtopic; where the judgments name none, every query has one."""
    return r._kept("by subtopic", lambda: _by_subtopic(r))  # type: ignore[no-any-return] # what _by_subtopic gave


def _by_subtopic(r: Ranking) -> BySubtopic:
    aspects = r.judged.aspects
    if aspects is None:
        return BySubtopic(r, np.arange(len(r.rank)), np.arange(r.n), r.n)
    order = np.argsort(aspects.judgment, kind="stable")
    count = np.bincount(aspects.judgment, minlength=len(r.judged.grade))
    start = np.cumsum(count) - count
    each = count[r.judgment]
    hit = np.repeat(np.arange(len(r.rank)), each)
    row = order[np.arange(len(hit)) + np.repeat(start[r.judgment] - (np.cumsum(each) - each), each)]
    place = np.argsort(aspects.subtopic[row], kind="stable")  # hits come by rank, and stay so inside a subtopic
    hit, row = hit[place], row[place]
    ranking = Ranking(
        judged=judged_by_subtopic(r.judged, aspects),
        query=aspects.subtopic[row],
        rank=r.rank[hit],
        grade=aspects.grade[row],
        judgment=row,
        returned=r.returned[aspects.owner],
        answered=r.answered[aspects.owner],
        first=None if r.first is None else r.first[hit],
        last=None if r.last is None else r.last[hit],
    )
    return BySubtopic(ranking, hit, aspects.owner, r.n)


def judged_by_subtopic(known: Judged, aspects: Aspects) -> Judged:
    """The judgments as if each subtopic were a query."""
    if "by subtopic" not in known._cache:
        known._cache["by subtopic"] = Judged(
            queries=aspects.names, query=aspects.subtopic, grade=aspects.grade, docs=[], rel=known.rel,
            unlisted=known.unlisted,
        )  # fmt: skip
    return known._cache["by subtopic"]  # type: ignore[no-any-return] # the cache holds what was made above


def with_aspects(block: Block, conventions: Conventions) -> Judged:
    """Judgments with one row for each subtopic of a pair: the highest grade is the pair's, and each is kept.

    Args:
        block: columns query_id, doc_id, grade and subtopic; a row without a subtopic is about the query as a whole.
        conventions: as for `ranking.align.judged`.

    Raises:
        InputError: a pair is judged twice for one subtopic with different grades, or a grade is not a finite number.
    """
    from assay.ranking import small

    frame: Any = block.frame if block.is_small else block.polars().to_dict(as_series=False)
    columns = {name: list(frame[name]) for name in ("query_id", "doc_id", "grade", "subtopic")}
    plain = Block(columns, block.place, block.name, block.facts)
    grades = small.numbers(plain, "grade")
    rows, repeated = _distinct(plain, grades, conventions)
    pair_of: dict[tuple[str, str], int] = {}
    best: list[float] = []
    first: list[int] = []
    for row in rows:
        pair = columns["query_id"][row], columns["doc_id"][row]
        at = pair_of.setdefault(pair, len(best))
        if at == len(best):
            best.append(float(grades[row]))
            first.append(row)
        best[at] = max(best[at], float(grades[row]))
    folded = Block(
        {"query_id": [query for query, _ in pair_of], "doc_id": [doc for _, doc in pair_of], "grade": best},
        lambda i: block.place(first[i]), block.name, block.facts,
    )  # fmt: skip
    known = judged(folded, conventions)
    docs = list(known.docs)
    number = {
        (known.queries[code], doc): i for i, (code, doc) in enumerate(zip(known.query.tolist(), docs, strict=True))
    }
    used = [
        row for row in rows if columns["subtopic"][row] and (columns["query_id"][row], columns["doc_id"][row]) in number
    ]
    subtopics = sorted({(known.codes[columns["query_id"][row]], columns["subtopic"][row]) for row in used})
    code_of = {subtopic: code for code, subtopic in enumerate(subtopics)}
    aspects = Aspects(
        names=[name for _, name in subtopics],
        owner=np.array([code for code, _ in subtopics], np.int64),
        judgment=np.array([number[columns["query_id"][row], columns["doc_id"][row]] for row in used], np.int64),
        subtopic=np.array(
            [code_of[known.codes[columns["query_id"][row]], columns["subtopic"][row]] for row in used], np.int64
        ),
        grade=grades[used],
    )
    notes = [*repeated, *_note(len(rows), len(best)), *known.notes]
    only_relevant = known.only_relevant and bool((grades > 0).all())  # a pair may be relevant to one and not another
    if not only_relevant:
        notes = [note for note in notes if note.code != "only-relevant-listed"]
    return replace(known, aspects=aspects, notes=tuple(notes), only_relevant=only_relevant, _cache={})


def _distinct(block: Block, grades: F64, conventions: Conventions) -> tuple[list[int], list[Note]]:
    """The first row of each pair and subtopic, and what is said of the others."""
    frame: Any = block.frame
    seen: dict[tuple[str, str, str | None], int] = {}
    rows: list[int] = []
    again: list[tuple[int, int]] = []
    for row, key in enumerate(zip(frame["query_id"], frame["doc_id"], frame["subtopic"], strict=True)):
        first = seen.setdefault(key, row)
        if first == row:
            rows.append(row)
        else:
            again.append((row, first))
    wrong = [(row, first) for row, first in again if grades[row] != grades[first]]
    if wrong and conventions.duplicates == "refuse":

        def say(pair: tuple[int, int]) -> str:
            row, first = pair
            return (
                f"{frame['query_id'][row]} {frame['doc_id'][row]} is judged again for subtopic "
                f"{frame['subtopic'][row]}: grade {grades[row]:g} here, {grades[first]:g} at {block.place(first)}"
            )

        raise InputError(
            say(wrong[0]),
            block.place(wrong[0][0]),
            "keep one of the lines, or pass --duplicates keep-first",
            more=[f"{block.place(pair[0])}: {say(pair)}" for pair in wrong[1:SHOWN]],
            count=len(wrong),
        )
    what = "pairs that are judged more than once for a subtopic count once, by their first line"
    return rows, [Note("judged-twice", f"{len(again):,} {what}", count=len(again))] if again else []


def _note(rows: int, pairs: int) -> list[Note]:
    text = (
        f"{rows:,} judgments by subtopic of {pairs:,} pairs: where a measure does not look at subtopics, the highest "
        "grade of a pair counts"
    )
    return [Note("subtopics", text, count=rows)]
