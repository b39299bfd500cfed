"""The expected values, worked out slowly and without anything of the product: plain dicts, sorts and sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import log2, nan
from pathlib import Path

import polars as pl

from bench.generate import Files, copies

MEASURES = (
    "nDCG@10",
    "nDCG(gain=exp)@10",
    "P@10",
    "R@100",
    "RR",
    "AP",
    "nDCG",
    "Bpref",
    "Rprec",
    "Judged@10",
)


def expected(made: Files) -> pl.DataFrame:
    """The value of each measure (a column) for each query (a row), kept beside the files; NaN where undefined."""
    shape = made.shape
    if shape.how == "repeated" and shape.of is not None:
        once = expected(Files(shape.of, *(path.with_stem(shape.of.name) for path in (made.run, made.qrels))))
        return pl.concat(
            [once.with_columns((pl.lit(copy) + pl.col("query_id")).alias("query_id")) for copy in copies()]
        )
    kept = made.run.with_suffix(".expected.parquet")
    if kept.exists():
        return pl.read_parquet(kept)
    values = slow(made.run, made.qrels)
    values.write_parquet(kept)
    return values


def slow(run: Path, qrels: Path) -> pl.DataFrame:
    """Reads both files line by line and works out every measure query by query."""
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    with qrels.open(encoding="ascii") as lines:
        for line in lines:
            query, _, document, grade = line.split()
            judged[query][document] = int(grade)
    returned: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with run.open(encoding="ascii") as lines:
        for line in lines:
            query, _, document, _, score, _ = line.split()
            returned[query].append((float(score), document))
    rows = []
    for query in sorted(judged):
        best_first = sorted(returned.get(query, []), reverse=True)  # ties: document id descending
        rows.append((query, *one_query([judged[query].get(document) for _, document in best_first], judged[query])))
    return pl.DataFrame(rows, schema=["query_id", *MEASURES], orient="row")


def one_query(shown: Sequence[int | None], judged: dict[str, int]) -> tuple[float, ...]:
    """The ten measures from the grades in rank order (None is unjudged) and all grades of the query."""
    share_judged = sum(grade is not None for grade in shown[:10]) / 10
    ideal = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
    if not ideal:
        return (*[nan] * 9, share_judged)
    relevant = len(ideal)
    ranks = [rank for rank, grade in enumerate(shown, 1) if grade is not None and grade > 0]
    hits_to_10 = sum(rank <= 10 for rank in ranks)
    return (
        dcg(shown[:10]) / dcg(ideal[:10]),
        dcg(shown[:10], exponential=True) / dcg(ideal[:10], exponential=True),
        hits_to_10 / 10,
        sum(rank <= 100 for rank in ranks) / relevant,
        1 / ranks[0] if ranks else 0.0,
        sum(count / rank for count, rank in enumerate(ranks, 1)) / relevant,
        dcg(shown) / dcg(ideal),
        bpref(shown, relevant, len(judged) - relevant),
        sum(rank <= relevant for rank in ranks) / relevant,
        share_judged,
    )


def dcg(grades: Sequence[int | None], *, exponential: bool = False) -> float:
    """The discounted sum of gains."""
    total = 0.0
    for rank, grade in enumerate(grades, 1):
        if grade is not None and grade > 0:
            total += (2**grade - 1 if exponential else grade) / log2(rank + 1)
    return total


def bpref(shown: Sequence[int | None], relevant: int, nonrelevant: int) -> float:
    """As trec_eval has it: 1 - min(judged nonrelevant above, R) / min(N, R), summed over relevant, divided by R."""
    total, above = 0.0, 0
    for grade in shown:
        if grade is None:
            continue
        if grade > 0:
            total += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1.0
        else:
            above += 1
    return total / relevant
