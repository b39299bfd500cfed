"""Writes run and qrels files of a stated shape, the same bytes for the same shape on the same library versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

Ints = npt.NDArray[np.int64]

REVISION = 1  # raised when the same shape would give other bytes
CORPUS_BITS = 23  # 8.4 million documents, about as many as MS MARCO has passages
OUTSIDE = 0.3  # share of the judgments that is on documents which the run does not return
GRADES = (0.55, 0.25, 0.13, 0.07)  # how often grade 0, 1, 2, 3 is given
BLOCK = 2_000  # queries made at a time, so that memory stays small
COPIES = 14  # of M in H
BLANKS = (" ", "\t", "  ", " \t")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a pair of files looks like.

    Args:
        name: of the files.
        queries: how many.
        depth: documents returned for each query.
        judged: judgments for each query; with one, its grade is 1 (as in MS MARCO), otherwise 0 to 3.
        ids: "short" gives D0001234, "long" 25 characters as in ClueWeb.
        ties: share of neighbours in the ranking with equal scores; their ids are in no order.
        disordered: share of the queries whose lines are shuffled among themselves.
        seed: of the random numbers.
        of: the shape that this one only writes in another way; the values stay the same.
        how: the other way: "irregular" mixes blanks and tabs and ends lines with CR LF, "lines-shuffled"
            puts all lines of the run into random order, "repeated" is everything 14 times under new query ids.
    """

    name: str
    queries: int
    depth: int
    judged: int
    ids: Literal["short", "long"] = "short"
    ties: float = 0.05
    disordered: float = 0.0
    seed: int = 20261129
    of: Shape | None = None
    how: Literal["", "irregular", "lines-shuffled", "repeated"] = ""

    @property
    def rows(self) -> int:
        """How many lines the run file has."""
        return self.queries * self.depth


def _again(shape: Shape, name: str, how: Literal["irregular", "lines-shuffled", "repeated"]) -> Shape:
    times = COPIES if how == "repeated" else 1
    return replace(shape, name=name, queries=shape.queries * times, of=shape, how=how)


_M = Shape("M", 6_980, 1_000, 1)
SHAPES: dict[str, Shape] = {
    shape.name: shape
    for shape in (
        Shape("S", 50, 1_000, 150, disordered=0.1),
        _M,
        Shape("L", 50_000, 100, 10, disordered=0.02),
        Shape("XL", 6_980, 1_000, 200, ids="long"),
        replace(_M, name="M-ties", ties=0.5),
        _again(_M, "M-shuffled", "lines-shuffled"),
        _again(_M, "M-irregular", "irregular"),
        _again(_M, "H", "repeated"),
    )
}


@dataclass(frozen=True, slots=True)
class Files:
    """Where a shape was written."""

    shape: Shape
    run: Path
    qrels: Path


def files(shape: Shape, folder: Path) -> Files:
    """Gives the files of a shape, written now unless the same ones already stand there."""
    made = Files(shape, folder / f"{shape.name}.run", folder / f"{shape.name}.qrels")
    stamp = folder / f"{shape.name}.json"
    written = stamp.exists() and made.run.exists() and made.qrels.exists()
    if written and json.loads(stamp.read_text("utf-8")) == _stamp(made):
        return made
    folder.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)  # an interrupted run leaves no stamp, so its files are written again
    for old in folder.glob(f"{shape.name}.expected.*"):
        old.unlink()
    if shape.of is None:
        _write(made)
    else:
        _write_again(made, files(shape.of, folder))
    stamp.write_text(json.dumps(_stamp(made), indent=1), "utf-8")
    return made


def _stamp(made: Files) -> dict[str, Any]:
    sizes = [made.run.stat().st_size, made.qrels.stat().st_size]
    return {"revision": REVISION, "shape": asdict(made.shape), "bytes": sizes}


def _write(made: Files) -> None:
    shape, rng = made.shape, np.random.default_rng(made.shape.seed)
    numbers = np.sort(rng.choice(20 * shape.queries, shape.queries, replace=False)) + 1_000
    with made.run.open("wb") as run, made.qrels.open("wb") as qrels:
        for low in range(0, shape.queries, BLOCK):
            judgments, hits = _block(shape, numbers[low : low + BLOCK], rng)
            _append(judgments, qrels)
            _append(hits, run)


def _append(frame: pl.DataFrame, file: Any) -> None:
    frame.write_csv(file, include_header=False, separator=" ", float_precision=6)


