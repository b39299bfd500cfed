"""`python -m bench.scale`: how what the commands need grows, over four sizes, on DuckDB and on Spark on this machine.

Logs and runs are made by DuckDB, from a seed; the number of queries grows with the log, so that cells do, too. Each
command runs with all that it starts: processor seconds, seconds on the clock, the largest process, bytes read; on Spark
also bytes shuffled and bytes sent to the driver, from its event log. Exit status and output of each run are checked.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.logs import duckdb
from bench.measure import RunError, environment

FAMILY = Path(__file__).with_name("family.py")
SIZES = {"duckdb": (1_000_000, 3_200_000, 10_000_000, 32_000_000), "spark": (300_000, 1_000_000, 3_200_000, 10_000_000)}
SMALL = 1_000
"""Rows of a log of which a command needs what it needs of any."""

ROWS_A_QUERY = 1_600
DEPTH = 100
JUDGED = {1: 3, 3: 1, 10: 2, 50: 1}
"""Rank to grade in a run; each query has the same, moved down by its number modulo 4."""

MAKE_LOG = """
COPY (
    SELECT
        printf('%024x', s) AS impression_id,
        'q' || substr(md5(CAST(query AS VARCHAR)), 1, 11) AS query_id,
        printf('d%023d', query * 20 + (i % 10 + hash(s + 7) % 5) % 20) AS doc_id,
        CAST(i % 10 + 1 AS INTEGER) AS position,
        CAST(hash(i * 31 + 5) % 100 < 30 // (i % 10 + 1) AS INTEGER) AS clicked,
        printf('u%011x', hash(s // 3) % {people}) AS unit_id,
        printf('s%015x', s // 3) AS session_id,
        to_timestamp(1793500000 + hash(s // 3 + 11) % 86000 + 20 * (s % 3) + 300 * (s % 3 // 2)) AS at
    FROM (SELECT i, i // 10 AS s, CAST(floor(pow((hash(i // 10) % 1000000) / 1e6, 2) * {queries}) AS BIGINT) AS query
          FROM range({n}) AS t(i)) AS rows
) TO '{file}' (FORMAT parquet, COMPRESSION zstd)
"""
"""Ten documents a search, three searches a session; the chance of a click is 30 // k in 100 at position k."""

MAKE_RUN = """
COPY (SELECT printf('q%08d', i // {depth}) AS query_id, 'Q0' AS q0,
             printf('clueweb12-%012d', i) AS doc_id, i % {depth} + 1 AS rank, {depth} - i % {depth} AS score, 'x' AS tag
      FROM range({n}) AS t(i)) TO '{file}' (FORMAT csv, DELIMITER ' ', HEADER false)
"""
MAKE_QRELS = """
COPY (SELECT printf('q%08d', q) AS query_id, 0 AS z, printf('clueweb12-%012d', q * {depth} + rank - 1 + q % 4) AS doc,
             grade FROM range({queries}) AS t(q), (VALUES {judged}) AS j(rank, grade))
TO '{file}' (FORMAT csv, DELIMITER ' ', HEADER false)
"""
CELLS = """
SELECT count(*), sum(n), sum(c)
FROM (SELECT query_id, doc_id, position, count(*) AS n, sum(clicked) AS c FROM '{file}' GROUP BY ALL) AS cells
"""


@dataclass(frozen=True, slots=True)
class Used:
    """What one run used; the last four are known on Spark alone, and 0 elsewhere."""

    engine: str
    what: str
    rows: int
    cells: int
    cpu_s: float
    wall_s: float
    peak_bytes: int
    read_bytes: int
    file_bytes: int
    load: float
    shuffled_bytes: int = 0
    to_driver_bytes: int = 0
    spilled_bytes: int = 0
    scanned_rows: int = 0


def main() -> int:
    """Prints the tables; what was measured is kept as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("duckdb", "spark"), help="one alone")
    parser.add_argument("--sizes", help="rows, such as 1000000,3200000")
    parser.add_argument("--only", help="cells, trusted, behaviour, propensity, evaluate")
    parser.add_argument("--keep", type=Path, default=Path(__file__).with_name("data") / "scale.jsonl")
    parser.add_argument("--table", action="store_true", help="print what was kept, and measure nothing")
    options = parser.parse_args()
    if not options.table:
        options.keep.parent.mkdir(exist_ok=True)
        for engine in (options.engine,) if options.engine else tuple(SIZES):
            sizes = tuple(int(one) for one in options.sizes.split(",")) if options.sizes else SIZES[engine]
            with tempfile.TemporaryDirectory(prefix="assay-scale-") as held:
                for rows in (SMALL, *sizes):
                    for used in measured(engine, rows, Path(held), options.only):
                        with options.keep.open("a", encoding="utf-8") as kept:
                            kept.write(json.dumps(asdict(used)) + "\n")
                        print(f"{engine} {used.what} {rows:,}: {used.cpu_s:.1f} s", file=sys.stderr, flush=True)
    print("\n".join(table([Used(**json.loads(line)) for line in options.keep.read_text("utf-8").splitlines()])))
    return 0


def measured(engine: str, rows: int, held: Path, only: str | None) -> Iterator[Used]:
    """Each command on one size; what works on counts or on runs needs no engine, and is measured once."""
    wanted = {only} if only else {"cells", "trusted", "behaviour", "propensity", "evaluate"}
    if engine == "spark":
        wanted -= {"propensity", "evaluate"}
    if wanted - {"evaluate"}:
        yield from _of_a_log(engine, rows, held, wanted)
    if "evaluate" in wanted:
        yield _of_a_run(rows, held)


def _of_a_log(engine: str, rows: int, held: Path, wanted: set[str]) -> Iterator[Used]:
    on = ("--on", engine) if engine == "spark" else ("--memory", "3GB")
    log, out = held / "log.parquet", held / "cells.parquet"
    queries = max(10, rows // ROWS_A_QUERY)
    duckdb(MAKE_LOG.format(n=rows, queries=queries, people=max(10, rows // 200), file=log))
    counted = [int(float(one)) for one in duckdb(CELLS.format(file=log)).out.split()]
    make = ("cells", str(log), "--out", str(out), *on)
    if wanted & {"cells", "propensity"}:
        yield _run(engine, "cells", rows, held, log, make, lambda _: _cells(out, counted))
    if "trusted" in wanted:
        yield _run(engine, "cells --trusted", rows, held, log, (*make, "--trusted"), lambda _: _cells(out, counted))
    if "behaviour" in wanted:
        words = ("behaviour", str(log), "--format", "json", *on)
        yield _run(engine, "behaviour", rows, held, log, words, lambda said: _behaviour(said, rows, counted))
    if "propensity" in wanted:
        words = ("propensity", str(out), "--methods", "pivot", "--format", "json")
        yield _run(engine, "propensity", rows, held, out, words, lambda said: _propensity(said, rows), counted[0])
    log.unlink()


def _of_a_run(rows: int, held: Path) -> Used:
    run, qrels = held / "one.run", held / "one.qrels"
    queries = max(1, rows // DEPTH)
    duckdb(MAKE_RUN.format(n=rows, depth=DEPTH, file=run))
    judged = ", ".join(f"({rank}, {grade})" for rank, grade in JUDGED.items())
    duckdb(MAKE_QRELS.format(queries=queries, depth=DEPTH, judged=judged, file=qrels))
    words = ("evaluate", str(run), str(qrels), "-m", "nDCG@10", "--format", "json")
    used = _run("duckdb", "evaluate", rows, held, run, words, lambda said: _evaluate(said, queries))
    run.unlink()
    return used


def _run(
    engine: str, what: str, rows: int, held: Path, source: Path, words: Sequence[str], check: Callable[[str], int],
    cells: int = 0,
) -> Used:  # fmt: skip
    """One command with all that it starts, its status and its output checked."""
    name = what.replace(" ", "")
    out, err, told, events = (held / f"{name}.{end}" for end in ("out", "err", "usage", "events"))
    conf = held / "conf"
    for folder in (events, conf):
        folder.mkdir(exist_ok=True)
    for old in events.iterdir():
        old.unlink()
    (conf / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir {events.as_uri()}\n"
        "spark.eventLog.rolling.enabled false\nspark.eventLog.compress false\n"
    )
    load = os.getloadavg()[0]
    command = [sys.executable, "-m", "assay", *words, "--quiet"]
    env = {**environment(), "SPARK_CONF_DIR": str(conf), "TMPDIR": str(held)}
    subprocess.run(
        [sys.executable, "-I", "-S", str(FAMILY), str(out), str(err), str(told), "1800", *command], check=True, env=env
    )
    used = json.loads(told.read_text("utf-8"))
    if used["status"] != 0:
        raise RunError(f"status {used['status']} from {' '.join(command)}\n{err.read_text('utf-8')[-2000:]}")
    found = check(out.read_text("utf-8"))
    sums = _spark_sums(events) if engine == "spark" else (0, 0, 0, 0)
    return Used(
        engine,
        what,
        rows,
        found or cells,
        used["cpu_s"],
        used["wall_s"],
        used["peak_bytes"],
        used["read_bytes"],
        source.stat().st_size,
        load,
        *sums,
    )


def _spark_sums(events: Path) -> tuple[int, int, int, int]:
    """Bytes written for shuffles, sent to the driver, spilled to the disk, and rows read, over all tasks."""
    shuffled = sent = spilled = scanned = tasks = 0
    for file in events.iterdir():
        for line in file.read_text("utf-8").splitlines():
            event = json.loads(line)
            if event.get("Event") == "SparkListenerTaskEnd" and (task := event.get("Task Metrics")):
                tasks += 1
                shuffled += task["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                sent += task["Result Size"]
                spilled += task["Disk Bytes Spilled"]
                scanned += task["Input Metrics"]["Records Read"]
    if not tasks:
        raise RunError("Spark wrote no events")
    return shuffled, sent, spilled, scanned


def _cells(out: Path, counted: list[int]) -> int:
    sums = duckdb(f"SELECT count(*), sum(impressions), sum(clicks) FROM '{out}'").out
    found = [int(float(one)) for one in sums.split()]
    if found != counted:
        raise RunError(f"cells {found}, expected {counted}")
    return found[0]


def _behaviour(said: str, rows: int, counted: list[int]) -> int:
    positions = [one for one in json.loads(said)["positions"] if not one["group"]]
    found = [len(positions), sum(one["impressions"] for one in positions), sum(one["clicks"] for one in positions)]
    if found != [10, rows, counted[2]]:
        raise RunError(f"behaviour {found}, expected {[10, rows, counted[2]]}")
    return counted[0]


def _propensity(said: str, rows: int) -> int:
    """Within 4 standard errors of the truth at each position, or the log is too small to say."""
    for one in json.loads(said)["positions"]:
        truth = (30 // one["position"]) / 30
        off = abs(math.log(one["theta"] / truth))
        if rows >= 100_000 and off > 4 * (one["se"] or 0) + 1e-12:
            raise RunError(f"propensity {one}, expected {truth}")
    return 0


def _evaluate(said: str, queries: int) -> int:
    (summary,) = json.loads(said)["summary"]
    mean = sum(_ndcg(q % 4) for q in range(queries)) / queries
    if summary["n"] != queries or abs(summary["mean"] - mean) > 1e-9:
        raise RunError(f"evaluate {summary}, expected {mean} of {queries}")
    return 0


def _ndcg(moved: int) -> float:
    """nDCG@10 of a query whose judged documents stand so many ranks lower."""
    ideal = sum(grade / math.log2(at + 1) for at, grade in enumerate(sorted(JUDGED.values(), reverse=True), start=1))
    return sum(grade / math.log2(rank + moved + 1) for rank, grade in JUDGED.items() if rank + moved <= 10) / ideal


def exponent(rows: Sequence[float], values: Sequence[float]) -> float:
    """The slope of a least-squares line through the logarithms."""
    x, y = [math.log(one) for one in rows], [math.log(max(one, 1e-9)) for one in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def table(kept: Sequence[Used]) -> Iterator[str]:
    """Markdown: each run, and how each command grows once what a small input needs is taken off."""
    last = {(one.engine, one.what, one.rows): one for one in kept}
    for engine in SIZES:
        rows = sorted((one for one in last.values() if one.engine == engine), key=lambda one: (one.what, one.rows))
        if rows:
            yield from ("", engine, "", *_each(rows, engine == "spark"), "", *_growth(rows), "")
            yield f"load at the start of a run: {min(x.load for x in rows):.1f} to {max(x.load for x in rows):.1f}"


def _each(rows: Sequence[Used], on_spark: bool) -> Iterator[str]:
    more = " shuffled | to the driver | the log is read |" if on_spark else ""
    yield f"| command | rows | cells | processor | clock | largest process | file | read |{more}"
    yield "|---|" + "---:|" * (10 if on_spark else 7)
    for one in rows:
        times = f"{one.scanned_rows / one.rows:.1f} times"
        sums = f" {_mb(one.shuffled_bytes)} | {_mb(one.to_driver_bytes)} | {times} |" if on_spark else ""
        cells = f"{one.cells:,}" if one.cells else ""
        yield (f"| `{one.what}` | {one.rows:,} | {cells} | {one.cpu_s:.1f} s | {one.wall_s:.1f} s "
               f"| {_mib(one.peak_bytes)} | {_mb(one.file_bytes)} | {_mb(one.read_bytes)} |{sums}")  # fmt: skip


def _growth(rows: Sequence[Used]) -> Iterator[str]:
    yield "| command | processor grows to the power | the last million rows cost | memory grows to the power |"
    yield "|---|---:|---:|---:|"
    for what in dict.fromkeys(one.what for one in rows):
        small = [one for one in rows if one.what == what and one.rows == SMALL]
        ours = [one for one in rows if one.what == what and one.rows > SMALL]
        if not small or len(ours) < 2:
            continue
        sizes = [float(one.rows) for one in ours]
        processor = exponent(sizes, [one.cpu_s - small[0].cpu_s for one in ours])
        memory = exponent(sizes, [float(one.peak_bytes) for one in ours])
        each = (ours[-1].cpu_s - ours[-2].cpu_s) / (ours[-1].rows - ours[-2].rows) * 1e6
        yield f"| `{what}` | {processor:.2f} | {each:.2f} s | {memory:.2f} |"


def _mib(n: int) -> str:
    return f"{n / 2**20:,.0f} MiB"


def _mb(n: int) -> str:
    return f"{n / 1e6:,.1f} MB"


if __name__ == "__main__":
    sys.exit(main())
