"""Rows that the executors of Spark write themselves, as Parquet files of a folder that this machine sees too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.logs.found_files import part_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def write_parts(rows: DataFrame, folder: str) -> int:
    """Writes rows into a folder that is there and empty; gives their number.

    Raises:
        InputError: what the executors wrote is not in the folder: it is on their own disks.
    """
    import polars as pl
    from pyspark.sql import Observation
    from pyspark.sql.functions import count, lit

    seen = Observation()
    counted = rows.observe(seen, count(lit(1)).alias("n"))
    counted.write.mode("append").option("compression", "zstd").parquet(_address(folder))
    n = int(seen.get.get("n", 0))  # a plan that is known to be empty counts nothing
    for name in os.listdir(folder):
        if name.startswith((".", "_")):  # sums of bytes, and a mark that all went well
            os.unlink(os.path.join(folder, name))
    there = sum(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item() for path in part_files(folder))
    if there != n:
        raise InputError(f"of {n:,} rows that the executors wrote, {there:,} are on a disk that this machine sees",
                         "--out", "name a folder that all of them share, or a file")  # fmt: skip
    return n


def totals(session: SparkSession, folder: str) -> tuple[int, int, int, int, int]:
    """Of cells in a folder: rows, impressions, clicks, distinct queries, and pairs of query and document."""
    sums = session.read.parquet(_address(folder)).selectExpr(
        "count(*)", "sum(impressions)", "sum(clicks)", "count(DISTINCT query_id)", "count(DISTINCT query_id, doc_id)"
    )
    rows, impressions, clicks, queries, pairs = (int(value or 0) for value in sums.collect()[0])
    return rows, impressions, clicks, queries, pairs


def _address(folder: str) -> str:
    path = os.path.abspath(folder).replace(os.sep, "/")
    return f"file://{path if path.startswith('/') else '/' + path}"  # Hadoop does not take %20 for a blank
