"""Large inputs as polars frames: judgments and runs joined on a 64-bit key that is verified on the strings.

A key holds the code of the query in its upper bits and a hash of the document in the rest. Each query has a stretch of
slots, several for each of its judgments, and a key has one slot in it; so the rows of a query look into a few
neighbouring bytes, and most of them, which nobody judged, find an empty slot. No list is sorted for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.ranking.order import Rows
from assay.ranking.ranking import F64, I64, Judged
from assay.ranking.small import Joined, by_document, not_a_number

if TYPE_CHECKING:
    import polars as pl

    from assay.tables import Block

U64 = NDArray[np.uint64]

U32 = NDArray[np.uint32]

_ROOM = 8
"""Slots for each judgment: one in eight of the rows that nobody judged meets a slot that is taken."""

_CROWD = 4
"""Slots for each row where repeated documents are looked for."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


def codes(ids: pl.Series) -> tuple[list[str], I64]:
    """The distinct ids, ascending by bytes, and the code of each."""
    starts, distinct, is_scattered = _groups(ids)
    names = distinct.to_list()
    order = sorted(range(len(names)), key=names.__getitem__)
    code = np.empty(len(names), np.int64)
    code[order] = np.arange(len(names))
    if is_scattered:
        return [names[i] for i in order], code[_numbered(ids, distinct)]
    return [names[i] for i in order], np.repeat(code, np.diff(np.append(starts, len(ids))))


def _groups(queries: pl.Series) -> tuple[I64, pl.Series, bool]:
    """First row of each stretch of one query, the distinct queries, and whether some query has several stretches."""
    if not len(queries):
        return np.zeros(0, np.int64), queries, False
    stretches = queries.rle()
    lengths = stretches.struct.field("len").to_numpy().astype(np.int64)
    heads = stretches.struct.field("value")
    distinct = heads.unique(maintain_order=True)
    return np.cumsum(lengths) - lengths, distinct, len(distinct) < len(heads)


def _numbered(queries: pl.Series, distinct: pl.Series) -> U32:
    """The place of each query among the distinct ones."""
    import polars as pl

    return queries.cast(pl.Enum(distinct)).to_physical().cast(pl.UInt32).to_numpy()


