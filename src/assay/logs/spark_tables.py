"""Parquet in Spark: files as they lie, and the files of a table in a lake."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files import spelled
from assay.files.addresses import LOG, METADATA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay.files.lake import DataFiles
    from assay.logs.found_files import LogFiles


def parquet(session: SparkSession, files: LogFiles) -> DataFrame:
    """The rows of Parquet files, or of a table.

    Raises:
        InputError: an address is a table and was not called one, or the files of a table alone do not say its rows.
    """
    if not files.is_table:
        for path in files.paths:
            check_no_table(session, path)
        return session.read.option("mergeSchema", "true").parquet(*files.paths)
    from pyspark.sql.pandas.types import from_arrow_schema

    from assay.files.lake import data_files

    held = data_files(files.paths[0])
    schema = from_arrow_schema(held.schema)
    if not held.paths:
        return session.createDataFrame([], schema)
    read = session.read.options(**held.options).schema(schema)
    if held.root:
        return read.option("basePath", held.root).parquet(*held.paths)
    return read.parquet(*held.paths) if held.partitions is None else _by_partition(session, held, schema)


def _by_partition(session: SparkSession, held: DataFiles, schema: Any) -> DataFrame:
    """The rows of files of which some columns are known from the table's log alone."""
    from functools import reduce

    from pyspark.sql.functions import lit

    from assay.files.lake import by_values

    bare = type(schema)([field for field in schema.fields if field.name not in held.folders])
    frames = []
    for known, paths in by_values(held.paths, held.partitions or ()).items():
        values = dict(known)
        frame = session.read.schema(bare).parquet(*paths)
        columns = [lit(values.get(one.name)).cast(one.dataType).alias(one.name)
                   if one.name in held.folders else frame[one.name] for one in schema.fields]  # fmt: skip
        frames.append(frame.select(*columns))
    return reduce(lambda first, second: first.unionByName(second), frames)


def check_no_table(session: SparkSession, address: str) -> None:
    """Refuses a place that Spark would read as a folder of Parquet, with the rows that a table no longer has.

    Args:
        session: of Spark, which can look at the address.
        address: of an object store; paths and patterns are let through.

    Raises:
        InputError: a table lies there.
    """
    if "://" not in address or any(sign in address for sign in "*?[{"):
        return
    jvm: Any = session.sparkContext._jvm
    kinds = {"delta": LOG, "iceberg": f"{METADATA}/*.metadata.json"}
    for kind, inside in kinds.items():
        found = None
        with contextlib.suppress(Exception):  # the reader says what is wrong with the address
            path = jvm.org.apache.hadoop.fs.Path(f"{address.rstrip('/')}/{inside}")
            system = path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())
            found = system.globStatus(path)
        if found:
            raise InputError(f"is a table ({kind.capitalize()}), whose files are not all its rows", spelled(address),
                             f"name the table: {kind}:{address}")  # fmt: skip
