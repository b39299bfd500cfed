"""The embedded engine: named queries on files, larger than memory too, with DuckDB."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import EngineError, InputError, MissingExtra, first_line
from assay.files import spelled
from assay.logs import delimited
from assay.logs.beyond import Beyond
from assay.logs.clock import micros_there
from assay.logs.delimited import NOT_UTF8, OPEN, PLACES, RAGGED, SEPARATORS, TOO_LONG, Unread, mixed_end, names_of
from assay.logs.footers import filled
from assay.logs.found_files import LogFiles, json_paths, kind_of, part_files
from assay.logs.mapping import DIGITS, FIRST, NAMES_ZONE, Source, literal, quoted, select, union, union_of_others
from assay.logs.named import BESIDE, composed, named, parameters
from assay.logs.places import PLACE, by_reason, lines_at, one_by_one, placeable
from assay.logs.places import reading as placed
from assay.logs.refusals import NO_OBJECT
from assay.logs.spill import spill_folder, spooled
from assay.logs.structs import flat, no_list_of_ids
from assay.logs.wide import columns_of, is_wide, long

if TYPE_CHECKING:
    import polars as pl

_DELIMITED = ("read_csv({{paths}}, header = true, columns = {{columns}}, delim = '{}', quote = '\"', escape = '\"', "
              "auto_detect = false, store_rejects = true, max_line_size = 67108864)")  # fmt: skip

READERS = {
    "parquet": "read_parquet({paths}, union_by_name = true)",
    "csv": _DELIMITED.format(SEPARATORS["csv"]),
    "tsv": _DELIMITED.format(SEPARATORS["tsv"]),
    "json": "read_csv({paths}, columns = {{'line': 'VARCHAR'}}, header = false, delim = e'\\x01', quote = '', "
            "escape = '', auto_detect = false, strict_mode = false, store_rejects = true, max_line_size = 67108864)",
}  # fmt: skip
"""How files of each kind are read; JSON as whole lines, so that a broken one is counted and not the end,
with ends of lines of any kind."""

REJECTED = {"INVALID ENCODING": NOT_UTF8, "UNQUOTED VALUE": OPEN, "LINE SIZE OVER MAXIMUM": TOO_LONG}
"""Why lines of CSV are left out, by the engine's word for it; for all other words RAGGED."""

RUNS_AWAY = 100
"""A quote that takes more lines with it is no slip of one line: what is left is not the log."""


