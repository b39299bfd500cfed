"""`assay simulate logs`: a click log on a team's own runs, by a law of clicking that is known."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.files import name_of, replacing, spelled
from assay.flows.workbench import Workbench
from assay.results import Result, Source, kept
from assay.tables import Hit, Judgment, Topic

LAWS = ("pbm", "cascade", "dbn", "trust")
ENDINGS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}


@kept("simulated clicks")
@dataclass(frozen=True, kw_only=True)
class Simulated(Result):
    """A click log that was made.

    Args:
        file: where.
        law: of clicking: "pbm", "cascade", "dbn" or "trust".
        eta: a position k is looked at with chance 1 / k ** eta, in "pbm" and "trust".
        searches: how many.
        rows: documents that they showed.
        clicks: how many of those were clicked.
        queries: distinct ones.
        rankers: their names.
        swaps: share of searches in which the first document changed places with a lower one.
        truth: where what went in was written; empty when nowhere.
    """

    file: str
    law: str
    eta: float
    searches: int
    rows: int
    clicks: int
    queries: int
    rankers: tuple[str, ...]
    swaps: float
    truth: str = ""


def simulate_logs(
    runs: Sequence[Any],
    qrels: Any,
    *,
    out: str | os.PathLike[str],
    truth: str | os.PathLike[str] | None = None,
    topics: Any = None,
    searches: int = 2_000,
    law: str = "pbm",
    eta: float = 1.0,
    swaps: float = 0.0,
    depth: int = 10,
    seed: int = 0,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    command: str = "",
) -> Simulated:
    """A click log with known truth: runs are the rankers, judgments say how documents attract.

    Args:
        runs: one or more; each search is ranked by one of them, with equal chances.
        qrels: judgments; a document without one is worth nothing.
        out: the log to be written: .parquet, .csv or .jsonl.
        truth: .csv to be written with what went in: query_id, doc_id, grade (0 to 4), traffic (share of the searches),
            attraction (chance of a click when seen), satisfaction (null where the law has none).
        topics: what is asked, by query id.
        searches: how many.
        law: "pbm" (a click needs that the position is looked at and the document attracts), "cascade" (lists are read
            from the top to the first click), "dbn" (lists are read from the top until satisfied) or "trust" (high
            positions are clicked without merit, too).
        eta: a position k is looked at with chance 1 / k ** eta, in "pbm" and "trust".
        swaps: share of searches in which the first document changes places with a random lower one.
        depth: documents that are shown.
        seed: of the random numbers.
        format: of the inputs; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        command: how the result was asked for, kept in it.

    Raises:
        InputError: an option means nothing, or no query has a list of every run and judgments.
    """
    import numpy as np

    from assay import __version__
    from assay.simulate.logs import clicks, frame
    from assay.simulate.logs import truth as what_went_in
    from assay.simulate.worlds import World

    kind = _checked(out, truth, law, searches, swaps, depth)
    bench = Workbench.open() if bench is None else bench
    names = [Path(name_of(run)).stem if isinstance(run, str | os.PathLike) else f"run {place + 1}"
             for place, run in enumerate(runs)]  # fmt: skip
    if len(set(names)) < len(names):
        raise InputError("two runs have one name, and a log tells rankers apart by it", ", ".join(names), "rename one")
    tables = (bench.table(run, Hit, format=format, columns=columns) for run in runs)
    lists = {name: _lists(table) for name, table in zip(names, tables, strict=True)}
    grades = _grades(bench.table(qrels, Judgment, format=format, columns=columns))
    asked = bench.table(topics, Topic).polars() if topics is not None else None
    texts = dict(zip(asked["query_id"], asked["text"], strict=True)) if asked is not None else {}
    try:
        world = World.of(seed, lists, grades, texts, depth)
    except ValueError as error:
        raise InputError(str(error), name_of(qrels), "name runs and judgments of the same queries") from None
    found = clicks(world, searches, np.random.default_rng([seed, 3]), law, eta, swaps)  # type: ignore[arg-type] # checked
    log = frame(world, found, seed)
    with replacing(out) as file:
        if kind == "parquet":
            log.write_parquet(file, compression="zstd", compression_level=15)
        elif kind == "csv":
            log.write_csv(file)
        else:
            log.write_ndjson(file)
    if truth is not None:
        with replacing(truth) as file:
            what_went_in(world, law).write_csv(file)  # type: ignore[arg-type] # checked
    return Simulated(
        file=spelled(out), law=law, eta=eta, searches=searches, rows=log.height, clicks=int(log["clicked"].sum()),
        queries=log["query_id"].n_unique(), rankers=tuple(lists), swaps=swaps,
        truth="" if truth is None else spelled(truth),
        source=Source(hashes=bench.inputs(), versions=(("assay", __version__),), seed=seed, command=command),
    )  # fmt: skip


def _checked(out: Any, truth: Any, law: str, searches: int, swaps: float, depth: int) -> str:
    if law not in LAWS:
        raise InputError(f"no law of clicking is called {law!r}", "--law", f"pass --law {' or '.join(LAWS)}")
    if searches < 1 or depth < 1:
        raise InputError("a log has one search at least, which shows one document at least", "--searches, --depth",
                         "pass numbers above 0")  # fmt: skip
    if not 0 <= swaps <= 1:
        raise InputError(f"{swaps} is no share", "--swaps", "pass a number from 0 to 1")
    kind = ENDINGS.get(Path(out).suffix.lower())
    if kind is None:
        raise InputError("the ending does not say what to write", name_of(out), f"give it {', '.join(ENDINGS)}")
    if truth is not None and Path(truth).suffix.lower() != ".csv":
        raise InputError("what went in is written as CSV", name_of(truth), "give it .csv")
    return kind


def _lists(block: Any) -> dict[str, list[str]]:
    frame = block.polars()
    by = ["query_id", "rank"] if "rank" in frame.columns and frame["rank"].null_count() == 0 else ["query_id", "score"]
    down = [False, by[1] == "score", True]
    found: dict[str, list[str]] = {}
    for query, doc in frame.sort([*by, "doc_id"], descending=down).select("query_id", "doc_id").iter_rows():
        found.setdefault(query, []).append(doc)
    return found


def _grades(block: Any) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, doc, grade in block.polars().select("query_id", "doc_id", "grade").iter_rows():
        found.setdefault(query, {})[doc] = grade
    return found