def _block(shape: Shape, numbers: Ints, rng: np.random.Generator) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The judgments and the run of some queries.

    Each query has twice as many documents as it returns: place i of the query is document
    (offset + i * step) mod 2**23, which never repeats because the step is odd.
    """
    n, depth = len(numbers), shape.depth
    offset = rng.integers(0, 1 << CORPUS_BITS, (n, 1))
    step = rng.integers(0, 1 << (CORPUS_BITS - 1), (n, 1)) * 2 + 1

    def documents(places: Ints) -> pl.Series:
        return _names((offset + places * step) & ((1 << CORPUS_BITS) - 1), shape.ids)

    places = _judged_places(n, shape, rng)
    grades = np.ones(places.size, np.int64) if shape.judged == 1 else rng.choice(len(GRADES), places.size, p=GRADES)
    judgments = pl.DataFrame(
        {
            "query": np.repeat(numbers, shape.judged),
            "iteration": np.zeros(places.size, np.int64),
            "document": documents(places),
            "grade": grades,
        }
    )
    rank = np.tile(np.arange(1, depth + 1), (n, 1))
    fall = rng.exponential(0.02, (n, depth)) * (rng.random((n, depth)) >= shape.ties)
    score = 10 + 10 * rng.random((n, 1)) + fall.sum(1, keepdims=True) - np.cumsum(fall, 1)
    order = rank - 1
    mixed = rng.random(n) < shape.disordered
    order[mixed] = rng.permuted(order[mixed], axis=1)
    hits = pl.DataFrame(
        {
            "query": np.repeat(numbers, depth),
            "Q0": pl.repeat("Q0", n * depth, eager=True),
            "document": documents(order),
            "rank": np.take_along_axis(rank, order, 1).ravel(),
            "score": np.take_along_axis(score, order, 1).ravel(),
            "tag": pl.repeat("sys1", n * depth, eager=True),
        }
    )
    return judgments, hits


def _judged_places(n: int, shape: Shape, rng: np.random.Generator) -> Ints:
    """Draws the judged places without repetition, the top of the ranking oftener (Efraimidis and Spirakis 2006)."""
    depth = shape.depth
    near = 1 / np.arange(1, depth + 1)
    weight = np.concatenate([near / near.sum() * (1 - OUTSIDE), np.full(depth, OUTSIDE / depth)])
    keys = rng.exponential(1.0, (n, 2 * depth)) / weight
    drawn = np.argpartition(keys, shape.judged - 1, axis=1)[:, : shape.judged]
    return rng.permuted(drawn, axis=1).astype(np.int64)  # qrels are not in the order of any run


def _names(numbers: Ints, ids: str) -> pl.Series:
    number = pl.Series("n", numbers.ravel())

    def digits(values: pl.Expr, width: int) -> pl.Expr:
        return values.cast(pl.String).str.zfill(width)

    n = pl.col("n")
    if ids == "short":
        parts = [pl.lit("D"), digits(n, 7)]
    else:
        parts = [pl.lit("clueweb12-"), digits(n // 1_000, 4), pl.lit("wb-"), digits(n * 7 % 100, 2), pl.lit("-")]
        parts.append(digits(n % 1_000, 5))
    return number.to_frame().select(pl.concat_str(parts).alias("document")).to_series()


def _write_again(made: Files, clean: Files) -> None:
    rng = np.random.default_rng(made.shape.seed + 1)
    if made.shape.how == "repeated":
        for source, target in ((clean.run, made.run), (clean.qrels, made.qrels)):
            lines = source.read_bytes()
            with target.open("wb") as out:
                for prefix in copies():
                    out.write(prefix.encode() + lines[:-1].replace(b"\n", b"\n" + prefix.encode()) + b"\n")
        return
    made.qrels.write_bytes(clean.qrels.read_bytes())
    if made.shape.how == "lines-shuffled":
        lines_frame = pl.read_csv(clean.run, has_header=False, separator="\x1f", quote_char=None, infer_schema=False)
        shuffled = lines_frame[rng.permutation(lines_frame.height)]
        shuffled.write_csv(made.run, include_header=False, separator="\x1f", quote_style="never")
        return
    columns = pl.read_csv(clean.run, has_header=False, separator=" ", quote_char=None, infer_schema=False)
    columns.select(_with_blanks(columns, rng)).write_csv(
        made.run, include_header=False, quote_style="never", line_terminator="\r\n"
    )


def _with_blanks(columns: pl.DataFrame, rng: np.random.Generator) -> pl.Expr:
    blanks = pl.Series(BLANKS)
    parts: list[pl.Expr] = []
    for name in columns.columns:
        if parts:
            parts.append(pl.lit(blanks.gather(rng.integers(0, len(BLANKS), columns.height))))
        parts.append(pl.col(name))
    return pl.concat_str(parts)


def copies() -> Iterator[str]:
    """What stands before the query ids of each copy in a repeated file; all as long, so that no two ids meet."""
    for copy in range(COPIES):
        yield str(10 + copy)
