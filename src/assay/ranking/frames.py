"""Large inputs as polars frames: judgments and runs joined on a 64-bit key that is verified on the strings.

A key holds the code of the query in its upper bits and a hash of the document in the rest. The judgments are sorted by
key and cut into small buckets, several for each judgment, so that the rows of a query look up a few neighbouring bytes:
most rows of a run are unjudged and are told so by the one byte that counts their bucket.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.ranking.order import Rows
from assay.ranking.ranking import F64, I64, Judged
from assay.ranking.small import Joined, not_a_number

if TYPE_CHECKING:
    import polars as pl

    from assay.tables import Block

U64 = NDArray[np.uint64]

_BUCKETS = 8
"""Buckets for each judgment: one row in eight that is not judged passes the first look."""


def codes(ids: pl.Series) -> tuple[list[str], I64]:
    """The distinct ids, ascending by bytes, and the code of each."""
    starts, names = _groups(ids)
    distinct = sorted(set(names))
    known = {name: code for code, name in enumerate(distinct)}
    lengths = np.diff(np.append(starts, len(ids)))
    return distinct, np.repeat(np.array([known[name] for name in names], dtype=np.int64), lengths)


def _groups(queries: pl.Series) -> tuple[I64, list[str]]:
    """First row and id of each stretch of one query."""
    if not len(queries):
        return np.zeros(0, np.int64), []
    changes = (queries != queries.shift(1)).fill_null(True)
    starts = changes.arg_true()
    return starts.to_numpy().astype(np.int64), queries.gather(starts).to_list()


def repeated_judgments(query: I64, docs: pl.Series) -> list[tuple[int, int]]:
    """(later row, first row) of every pair that is judged more than once."""
    key = _keys(docs, query, _shift(int(query.max(initial=0)) + 1))
    return _repeated(key, query, docs)


def _shift(n: int) -> int:
    """How many bits of a key belong to the document when there are n queries and one code for the unknown."""
    return 64 - max(1, int(n).bit_length())


def _keys(docs: pl.Series, query: I64, shift: int) -> U64:
    key = docs.hash(0).to_numpy() >> np.uint64(64 - shift)
    key |= query.astype(np.uint64) << np.uint64(shift)
    return key


def _repeated(key: U64, query: I64, docs: pl.Series) -> list[tuple[int, int]]:
    """(later row, first row) of equal (query, document) pairs; equal keys are compared as strings."""
    ordered = np.sort(key)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return []
    rows = np.flatnonzero(np.isin(key, twice))
    seen: dict[tuple[int, str], int] = {}
    found = []
    for row, code, doc in zip(rows.tolist(), query[rows].tolist(), docs.gather(rows).to_list(), strict=True):
        first = seen.setdefault((code, doc), row)
        if first != row:
            found.append((row, first))
    return found


@dataclass(frozen=True, eq=False)
class _Table:
    """The judgments by key.

    Args:
        shift: bits of a key that belong to the document.
        key: of each judgment, ascending.
        judgment: number of the judgment that has it.
        first: first bucket of each query (one more for the unknown ones, which have a bucket that is always empty).
        size: buckets of each query.
        start: first judgment of each bucket.
        count: judgments of each bucket.
        docs: document of each judgment, in the order of the keys.
    """

    shift: int
    key: U64
    judgment: I64
    first: U64
    size: U64
    start: NDArray[np.int32]
    count: NDArray[np.uint8]
    docs: pl.Series

    def bucket(self, key: U64, first: U64, size: U64) -> U64:
        """The bucket of each key; `first` and `size` are those of its query."""
        low = key << np.uint64(64 - self.shift)  # the document's bits, at the top
        low >>= np.uint64(32)
        low *= size
        low >>= np.uint64(32)
        low += first
        return low


def _table(judged: Judged) -> _Table:
    if "table" not in judged._cache:
        judged._cache["table"] = _make_table(judged)
    return judged._cache["table"]  # type: ignore[no-any-return] # the cache holds what was made above


def _make_table(judged: Judged) -> _Table:
    import polars as pl

    docs = judged.docs if isinstance(judged.docs, pl.Series) else pl.Series(judged.docs, dtype=pl.String)
    shift = _shift(judged.n + 1)
    key = _keys(docs, judged.query, shift)
    order = np.argsort(key)
    key = key[order]
    many = np.append(np.bincount(judged.query, minlength=judged.n), 0)
    size = np.maximum(many * _BUCKETS, 1)
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    first, size = first.astype(np.uint64), size.astype(np.uint64)
    query = judged.query[order]
    table = _Table(shift, key, order, first, size, np.zeros(0, np.int32), np.zeros(0, np.uint8), docs.gather(order))
    count = np.bincount(table.bucket(key, first[query], size[query]).astype(np.int64), minlength=int(size.sum()))
    start = np.cumsum(count) - count
    crowded = int(count.max(initial=0))
    assert crowded < 256, "a hash that puts 256 documents of one query into one bucket is no hash"
    return _Table(shift, key, order, first, size, start.astype(np.int32), count.astype(np.uint8), table.docs)


def numbers(block: Block, frame: pl.DataFrame, column: str) -> F64:
    """A column as numbers; a missing or infinite one is refused with its place."""
    import polars as pl

    values: F64 = frame[column].cast(pl.Float64).to_numpy()
    total = float(values.sum())
    if np.isfinite(total):  # no NaN, no infinity and (as numbers) no null among them
        return values
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise not_a_number(block, column, bad)
    return values


def join(block: Block, judged: Judged, key: str, check_rank: bool, keep: I64 | None = None) -> Joined:
    """Joins one block of a run, held as a polars frame, with the judgments; see `small.join`."""
    frame = block.polars()
    value: NDArray[Any] | None = None
    if key:
        value = -numbers(block, frame, "rank") if key == "rank" else numbers(block, frame, "score")
    queries, docs = frame["query_id"], frame["doc_id"]
    given = frame["rank"].to_numpy().astype(np.int64) if check_rank else None
    origin = keep
    if keep is not None:
        queries, docs = queries.gather(keep), docs.gather(keep)
        value = None if value is None else value[keep]
        given = None if given is None else given[keep]
    starts, names = _groups(queries)
    code = np.array([judged.codes.get(name, judged.n) for name in names], dtype=np.int64)
    scattered = len(set(names)) < len(names)
    if scattered:
        order = _together(names, np.diff(np.append(starts, len(queries))))
        queries, docs = queries.gather(order), docs.gather(order)
        value = None if value is None else value[order]
        given = None if given is None else given[order]
        origin = order if origin is None else origin[order]
        starts, names = _groups(queries)
        code = np.array([judged.codes.get(name, judged.n) for name in names], dtype=np.int64)
    if value is None:
        value = np.zeros(len(docs))
    hit, judgment, repeated = _meet(docs, starts, code, judged)
    if origin is not None:
        repeated = [(int(origin[later]), int(origin[earlier])) for later, earlier in repeated]
    rows = Rows(value, starts, code, hit, judgment, lambda rows, group: _by_document(docs, rows, group), given)
    return Joined(rows, [name for name in names if name not in judged.codes], repeated, scattered)


def _together(names: list[str], lengths: I64) -> I64:
    """The order of rows that brings each query's rows together, by first appearance."""
    first_seen: dict[str, int] = {}
    code = np.array([first_seen.setdefault(name, len(first_seen)) for name in names], dtype=np.int64)
    return np.argsort(np.repeat(code, lengths), kind="stable")


