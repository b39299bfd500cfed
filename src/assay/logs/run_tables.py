"""Run tables in Spark: the rows of Parquet files, each query's together, given to a function as Arrow batches."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from assay.errors import EngineError, InputError, first_line
from assay.files import spelled
from assay.files.addresses import checked
from assay.files.lake import by_values
from assay.logs.addressed import not_of_tables
from assay.logs.found_files import kind_of
from assay.logs.session import Session, gave_up, quiet
from assay.logs.spark_tables import check_no_table

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame

QUERY = "query_id"

BLANKS = "".join(chr(one) for one in (*range(9, 14), 32, 133, 160, 5760, *range(8192, 8203), 8232, 8233, 8239, 8287,
                                      12288))  # fmt: skip
"""What is taken off both ends of an id: white space as Unicode has it."""

_BATCH = "65536"
"""Rows of an Arrow batch: 10,000, as Spark has it, costs a third more."""

_SHOWN_ROWS = 100_000
"""Rows of one query that are looked at to say what is wrong with it."""

_RAISED = re.compile(r"(?!org\.|java\.)[\w.]+: ")
"""The last line of what Python tells of an error."""

SETTINGS = {
    "spark__sql__sources__partitionColumnTypeInference__enabled": "false",  # the folder query_id=007 is no number
    "spark__sql__legacy__parquet__nanosAsLong": "true",  # times as pandas writes them: no field of a run
    "spark__sql__execution__arrow__maxRecordsPerBatch": _BATCH,
}


@dataclass(frozen=True, slots=True)
class RunFiles:
    """What a run table is: Parquet files.

    Args:
        name: what it is called in messages.
        paths: the files, one at least; addresses of an object store may be folders.
        base: the folder below which folders called name=value are columns; empty when there are none.
        partitions: what is in no file: column to value, one a path; None where files hold all columns.
        schema: of a table in a lake, as Arrow; files say it themselves when None.
        options: for the reader of Spark.
        is_ordered: whether the order of the files and of their rows means something.
        passed_over: how many other files lie beside them.
    """

    name: str
    paths: tuple[str, ...]
    base: str = ""
    partitions: tuple[Mapping[str, str], ...] | None = None
    schema: pa.Schema | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    is_ordered: bool = True
    passed_over: int = 0

    @property
    def is_one(self) -> bool:
        """Whether it is one file, as far as can be known here."""
        return len(self.paths) == 1 and "://" not in self.paths[0]


def run_files(source: str) -> RunFiles:
    """The Parquet files of a run table.

    Args:
        source: a file, a folder (its files at any depth, but hidden ones), a glob, or an address that Spark reads.

    Raises:
        InputError: there is no such file, or it is no Parquet.
    """
    name = spelled(source)
    if "://" in source:
        return RunFiles(checked(source), (source,))
    if os.path.isfile(source):
        not_of_tables([source])
        return RunFiles(name, (_parquet(source),))
    found = [source] if os.path.isdir(source) else sorted(glob.glob(source, recursive=True))
    files = sorted({path for one in found for path in ([one] if os.path.isfile(one) else _inside(one))})
    if not files:
        is_there = "holds no file" if found else "there is no such run"
        raise InputError(is_there, name, "name a Parquet file, a folder of them, or a glob in quotes")
    not_of_tables(files)
    kept = tuple(os.path.abspath(path) for path in files if kind_of(path) == "parquet")
    if not kept:
        raise InputError("holds no .parquet file", name, "name the folder of the run: Spark reads Parquet")
    return RunFiles(name, kept, base=os.path.abspath(_base(source)), passed_over=len(files) - len(kept))


def _parquet(path: str) -> str:
    """The path of a file that begins as Parquet does."""
    with open(path, "rb") as file:
        if file.read(4) != b"PAR1":
            raise InputError("is no Parquet file", spelled(path),
                             "write it as Parquet (assay convert), or leave out --on spark")  # fmt: skip
    return os.path.abspath(path)


def _base(source: str) -> str:
    """The folder of a run; of a glob what stands before its first sign."""
    steps = source.split(os.sep)
    first = next((at for at, step in enumerate(steps) if glob.has_magic(step)), len(steps))
    return os.sep.join(steps[:first]) or (os.sep if source.startswith(os.sep) else ".")


def _inside(folder: str) -> Iterator[str]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        yield from (os.path.join(here, name) for name in names if not name.startswith((".", "_")))


class RunTables:
    """Reads run tables in Spark.

    Args:
        master: the address of the cluster; this machine's cores when None.
    """

    def __init__(self, master: str | None = None) -> None:
        self._session = Session(master)

    def close(self) -> None:
        """Ends the session, unless somebody else had begun it."""
        self._session.close()

    def shipped(self, value: Any) -> Any:
        """A value that every executor gets once; `.value` there."""
        return self._session.spark.sparkContext.broadcast(value)

    def open(self, files: RunFiles) -> RunTable:
        """A run table, of which the columns are known and no row is read."""
        return RunTable(self._session, files)


class RunTable:
    """The rows of one run.

    Args:
        session: of Spark.
        files: the run.
    """

    def __init__(self, session: Session, files: RunFiles) -> None:
        self._session, self.files = session, files
        if files.schema is None:
            for path in files.paths:
                check_no_table(session.spark, path)
        with session.but(**SETTINGS):
            self._frame: DataFrame = self._asked(self._read)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, those that folders name last."""
        return [name for name in self._frame.columns if name != "_metadata"]

    def by_query(
        self, fields: Mapping[str, str], in_order: bool, function: Callable[[Iterator[Any]], Iterator[Any]], schema: str
    ) -> pa.Table:
        """What a function makes of the rows, each query's rows together.

        Args:
            fields: field to column.
            in_order: whether a query's rows come in the order of the files, by name, and of the rows in them.
            function: takes Arrow batches whose columns are the fields, sorted by query; runs where the rows are.
            schema: of what it yields, as Spark spells it.

        Raises:
            InputError: a file cannot be read as a run.
            EngineError: Spark gave up.
            MissingExtra: a part that Spark asks for is not installed.
        """
        order = (["_row"] if self.files.is_one else ["_file", "_row"]) if in_order else []
        rows = self._chosen(fields, order).repartition(QUERY).sortWithinPartitions(QUERY, *order).select(*fields)
        with self._session.but(**SETTINGS), quiet():
            try:
                made = rows.mapInArrow(function, schema)
            except ImportError as missing:  # Spark asks for it and then does without
                from assay.errors import MissingExtra

                raise MissingExtra("pandas", "spark", "--on spark") from missing
            return self._asked(made.toArrow)

    def of_query(self, fields: Mapping[str, str], query: Any) -> tuple[pl.DataFrame, list[str]]:
        """Some rows of one query, as the files have them, and the place of each, as `file, row 7`, from 1."""
        chosen = self._chosen(fields, ["_file", "_row"])
        return self._placed(chosen.where(chosen[QUERY].eqNullSafe(query)).orderBy("_file", "_row").limit(_SHOWN_ROWS))

    def without(self, fields: Mapping[str, str], lacked: str, most: int = 3) -> tuple[pl.DataFrame, list[str], int]:
        """Some rows that lack a field and one that has it, the place of each, and how many lack it."""
        chosen = self._chosen(fields, ["_file", "_row"])
        lacks = chosen.where(chosen[lacked].isNull())
        some = lacks.orderBy("_file", "_row").limit(most).union(chosen.where(chosen[lacked].isNotNull()).limit(1))
        return *self._placed(some), int(self._asked(lacks.count))

    def _read(self) -> DataFrame:
        files = self.files
        if files.partitions is None:
            return self._parquet(files.paths)
        frames = []
        for named, paths in by_values(files.paths, files.partitions).items():
            constant = [f"{_literal(value)} AS {_quoted(column)}" for column, value in named]
            held = self._parquet(paths)
            rest = [_quoted(column) for column in held.columns if column not in dict(named)]
            frames.append(held.selectExpr(*rest, *constant, "_metadata"))
        return reduce(lambda first, second: first.unionByName(second, allowMissingColumns=True), frames)

    def _parquet(self, paths: Sequence[str]) -> DataFrame:
        files = self.files
        read = self._session.spark.read.options(**files.options)
        if files.base:
            read = read.option("basePath", files.base)
        if files.schema is None:
            return read.option("mergeSchema", "true").parquet(*paths)
        from pyspark.sql.pandas.types import from_arrow_schema

        return read.schema(from_arrow_schema(files.schema)).parquet(*paths)

    def _chosen(self, fields: Mapping[str, str], order: Sequence[str]) -> DataFrame:
        """The fields, and where each row stands, in the columns `_file` and `_row`."""
        kinds = {one.name: one.dataType.simpleString() for one in self._frame.schema.fields}
        held = [f"{_as_read(name, column, kinds[column])} AS {name}" for name, column in fields.items()]
        placed = {"_file": "_metadata.file_path AS _file", "_row": "_metadata.row_index AS _row"}
        return self._frame.selectExpr(*held, *(placed[one] for one in order))

    def _placed(self, rows: DataFrame) -> tuple[pl.DataFrame, list[str]]:
        import polars as pl

        with self._session.but(**SETTINGS):
            frame = pl.DataFrame(pl.from_arrow(self._asked(rows.toArrow)))
        places = [f"{self._spelled(file)}, row {row + 1}" for file, row in frame.select("_file", "_row").iter_rows()]
        return frame.drop("_file", "_row"), places

    def _spelled(self, address: str) -> str:
        """A file as it was typed, where one was; else its path."""
        if self.files.is_one:
            return self.files.name
        return spelled(unquote(address.removeprefix("file://").removeprefix("file:")))

    def _asked(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except self._session.fault as error:
            raise _told(error, self.files) from error


def _told(error: BaseException, files: RunFiles) -> InputError | EngineError:
    """What Spark says, as far as it can be understood."""
    said = str(error)
    lines = [line.strip() for line in said.strip().splitlines()] or [first_line(error)]
    first = next((line for line in lines if "[" in line or not line.startswith("An e")), lines[0])
    first = first.removeprefix(": ")  # as py4j tells it
    why = ""
    if first.startswith("Traceback"):
        first = why = next((line for line in reversed(lines) if _RAISED.match(line)), first)
    if "No module named 'assay'" in said:
        return EngineError("the executors of Spark have no assay\n    mend: install it where they run, or let "
                           "PYSPARK_PYTHON name a Python that has it")  # fmt: skip
    path = next((path for path in files.paths if path in unquote(said)), None)
    if path is not None or first.startswith(("[PATH_NOT_FOUND]", "[UNABLE_TO_INFER_SCHEMA]", "[CANNOT_MERGE_SCHEMA")):
        return InputError("cannot be read as a run", spelled(path or files.name),
                          "name Parquet files with the columns query_id, doc_id and score", line=first)  # fmt: skip
    return gave_up(error, why)


def _as_read(name: str, column: str, kind: str) -> str:
    """A field as it is sent on: ids that are the same id are the same text, and so in one place."""
    held = _quoted(column)
    if name in (QUERY, "doc_id") and kind == "decimal(20,0)":  # whole numbers without sign, of 64 bits
        return f"CAST({held} AS STRING)"
    if name == QUERY and kind in ("tinyint", "smallint", "int", "bigint"):
        return f"CAST({held} AS STRING)"
    return f"BTRIM({held}, {_literal(BLANKS)})" if name == QUERY and kind == "string" else held


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
