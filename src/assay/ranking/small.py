"""Small inputs as plain columns: judgments and runs joined by dictionaries, without loading polars."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import InputError
from assay.ranking.order import Rows
from assay.ranking.ranking import F64, I64, Judged
from assay.tables import Block, Columns


@dataclass(frozen=True, eq=False)
class Joined:
    """A block of a run, joined with the judgments and not yet in order.

    Args:
        rows: what the order is made of.
        unknown: ids of the queries that nobody judged.
        repeated: (later row, earlier row) of every document that a query has twice, as rows of the block.
        scattered: whether some query's rows did not stand together.
    """

    rows: Rows
    unknown: Sequence[str]
    repeated: list[tuple[int, int]]
    scattered: bool


def codes(ids: Sequence[str]) -> tuple[list[str], I64]:
    """The distinct ids, ascending by bytes, and the code of each."""
    distinct = sorted(set(ids))  # code points ascend as their UTF-8 bytes do
    known = {name: code for code, name in enumerate(distinct)}
    return distinct, np.array([known[name] for name in ids], dtype=np.int64)


Lookup = list[dict[str, int]]
"""For each query: document to the number of its judgment."""


def prepare(query: I64, docs: Sequence[str], n: int) -> tuple[list[tuple[int, int]], Lookup]:
    """Pairs that are judged more than once, as (later row, first row), and the index of the judgments."""
    lookup: Lookup = [{} for _ in range(n)]
    repeated = []
    for row, (code, doc) in enumerate(zip(query.tolist(), docs, strict=True)):
        first = lookup[code].setdefault(doc, row)
        if first != row:
            repeated.append((row, first))
    return repeated, lookup


def _lookup(judged: Judged) -> Lookup:
    if "lookup" not in judged._cache:
        judged._cache["lookup"] = prepare(judged.query, list(judged.docs), judged.n)[1]
    return judged._cache["lookup"]  # type: ignore[no-any-return] # the cache holds what was made above


def numbers(block: Block, column: str) -> F64:
    """A column as numbers; a missing or infinite one is refused with its place."""
    values = np.array(block.frame[column], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise not_a_number(block, column, bad)
    return values


def not_a_number(block: Block, column: str, bad: I64) -> InputError:
    """Numbers that are missing, NaN or infinite."""
    what = f"the {column} is not a finite number"
    return InputError(
        what,
        block.place(int(bad[0])),
        f"give every row a {column}; NaN and infinities have no place in an order",
        more=[f"{block.place(int(row))}: {what}" for row in bad[1:3]],
        count=len(bad),
    )


def join(block: Block, judged: Judged, key: str, check_rank: bool, keep: I64 | None = None) -> Joined:
    """Joins one block of plain columns with the judgments.

    Args:
        block: rows of a run.
        judged: the judgments.
        key: the column to sort by: "score", "rank" (ascending), or "" for the order of the rows.
        check_rank: whether the rank column is to be compared with the order.
        keep: rows to use, in this order; None uses all.
    """
    columns: Columns = block.frame  # type: ignore[assignment] # small blocks hold plain columns
    queries, docs = columns["query_id"], columns["doc_id"]
    value = -numbers(block, "rank") if key == "rank" else numbers(block, "score") if key else None
    given = np.array(columns["rank"], dtype=np.int64) if check_rank else None
    if keep is not None:
        picked = keep.tolist()
        queries, docs = [queries[i] for i in picked], [docs[i] for i in picked]
        value = None if value is None else value[keep]
        given = None if given is None else given[keep]
    starts, names = _groups(queries)
    origin = keep
    scattered = len(set(names)) < len(names)
    if scattered:
        first_seen: dict[str, int] = {}
        order = np.argsort([first_seen.setdefault(q, len(first_seen)) for q in queries], kind="stable")
        picked = order.tolist()
        queries, docs = [queries[i] for i in picked], [docs[i] for i in picked]
        value = None if value is None else value[order]
        given = None if given is None else given[order]
        origin = order if origin is None else origin[order]
        starts, names = _groups(queries)
    if value is None:
        value = np.zeros(len(docs))
    hit, judgment, repeated = _meet(docs, starts, names, judged)
    rows = Rows(
        value=value,
        starts=np.array(starts, dtype=np.int64),
        codes=np.array([judged.codes.get(name, judged.n) for name in names], dtype=np.int64),
        hit=np.array(hit, dtype=np.int64),
        judgment=np.array(judgment, dtype=np.int64),
        by_value=lambda values, group: np.lexsort((-values, group)),
        by_document=lambda rows, group: by_document([docs[row] for row in rows.tolist()], group),
        given=given,
    )
    if origin is not None:
        repeated = [(int(origin[later]), int(origin[earlier])) for later, earlier in repeated]
    return Joined(rows, [name for name in names if name not in judged.codes], repeated, scattered)


def _groups(queries: Sequence[str]) -> tuple[list[int], list[str]]:
    """First row and id of each stretch of one query."""
    changes = [row for row, (one, next_) in enumerate(itertools.pairwise(queries), 1) if one != next_]
    starts = [0, *changes] if len(queries) else []
    return starts, [queries[row] for row in starts]


def _meet(
    docs: Sequence[str], starts: list[int], names: list[str], judged: Judged
) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """The judged rows with their judgments, and documents that a query has twice."""
    lookup = _lookup(judged)
    hits, repeated = list[tuple[int, int]](), list[tuple[int, int]]()
    ends = [*starts[1:], len(docs)] if starts else []
    for name, start, end in zip(names, starts, ends, strict=True):
        shown = docs[start:end]
        row_of = dict(zip(shown, range(start, end), strict=True))
        if len(row_of) < len(shown):
            seen: dict[str, int] = {}
            for row, doc in enumerate(shown, start):
                first = seen.setdefault(doc, row)
                if first != row:
                    repeated.append((row, first))
        code = judged.codes.get(name)
        if code is not None:
            known = lookup[code]
            if len(known) < len(row_of):
                found = [(row_of[doc], number) for doc, number in known.items() if doc in row_of]
            else:
                found = [(row, known[doc]) for doc, row in row_of.items() if doc in known]
            hits += sorted(found)
    return [row for row, _ in hits], [number for _, number in hits], repeated


def by_document(docs: Sequence[str], group: I64) -> I64:
    """The order by group and then document descending."""
    order = sorted(range(len(docs)), key=docs.__getitem__, reverse=True)
    found = np.array(order, dtype=np.int64)
    return found[np.argsort(group[found], kind="stable")]
