"""`assay evaluate --on spark`: run tables that are scored where they lie, by what scores runs on one machine.

Judgments are sent to the executors once; each scores its queries with `scored_groups`. What comes back is put together
here: values by query, and the counts from which coverage and notes are made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import EngineError, InputError, MissingExtra, NoRowsError, did_you_mean
from assay.files import is_stream, spelled
from assay.files.addresses import STORES, checked, is_object, table_of
from assay.flows.scored_groups import FAULT, OTHER, SCHEMA, Fault, Plan, scored
from assay.keys import fingerprint
from assay.measures.score import Measured, check, described, join, measured
from assay.ranking.align import EXAMPLES, Facts, align
from assay.ranking.ranking import Judged, Ranking
from assay.results import Note, Progress
from assay.tables import Hit
from assay.tables.names import columns_of, match, require

if TYPE_CHECKING:
    import polars as pl

    from assay.files.addresses import Address
    from assay.files.lake import DataFiles
    from assay.flows.workbench import Workbench
    from assay.logs.run_tables import RunFiles, RunTable, RunTables
    from assay.measures.measure import Measure
    from assay.measures.scores import Scores
    from assay.ranking.conventions import Conventions

ENGINES = ("spark",)


def check_engine(on: str | None, master: str | None, *, verify: bool = False, format: str | None = None) -> None:
    """Refuses an engine that there is not, and what it can not do.

    Args:
        on: the engine; this machine when None.
        master: the address of Spark.
        verify: whether a second program is asked for.
        format: of the runs; recognised from content when None.

    Raises:
        InputError: an option has no meaning with the others.
    """
    if on is None:
        if master is not None:
            raise InputError("an address of Spark means nothing without it", "--master", "pass --on spark")
        return
    if on not in ENGINES:
        raise InputError(f"no engine is called {on!r}{did_you_mean(on, ENGINES)}", "--on",
                         "pass --on spark, or leave it out")  # fmt: skip
    if verify:
        raise InputError("a witness reads the whole run on one machine", "--verify",
                         "leave out --on spark, or verify a sample of the queries")  # fmt: skip
    if format not in (None, "parquet"):
        raise InputError(f"Spark reads runs as Parquet, and not as {format}", "--input-format",
                         "write them as Parquet (assay convert), or say it of the judgments: qrels=FORMAT")  # fmt: skip


@contextmanager
def session(on: str | None, master: str | None) -> Iterator[None]:
    """One session of Spark for several calls, where that is the engine.

    Raises:
        MissingExtra: Spark is not installed.
        EngineError: Spark does not start.
    """
    if on != "spark":
        yield
        return
    from assay.logs.run_tables import RunTables

    tables = RunTables(master)
    try:
        yield
    finally:
        tables.close()


def scored_on_spark(
    bench: Workbench, runs: Mapping[str, Any], judgments: Sequence[Judged], measures: Sequence[Measure],
    conventions: Conventions, columns: Mapping[str, str] | None, master: str | None, progress: Progress,
) -> list[Scores]:  # fmt: skip
    """The scores of all runs by each of the judgments, one after the other.

    Args:
        bench: where runs are found.
        runs: name to address: a Parquet file, a folder or a glob of them, or what Spark reads beside.
        judgments: all that the runs are scored with: those of every rater or source apart, too.
        measures: on the scale of all judgments.
        conventions: order, ties and so on.
        columns: field to column, as the user says.
        master: the address of Spark.
        progress: told how many runs are done.

    Raises:
        InputError: a run is no table, or a row of it is wrong.
        MissingExtra: Spark is not installed.
        EngineError: Spark gave up.
    """
    from assay.logs.run_tables import RunTables

    files = {name: _files(bench, run, name) for name, run in runs.items()}
    for judged in judgments:  # what no measure can do is said before anything is read
        _of_nothing(judged, measures, conventions)
    tables = RunTables(master)
    progress.start("scoring on Spark", float(len(runs)), "runs")
    try:
        found = []
        for name, one in files.items():
            found.append(_Run(name, one, tables, judgments, measures, conventions).scores(columns))
            progress.advance()
    finally:
        progress.stop()
        tables.close()
    return [join([scores[part] for scores in found]) for part in range(len(judgments))]


def _files(bench: Workbench, run: Any, name: str) -> RunFiles:
    """The files of a run; the hash of a single one is kept, as on one machine."""
    from assay.files.lake import open_table
    from assay.logs.run_tables import run_files

    source = bench.source(run)
    if source is None or is_stream(source):
        held = "what is in memory" if source is None else spelled(source)
        raise InputError(f"{held} is no run table for Spark", name,
                         "name a Parquet file, a folder of them, or a glob in quotes")  # fmt: skip
    wanted = bench.wanted.of(source, Hit, None)
    check_engine("spark", None, format=wanted)
    if (address := _in_lake(source)) is not None:
        table = open_table(address)
        bench.note_rows(table.name, fingerprint(table.content()))
        return _of_lake(table.data_files())
    files = run_files(source)
    if os.path.isfile(source):
        bench.note(source)
    for path in files.paths:
        if "://" not in path:  # nothing is written over them
            bench.note(path, is_hashed=False)
    return files


def _in_lake(source: str) -> Address | None:
    """The table of a lake that is meant; where only Spark can look, it does so when the run is opened."""
    from assay.files.lake import found_table

    if not is_object(source):
        return table_of(source)
    if source.partition("://")[0].lower() not in STORES:
        return None
    try:
        return found_table(checked(source))
    except (MissingExtra, InputError):
        return None


def _of_lake(table: DataFiles) -> RunFiles:
    """The files of a table in a lake, of the version that stands now."""
    from assay.logs.run_tables import RunFiles

    if not table.paths:
        raise NoRowsError("holds no rows", table.name, "write it anew, or leave it out")
    base = table.root if "://" in table.root or not table.root else os.path.abspath(table.root)
    return RunFiles(table.name, table.paths, base=base, partitions=None if table.root else table.partitions,
                    schema=table.schema, options=table.options, is_ordered=table.is_ordered)  # fmt: skip


def _of_nothing(judged: Judged, measures: Sequence[Measure], conventions: Conventions) -> tuple[Any, Any]:
    """The values and judged shares of queries that a run lacks, float64 of shape (measures, queries)."""

    def empty(known: Judged) -> Ranking:
        hits = np.zeros(0, np.int64)
        averaged = (hits, hits) if conventions.ties == "expected" else ()
        return Ranking(known, hits, hits, np.zeros(0), hits, np.zeros(known.n, np.int64), np.zeros(known.n, np.bool_),
                       *averaged)  # fmt: skip

    return measured(empty, judged, measures, conventions)


@dataclass
class _Run:
    """One run, scored by several judgments in one pass over its rows."""

    name: str
    files: RunFiles
    tables: RunTables
    judgments: Sequence[Judged]
    measures: Sequence[Measure]
    conventions: Conventions

    def scores(self, columns: Mapping[str, str] | None) -> list[Scores]:
        """By each of the judgments."""
        table = self.tables.open(self.files)
        matched = match(table.columns, Hit, self.files.name, columns, self.files.name)
        require(table.columns, Hit, matched, self.files.name)
        fields = {c.name: table.columns[matched.fields[c.name]] for c in columns_of(Hit) if c.name in matched.fields}
        from assay import __version__

        plan = Plan(__version__, tuple(self.judgments), tuple(self.measures), self.conventions, self.files.name)
        function = partial(scored, shipped=self.tables.shipped(plan.bare()))
        rows = table.by_query(fields, self._is_ordered(fields), function, SCHEMA).to_pylist()
        self._check(rows, table, fields)
        facts = (*matched.facts, *self._facts())
        notes = tuple(Note("read", fact, run=self.name) for fact in facts)
        made = [self._of(part, judged, rows) for part, judged in enumerate(self.judgments)]
        return [replace(scores, notes=(*notes, *scores.notes), _cache={}) for scores in made]

    def _is_ordered(self, fields: Mapping[str, str]) -> bool:
        """Whether the order of a query's rows in the files can change anything."""
        held = self.conventions
        is_asked = held.ties == "input" or held.duplicates == "keep-first"
        if is_asked and not self.files.is_ordered:
            option = "--ties input" if held.ties == "input" else "--duplicates keep-first"
            raise InputError(f"the rows of a table have no order for {option}", self.files.name,
                             "pass --ties docid, or write each document once")  # fmt: skip
        is_told = self.files.is_one and {"score", "rank"} <= fields.keys()  # whether ranks contradict equal scores
        return is_asked or is_told or held.ties in ("best", "worst")

    def _facts(self) -> list[str]:
        files, found = self.files, []
        if len(files.paths) > 1:
            found.append(f"{files.name}: {len(files.paths):,} Parquet files")
        if files.passed_over:
            others = "1 other file was" if files.passed_over == 1 else f"{files.passed_over:,} other files were"
            found.append(f"{files.name}: {others} passed over: no .parquet")
        return found

    def _of(self, part: int, judged: Judged, rows: Sequence[Mapping[str, Any]]) -> Scores:
        """What all executors found, put together."""
        values, shares = _of_nothing(judged, self.measures, self.conventions)
        answered = np.zeros(judged.n, np.bool_)
        returned, first_tie = np.zeros(judged.n, np.int64), np.zeros(judged.n, np.int64)
        told = []
        for row in rows:
            if row["part"] != part:
                continue
            codes = np.frombuffer(row["codes"], np.int64)
            if answered[codes].any():
                raise EngineError(f"Spark gave the rows of one query of {self.files.name} to two executors\n"
                                  "    mend: leave out --on spark, and report it")  # fmt: skip
            answered[codes] = True
            returned[codes] = np.frombuffer(row["returned"], np.int64)
            first_tie[codes] = np.frombuffer(row["first_tie"], np.int64)
            values[:, codes] = np.frombuffer(row["values"]).reshape(len(values), -1)
            shares[:, codes] = np.frombuffer(row["shares"]).reshape(len(values), -1)
            told.append(json.loads(row["facts"]))
        facts = _joined(told, first_tie)
        check(answered, facts, judged, self.conventions, self.name)
        is_compared = all(one["is_compared"] for one in told)
        found = Measured(values, shares, answered, returned, facts, is_compared, told[0]["key"])
        return described(found, judged, self.measures, self.conventions, self.name)

    def _check(self, rows: Sequence[Mapping[str, Any]], table: RunTable, fields: Mapping[str, str]) -> None:
        """Refuses a run of which some rows are wrong, with the places of the first."""
        if not rows:
            raise NoRowsError("holds no rows", self.files.name, "write it anew, or leave it out")
        other = next((row["fault"] for row in rows if row["part"] == OTHER), None)
        if other is not None:
            from assay import __version__

            raise EngineError(f"the executors of Spark have assay {other}, and the command has {__version__}\n"
                              "    mend: install the same version there")  # fmt: skip
        faults = [Fault(**json.loads(row["fault"])) for row in rows if row["part"] == FAULT]
        if faults:
            raise self._placed(faults, table, fields)
        ordered_by = {tuple(one) for row in rows for one in json.loads(row["facts"])["columns"]}
        for lacked in ("score", "rank"):
            if len({lacked in one for one in ordered_by}) > 1:
                raise self._lacking(lacked, table, fields)

    def _placed(self, faults: Sequence[Fault], table: RunTable, fields: Mapping[str, str]) -> InputError:
        """What is wrong with the first query, looked at again with the places of its rows."""
        stage = min(fault.stage for fault in faults)
        faults = [fault for fault in faults if fault.stage == stage]
        first = min(faults, key=lambda fault: fault.query or "")
        count = sum(fault.count for fault in faults)
        if stage == 2:
            return InputError(f"{first.what}: where the executors of Spark run", first.where,
                              "install the package that has the measure there")  # fmt: skip
        if not first.has_row:
            return InputError(first.what, first.where, first.remedy, line=first.line)
        error = self._again(*table.of_query(fields, first.query))
        if error is None and stage == 0:
            for lacked in {"score", "rank"} & fields.keys():
                if first.what == f"{lacked} is missing":
                    return self._lacking(lacked, table, fields)
        if error is None:
            error = InputError(first.what, f"{self.files.name}, query {first.query}", first.remedy, line=first.line)
        return InputError(
            error.what, error.where, error.remedy, line=error.line, more=error.more, count=max(count, error.count)
        )

    def _lacking(self, lacked: str, table: RunTable, fields: Mapping[str, str]) -> InputError:
        """That some rows lack what others have."""
        frame, places, count = table.without(fields, lacked)
        error = self._again(frame, places)
        assert error is not None, "a row without what others have is refused"
        return InputError(error.what, error.where, error.remedy, more=error.more, count=count)

    def _again(self, frame: pl.DataFrame, places: Sequence[str]) -> InputError | None:
        """What is wrong with some rows, by the checks that found it."""
        from assay.tables.frames import check_frame

        try:
            block = check_frame(frame, Hit, self.files.name, places.__getitem__, {name: name for name in frame.columns})
            for judged in self.judgments:
                align(block, judged, self.conventions)
        except InputError as error:
            return error
        return None


def _joined(told: Sequence[Mapping[str, Any]], first_tie: Any) -> Facts:
    left_out: dict[str, int] = {}
    for one in told:
        for kind, rows in one["left_out"]:
            left_out[kind] = left_out.get(kind, 0) + rows
    disagree = [one["disagree"] for one in told if one["disagree"] is not None]
    return Facts(
        rows=sum(one["rows"] for one in told),
        unknown=tuple(sorted(query for one in told for query in one["unknown"])[:EXAMPLES]),
        n_unknown=sum(one["n_unknown"] for one in told),
        dropped=sum(one["dropped"] for one in told),
        left_out=tuple(sorted(left_out.items())),
        first_tie=first_tie,
        disagree=sum(disagree) if disagree else None,
        scattered=False,
    )
