"""Counts keyed by query and document, summed over equal keys, with the pairs numbered in the order of their names.

The order is by query_id, then doc_id, so that numbers do not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows with their pairs numbered.

    Args:
        frame: one row a key, sorted; column `pair` is the number of (query_id, doc_id).
        query: i64[n_pairs], the number of each pair's query.
        query_ids: the name of each query.
        doc_ids: the name of each pair's document.
    """

    frame: pl.DataFrame
    query: I64
    query_ids: Sequence[str]
    doc_ids: Sequence[str]

    def whole(self, column: str) -> I64:
        """A column as i64[n]."""
        return self.frame[column].to_numpy().astype(np.int64)

    def real(self, column: str) -> F64:
        """A column as f64[n]."""
        return self.frame[column].to_numpy().astype(np.float64)

    def names(self, column: str) -> tuple[I64, Sequence[str]]:
        """A column of names as numbers i64[n] and the sorted names."""
        import polars as pl

        names = self.frame[column].cast(pl.String)
        number = names.rank("dense").to_numpy().astype(np.int64) - 1
        return number, names.unique().sort().to_list()


def counted(frame: pl.DataFrame, keys: Sequence[str], sums: Sequence[str], where: str) -> Counted:
    """Sums rows of equal keys and numbers their pairs.

    Args:
        frame: columns query_id, doc_id, then `keys` and `sums`; others are ignored.
        keys: what tells cells of one pair apart.
        sums: what is added up.
        where: what the rows are called in messages.

    Raises:
        InputError: a column is absent, or a value is missing.
    """
    import polars as pl

    wanted = ["query_id", "doc_id", *keys, *sums]
    absent = [name for name in wanted if name not in frame.columns]
    if absent:
        raise InputError(f"no column {', '.join(absent)}", where=where, remedy=f"give {', '.join(wanted)}")
    holes = [name for name in wanted if frame[name].null_count()]
    if holes:
        row = int(frame[holes[0]].is_null().arg_true()[0])
        raise InputError(
            f"no value for {holes[0]}", where=f"{where}, row {row + 1}", remedy="leave such rows out and count them",
            count=sum(frame[name].null_count() for name in holes),
        )  # fmt: skip
    queries, documents = (frame[name].cast(pl.String) for name in ("query_id", "doc_id"))
    query_names, doc_names = queries.unique().sort(), documents.unique().sort()
    # numbers are grouped and sorted in a fraction of the time that names take
    both = _number(queries, query_names).cast(pl.Int64) * len(doc_names) + _number(documents, doc_names)
    counts = frame.select(*keys, *sums).with_columns(both=both)
    summed = counts.group_by("both", *keys).agg(pl.col(name).sum() for name in sums).sort("both", *keys)
    summed = summed.with_columns(pair=pl.col("both").rle_id())
    pairs = summed["both"].unique(maintain_order=True).to_numpy()
    query, document = np.divmod(pairs, max(1, len(doc_names)))
    return Counted(summed.drop("both"), query, query_names.to_list(), doc_names.gather(document).to_list())


def _number(names: pl.Series, known: pl.Series) -> pl.Series:
    """The place of each name among the known ones."""
    import polars as pl

    return names.cast(pl.Enum(known)).to_physical()


def total(at: I64, weights: F64, n: int) -> F64:
    """f64[n]: the weights added up by their number, also where there are none."""
    return np.bincount(at, weights=weights, minlength=n).astype(np.float64, copy=False)


def named(query: I64, query_ids: Sequence[str], doc_ids: Sequence[str], pair: I64) -> dict[str, Any]:
    """The columns query_id and doc_id of rows of these pairs.

    Raises:
        InputError: the names are not known.
    """
    import polars as pl

    if len(doc_ids) != len(query) or (len(query) and len(query_ids) <= int(query.max())):
        raise InputError(
            "these counts do not know the names of their queries and documents", remedy="give query_ids and doc_ids"
        )
    return {
        "query_id": pl.Series(query_ids, dtype=pl.String).gather(query[pair]),
        "doc_id": pl.Series(doc_ids, dtype=pl.String).gather(pair),
    }


def check_pairs(pair: I64, query: I64, query_ids: Sequence[str], doc_ids: Sequence[str]) -> None:
    """Every row's pair has a query; names are given for all or for none.

    Raises:
        InputError: they do not.
    """
    if len(pair) and (int(pair.min()) < 0 or int(pair.max()) >= len(query)):
        raise InputError(f"a pair is outside 0 .. {len(query) - 1}", where="pair", remedy="name the query of each")
    if len(query) and int(query.min()) < 0:
        raise InputError("a query is below 0", where="query", remedy="queries are numbered from 0")
    if len(doc_ids) not in (0, len(query)):
        raise InputError(f"{len(doc_ids)} names for {len(query)} pairs", where="doc_ids", remedy="name each pair once")
    if len(query_ids) and len(query) and len(query_ids) <= int(query.max()):
        raise InputError(f"{len(query_ids)} names, but query {int(query.max())} occurs", where="query_ids")


def check_counts(position: I64, counts: Iterable[tuple[str, F64, str, F64]]) -> None:
    """Positions count from 1; of each (name, fewer, name, more) the fewer are neither below 0 nor above the more.

    Raises:
        InputError: names the first cell at fault and counts the others.
    """
    if len(position) and int(position.min()) < 1:
        _refuse(position < 1, "position", position, "positions count from 1", "give --ordinal-base, or add 1")
    for name, fewer, bound, more in counts:
        if len(fewer) != len(position) or len(more) != len(position):
            raise InputError(f"{len(fewer)} values for {len(position)} cells", where=name, remedy="one value a cell")
        wrong = ~((fewer >= 0) & (fewer <= more) & np.isfinite(more))
        if wrong.any():
            _refuse(wrong, name, fewer, f"more {name} than {bound}, or not a count", "count every showing once")


def _refuse(wrong: NDArray[np.bool_], name: str, values: F64 | I64, what: str, remedy: str) -> None:
    first = int(np.flatnonzero(wrong)[0])
    raise InputError(what, where=f"cell {first}, {name} {values[first]:g}", remedy=remedy, count=int(wrong.sum()))
