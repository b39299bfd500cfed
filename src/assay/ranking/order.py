"""Where each judged row of a run stands: scores to ranks, groups of equal scores by rule.

Only numbers are compared here, in whole-array steps; the two sources of rows (plain columns and polars frames) bring
the numbers and know how to compare the document ids of a few of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.ranking.ranking import I64, Bool, Judged, Ranking, position_in_group


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of one block of a run, each query's rows together, in the order of the input.

    Args:
        value: what the rows are sorted by, higher first; one number a row.
        starts: first row of each query of the block.
        codes: code of each query of the block; `judged.n` where nobody judged it.
        hit: the rows that are judged, ascending.
        judgment: which judgment each of them met.
        by_value: sorts rows: (values, ascending groups) to the order by group and then value descending; equal values
            keep their order.
        by_document: sorts a few rows: (rows, ascending groups) to the order by group and then document descending.
        given: the rank column, when its agreement with the order is to be checked.
    """

    value: NDArray[Any]
    starts: I64
    codes: I64
    hit: I64
    judgment: I64
    by_value: Callable[[NDArray[Any], I64], I64]
    by_document: Callable[[I64, I64], I64]
    given: I64 | None = None

    @property
    def lengths(self) -> I64:
        """How many rows each query of the block has."""
        return np.diff(np.append(self.starts, len(self.value)))


@dataclass(frozen=True, eq=False)
class Placed:
    """The ranking of a block, and what its order showed.

    Args:
        ranking: the judged hits in their places.
        first_tie: for each judged query the rank at which equal scores first appear, 0 where none do.
        disagree: queries whose rank column contradicts the order; None when it was not looked at.
    """

    ranking: Ranking
    first_tie: I64
    disagree: int | None


def place(rows: Rows, judged: Judged, ties: str) -> Placed:
    """Sorts each query's rows by value, settles equal values by the rule, and keeps the judged rows."""
    n, starts, lengths = len(rows.value), rows.starts, rows.lengths
    value, at, given = rows.value, rows.hit, rows.given
    group = np.searchsorted(starts, at, "right") - 1
    boundary = starts[1:] - 1
    up, tie = value[1:] > value[:-1], value[1:] == value[:-1]
    up[boundary] = False
    row_at: I64 | None = None
    if up.any():
        wrong = _distinct(np.searchsorted(starts, np.flatnonzero(up), "right") - 1, len(starts))
        moved, back = _sort_groups(rows, lengths, wrong)
        row_at = np.arange(n)
        row_at[moved] = back
        value = value.copy()
        value[moved] = value[back]
        place_of = np.arange(n)
        place_of[back] = moved
        at = place_of[at]
        given = given[row_at] if given is not None else None
        tie = value[1:] == value[:-1]
    tie[boundary] = False
    tied = np.zeros(n + 1, np.bool_)
    tied[1:n] = tie
    first, last = _settle(rows, judged, ties, at, group, tied, row_at)
    rank = at - starts[group] + 1
    return Placed(
        _ranking(rows, judged, group, rank, first, last),
        _first_ties(rows, judged, tied),
        None if given is None else _disagreeing(given, tied, boundary, starts),
    )


def _sort_groups(rows: Rows, lengths: I64, which: I64) -> tuple[I64, I64]:
    """The places that the rows of some queries take, and the row that comes to each; equal values keep their order."""
    many = lengths[which]
    places = np.repeat(rows.starts[which] - (np.cumsum(many) - many), many) + np.arange(many.sum())
    return places, places[rows.by_value(rows.value[places], np.repeat(np.arange(len(which)), many))]


def _settle(
    rows: Rows, judged: Judged, ties: str, at: I64, group: I64, tied: Bool, row_at: I64 | None
) -> tuple[I64 | None, I64 | None]:
    """Gives the judged rows inside groups of equal values their places, in `at` itself.

    Returns the first and last rank of each hit's group when values are to be averaged over it.
    """
    first = last = None
    if ties == "expected":
        first = last = at - rows.starts[group] + 1
    touched = tied[at] | tied[at + 1] if ties != "input" else np.zeros(0, np.bool_)
    if not touched.any():
        return first, last
    heads = np.flatnonzero(~tied[:-1])
    ends = np.append(heads[1:], len(rows.value))
    which = np.searchsorted(heads, at[touched], "right") - 1
    head, end = heads[which], ends[which]
    if first is not None and last is not None:
        base = rows.starts[group[touched]] - 1
        first, last = first.copy(), last.copy()
        first[touched], last[touched] = head - base, end - 1 - base
    elif ties == "docid":
        used = _distinct(which, len(heads))
        size = ends[used] - heads[used]
        before = np.concatenate([[0], np.cumsum(size)[:-1]])
        places = np.repeat(heads[used] - before, size) + np.arange(size.sum())
        members = places if row_at is None else row_at[places]
        order = rows.by_document(members, np.repeat(np.arange(len(used)), size))
        slot = np.empty(len(places), np.int64)
        slot[order] = places
        at[touched] = slot[before[np.searchsorted(used, which)] + at[touched] - head]
    else:
        grade = judged.grade[rows.judgment[touched]]
        order = np.lexsort((-grade, which))
        nth = position_in_group(which[order])
        there = np.empty(len(order), np.int64)
        there[order] = head[order] + nth if ties == "best" else end[order] - 1 - nth
        at[touched] = there
    return first, last


def _ranking(rows: Rows, judged: Judged, group: I64, rank: I64, first: I64 | None, last: I64 | None) -> Ranking:
    query, judgment = rows.codes[group], rows.judgment
    key = (query << 40) + rank
    if len(key) and not (key[1:] >= key[:-1]).all():
        order = np.argsort(key, kind="stable")
        query, rank, judgment = query[order], rank[order], judgment[order]
        if first is not None and last is not None:
            first, last = first[order], last[order]
    known = rows.codes < judged.n
    returned, answered = np.zeros(judged.n, np.int64), np.zeros(judged.n, np.bool_)
    returned[rows.codes[known]] = rows.lengths[known]
    answered[rows.codes[known]] = True
    return Ranking(judged, query, rank, judged.grade[judgment], judgment, returned, answered, first, last)


def _first_ties(rows: Rows, judged: Judged, tied: Bool) -> I64:
    """Rank of the first row that the next one equals, for each judged query; 0 where there is none."""
    out = np.zeros(judged.n, np.int64)
    where = np.flatnonzero(tied)
    if len(where):
        after = np.searchsorted(where, rows.starts)
        found = np.append(where, len(tied))[after]
        has = (found < rows.starts + rows.lengths) & (rows.codes < judged.n)
        out[rows.codes[has]] = found[has] - rows.starts[has]
    return out


def _disagreeing(given: I64, tied: Bool, boundary: I64, starts: I64) -> int:
    """Queries in which a row with a lower value carries a smaller rank number."""
    falls = (given[1:] < given[:-1]) & ~tied[1 : len(given)]
    falls[boundary] = False
    return len(_distinct(np.searchsorted(starts, np.flatnonzero(falls), "right") - 1, len(starts)))


def _distinct(numbers: I64, below: int) -> I64:
    """The distinct ones of some numbers from 0, ascending; `np.unique` would load numpy.ma, a tenth of a small run."""
    seen = np.zeros(below, np.bool_)
    seen[numbers] = True
    return np.flatnonzero(seen)