def _together(number: U32) -> I64:
    """The order of rows that brings each query's rows together: a radix sort, sixteen bits at a time."""
    order = np.argsort(number.astype(np.uint16), kind="stable")
    if len(number) and int(number.max()) >> 16:
        order = order[np.argsort((number >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
    return order


def together(queries: pl.Series) -> tuple[I64, I64]:
    """The order that brings each query's rows together, and where each query's rows end in it."""
    distinct = queries.unique(maintain_order=True)
    number = _numbered(queries, distinct)
    return _together(number), np.cumsum(np.bincount(number, minlength=len(distinct)))


@dataclass(frozen=True, eq=False)
class Index:
    """The judgments by key, on levels: what finds its slot taken goes one level down.

    Args:
        key: of each judgment.
        docs: document of each judgment.
        shift: bits of a key that belong to the document.
        first: first slot of each query on the first level; one more for the queries that nobody judged.
        size: slots of each query there.
        levels: number of the judgment in each slot, from 1; 0 is an empty slot.
    """

    key: U64
    docs: pl.Series
    shift: int
    first: U64
    size: U64
    levels: tuple[U32, ...]

    def find(self, docs: pl.Series, key: U64, slot: I64) -> tuple[I64, I64]:
        """The judged rows, ascending, and the judgment of each.

        Args:
            docs: document of each row.
            key: of each row.
            slot: of each row on the first level.
        """
        rows, met = [], []
        left: I64 | None = None
        for number, level in enumerate(self.levels):
            if number:
                slot = _deep_slots(key if left is None else key[left], len(level))
            found = level[slot]
            taken = np.flatnonzero(found != 0)  # of a mask: four times as fast as of numbers
            row = taken if left is None else left[taken]
            judgment = found[taken].astype(np.int64) - 1
            same = self.key[judgment] == key[row]
            mine, theirs = row[same], judgment[same]
            equal = (docs.gather(mine) == self.docs.gather(theirs)).to_numpy()
            if not equal.all():  # two documents with one key: the other may stand on the next level
                same[np.flatnonzero(same)[~equal]] = False
                mine, theirs = row[same], judgment[same]
            rows.append(mine)
            met.append(theirs)
            left = row[~same]
        row, judgment = np.concatenate(rows), np.concatenate(met)
        order = np.argsort(row, kind="stable")
        return row[order], judgment[order]


def prepare(query: I64, docs: pl.Series, n: int) -> tuple[list[tuple[int, int]], Index | None]:
    """Pairs that are judged more than once, as (later row, first row); or, when there are none, the index."""
    shift = 64 - max(1, n.bit_length())
    return build(_keys(docs, query, shift), query, docs, n, shift)


def build(key: U64, query: I64, docs: pl.Series, n: int, shift: int) -> tuple[list[tuple[int, int]], Index | None]:
    """As `prepare`, from the keys."""
    size = np.maximum(np.append(np.bincount(query, minlength=n), 0) * _ROOM, 1)
    first = (np.cumsum(size) - size).astype(np.uint64)
    sizes = size.astype(np.uint64)
    items = np.arange(1, len(key) + 1, dtype=np.uint32)
    slot = _slots(key, shift, first[query], sizes[query])
    level = np.zeros(int(size.sum()), np.uint32)
    levels: list[U32] = []
    is_checked = False
    while True:
        lost = _contest(level, slot, items)
        levels.append(level)
        if not len(lost):
            return [], Index(key, docs, shift, first, sizes, tuple(levels))
        if not is_checked and (key[items[lost] - 1] == key[level[slot[lost]] - 1]).any():
            repeated, is_checked = _repeated(key, query, docs), True
            if repeated:
                return repeated, None
        items = items[lost]
        level = np.zeros(len(items) * _ROOM, np.uint32)
        slot = _deep_slots(key[items - 1], len(level))


def index_of(judged: Judged) -> Index:
    """The index of the judgments, made at the first call."""
    if "index" not in judged._cache:
        import polars as pl

        docs = judged.docs if isinstance(judged.docs, pl.Series) else pl.Series(judged.docs, dtype=pl.String)
        repeated, index = prepare(judged.query, docs, judged.n)
        assert not repeated, "judgments hold each pair once"
        judged._cache["index"] = index
    return judged._cache["index"]  # type: ignore[no-any-return] # the cache holds what was made above


def _keys(docs: pl.Series, query: I64, shift: int) -> U64:
    key = docs.hash(0).to_numpy() >> np.uint64(64 - shift)
    key |= query.astype(np.uint64) << np.uint64(shift)
    return key


def _slots(key: U64, shift: int, first: U64, size: U64) -> I64:
    """The slot of each key, from the upper half of the document's hash; `first` and `size` are those of its query."""
    slot = key << np.uint64(64 - shift)
    slot >>= _HALF
    slot *= size
    slot >>= _HALF
    slot += first
    return slot.view(np.int64)


def _deep_slots(key: U64, size: int) -> I64:
    """The slot of each key below the first level, where all queries share the slots."""
    slot = key * _ODD
    slot >>= _HALF
    slot *= np.uint64(size)
    slot >>= _HALF
    return slot.view(np.int64)


def _contest(level: U32, slot: I64, items: U32) -> I64:
    """Puts every item into its slot; the last one stays. Returns the places of those that were put out."""
    level[slot] = items
    return np.flatnonzero(level[slot] != items)


def _has_repeated(key: U64, cache: dict[Any, Any]) -> bool:
    """Whether some key comes twice; the cache lends the slots, which need no clearing: only written ones are read."""
    items = np.arange(len(key), dtype=np.uint32)
    room = len(key) * _CROWD
    level = cache.get("scratch")
    if level is None or len(level) < room:
        level = cache["scratch"] = np.empty(room, np.uint32)
    while len(items):
        slot = _deep_slots(key[items] if len(items) < len(key) else key, len(items) * _CROWD)
        lost = _contest(level, slot, items)
        if (key[items[lost]] == key[level[slot[lost]]]).any():
            return True
        items = items[lost]
    return False


def _repeated(key: U64, query: I64, docs: pl.Series) -> list[tuple[int, int]]:
    """(later row, first row) of equal (query, document) pairs; equal keys are compared as strings."""
    ordered = np.sort(key)
    rows = np.flatnonzero(np.isin(key, ordered[1:][ordered[1:] == ordered[:-1]]))
    seen: dict[tuple[int, str], int] = {}
    found = []
    for row, code, doc in zip(rows.tolist(), query[rows].tolist(), docs.gather(rows).to_list(), strict=True):
        first = seen.setdefault((code, doc), row)
        if first != row:
            found.append((row, first))
    return found


def numbers(block: Block, frame: pl.DataFrame, column: str) -> F64:
    """A column as numbers; a missing or infinite one is refused with its place."""
    import polars as pl

    values: F64 = frame[column].cast(pl.Float64).to_numpy()
    with np.errstate(over="ignore"):  # scores of 1e308 are lawful; looked at one by one then
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
    starts, distinct, is_scattered = _groups(queries)
    if is_scattered:
        number = _numbered(queries, distinct)
        order = _together(number)
        docs = docs.gather(order)
        value = None if value is None else value[order]
        given = None if given is None else given[order]
        origin = order if origin is None else origin[order]
        many = np.bincount(number, minlength=len(distinct))
        starts = np.cumsum(many) - many
    if value is None:
        value = np.zeros(len(docs))
    names = distinct.to_list()
    code_of, unknown = judged.codes.get, judged.n
    code = np.array([code_of(name, unknown) for name in names], dtype=np.int64)
    hit, judgment, repeated = _meet(docs, starts, code, judged)
    if origin is not None:
        repeated = [(int(origin[later]), int(origin[earlier])) for later, earlier in repeated]
    rows = Rows(
        value=value,
        starts=starts,
        codes=code,
        hit=hit,
        judgment=judgment,
        by_value=_by_value,
        by_document=lambda rows, group: _by_document(docs, rows, group),
        given=given,
    )
    return Joined(rows, [name for name in names if name not in judged.codes], repeated, is_scattered)


def _meet(docs: pl.Series, starts: I64, code: I64, judged: Judged) -> tuple[I64, I64, list[tuple[int, int]]]:
    """The judged rows with their judgments, and documents that a query has twice."""
    index = index_of(judged)
    lengths = np.diff(np.append(starts, len(docs)))
    upper = np.repeat(code.astype(np.uint64) << np.uint64(index.shift), lengths)
    key = docs.hash(0).to_numpy() >> np.uint64(64 - index.shift)
    key |= upper
    slot = _slots(key, index.shift, np.repeat(index.first[code], lengths), np.repeat(index.size[code], lengths))
    hit, judgment = index.find(docs, key, slot)
    unknown = code == judged.n
    if unknown.sum() > 1:  # queries that nobody judged share a code: tell them apart
        key ^= np.repeat(np.where(unknown, np.arange(len(code)), 0).astype(np.uint64) * _ODD, lengths)
    repeated = []
    if _has_repeated(key, judged._cache):
        repeated = _repeated(key, np.repeat(np.arange(len(code)), lengths), docs)
    return hit, judgment, repeated


def _by_value(value: NDArray[Any], group: I64) -> I64:
    import polars as pl

    frame = pl.DataFrame({"group": group.astype(np.uint32), "value": value})
    order = pl.arg_sort_by("group", "value", descending=[False, True], maintain_order=True)
    return frame.select(order).to_series().to_numpy().astype(np.int64)


def _by_document(docs: pl.Series, rows: I64, group: I64) -> I64:
    if len(rows) < 1000:  # below that, a query through polars costs more than the sorting
        return by_document(docs.gather(rows).to_list(), group)
    import polars as pl

    frame = pl.DataFrame({"group": group, "doc": docs.gather(rows)})
    order = frame.select(pl.arg_sort_by("group", "doc", descending=[False, True]))
    return order.to_series().to_numpy().astype(np.int64)
