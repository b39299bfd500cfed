"""Spark: the same named queries where the log lies, translated from DuckDB's dialect by sqlglot.

The functions that the queries may use are few (see `ALLOWED`), because some that both engines have mean different
things in each; every query is tested to give the same rows on both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, MissingExtra, first_line
from assay.files import name_of, spelled
from assay.logs import spark_lists
from assay.logs.delimited import SEPARATORS, Unread, no_lists
from assay.logs.found_files import LogFiles, json_paths
from assay.logs.mapping import DIGITS, FIRST, NAMES_ZONE, Source, literal, quoted, select, union, union_of_others
from assay.logs.named import BESIDE, composed, parameters
from assay.logs.places import PLACE, by_reason, numbered, placeable
from assay.logs.session import Session, cause, gave_up
from assay.logs.spark_pairs import kept_pairs
from assay.logs.spark_parts import totals, write_parts
from assay.logs.spark_tables import parquet
from assay.logs.structs import no_list_of_ids
from assay.logs.wide import is_wide, long

if TYPE_CHECKING:
    import polars as pl
    from pyspark.sql import DataFrame

ALLOWED = frozenset({"Case", "Cast", "Coalesce", "Count", "Floor", "If", "Lead", "MD5", "Max", "Min", "RowNumber",
                     "Sum", "And", "Or"})  # fmt: skip
"""What the queries may call, by sqlglot's names."""

HALF = "[\\\\]u[dD][89a-fA-F]"
WHOLE = (
    "^(?:[^\\\\]++|[\\\\][^u]|[\\\\]u(?![dD][89a-fA-F])[0-9a-fA-F]{4}"
    "|[\\\\]u[dD][89abAB][0-9a-fA-F]{2}[\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})*+$"
)
"""Lines of JSON that may hold half a sign (`\\ud800`), which is no text, and those whose halves all stand in pairs."""

TYPES = {"bigint": "BIGINT", "int": "INTEGER", "smallint": "SMALLINT", "tinyint": "TINYINT", "double": "DOUBLE",
         "float": "FLOAT", "boolean": "BOOLEAN", "timestamp": "TIMESTAMP WITH TIME ZONE",
         "timestamp_ntz": "TIMESTAMP", "date": "DATE", "string": "VARCHAR"}  # fmt: skip
"""Spark's words for types as DuckDB's."""