def _meet(docs: pl.Series, starts: I64, code: I64, judged: Judged) -> tuple[I64, I64, list[tuple[int, int]]]:
    """The judged rows with their judgments, and documents that a query has twice."""
    table = _table(judged)
    lengths = np.diff(np.append(starts, len(docs)))
    shift = np.uint64(table.shift)
    hashed = docs.hash(0).to_numpy() >> np.uint64(64 - table.shift)
    key = hashed | np.repeat(code.astype(np.uint64) << shift, lengths)
    bucket = table.bucket(key, np.repeat(table.first[code], lengths), np.repeat(table.size[code], lengths))
    maybe = np.flatnonzero(table.count[bucket])
    hit, judgment = _verify(docs, maybe, key[maybe], bucket[maybe], table)
    return hit, judgment, _repeated_rows(key, docs, starts, code, judged.n)


def _verify(docs: pl.Series, maybe: I64, key: U64, bucket: U64, table: _Table) -> tuple[I64, I64]:
    """Of the rows whose bucket holds something: those whose key is there and whose document is the same."""
    left, count = table.start[bucket].astype(np.int64), table.count[bucket]
    hits, places = [], []
    while len(maybe):
        same = np.flatnonzero(table.key[left] == key)
        hits.append(maybe[same])
        places.append(left[same])
        more = np.flatnonzero(count > 1)
        maybe, key, left, count = maybe[more], key[more], left[more] + 1, count[more] - 1
    if not hits:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    hit, place = np.concatenate(hits), np.concatenate(places)
    order = np.argsort(hit, kind="stable")
    hit, place = hit[order], place[order]
    same = (docs.gather(hit) == table.docs.gather(place)).to_numpy()
    if not same.all():
        hit, place = hit[same], place[same]
    return hit, table.judgment[place]


def _repeated_rows(key: U64, docs: pl.Series, starts: I64, code: I64, unknown: int) -> list[tuple[int, int]]:
    lengths = np.diff(np.append(starts, len(docs)))
    if (code == unknown).sum() > 1:  # unknown queries share a code: tell them apart
        key = key ^ np.repeat(np.where(code == unknown, np.arange(len(code)), 0).astype(np.uint64) * _ODD, lengths)
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return []
    return _repeated(key, np.repeat(np.arange(len(code)), lengths), docs)


_ODD = np.uint64(0x9E3779B97F4A7C15)


def _by_document(docs: pl.Series, rows: I64, group: I64) -> I64:
    import polars as pl

    frame = pl.DataFrame({"group": group, "doc": docs.gather(rows)})
    order = frame.select(pl.arg_sort_by("group", "doc", descending=[False, True]))
    return order.to_series().to_numpy().astype(np.int64)
