"""The door for rows: names, types and values are checked, every complaint has a place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.tables.faults import Place
from assay.tables.plain import check_columns
from assay.tables.rows import Block, Hit, Judgment
from assay.tables.values import shown

if TYPE_CHECKING:
    import polars as pl


def block_of(x: Any, row: type, name: str = "", columns: Mapping[str, str] | None = None) -> Block:
    """Checked rows from anything that holds rows, see `assay.tables.as_table`."""
    name = name or {"Hit": "run", "Judgment": "qrels", "Topic": "topics", "Document": "documents"}.get(
        row.__name__, "rows"
    )
    if isinstance(x, Block):
        found = x.frame if isinstance(x.frame, dict) else None
        name = x.name or name
        if found is not None:
            checked = check_columns(found, row, name, x.place, columns, where=name)
        else:
            checked = _checked_frame(x.polars(), row, name, x.place, columns, where=name)
        return Block(checked.frame, checked.place, name, (*x.facts, *checked.facts), x.empty)
    place = numbered(name)
    if hasattr(x, "__arrow_c_stream__"):
        return _checked_frame(_frame(x), row, name, place, columns, where=name)
    if isinstance(x, Mapping):
        if not x:
            raise InputError("holds no rows", name, "give at least one row")
        if all(isinstance(inner, Mapping) for inner in x.values()):
            return _from_nested(x, row, name)
        if all(_is_sequence(inner) for inner in x.values()):
            held = {str(key): list(inner) for key, inner in x.items()}
            return check_columns(held, row, name, place, columns, where=name)
        if any(isinstance(inner, Mapping) for inner in x.values()):
            odd = next(key for key, inner in x.items() if not isinstance(inner, Mapping))
            raise InputError(f"not every query holds a dict, see {odd!r}", name, "write {query: {document: number}}")
    if isinstance(x, Iterable) and not isinstance(x, (str, bytes, Mapping)):
        return _from_rows(list(x), row, name, columns)
    raise InputError(
        f"cannot read rows from {x!r:.60}",
        name,
        "give a frame, {query: {document: number}}, or a list of rows",
    )


def numbered(name: str) -> Place:
    """Places by row number, from 1: `name, row 17`."""
    return lambda row: f"{name}, row {row + 1}"


def _is_sequence(x: Any) -> bool:
    return hasattr(x, "__len__") and hasattr(x, "__iter__") and not isinstance(x, (str, bytes, Mapping))


def _frame(x: Any) -> pl.DataFrame:
    import polars as pl

    if isinstance(x, pl.DataFrame):
        return x
    return pl.DataFrame(_Stream(x))


def _checked_frame(frame: pl.DataFrame, *rest: Any, **named: Any) -> Block:
    from assay.tables.frames import check_frame  # brings polars, which small files do without

    return check_frame(frame, *rest, **named)


class _Stream:
    """Only the Arrow stream of an object, so that polars takes no detour by the object's kind."""

    def __init__(self, x: Any) -> None:
        self._x = x

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._x.__arrow_c_stream__(requested_schema)


def _from_nested(x: Mapping[Any, Mapping[Any, Any]], row: type, name: str) -> Block:
    if row not in (Hit, Judgment):
        raise InputError(f"a dict of dicts holds a run or qrels, not {row.__name__} rows", name, "give a list of rows")
    queries: list[Any] = []
    docs: list[Any] = []
    numbers: list[Any] = []
    for query, inner in x.items():
        queries += [query] * len(inner)
        docs += inner.keys()
        numbers += inner.values()
    what = "score" if row is Hit else "grade"

    def place(at: int) -> str:
        return f"{name}, query {shown(queries[at])}, document {shown(docs[at])}"

    if not queries:
        raise InputError("holds no rows", name, "give at least one query with a document")
    checked = check_columns({"query_id": queries, "doc_id": docs, what: numbers}, row, name, place, None, where=name)
    return replace(checked, empty=tuple(str(query) for query, inner in x.items() if not inner))


def _from_rows(rows: Sequence[Any], row: type, name: str, columns: Mapping[str, str] | None) -> Block:
    place = numbered(name)
    if not rows:
        raise InputError("holds no rows", name, "give at least one row")
    if all(is_dataclass(one) and isinstance(one, row) for one in rows):
        held = {f.name: [getattr(one, f.name) for one in rows] for f in fields(row)}
        return check_columns(held, row, name, place, columns, where=name)
    if all(isinstance(one, Mapping) for one in rows):
        names = dict.fromkeys(key for one in rows for key in one)
        held = {str(key): [one.get(key) for one in rows] for key in names}
        return check_columns(held, row, name, place, columns, where=name)
    odd = next(at for at, one in enumerate(rows) if not (isinstance(one, (row, Mapping))))
    raise InputError(f"expected a {row.__name__}, found {rows[odd]!r:.60}", place(odd), f"give {row.__name__} rows")