class Duck:
    """Runs named queries over a log in DuckDB; see `Engine`.

    Args:
        memory: the most that the engine may take, such as "4GB"; its own default when None.
        threads: how many; all when None.
    """

    name = "duckdb"
    reads_stores = writes_parts = False

    def __init__(self, memory: str | None = None, threads: int | None = None) -> None:
        try:
            import duckdb
        except ImportError:
            raise MissingExtra("duckdb", "logs", "reading click logs") from None
        self._fault = duckdb.Error
        self._spill = spill_folder()
        settings: dict[str, Any] = {
            "autoinstall_known_extensions": False, "autoload_known_extensions": False,
            "temp_directory": self._spill.name, "preserve_insertion_order": False,
        }  # fmt: skip
        if memory is not None:
            settings["memory_limit"] = memory
        if threads is not None:
            settings["threads"] = threads
        try:
            self._connection = duckdb.connect(config=settings)
        except duckdb.Error as error:  # the only one of these settings that somebody typed
            self._spill.cleanup()
            raise InputError(f"{memory!r} is no size", "--memory", "pass a number with its unit, such as 4GB",
                             line=str(error).splitlines()[0]) from None  # fmt: skip
        self._connection.execute("SET enable_progress_bar = false")  # it would draw on standard output, among results
        self._beyond = Beyond(self._connection)
        self._sources: tuple[Source, ...] = ()
        self._instead: dict[str, str] = {}
        self._known: dict[LogFiles, frozenset[str]] = {}
        self._steps: dict[str, Sequence[str]] = {}
        self._places: Literal["", "file", "line"] = ""  # what relations say of where their rows stand
        for name, columns in BESIDE.items():
            self.lay(name, columns, [])

    def close(self) -> None:
        """Ends the engine and removes what it wrote aside."""
        self._connection.close()
        self._spill.cleanup()

    def spool(self, source: str) -> str:
        """A log that can be read once as a file that lasts as long as the engine."""
        return spooled(source, self._spill.name)

    def columns(self, files: LogFiles) -> dict[str, str]:
        """The dotted paths that files have, with the type of each; JSON has no types.

        Raises:
            InputError: a file cannot be read as what its name says.
        """
        if files.kind == "json":
            steps = json_paths(files.paths)
            self._steps.update(steps)
            return dict.fromkeys(steps, "")
        rows = self._fetched(f"DESCRIBE SELECT * FROM {self._reading(files)}", files)
        return dict(flat((str(name), str(type_)) for name, type_, *_ in rows))

    def sample(self, files: LogFiles, path: str, most: int = 100) -> list[str]:
        """Some values of one column, as text, without nulls."""
        value = self.text(path, files)
        source = Source(files, {"sampled": path}, {})
        query = f"SELECT {value} AS v FROM {self.relation(source)} WHERE NULLIF({value}, '') IS NOT NULL LIMIT {most}"
        return [str(row[0]) for row in self._fetched(query, files)]

    def least(self, source: Source) -> dict[str, int]:
        """The smallest position of each application, as it stands in the files; see `FIRST`."""
        bare = select(_with_bases(source), self)
        query = f"SELECT COALESCE(app, ''), {FIRST} FROM ({bare}) AS log WHERE kind = 'impression' GROUP BY 1"
        return {str(app): int(least) for app, least in self._fetched(query, source.files) if least is not None}

    def attach(self, sources: Sequence[Source], instead: Mapping[str, str] | None = None) -> None:
        """Lays `log`, the rows of all sources.

        Args:
            sources: where the rows are and what their columns mean.
            instead: named query to the one that takes its place, such as "shown" to "shown_by_row".
        """
        self._sources = tuple(replace(one, filled=self._filled(one.files)) for one in sources)
        self._instead = {"cells": "cells_by_hash", "cascade": "cascade_by_hash", **(instead or {})}
        for view in ("log", "all_rows"):
            self._execute(f"CREATE OR REPLACE TEMP VIEW {view} AS {union(self._sources, self)}")
        self._execute(f"CREATE OR REPLACE TEMP VIEW others AS {union_of_others(self._sources, self)}")

    def lay(self, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]] | pl.DataFrame) -> None:
        """A relation beside the log: column to SQL type, and its rows."""
        import polars as pl

        spelling = ", ".join(f"{quoted(column)} {type_}" for column, type_ in columns.items())
        self._execute(f"CREATE OR REPLACE TEMP TABLE {quoted(name)} ({spelling})")
        if not len(rows):
            return
        file = os.path.join(self._spill.name, f"{name}.parquet")  # ten thousand times faster than row by row
        known = {"VARCHAR": pl.String, "BIGINT": pl.Int64, "DOUBLE": pl.Float64}
        types = {column: known[type_] for column, type_ in columns.items()}
        frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(
            [list(row) for row in rows], schema=types, orient="row"
        )  # fmt: skip
        frame.select(list(columns)).write_parquet(file)
        self._execute(f"INSERT INTO {quoted(name)} SELECT * FROM read_parquet({literal(file)})")

    def lay_pairs(self, name: str, of: str, keep: Callable[[str, str], bool], **values: Any) -> None:
        """A relation beside the log: see `Engine`."""
        found = self.run(of, **values)
        first, second = found.columns[:2]
        pairs = [pair for pair in zip(found[first], found[second], strict=True) if keep(*pair)]
        self.lay(name, {first: "VARCHAR", second: "VARCHAR"}, pairs)

    def run(self, name: str, **values: Any) -> pl.DataFrame:
        """The rows of a named query.

        Raises:
            InputError: a file is broken.
            EngineError: the engine gave up, out of memory or of disk.
        """
        import polars as pl

        statement = self._composed(name)
        bound = {one: values[one] for one in parameters(statement)}
        try:
            return pl.DataFrame(self._connection.sql(statement, params=bound))
        except self._fault as error:
            raise self._said(error) from error

    def write(self, name: str, path: str, **values: Any) -> int:
        """Writes the rows of a named query to a Parquet file, or as one into a folder, however many; their number."""
        file = os.path.join(path, "part-0.parquet") if os.path.isdir(path) else path
        statement = self._composed(name)
        bound = {one: values[one] for one in parameters(statement)}
        try:
            done = self._connection.execute(
                f"COPY ({statement}) TO {literal(file)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)", bound
            ).fetchone()
        except self._fault as error:
            raise self._said(error) from error
        return int(done[0]) if done else 0

    def totals(self, path: str) -> tuple[int, int, int, int, int]:
        """Of cells that were written; see `Engine`."""
        import polars as pl

        rows, impressions, clicks, queries, pairs = pl.scan_parquet(part_files(path), glob=False).select(
            pl.len(), pl.col("impressions").sum(), pl.col("clicks").sum(),
            queries=pl.col("query_id").n_unique(), pairs=pl.struct("query_id", "doc_id").n_unique(),
        ).collect().row(0)  # fmt: skip
        return int(rows), int(impressions), int(clicks), int(queries), int(pairs)

    def rejected(self) -> dict[str, Unread]:
        """Lines that could not be taken apart, by reason; those that are no JSON without their places.

        Raises:
            InputError: a quote that does not close takes the rest of a file with it.
        """
        there = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'reject_errors'"  # made by the first reading
        if not self._connection.execute(there).fetchall()[0][0]:
            return {}
        rows = self._connection.execute(
            "SELECT file_path, line, min(CAST(error_type AS VARCHAR)), max(csv_line) "
            "FROM reject_errors JOIN reject_scans USING (scan_id, file_id) "
            "WHERE error_type <> 'CAST' GROUP BY file_path, line ORDER BY ALL"  # what is no number is counted by `rows`
        ).fetchall()
        found: dict[str, list[tuple[str, int, int]]] = {}
        for path, line, error, text in rows:
            if kind_of(str(path)) == "json" and error == "INVALID ENCODING":
                found.setdefault(NO_OBJECT, []).append((str(path), 0, 1))
                continue
            why, lost = REJECTED.get(error, RAGGED), str(text).count("\n")
            if why == OPEN and (lost > RUNS_AWAY or (lost and str(text).endswith("\n"))):
                raise InputError(f"a quote that does not close takes {lost:,} lines or more with it",
                                 lines_at([(str(path), line)])[0],
                                 'close it, or write "" where a value in quotes holds a quote',
                                 line=str(text).splitlines()[0][:200])  # fmt: skip
            found.setdefault(why, []).append((str(path), line, 1 + (lost if why == OPEN else 0)))
        return {why: Unread(sum(n for *_, n in at), lines_at([(path, line) for path, line, _ in at[:PLACES] if line]))
                for why, at in found.items()}  # fmt: skip

    def refused_places(self, **values: Any) -> dict[str, tuple[str, ...]]:
        """Where the first rows stand that are refused, by reason.

        Texts are read twice: at once, for the files, and then those files one by one, for the lines.
        """
        sources = placeable(self._sources)
        found = self._laid(sources, "file", values)
        texts = one_by_one(sources, found.iter_rows())
        if texts:
            found.extend(self._laid(texts, "line", values))
        return by_reason(found, sources)

    def _laid(
        self, sources: Sequence[Source], places: Literal["file", "line"], values: Mapping[str, Any]
    ) -> pl.DataFrame:
        """The query `refused_places` over sources whose rows say where they stand."""
        import polars as pl

        if not sources:
            return pl.DataFrame(schema={"reason": pl.String, "place": pl.String})
        self._places = places
        try:
            self._execute(f"SET preserve_insertion_order = {str(places == 'line').lower()}")
            self._execute(f"CREATE OR REPLACE TEMP VIEW log AS {union(sources, self, PLACE)}")
            self._execute(f"CREATE OR REPLACE TEMP VIEW others AS {union_of_others(sources, self, PLACE)}")
            return self.run("refused_places", **values)
        finally:
            self._places = ""
            self._execute("SET preserve_insertion_order = false")
            self.attach(self._sources, self._instead)

    # How DuckDB spells what differs between engines.

    def value(self, path: str, files: LogFiles) -> str:
        """The value at a dotted path, as it is stored."""
        if files.kind == "json":
            return f"json_extract_string(line, {literal(self._json(path))})"
        return ".".join(quoted(step) for step in path.split(".")) if files.kind == "parquet" else quoted(path)

    def text(self, path: str, files: LogFiles) -> str:
        """The value at a dotted path as text."""
        value = self.value(path, files)
        return f"CAST({value} AS VARCHAR)" if files.kind == "parquet" else value

    def micros(self, text: str, zone: str | None) -> str:
        """Microseconds since 1970 of a time that is text; text that names no zone is in the given one."""
        numbers = " ".join(
            f"WHEN regexp_full_match({text}, '[0-9]{{{digits}}}([.][0-9]+)?') "
            f"THEN CAST(TRY_CAST({text} AS DOUBLE) * {unit} AS BIGINT)"
            for digits, unit in DIGITS.items()
        )
        zoned = f"epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))"
        names = f"regexp_matches({text}, '{NAMES_ZONE}') AND {text} LIKE '%:%'"
        if zone is None:  # never the zone of this machine
            return f"CASE {numbers} WHEN {names} THEN {zoned} END"
        bare = micros_there(f"TRY_CAST({text} AS TIMESTAMP)", zone)
        return f"CASE {numbers} WHEN {names} THEN {zoned} ELSE {bare} END"

    def instant(self, value: str, zone: str | None) -> str:
        """Microseconds since 1970 of a time stamp; one without a zone is in the given one."""
        return f"epoch_us({value})" if zone is None else micros_there(f"CAST({value} AS TIMESTAMP)", zone)

    def length(self, path: str, files: LogFiles) -> str:
        """How many elements the list at a path has; null when it is no list."""
        if files.kind == "json":
            steps = literal(self._json(path))
            return f"CASE WHEN json_type(line, {steps}) = 'ARRAY' THEN json_array_length(line, {steps}) END"
        return "CAST(NULL AS BIGINT)"

    def relation(self, source: Source) -> str:
        """The rows of the files, with one row an element where lists are given."""
        read = self._reading(source.files, columns_of(source.paths, source.types))
        if source.files.kind == "json":
            # CASE looks at a line only where it is JSON; AND would look at all
            line = "CASE WHEN json_valid(line) THEN CASE WHEN json_type(line) = 'OBJECT' THEN line END END"
            place = f", {PLACE}" if self._places else ""
            action = "list_any_value(json_extract_string(line, ['$.index._index', '$.create._index'])) IS NOT NULL"
            read = (
                f"(SELECT {line} AS line, {line} IS NULL AS line_is_bad{place} FROM {read} WHERE trim(line) <> '' "
                f"AND NOT CASE WHEN json_valid(line) THEN {action} ELSE FALSE END)"
            )
        if is_wide(source.paths):
            return long(source, self, read)
        if "docs" not in source.paths:
            return read
        given = self._list(source.paths["docs"], source)
        docs = f"CASE WHEN len({given}) > 0 THEN {given} ELSE [NULL] END"  # a row without any is refused, not lost
        clicks = self._list(source.paths["clicks"], source) if "clicks" in source.paths else f"[0 FOR d IN {docs}]"
        return (
            f"(SELECT *, unnest({docs}) AS doc_there, unnest({clicks}) AS clicked_there, "
            f"generate_subscripts({docs}, 1) AS position_there FROM {read})"
        )

    def _composed(self, name: str) -> str:
        """The statement of a text. One for this engine alone reads plain rows twice sooner than it would keep them."""
        is_plain = self._instead.keys() >= {"impressions", "shown"} and named(self._instead.get(name, name)).only
        return composed(name, self._instead, is_kept=not is_plain)

    def _filled(self, files: LogFiles) -> frozenset[str]:
        if files not in self._known:
            self._known[files] = filled(files, listed(files), lambda statement: self._fetched(statement, files))
        return self._known[files]

    def _reading(self, files: LogFiles, paths: Iterable[str] = ()) -> str:
        self._beyond.reach(files)
        if files.is_table:
            return self._beyond.rows(files, paths)
        return placed(files, reading(files), self._places == "line") if self._places else reading(files)

    def _json(self, path: str) -> str:
        return "$." + ".".join(quoted(step) for step in self._steps.get(path, path.split(".")))

    def _list(self, path: str, source: Source) -> str:
        if source.files.kind == "json":
            return f"json_extract_string(line, {literal(self._json(path) + '[*]')})"
        if source.files.kind != "parquet":
            raise delimited.no_lists(source.files, path)
        if fault := no_list_of_ids(path, source.types[path], source.files):
            raise fault
        return self.value(path, source.files)

    def _execute(self, statement: str) -> None:
        try:
            self._connection.execute(statement)
        except self._fault as error:
            raise self._said(error) from error

    def _fetched(self, query: str, files: LogFiles) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query).fetchall()
        except self._fault as error:
            raise self._said(error, files) from error

    def _said(self, error: Exception, files: LogFiles | None = None) -> Exception:
        import duckdb

        first = first_line(error)
        paths = files.paths if files else tuple(path for source in self._sources for path in source.files.paths)
        where = next((spelled(path) for path in paths if path in str(error)), spelled(paths[0]) if paths else "")
        if isinstance(error, duckdb.OutOfMemoryException):
            return EngineError(f"the log engine ran out of memory\n    {first}\n    mend: pass more with --memory, or "
                               f"free space in {tempfile.gettempdir()}")  # fmt: skip
        if "state machine" in first and (odd := mixed_end(paths)):  # what it says of ends of two kinds
            return InputError("a line ends otherwise than those before it", odd,
                              "end all lines alike, such as with dos2unix")  # fmt: skip
        if isinstance(error, duckdb.IOException | duckdb.InvalidInputException | duckdb.ConversionException):
            return InputError("cannot be read as a log", where, "mend or leave out the file", line=first)
        among = f" while it read {where}{f' and {len(paths) - 1} more' if len(paths) > 1 else ''}" if where else ""
        return EngineError(f"the log engine gave up{among}\n    {first}")


def listed(files: LogFiles) -> str:
    """The paths of files as a list in SQL."""
    plain = (re.sub(r"[\[*?]", r"[\g<0>]", os.fspath(path)) for path in files.paths)  # a name is not a pattern
    return "[" + ", ".join(literal(path) for path in plain) + "]"


def reading(files: LogFiles) -> str:
    """The table function that reads files."""
    names = names_of(files) if files.kind in SEPARATORS else []
    columns = "{" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names) + "}"
    return READERS[files.kind].format(paths=listed(files), columns=columns)


def _with_bases(source: Source) -> Source:
    return replace(source, bases={"": 1})
