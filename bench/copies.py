"""Runs that need no parsing: the copy of a run in the cache, and the same rows in Parquet, Arrow and JSON lines.

python -m bench.copies RUN [FOLDER] prints what reading a run costs: as text, or from its copy in the folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from bench import programs
from bench.figures import Figure, Goal
from bench.generate import Files
from bench.measure import RunError, run

if TYPE_CHECKING:
    from bench.cases import Bench, Case

ROOT = Path(__file__).parent.parent
AGAIN = Goal(0.35)
PAUSE_S = 0.3  # the threads that OpenBLAS starts wait by spinning, and would be counted
WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "parquet": lambda frame, path: frame.write_parquet(path),
    "arrow": lambda frame, path: frame.write_ipc(path),
    "jsonl": lambda frame, path: frame.write_ndjson(path),
}
COLUMNS = {"query_id": 0, "doc_id": 2, "score": 4}


def main() -> None:
    """Reads all blocks; prints rows, what was in them, and processor time of all threads."""
    from assay.flows.workbench import Workbench

    source, folder = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
    bench = Workbench.open(folder, hashes=False, cache=folder is not None)
    assert bench.copies is not None or folder is None, "only a folder has copies"
    time.sleep(PAUSE_S)
    began = time.process_time()
    rows = sum(len(block) for block in bench.blocks(source))
    used = time.process_time() - began
    first, score = 0, 0.0
    for block in bench.blocks(source):
        frame = block.polars()
        first ^= int(
            np.bitwise_xor.reduce(frame.select(pl.struct("query_id", "doc_id").hash(1)).to_series().to_numpy())
        )
        score += float(frame["score"].to_numpy().sum())
    print(json.dumps({"rows": rows, "found": [first, score], "cpu_s": used, "told": list(bench.told)}))


def again(bench: Bench, size: str) -> Iterator[Figure]:
    """Reading a run from its copy against parsing it, both by assay in a process that has loaded everything."""
    made = bench.files(size)
    folder = _workspace(bench)
    seconds: tuple[list[float], list[float]] = ([], [])
    said = set()
    for pair in range(bench.pairs + 1):
        for place, more in enumerate(([str(folder)], [])):
            bench.tell(f"{size}: read {'from its copy' if more else 'as text'}, {pair or 'not recorded'}")
            out = folder / "read.out"
            starter = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from bench.copies import main; main()"
            run([sys.executable, "-c", starter, str(made.run), *more], out)
            told = json.loads(out.read_text("utf-8"))
            if told["rows"] != made.shape.rows or told["told"]:
                raise RunError(f"{size}: {told['rows']} rows of {made.shape.rows}; {told['told']}")
            said.add(json.dumps(told["found"]))
            if pair:
                seconds[place].append(told["cpu_s"])
    if len(said) != 1:
        raise RunError(f"{size}: the copy does not hold what the file holds")
    ratios = [a / b for a, b in zip(*seconds, strict=True)]
    what = f"{size}, read again from its copy, against parsing by assay"
    yield Figure(what, "CPU of the call", "s", median(seconds[0]), median(seconds[1]), median(ratios), AGAIN)


def evaluated(bench: Bench, size: str) -> Iterator[Figure]:
    """A whole evaluation from the copy against one from text."""
    from bench.cases import three
    from bench.side_by_side import alternate

    made = bench.files(size)
    ours = programs.product(name="assay, from the copy", reads_rows=False)
    theirs = programs.product(name="assay, from text", more=["--no-cache"])
    pair = alternate((ours, made), (theirs, made), bench.pairs, _workspace(bench), bench.tell)
    yield from three(bench, f"{size}, evaluated from its copy, against from text", *pair, None)


def typed(bench: Bench, ending: str) -> Iterator[Figure]:
    """M in a format with named columns against M as TREC lines."""
    from bench.cases import three

    text = bench.files("M")
    made = replace(text, run=_written(text, ending))
    ours, theirs = bench.compare(
        (programs.product(name=f"assay, {ending}", reads_rows=ending == "jsonl"), made), (programs.product(), text)
    )
    yield from three(bench, f"M as {ending}, against TREC lines", ours, theirs, None)


def cases(sizes: tuple[str, ...]) -> dict[str, Case]:
    """Every case of this room by name."""
    found: dict[str, Case] = {}
    for size in sizes:
        if size in ("M", "XL"):
            found[f"again-{size}"] = partial(again, size=size)
            found[f"copy-{size}"] = partial(evaluated, size=size)
    if "M" in sizes:
        found |= {ending: partial(typed, ending=ending) for ending in WRITERS}
    return found


def _workspace(bench: Bench) -> Path:
    """A folder with settings, so that copies are made in it and not in the folder of the user."""
    folder = bench.scratch / "workspace"
    folder.mkdir(exist_ok=True)
    (folder / "assay.toml").write_text("", "utf-8")
    return folder


def _written(made: Files, ending: str) -> Path:
    """The run of some files in another format, written unless it is there."""
    path = made.run.with_suffix(f".{ending}")
    if not path.exists() or path.stat().st_mtime < made.run.stat().st_mtime:
        lines = pl.read_csv(made.run, has_header=False, separator=" ", quote_char=None, infer_schema=False)
        frame = lines.select(pl.nth(place).alias(name) for name, place in COLUMNS.items())
        fresh = path.with_suffix(".fresh")
        WRITERS[ending](frame.with_columns(pl.col("score").cast(pl.Float64)), fresh)
        os.replace(fresh, path)
    return path


if __name__ == "__main__":
    main()
