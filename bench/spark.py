"""`python -m bench.spark`: run tables scored on one machine and on Spark's local mode, and whether they score the same.

Runs have 100 documents a query, 20 of which are judged, and ids of 8 and 10 characters. Each way runs in a process of
its own; time is that of the clock, that of Spark without its start, which is told apart. On one machine Spark costs
more than it gives: it is there for tables that no one machine holds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from bench.store import told

DEPTH, JUDGED = 100, 20
MEASURES = "nDCG@10 P@10 R@100 AP RR ERR@20"

SCRIPT = """
import sys, time
from assay import evaluate
from assay.flows.evaluate_on import session
run, qrels, measures, on, master = sys.argv[1:]
on, master = on or None, master or None
started = time.perf_counter()
with session(on, master):
    begun = time.perf_counter()
    scores = evaluate(run, qrels, measures, on=on, master=master)
    done = time.perf_counter()
scores.values.tofile(run + (on or "here"))
print(begun - started, done - begun)
"""


@dataclass(frozen=True)
class Timed:
    """Seconds until the engine stood, and of scoring."""

    start: float
    scoring: float


def main() -> int:
    """Prints the times of each size; 1 when values differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1000000", help="sizes, as 1000000,10000000")
    parser.add_argument("--master", default="local[2]")
    options = parser.parse_args()
    met = []
    for rows in map(int, options.rows.split(",")):
        with tempfile.TemporaryDirectory(prefix="assay-spark-") as folder:
            run, qrels = made(rows, Path(folder))
            here, there = timed(run, qrels), timed(run, qrels, "spark", options.master)
            one, other = (np.fromfile(f"{run}{on}") for on in ("here", "spark"))
            apart = np.abs(one - other)
            apart[np.isnan(one) & np.isnan(other)] = 0.0
            bits = int((apart != 0).sum())
        print(f"{rows:,} rows: one machine {here.scoring:.1f} s; Spark on {options.master} {there.scoring:.1f} s, "
              f"{there.scoring / here.scoring:.1f} times as long, after {there.start:.1f} s to start")  # fmt: skip
        largest = float(apart.max())
        what = f"largest difference of {one.size:,} values, {bits:,} of which have other last bits"
        met.append(told(what, f"{largest:.1e}", largest <= 1e-12, "<= 1e-12"))
    return 0 if all(met) else 1


def made(rows: int, folder: Path) -> tuple[Path, Path]:
    """A run and its judgments."""
    rng = np.random.default_rng(rows)
    queries = rows // DEPTH
    number = np.repeat(np.arange(queries), DEPTH)
    document = number * 200 + np.tile(np.arange(DEPTH), queries)
    score = np.round(rng.normal(size=queries * DEPTH), 3)  # some are equal
    of_query = pl.format("q{}", pl.col("number").cast(pl.String).str.zfill(7)).alias("query_id")
    of_document = pl.format("d{}", pl.col("document").cast(pl.String).str.zfill(9)).alias("doc_id")
    table = pl.DataFrame({"number": number, "document": document, "score": score})
    run, qrels = folder / "run.parquet", folder / "qrels.parquet"
    table.select(of_query, of_document, "score").write_parquet(run)
    judged = table.filter(pl.col("document") % 200 < JUDGED)
    grades = pl.Series("grade", rng.integers(0, 4, judged.height))
    judged.select(of_query, of_document, grades).write_parquet(qrels)
    return run, qrels


def timed(run: Path, qrels: Path, on: str = "", master: str = "") -> Timed:
    """One way, in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(run), str(qrels), MEASURES, on, master]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"scoring ended with {done.returncode}:\n{done.stderr}")
    start, scoring = map(float, done.stdout.split())
    return Timed(start, scoring)


if __name__ == "__main__":
    sys.exit(main())
