"""CSV and TSV in Spark, line by line: what cannot be taken apart is counted, and not filled up or cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from assay.errors import InputError
from assay.files import spelled
from assay.logs.delimited import (
    GOES_ON,
    NOT_UTF8,
    OPEN,
    RAGGED,
    SEPARATORS,
    Unread,
    first_unread,
    left_open,
    well_formed,
)
from assay.logs.delimited import names_of as header_names
from assay.logs.found_files import LogFiles

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

FILE = "assay_file"
"""The column that says in which file a row stands."""


def delimited(session: SparkSession, files: LogFiles) -> tuple[DataFrame, dict[str, Unread]]:
    """The rows of CSV or TSV, with `FILE`, and what is left out, by reason.

    Lines are read as bytes first, since Spark's own reader of CSV fills up lines that are short, cuts those that are
    long, and writes another sign for what is not UTF-8, all without a word. They are looked through once.

    Raises:
        InputError: a value in quotes goes over the end of a line, which only a reader of whole files could follow.
    """
    from pyspark.sql import functions as sql

    separator = SEPARATORS[files.kind]
    lines = _lines(session, files)
    names = _names(session, files)
    wide = ", ".join(f"c{place} STRING" for place in range(len(names)))
    options = {"sep": separator, "escape": '"', "mode": "PERMISSIVE", "columnNameOfCorruptRecord": "ragged"}
    told = lines.select(FILE, "line", sql.from_csv("line", sql.lit(f"{wide}, ragged STRING"), options).alias("row"))
    told = told.withColumn("why", _why(separator))
    unread = _counted(told.where("why IS NOT NULL").groupBy(FILE, "why").count().collect(), files, len(names))
    columns = [sql.col(f"row.c{place}").alias(name) for place, name in enumerate(names)]
    return told.where("why IS NULL").select(*columns, sql.col(FILE)), unread


def _lines(session: SparkSession, files: LogFiles) -> DataFrame:
    """Each line below the header: a reader of CSV that parts nothing leaves out the first line of each file."""
    whole = {"header": "true", "sep": "\u0001", "quote": "", "encoding": "ISO-8859-1"}  # a sign a byte, none lost
    read = session.read.options(**whole).schema("line STRING").csv(list(files.paths))
    return read.selectExpr(f"_metadata.file_path AS {FILE}", "CAST(ENCODE(line, 'ISO-8859-1') AS STRING) AS line")


def _names(session: SparkSession, files: LogFiles) -> list[str]:
    if not any("://" in path for path in files.paths):
        return header_names(files)
    read = session.read.options(header="true", sep=SEPARATORS[files.kind])
    return list(read.csv(files.paths[0]).columns)


def _why(separator: str) -> Column:
    from pyspark.sql import functions as sql

    line = sql.col("line")
    has_quote = line.contains('"')
    return (
        sql.when(~sql.is_valid_utf8(line), NOT_UTF8)
        .when(has_quote & line.rlike(left_open(separator)), GOES_ON)
        .when(has_quote & ~line.rlike(well_formed(separator)), OPEN)
        .when(sql.col("row.ragged").isNotNull(), RAGGED)
    )


def _counted(rows: list[Any], files: LogFiles, width: int) -> dict[str, Unread]:
    """What was left out, by reason, with its places: the lines are looked up in files that lie on this machine."""
    found: dict[str, Unread] = {}
    here: dict[str, None] = {}
    for file, why, n in sorted(tuple(row) for row in rows):
        path = unquote(urlsplit(file).path) if file.startswith("file:") else file
        found[why] = found.get(why, Unread()) + Unread(n, (spelled(path),))
        if "://" not in path:
            here[path] = None
    if here:
        wanted = {why: one.n for why, one in found.items()}
        for why, places in first_unread(LogFiles(files.kind, tuple(here)), width, wanted).items():
            found[why] = Unread(wanted[why], places)
    if GOES_ON in found:
        raise InputError(f"{GOES_ON}, where Spark cannot follow it, or whose quote does not close",
                         found[GOES_ON].places[0], "write Parquet or JSON lines, or leave out --on spark")  # fmt: skip
    return found
