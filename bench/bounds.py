"""The range over unjudged documents at the size of MS MARCO dev, and the noise floor of a product search.

python -m bench.bounds TASK prints what one task found; the cases run that in a process of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.figures import Figure, Goal
from bench.measure import RunError, run

if TYPE_CHECKING:
    from assay.tables import Block
    from bench.cases import Bench

ROOT = Path(__file__).parent.parent
QUERIES, DEPTH, KNOWN, JUDGED = 6_980, 100, 150, 30
RATED, DOCUMENTS, RATERS, DRAWS = 125, 20, 3, 2_000
SEED = 20_261_130


def ranking(seed: int) -> Block:
    """100 of 150 documents of every query, in an order of their own."""
    import polars as pl

    from assay.tables import Block

    picked = np.argsort(np.random.default_rng(seed).random((QUERIES, KNOWN)), axis=1)[:, :DEPTH]
    docs = np.arange(QUERIES)[:, None] * KNOWN + picked
    frame = pl.DataFrame(
        {
            "query_id": np.repeat(np.arange(QUERIES), DEPTH),
            "doc_id": docs.ravel(),
            "score": np.tile(np.arange(DEPTH, 0.0, -1.0), QUERIES),
        }
    ).with_columns(pl.col("query_id").cast(pl.String), pl.col("doc_id").cast(pl.String))
    return Block(frame, str, "run")


def judgments() -> Block:
    """30 of the 150 documents of every query, with four grades."""
    import polars as pl

    from assay.tables import Block

    rng = np.random.default_rng(SEED)
    docs = np.arange(QUERIES)[:, None] * KNOWN + np.argsort(rng.random((QUERIES, KNOWN)), axis=1)[:, :JUDGED]
    frame = pl.DataFrame(
        {
            "query_id": np.repeat(np.arange(QUERIES), JUDGED),
            "doc_id": docs.ravel(),
            "grade": rng.integers(0, 4, docs.size).astype(np.float64),
        }
    ).with_columns(pl.col("query_id").cast(pl.String), pl.col("doc_id").cast(pl.String))
    return Block(frame, str, "qrels")


def ranges(measure: str) -> tuple[float, Any]:
    """Processor time of placing both runs and finding the range, and the range."""
    from assay.compare.lists import side_by_side
    from assay.compare.unjudged import bounds
    from assay.measures.grammar import parse
    from assay.ranking.align import judged as prepared
    from assay.ranking.conventions import Conventions
    from assay.ranking.shown import shown

    chosen = parse(measure)[0]
    judged = prepared(judgments(), Conventions())
    runs = [ranking(SEED + 1), ranking(SEED + 2)]
    started = process_time()
    lists = side_by_side(*(shown(block, judged, Conventions(), chosen.cutoff) for block in runs))
    found = bounds(chosen, lists)
    used = process_time() - started
    inside = (found.low - 1e-12 <= found.now) & (found.now <= found.high + 1e-12)
    if not inside[found.counts].all():
        raise RunError("a difference as judged lies outside its range")
    return used, [found.difference, found.n_unjudged]


def noise() -> tuple[float, Any]:
    """Processor time of 2,000 draws of labels, and the floors."""
    from assay.compare.labels import labels_of
    from assay.compare.noise import rater_noise
    from assay.judgments.aggregate import aggregate
    from assay.keys import stream
    from assay.measures.grammar import parse
    from assay.ranking.align import align
    from assay.ranking.align import judged as prepared
    from assay.ranking.conventions import Conventions
    from assay.tables import Block

    rng = np.random.default_rng(SEED)
    pairs = [(f"q{query}", f"d{doc}") for query in range(RATED) for doc in range(DOCUMENTS)]
    rows = [(query, doc, f"r{rater}", float(rng.integers(0, 3))) for query, doc in pairs for rater in range(RATERS)]
    columns = dict(zip(("query_id", "doc_id", "rater", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    block = Block(columns, str, "ratings")
    judged = prepared(aggregate(block), Conventions())
    runs = {}
    for name in ("one", "other"):
        hits = {"query_id": [query for query, _ in pairs], "doc_id": [doc for _, doc in pairs]}
        hits["rank"] = [int(rank) for _ in range(RATED) for rank in rng.permutation(DOCUMENTS) + 1]  # type: ignore[misc] # ranks
        runs[name] = align(Block(hits, str, name), judged, Conventions()).ranking
    labels = labels_of(block, judged)
    if labels is None:
        raise RunError("there are no labels of several raters")
    started = process_time()
    found = rater_noise(labels, runs, parse("nDCG@10 P@10"), [("one", "other")], stream(SEED, "noise"), draws=DRAWS)
    return process_time() - started, [floor.sd for floor in found.floors]


def main() -> None:
    """Does one task and prints what it found, with the processor time of the call alone."""
    task = sys.argv[1]
    used, found = noise() if task == "noise" else ranges(task)
    print(json.dumps({"cpu_s": used, "found": found}))


def unjudged(bench: Bench) -> Iterator[Figure]:
    """The range of nDCG@10 and others, and the noise floor."""
    for task, what, most in (
        ("nDCG@10", f"range of nDCG@10, 2 runs x {QUERIES:,} queries x {DEPTH} rows", Goal(2)),
        ("nDCG@100", f"range of nDCG@100, 2 runs x {QUERIES:,} queries x {DEPTH} rows", None),
        ("RR@10", f"range of RR@10, 2 runs x {QUERIES:,} queries x {DEPTH} rows", None),
        ("noise", f"rater noise, {RATED} queries x {DOCUMENTS} documents x {RATERS} raters, {DRAWS:,} draws", Goal(5)),
    ):
        bench.tell(what)
        out = bench.scratch / "bounds.out"
        starter = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from bench.bounds import main; main()"
        seconds, said = [], set()
        for again in range(bench.pairs + 1):
            run([sys.executable, "-c", starter, task], out)
            found = json.loads(out.read_text("utf-8"))
            said.add(json.dumps(found["found"]))
            if again:
                seconds.append(float(found["cpu_s"]))
        if len(said) != 1:
            raise RunError(f"{task}: the same seed gave different answers")
        yield Figure(what, "CPU of the call", "s", median(seconds), goal=most)


if __name__ == "__main__":
    main()
