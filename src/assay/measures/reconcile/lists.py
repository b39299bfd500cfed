"""One run and its judgments as padded tables of grades, in any order and with any loss that some tool uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.measures.reconcile.mixing import mixed
from assay.measures.reconcile.ways import Ways
from assay.ranking.align import ORGANIC
from assay.ranking.conventions import Conventions
from assay.tables import Block

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Bool = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class View:
    """The lists of all queries under one set of answers.

    Args:
        grade: of the document at each rank, float64 of shape (n, longest); NaN where it is unjudged or nothing is.
        returned: documents of each list, int64 of shape (n,).
        first, last: the ranks that equal scores span, int64 of that shape; None where they are not averaged.
        pool: the grades of all judgments of each query, descending, NaN behind them, float64 of shape (n, most).
    """

    grade: F64
    returned: I64
    first: I64 | None
    last: I64 | None
    pool: F64


@dataclass(frozen=True, eq=False)
class Lists:
    """A run and its judgments, row by row. Made by `lists_of`.

    Args:
        queries: every query of either side, ascending by bytes; n is their number.
        judged: which of them are judged, bool of shape (n,).
        answered: which of them the run has.
        query, document: of each row of the run, as numbers; documents ascending by bytes.
        score, rank: of each row; a run without scores is scored by its ranks, or by the order of its rows.
        grade: of each row, NaN where it is unjudged.
        own: rows whose document has the id of its query.
        pool: (query, grade) of every judgment.
    """

    queries: tuple[str, ...]
    judged: Bool
    answered: Bool
    query: I64
    document: I64
    score: F64
    rank: F64 | None
    grade: F64
    own: Bool
    pool: tuple[I64, F64]
    _orders: dict[tuple[str, str], tuple[I64, F64]] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    @cached_property
    def returned(self) -> I64:
        """Rows of each query."""
        return np.bincount(self.query, minlength=self.n)

    @cached_property
    def later(self) -> Bool:
        """Rows whose document stood in an earlier row of the query."""
        return _repeated(self.query, self.document)

    @cached_property
    def _dead(self) -> dict[str, set[str]]:
        """Answers that cannot change anything here, by axis: what they are about does not occur."""
        dead: dict[str, set[str]] = {}
        if not self.later.any():
            dead["duplicates"] = {"last", "twice"}
        if not self.own.any():
            dead["own"] = {"dropped"}
        grades = self.pool[1]
        if (grades == np.trunc(grades)).all():
            dead["grades"] = {"whole"}
        if not (grades < 0).any():
            dead["negative"] = {"signed", "unjudged"}
        narrow = _narrow(self.score)
        if not _has_ties(self.query, narrow):
            dead["order"] = {"ascending", "input", "reversed", "mixed", "turned", "averaged"}
        if len(_distinct_pairs(self.query, narrow)) == len(_distinct_pairs(self.query, self.score)):
            dead["scores"] = {"32-bit"}
        if self.rank is None:
            dead.setdefault("order", set()).add("rank")
        return dead

    def is_alive(self, axis: str, answer: str) -> bool:
        """Whether the answer could change a number here."""
        return answer not in self._dead.get(axis, ())

    def view(self, ways: Ways) -> View:
        """The lists under the answers of the part "list"."""
        keep = np.ones(len(self.query), np.bool_)
        if ways.duplicates == "first":
            keep &= ~self.later
        elif ways.duplicates == "last":
            keep &= ~_repeated(self.query[::-1], self.document[::-1])[::-1]
        if ways.own == "dropped":
            keep &= ~self.own
        grade = _graded(self.grade, ways)
        if ways.listed == "condensed":
            keep &= ~np.isnan(grade)
        order, main = self._sorted(ways)
        order = order[keep[order]]
        query = self.query[order]
        returned = np.bincount(query, minlength=self.n)
        place = _places(returned)
        width = max(int(returned.max(initial=0)), 1)
        table = np.full((self.n, width), np.nan)
        table[query, place] = grade[order]
        first = last = None
        if ways.order == "averaged":
            first, last = _groups(query, main[order], place, (self.n, width))
        return View(table, returned, first, last, self._pool(ways))

    def _sorted(self, ways: Ways) -> tuple[I64, F64]:
        """All rows by query and in the order of the answers, and what they are sorted by; each order is made once."""
        key = (ways.order, ways.scores)
        if key not in self._orders:
            row = np.arange(len(self.query))
            main = -(_narrow(self.score).astype(np.float64) if ways.scores == "32-bit" else self.score)
            if ways.order == "rows":
                main = row.astype(np.float64)
            elif ways.order == "rank" and self.rank is not None:
                main = self.rank
            between = {
                "docid": -self.document,
                "averaged": -self.document,
                "ascending": self.document,
                "reversed": -row,
            }
            if ways.order in ("mixed", "turned"):
                order = mixed(self.query, main, is_turned=ways.order == "turned")
            else:
                order = np.lexsort((between.get(ways.order, row), main, self.query))
            self._orders[key] = order, main
        return self._orders[key]

    def _pool(self, ways: Ways) -> F64:
        query, grade = self.pool
        grade = _graded(grade, ways)
        known = ~np.isnan(grade)
        query, grade = query[known], grade[known]
        order = np.lexsort((-grade, query))
        counts = np.bincount(query, minlength=self.n)
        table = np.full((self.n, max(int(counts.max(initial=0)), 1)), np.nan)
        table[query[order], _places(counts)] = grade[order]
        return table


def _narrow(score: F64) -> NDArray[np.float32]:
    """Scores in 32 bits; what is too large there becomes infinite, as in trec_eval 9."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32)


