"""`python -m bench.logs`: a click log counted into cells, beside what DuckDB takes to read and count the same columns.

The log is made up by DuckDB, from a seed: ids of 12 and 24 characters, ten documents a search. Each command runs in a
process of its own, with its exit code and its output checked; time is that of the processor, peak memory that of the
process. On Spark the same cells are counted of a tenth of the log.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.store import told

QUERIES = 20_000
GIB = 2**30

MAKE = """
COPY (
    SELECT
        printf('%024x', i // 10) AS impression_id,
        printf('q%011d', query) AS query_id,
        CASE WHEN {odd} THEN '' ELSE printf('d%023d', query * 20 + (i % 10 + hash(i // 10 + 7) % 5) % 20) END AS doc_id,
        CAST(i % 10 + 1 AS INTEGER) AS position,
        CAST(hash(i * 31 + 5) % 100 < 30 // (i % 10 + 1) AS INTEGER) AS clicked
    FROM (SELECT i, CAST(floor(pow((hash(i // 10) % 1000000) / 1e6, 2) * {queries}) AS BIGINT) AS query
          FROM range({n}) AS t(i)) AS rows
) TO '{file}' (FORMAT parquet, COMPRESSION zstd)
"""

READ = "SELECT count(DISTINCT query_id), count(DISTINCT doc_id), count(DISTINCT position), sum(clicked) FROM '{file}'"
"""Read and count the same columns: those that cells are made of. That searches are read too, to see whether rows come
again, is no part of it."""

GROUP = """
SELECT count(*), sum(n), sum(c)
FROM (SELECT query_id, doc_id, position, count(*) AS n, sum(clicked) AS c FROM '{file}'{where} GROUP BY ALL) AS cells
"""
"""Count them together, as one would write it by hand."""


@dataclass(frozen=True)
class Ran:
    """One process: its output, its processor time in seconds and its peak memory in bytes."""

    out: str
    cpu: float
    peak: int


def main() -> int:
    """Prints each figure beside its goal; 1 when one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--impressions", type=int, default=100_000_000)
    parser.add_argument("--refused", action="store_true", help="one row in a thousand names no document")
    parser.add_argument("--spark", action="store_true", help="also count a tenth of the log on Spark")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-logs-") as held:
        log = Path(held) / "log.parquet"
        made(log, options.impressions, options.refused)
        met = counted(log, options.impressions, Path(held), options.refused)
        if options.spark:
            met += on_spark(options.impressions // 10, Path(held))
    return 0 if all(met) else 1


def made(log: Path, n: int, has_refused: bool = False) -> None:
    """Writes a log of n documents shown."""
    odd = "hash(i + 3) % 1000 = 0" if has_refused else "FALSE"
    duckdb(MAKE.format(n=n, queries=QUERIES, file=log, odd=odd))


def counted(log: Path, n: int, held: Path, has_refused: bool = False) -> list[bool]:
    """Cells and cascade counts of a log, beside DuckDB alone."""
    where = " WHERE doc_id <> ''" if has_refused else ""
    read, group = duckdb(READ.format(file=log)), duckdb(GROUP.format(file=log, where=where))
    cells, shown, clicks = (int(float(x)) for x in group.out.split())
    out = held / "cells.parquet"
    ours = assay("cells", str(log), "--out", str(out), "--memory", "3GB")
    _check(out, cells, shown, clicks)
    trusted = assay("cells", str(log), "--out", str(out), "--memory", "3GB", "--trusted")
    _check(out, cells, shown, clicks)
    print(f"{n:,} impressions, {cells:,} cells; DuckDB reads and counts the columns in {read.cpu:.1f} s of processor")
    met = [
        ratio("log to cells, against reading and counting", ours, read, 2.5),
        ratio("the same, rows known to come once", trusted, read, 2.5),
        told("peak memory of log to cells", f"{ours.peak / GIB:.2f} GiB", ours.peak < 4 * GIB, "< 4 GiB"),
    ]
    cascade = assay("cells", str(log), "--out", str(out), "--memory", "3GB", "--count", "cascade")
    _check(out, cells, shown, clicks)
    print(f"against one GROUP BY {ours.cpu / group.cpu:.2f}")
    print(f"cascade counts {cascade.cpu / read.cpu:.2f} times reading, {cascade.peak / GIB:.2f} GiB")
    return met


def on_spark(n: int, held: Path) -> list[bool]:
    """The same cells on both engines."""
    log, out, other = held / "small.parquet", held / "duck.parquet", held / "spark.parquet"
    made(log, n)
    assay("cells", str(log), "--out", str(out), "--trusted")
    assay("cells", str(log), "--out", str(other), "--trusted", "--on", "spark")
    query = f"SELECT count(*) FROM (FROM '{out}' EXCEPT FROM '{other}')"
    differ = int(duckdb(query).out)
    return [told(f"cells of {n:,} impressions that differ on Spark", str(differ), differ == 0, "none")]


def _check(out: Path, cells: int, shown: int, clicks: int) -> None:
    """That what was written is what was to be counted."""
    found = duckdb(f"SELECT count(*), sum(impressions), sum(clicks) FROM '{out}'").out
    if [int(float(x)) for x in found.split()] != [cells, shown, clicks]:
        raise SystemExit(f"wrong cells: {found.strip()} for {cells} {shown} {clicks}")


def duckdb(statement: str) -> Ran:
    """A statement in DuckDB alone, with two threads and the memory that we take."""
    settings = '{"threads": 2, "memory_limit": "3GB", "preserve_insertion_order": False}'
    quiet = "SET enable_progress_bar = false"
    script = (
        f"import duckdb; one = duckdb.connect(config={settings}); one.execute({quiet!r}); "
        f"print(*one.execute({statement!r}).fetchone())"
    )
    return _run([sys.executable, "-c", script])


def assay(*words: str) -> Ran:
    """One of our commands."""
    return _run([sys.executable, "-m", "assay", *words, "--quiet"])


def _run(command: list[str]) -> Ran:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        for file in (out, err):
            file.seek(0)
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"{command[:4]} ended with {os.waitstatus_to_exitcode(status)}:\n{err.read().decode()}")
        return Ran(out.read().decode(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def ratio(what: str, ours: Ran, theirs: Ran, goal: float) -> bool:
    """How many times the processor time of another process one took."""
    times = ours.cpu / theirs.cpu
    return told(what, f"{times:.2f} ({ours.cpu:.1f} s)", times <= goal, f"<= {goal:g} times ({theirs.cpu:.1f} s)")


if __name__ == "__main__":
    sys.exit(main())
