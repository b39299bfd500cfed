"""Whether the output of a timed run is right; a figure whose output was not read is not a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from bench.measure import RunError


@dataclass(frozen=True, slots=True)
class Answer:
    """How a program writes its values, and how near they must be.

    Args:
        names: what the program calls a measure -> our name; only these are compared.
        layout: "csv" has columns measure, query_id, value; "lines" is `measure query value`, as trec_eval writes.
        lines: how many lines are expected for each query, over all measures.
        each: the largest difference allowed in any query; None compares the means alone.
        mean: the largest difference allowed in a mean.
        undefined: what the program gives for a query without a relevant document: nothing, or zero.
    """

    names: Mapping[str, str]
    layout: Literal["csv", "lines"]
    lines: int
    each: float | None
    mean: float = 5e-5
    undefined: Literal["empty", "zero"] = "empty"


def check_queries(output: Path, answer: Answer, expected: pl.DataFrame, who: str) -> None:
    """Compares the values by query with the expected ones.

    Raises:
        RunError: too many or too few lines, a query missing or unknown, or a value off.
    """
    found = _read(output, answer.layout, who)
    if found.height != answer.lines * expected.height:
        raise RunError(f"{who}: {found.height} values, expected {answer.lines} for each of {expected.height} queries")
    for theirs, ours in answer.names.items():
        values = expected.select("query_id", pl.col(ours).fill_nan(0.0 if answer.undefined == "zero" else None))
        both = values.join(found.filter(pl.col("measure") == theirs), on="query_id", how="full")
        if both.height != expected.height or both["measure"].null_count() or both["query_id"].null_count():
            raise RunError(f"{who}: the queries of {theirs} are not those of the qrels, each once")
        told, right = both["value"].fill_nan(None), both[ours]
        if answer.undefined == "empty" and (told.is_null() != right.is_null()).any():
            raise RunError(f"{who}: {theirs} is undefined for other queries than expected")
        _near(told.mean(), right.mean(), answer.mean, f"{who}: mean of {theirs}")
        if answer.each is not None:
            _near((told - right).abs().max() or 0.0, 0.0, answer.each, f"{who}: largest difference of {theirs}")


def check_means(output: Path, names: Mapping[str, str], expected: pl.DataFrame, who: str) -> None:
    """Compares a table of means (CSV with columns measure and mean) with the expected ones."""
    table = pl.read_csv(output, infer_schema=False)
    if sorted(table["measure"]) != sorted(names):
        raise RunError(f"{who}: the lines are not {', '.join(names)}")
    for theirs, mean in table.select("measure", pl.col("mean").cast(pl.Float64)).iter_rows():
        _near(mean, expected[names[theirs]].fill_nan(None).mean(), 1e-9, f"{who}: mean of {theirs}")


def check_count(output: Path, rows: int, who: str) -> None:
    """Compares one printed number with the rows of the run."""
    said = output.read_text("utf-8").strip()
    if said != str(rows):
        raise RunError(f"{who}: counted {said or 'nothing'}, the run has {rows} rows")


def _near(told: object, right: object, tolerance: float, what: str) -> None:
    if not isinstance(told, float) or not isinstance(right, float) or not abs(told - right) <= tolerance:
        raise RunError(f"{what} is {told}, expected {right} within {tolerance:g}")


def _read(output: Path, layout: str, who: str) -> pl.DataFrame:
    if output.stat().st_size == 0:
        raise RunError(f"{who}: the output is empty")
    if layout == "csv":
        frame = pl.read_csv(output, infer_schema=False, columns=["measure", "query_id", "value"])
    else:
        frame = pl.read_csv(
            output,
            has_header=False,
            separator="\t",
            quote_char=None,
            infer_schema=False,
            new_columns=["measure", "query_id", "value"],
        ).filter(pl.col("query_id") != "all")
    return frame.with_columns(pl.col("measure").str.strip_chars(), pl.col("value").cast(pl.Float64))
