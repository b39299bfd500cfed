"""Polars frames, as large files and other libraries give them, checked column by column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from assay.errors import SHOWN, NoRowsError
from assay.tables.faults import Faults, Place, need_distinct, need_one_of
from assay.tables.names import KEEPS_MORE, KEY, ONE_OF, PANDAS_INDEX, Column, Match, columns_of, match, require
from assay.tables.rows import Block
from assay.tables.values import DAMAGED, NUMBER, WITH_ZERO, Odd, converted, damage


def check_frame(
    frame: pl.DataFrame,
    row: type,
    name: str,
    place: Place,
    chosen: Mapping[str, str] | None = None,
    where: str = "",
    spreadsheet: bool = False,
) -> Block:
    """A polars frame checked column by column; see `check_columns` for the arguments."""
    names = frame.columns
    matched = match(names, row, name, chosen, where)
    require(names, row, matched, where or name)
    if not frame.height:
        raise NoRowsError("holds no rows", name, "write it anew, or leave it out")
    faults = Faults(place)
    checked: dict[str, pl.Series] = {}
    for column in columns_of(row):
        if column.name in matched.fields:
            series = _frame_column(frame.to_series(matched.fields[column.name]), column, row, faults, spreadsheet)
            if column.required or column.default is not None or series.null_count() < frame.height:
                checked[column.name] = series.alias(column.name)
    key = KEY.get(row)
    if key is not None and checked[key].n_unique() < frame.height:
        need_distinct({key: checked[key].to_list()}, row, faults)
    faults.check()
    need_one_of(checked, row, where or name)
    return Block(_with_more(frame, row, matched, checked), place, name, matched.facts)


def _with_more(frame: pl.DataFrame, row: type, matched: Match, checked: dict[str, pl.Series]) -> pl.DataFrame:
    made = pl.DataFrame(list(checked.values()))
    empty = [c.name for c in columns_of(row) if c.default == "" and c.name not in checked]
    made = made.with_columns(pl.lit("").alias(one) for one in empty)
    if row in KEEPS_MORE:
        for at in matched.rest:
            series = frame.to_series(at)
            if series.name.strip() and not series.name.startswith(PANDAS_INDEX) and series.name not in made.columns:
                made = made.with_columns(series.cast(pl.String, strict=False).replace("", None))
    return made


def _frame_column(series: pl.Series, column: Column, row: type, faults: Faults, spreadsheet: bool) -> pl.Series:
    """The column as the field takes it; rows that it does not take are looked at one by one."""
    kind = series.dtype
    if kind in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    fine = None if spreadsheet else _all_fine(series, column)
    if fine is not None:
        return fine
    if column.kind == "fields":
        clean, bad = _as_fields(series, column)
    elif column.kind in ("id", "text"):
        clean, bad = _as_text(series, column)
    else:
        clean, bad = _as_number(series, column)
    absent = series.is_null() if series.dtype != pl.String else series.is_null() | (series == "")
    is_needed = column.required or (column.name in ONE_OF.get(row, ()) and not absent.all())
    bad = bad | absent if is_needed else bad & ~absent
    if spreadsheet and column.kind == "id" and clean.str.contains(f"^(?:{DAMAGED}|{WITH_ZERO})$").any():
        broken = damage(set(clean.drop_nulls().to_list()), column.name)
        for at in clean.is_in(list(broken)).arg_true().to_list():
            faults.add(at, broken[clean[at]])
    rows = bad.fill_null(True).arg_true()
    for at in rows.head(SHOWN).to_list():
        faults.add(at, _reason(series[at], column))
    faults.count += max(0, len(rows) - SHOWN)
    if column.default is not None and not column.required:
        clean = clean.fill_null(column.default)
    return clean


def _all_fine(series: pl.Series, column: Column) -> pl.Series | None:
    """The column where every row is as it should be, which few looks tell; None where rows must be looked at."""
    if series.null_count() or not len(series):
        return None
    if column.kind in ("id", "text") and series.dtype == pl.String:
        if column.name == "query_id" and _is_clean(series):
            return series
        clean = series.str.strip_chars()
        shortest = clean.str.len_bytes().min()
        return clean if isinstance(shortest, int) and shortest > 0 else None
    if column.kind == "number" and series.dtype == pl.Float64 and column.low is None:
        return series if series.is_finite().all() else None
    return None


def _is_clean(queries: pl.Series) -> bool:
    """Whether no query is empty or has blanks around it: one look for each stretch of rows, where these are long."""
    if (queries[0] != queries[min(7, len(queries) - 1)]) or queries[-1] != queries[-min(8, len(queries))]:
        return False  # short stretches: all rows are looked at
    heads = queries.rle().struct.field("value")
    clean = heads.str.strip_chars()
    return bool((heads == clean).all()) and not (clean == "").any()


def _reason(value: Any, column: Column) -> Odd:
    missing = Odd(f"{column.name} is missing", f"give every row a {column.name}, or leave the row out")
    if value is None:
        return missing
    if isinstance(value, pl.Series):
        value = value.to_list()
    try:
        return missing if converted(value, column) in (None, "") else _unlike(value, column)
    except Odd as odd:
        return odd


def _unlike(value: Any, column: Column) -> Odd:
    return Odd(
        f"{column.name} {value} is of the type {type(value).__name__}", f"write the {column.name} as {_noun(column)}"
    )


def _noun(column: Column) -> str:
    nouns = {"id": "text", "text": "text", "number": "numbers", "whole": "whole numbers", "fields": "JSON objects"}
    return nouns[column.kind]


def _as_fields(series: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    """JSON objects as text, one row after the other: they are few and small beside the texts."""

    def one(value: Any) -> str | None:
        try:
            found = converted(value.to_list() if isinstance(value, pl.Series) else value, column)
        except Odd:
            return None
        return None if found is None else str(found)

    clean = pl.Series(series.name, [one(value) for value in series.to_list()], pl.String)
    return clean, clean.is_null()


def _as_text(series: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    if series.dtype == pl.String:
        clean = series.str.strip_chars()
        return clean, (clean == "").fill_null(False)
    fine = (
        series.dtype.is_integer()
        or series.dtype in (pl.Binary, pl.Null)
        or (column.kind == "text" and _is_flat(series))
    )
    if not fine:
        clean = pl.Series(series.name, [None] * len(series), pl.String)
    elif series.dtype == pl.Binary:
        clean = pl.Series(series.name, [_utf8(value) for value in series.to_list()], pl.String)
    else:
        clean = series.cast(pl.String, strict=False)
    return clean, clean.is_null()


def _utf8(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _is_flat(series: pl.Series) -> bool:
    return not series.dtype.is_nested() and not series.dtype.is_object()


def _as_number(series: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    wanted = pl.Float64 if column.kind == "number" else pl.Int64
    if series.dtype == pl.String:
        text = series.str.strip_chars()
        series = pl.select(pl.when(text.str.contains(f"^(?:{NUMBER.pattern})$")).then(text)).to_series()
    elif not (series.dtype.is_numeric() or series.dtype == pl.Null):
        nothing = pl.Series(series.name, [None] * len(series), wanted)
        return nothing, nothing.is_null()
    values = series.cast(pl.Float64, strict=False)
    bad = values.is_null() | ~values.is_finite().fill_null(False)
    if column.low is not None:
        bad = bad | (values < column.low).fill_null(False)
    if column.kind == "whole":
        bad = bad | ((values != values.floor()) | (values.abs() >= 2.0**63)).fill_null(False)
        values = values.cast(pl.Int64, strict=False)
    return values, bad