class Spark:
    """Runs named queries over a log in Spark; see `Engine`.

    Args:
        master: the address of the cluster; this machine's cores when None.
    """

    name = "spark"
    reads_stores = True
    writes_parts = False

    def __init__(self, master: str | None = None) -> None:
        try:
            import sqlglot  # noqa: F401
        except ImportError:
            raise MissingExtra("sqlglot", "spark", "--on spark") from None
        self._held = Session(master)
        self._session, self._fault = self._held.spark, self._held.fault
        self.writes_parts = str(self._session.sparkContext.master).startswith("local")
        self._session.conf.set("spark.sql.session.timeZone", "UTC")
        self._sources: tuple[Source, ...] = ()
        self._instead: dict[str, str] = {}
        self._views: dict[tuple[LogFiles, bool], str] = {}
        self._lists: dict[tuple[LogFiles, bool, str, str | None], str] = {}
        self._steps: dict[str, Sequence[str]] = {}
        self._pairs: list[DataFrame] = []  # that executors hold
        self._is_placed = False  # whether relations say where their rows stand
        self._unread: dict[LogFiles, dict[str, Unread]] = {}
        self._session.conf.set("spark.sql.optimizer.enableCsvExpressionOptimization", "false")  # whole lines are told
        for name, columns in BESIDE.items():
            self.lay(name, columns, [])

    def close(self) -> None:
        """Ends the session, unless somebody else had begun it."""
        with suppress(*self._fault):  # where Spark has ended, nothing is held
            for pairs in self._pairs:
                pairs.unpersist()
        self._held.close()

    def spool(self, source: str) -> str:
        """Refuses a log that can be read once: executors read files."""
        raise InputError(
            "Spark reads files, and no pipe", name_of(source), "write it to a file, or leave out --on spark"
        )

    def columns(self, files: LogFiles) -> dict[str, str]:
        """The dotted paths that files have, with the type of each in DuckDB's words; JSON has no types."""
        if files.kind == "json" and not any("://" in path for path in files.paths):
            steps = json_paths(files.paths)
            self._steps.update(steps)
            return dict.fromkeys(steps, "")
        if files.kind == "json":
            sample = self._read(lambda: self._session.read.json(list(files.paths)), files)
            return dict.fromkeys((name for name, _ in _flat(sample.schema.fields)), "")
        frame = self._session.table(self._view(files))
        return {name: TYPES.get(type_, type_) for name, type_ in _flat(frame.schema.fields)}

    def sample(self, files: LogFiles, path: str, most: int = 100) -> list[str]:
        """Some values of one column, as text, without nulls."""
        value = self.text(path, files)
        query = (
            f"SELECT {value} AS v FROM {self.relation(Source(files, {}, {}))} AS source "
            f"WHERE NULLIF({value}, '') IS NOT NULL LIMIT {most}"
        )
        return [str(row) for row in self._rows(_spark(query), {})["v"]]

    def least(self, source: Source) -> dict[str, int]:
        """The smallest position of each application, as it stands in the files; see `FIRST`."""
        bare = select(replace(source, bases={"": 1}), self)
        query = (
            f"SELECT COALESCE(app, '') AS app, {FIRST} AS least FROM ({bare}) AS log "
            "WHERE kind = 'impression' GROUP BY COALESCE(app, '')"
        )
        rows = self._rows(_spark(query), {})
        return {app: int(least) for app, least in rows.iter_rows() if least is not None}

    def attach(self, sources: Sequence[Source], instead: Mapping[str, str] | None = None) -> None:
        """Lays `log`, the rows of all sources."""
        self._sources, self._instead = tuple(sources), dict(instead or {})
        zones = {source.zone for source in sources if source.zone is not None}
        self._session.conf.set("spark.sql.session.timeZone", next(iter(zones), "UTC"))
        rows = self._read(lambda: self._session.sql(_spark(union(sources, self))))
        for view in ("log", "all_rows"):
            rows.createOrReplaceTempView(view)
        self._view_of("others", union_of_others(sources, self))

    def lay(self, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]] | pl.DataFrame) -> None:
        """A relation beside the log: column to SQL type, and its rows."""
        import polars as pl
        import pyarrow as pa

        known = {"VARCHAR": pa.string(), "BIGINT": pa.int64(), "DOUBLE": pa.float64()}
        if isinstance(rows, pl.DataFrame):
            values = {column: rows[column].to_list() for column in columns}
        else:
            values = {column: [row[place] for row in rows] for place, column in enumerate(columns)}
        table = pa.table({column: pa.array(values[column], known[type_]) for column, type_ in columns.items()})
        self._read(lambda: self._session.createDataFrame(table)).createOrReplaceTempView(name)

    def lay_pairs(self, name: str, of: str, keep: Callable[[str, str], bool], **values: Any) -> None:
        """A relation beside the log: see `Engine`."""
        statement = composed(of, self._instead)
        bound = {one: values[one] for one in parameters(statement)}
        pairs = self._read(lambda: kept_pairs(self._session.sql(_spark(statement), args=bound), keep))
        pairs.createOrReplaceTempView(name)
        self._pairs.append(pairs)

    def run(self, name: str, **values: Any) -> pl.DataFrame:
        """The rows of a named query.

        Raises:
            InputError: a file is broken.
            EngineError: the engine gave up.
        """
        statement = composed(name, self._instead)
        return self._rows(_spark(statement), {one: values[one] for one in parameters(statement)})

    def write(self, name: str, path: str, **values: Any) -> int:
        """Writes the rows of a named query to a Parquet file, which takes them through the driver, or into a folder."""
        if os.path.isdir(path):
            statement = composed(name, self._instead)
            bound = {one: values[one] for one in parameters(statement)}
            return int(self._read(lambda: write_parts(self._session.sql(_spark(statement), args=bound), path)))
        frame = self.run(name, **values)
        frame.write_parquet(path)
        return frame.height

    def totals(self, path: str) -> tuple[int, int, int, int, int]:
        """Of cells that were written; see `Engine`."""
        found: tuple[int, int, int, int, int] = self._read(lambda: totals(self._session, path))
        return found

    def rejected(self) -> dict[str, Unread]:
        """Lines of CSV that could not be taken apart, by reason."""
        found: dict[str, Unread] = {}
        for files in dict.fromkeys(source.files for source in self._sources):
            for why, one in self._unread.get(files, {}).items():
                found[why] = found.get(why, Unread()) + one
        return found

    def refused_places(self, **values: Any) -> dict[str, tuple[str, ...]]:
        """Where the first rows stand that are refused, by reason: rows of Parquet, else files."""
        sources = placeable(self._sources)
        if not sources:
            return {}
        self._is_placed = True
        try:
            self._view_of("log", union(sources, self, PLACE))
            self._view_of("others", union_of_others(sources, self, PLACE))
            return by_reason(self.run("refused_places", **values), sources)
        finally:
            self._is_placed = False
            self.attach(self._sources, self._instead)

    # How Spark spells what differs between engines, in DuckDB's dialect where sqlglot translates it.

    def value(self, path: str, files: LogFiles) -> str:
        """The value at a dotted path, as it is stored."""
        if files.kind == "json":
            return f"GET_JSON_OBJECT(line, {literal(self._json(path))})"
        return ".".join(quoted(step) for step in path.split(".")) if files.kind == "parquet" else quoted(path)

    def text(self, path: str, files: LogFiles) -> str:
        """The value at a dotted path as text."""
        return f"CAST({self.value(path, files)} AS VARCHAR)"

    def micros(self, text: str, zone: str | None) -> str:
        """Microseconds since 1970 of a time that is text; the zone of the session is that of text without one."""
        numbers = " ".join(
            f"WHEN RLIKE({text}, '^[0-9]{{{digits}}}([.][0-9]+)?$') "
            f"THEN CAST(TRY_CAST({text} AS DOUBLE) * {unit} AS BIGINT)"
            for digits, unit in DIGITS.items()
        )
        zoned = f"UNIX_MICROS(TRY_CAST({text} AS TIMESTAMPTZ))"
        if zone is None:
            return f"CASE {numbers} WHEN RLIKE({text}, '{NAMES_ZONE}') AND {text} LIKE '%:%' THEN {zoned} END"
        return f"CASE {numbers} ELSE {zoned} END"

    def instant(self, value: str, zone: str | None) -> str:
        """Microseconds since 1970 of a time stamp; one without a zone is in that of the session."""
        return f"UNIX_MICROS(CAST({value} AS TIMESTAMPTZ))"

    def length(self, path: str, files: LogFiles) -> str:
        """How many elements the list at a path has; null when it is no list."""
        if files.kind == "json":
            return f"JSON_ARRAY_LENGTH(GET_JSON_OBJECT(line, {literal(self._json(path))}))"
        return "CAST(NULL AS BIGINT)"

    def relation(self, source: Source) -> str:
        """The rows of the files, with one row an element where lists are given."""
        view = self._view(source.files)
        if source.files.kind == "json":
            is_text = (
                f"(IS_VALID_UTF8(value) AND (NOT RLIKE(value, {literal(HALF)}) OR RLIKE(value, {literal(WHOLE)})))"
            )
            is_object = f"({is_text} AND GET_JSON_OBJECT(value, '$') LIKE '{{%')"
            is_action = " OR ".join(
                f"GET_JSON_OBJECT(value, '$.{one}._index') IS NOT NULL" for one in ("index", "create")
            )
            view = (
                f"(SELECT CASE WHEN {is_object} THEN value END AS line, "
                f"NOT COALESCE({is_object}, FALSE) AS line_is_bad{f', {PLACE}' if self._is_placed else ''} FROM {view} "
                f"WHERE TRIM(value) <> '' AND NOT ({is_action}))"
            )
        if is_wide(source.paths):
            return long(source, self, view)
        if "docs" not in source.paths:
            return view
        return self._listed(source, view)

    def _listed(self, source: Source, view: str) -> str:
        """The view of the elements of lists: sqlglot does not write how Spark takes lists apart."""
        docs = self._list(source.paths["docs"], source)
        clicks = self._list(source.paths["clicks"], source) if "clicks" in source.paths else None
        key = (source.files, self._is_placed, docs, clicks)
        if key not in self._lists:
            name = f"lists_{len(self._lists)}"
            self._view_of(f"{name}_read", f"SELECT * FROM {view}")
            rows = self._read(lambda: self._session.sql(spark_lists.long(f"{name}_read", docs, clicks)), source.files)
            rows.createOrReplaceTempView(name)
            self._lists[key] = name
        return self._lists[key]

    def _list(self, path: str, source: Source) -> str:
        if source.files.kind == "json":
            return spark_lists.of_json(self._steps.get(path, path.split(".")))
        if source.files.kind == "parquet":
            if fault := no_list_of_ids(path, source.types[path], source.files):
                raise fault
            return spark_lists.of_parquet(path)
        raise no_lists(source.files, path)

    def _json(self, path: str) -> str:
        return "$" + "".join(f"['{step}']" for step in self._steps.get(path, path.split(".")))

    def _view_of(self, name: str, statement: str) -> None:
        self._read(lambda: self._session.sql(_spark(statement))).createOrReplaceTempView(name)

    def _view(self, files: LogFiles) -> str:
        if (files, self._is_placed) not in self._views:
            name = f"files_{len(self._views)}"
            self._read(lambda: self._frame(files), files).createOrReplaceTempView(name)
            self._views[files, self._is_placed] = name
        return self._views[files, self._is_placed]

    def _frame(self, files: LogFiles) -> DataFrame:
        """The rows of files, with their places where these are asked for: of a text the file alone is known."""
        if files.kind in SEPARATORS:
            from assay.logs.spark_lines import FILE, delimited

            rows, self._unread[files] = delimited(self._session, files)
            return rows.selectExpr("*", f"{FILE} || ':' AS {PLACE}").drop(FILE) if self._is_placed else rows.drop(FILE)
        if files.kind == "json":
            lines = self._session.read.text(list(files.paths))
            return lines.selectExpr("value", f"_metadata.file_path || ':' AS {PLACE}") if self._is_placed else lines
        rows = parquet(self._session, files)
        place = numbered("_metadata.file_path", "_metadata.row_index + 1")
        return rows.selectExpr("*", place) if self._is_placed else rows

    def _rows(self, statement: str, values: Mapping[str, Any]) -> pl.DataFrame:
        import polars as pl

        table = self._read(lambda: self._session.sql(statement, args=dict(values)).toArrow())
        frame = pl.from_arrow(table)
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def _read(self, ask: Any, files: LogFiles | None = None) -> Any:
        try:
            return ask()
        except self._fault as error:
            first = cause(str(error)) or first_line(error)
            paths = files.paths if files else tuple(path for source in self._sources for path in source.files.paths)
            if files or any(path in str(error) for path in paths):
                where = next((path for path in paths if path in str(error)), paths[0])
                raise InputError("cannot be read as a log", spelled(where), "mend or leave out the file",
                                 line=first) from error  # fmt: skip
            raise gave_up(error) from error


def _spark(statement: str) -> str:
    """A statement in Spark's dialect."""
    import sqlglot

    (text,) = sqlglot.transpile(statement, read="duckdb", write="spark", unsupported_level=sqlglot.ErrorLevel.RAISE)
    return str(text)


def _flat(fields: Iterable[Any], before: str = "") -> Iterable[tuple[str, str]]:
    for field in fields:
        if field.dataType.typeName() == "struct":
            yield from _flat(field.dataType.fields, f"{before}{field.name}.")
        else:
            yield before + field.name, field.dataType.simpleString()