def _graded(grade: F64, ways: Ways) -> F64:
    if ways.grades == "whole":
        grade = np.trunc(grade)
    if ways.negative == "unjudged":
        grade = np.where(grade < 0, np.nan, grade)
    return grade


def _places(counts: I64) -> I64:
    """0, 1, 2, ... anew for each query."""
    total = int(counts.sum())
    return np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)


def _groups(query: I64, key: F64, place: I64, shape: tuple[int, int]) -> tuple[I64, I64]:
    """First and last rank (from 1) of the equal keys around each place."""
    begins = np.ones(len(query), np.bool_)
    begins[1:] = (query[1:] != query[:-1]) | (key[1:] != key[:-1])
    start = np.flatnonzero(begins)
    size = np.diff(np.append(start, len(query)))
    first, last = np.ones(shape, np.int64), np.ones(shape, np.int64)
    first[query, place] = np.repeat(place[start] + 1, size)
    last[query, place] = np.repeat(place[start] + size, size)
    return first, last


def _repeated(query: I64, document: I64) -> Bool:
    """Which pairs stood before."""
    pair = query * (int(document.max(initial=0)) + 1) + document
    _, first = np.unique(pair, return_index=True)
    repeated = np.ones(len(pair), np.bool_)
    repeated[first] = False
    return repeated


def _distinct_pairs(query: I64, value: NDArray[Any]) -> NDArray[Any]:
    order = np.lexsort((value, query))
    query, value = query[order], value[order]
    new = np.ones(len(query), np.bool_)
    new[1:] = (query[1:] != query[:-1]) | (value[1:] != value[:-1])
    return np.flatnonzero(new)


def _has_ties(query: I64, value: NDArray[Any]) -> bool:
    return len(_distinct_pairs(query, value)) < len(query)


def lists_of(run: Block, judgments: Block, conventions: Conventions) -> Lists:
    """The rows of a run and of its judgments (one grade a pair) as the search needs them.

    Args:
        run: columns query_id, doc_id and score or rank or neither, the whole run in one block.
        judgments: columns query_id, doc_id, grade.
        conventions: which kinds of rows count, and what orders the run.
    """
    names, docs = _texts(run, "query_id"), _texts(run, "doc_id")
    judged_names, judged_docs = _texts(judgments, "query_id"), _texts(judgments, "doc_id")
    kept = _organic(run, conventions)
    queries = sorted({*names, *judged_names, *run.empty})
    code = {name: i for i, name in enumerate(queries)}
    documents = {name: i for i, name in enumerate(sorted({*docs, *judged_docs}))}
    query = np.array([code[name] for name in names], dtype=np.int64)[kept]
    document = np.array([documents[name] for name in docs], dtype=np.int64)[kept]
    pool_query = np.array([code[name] for name in judged_names], dtype=np.int64)
    pool_document = np.array([documents[name] for name in judged_docs], dtype=np.int64)
    pool_grade = _numbers(judgments, "grade")
    assert pool_grade is not None, "judgments have grades"
    keys: dict[tuple[int, int], float] = {}
    for pair, one in zip(
        zip(pool_query.tolist(), pool_document.tolist(), strict=True), pool_grade.tolist(), strict=True
    ):
        keys[pair] = max(one, keys.get(pair, one))  # of several subtopics the highest counts, as in the measures
    grade = np.array([keys.get(pair, np.nan) for pair in zip(query.tolist(), document.tolist(), strict=True)])
    pairs = np.array(list(keys), dtype=np.int64).reshape(-1, 2)
    score, rank = _numbers(run, "score"), _numbers(run, "rank")
    rank = None if rank is None else rank[kept]
    if score is not None and conventions.order != "rank":
        score = score[kept]
    else:
        score = -rank if rank is not None else -np.arange(len(query), dtype=np.float64)
    answered, judged = np.zeros(len(queries), np.bool_), np.zeros(len(queries), np.bool_)
    answered[[code[name] for name in {*names, *run.empty}]] = True
    judged[pool_query] = True
    own = np.array([name == doc for name, doc in zip(names, docs, strict=True)], dtype=np.bool_)[kept]
    return Lists(
        tuple(queries), judged, answered, query, document, score, rank, grade.astype(np.float64), own,
        (pairs[:, 0], np.array(list(keys.values()), dtype=np.float64)),
    )  # fmt: skip


def _texts(block: Block, column: str) -> Sequence[str]:
    values: Any = block.frame[column]
    return list(values) if block.is_small else values.to_list()


def _numbers(block: Block, column: str) -> F64 | None:
    """The column as numbers; None where there is none, or it has gaps."""
    if column not in block.columns:
        return None
    values: Any = block.frame[column]
    listed = list(values) if block.is_small else values.to_list()
    return None if any(value is None for value in listed) else np.array(listed, dtype=np.float64)


def _organic(run: Block, conventions: Conventions) -> Bool:
    if "kind" not in run.columns:
        return np.ones(len(run), np.bool_)
    wanted = {None, "", ORGANIC, *conventions.include}
    return np.array([kind in wanted for kind in _texts(run, "kind")], dtype=np.bool_)
