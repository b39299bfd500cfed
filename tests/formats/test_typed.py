"""Large Parquet and Arrow runs in blocks: the rows, places and complaints of the reader of whole files."""

from __future__ import annotations

import io
import random
from pathlib import Path

import polars as pl
import pyarrow.ipc
import pytest

from assay.errors import InputError
from assay.formats.arrow import NotWholeError, check, parts
from assay.formats.columns import read_columns
from assay.formats.typed import TypedRun
from assay.tables import Block, Hit

FORMATS = {
    "parquet": lambda frame, path: frame.write_parquet(path, row_group_size=23),
    "parquet in one group": lambda frame, path: frame.write_parquet(path),
    "arrow file": lambda frame, path: in_batches(frame, path, pyarrow.ipc.new_file),
    "compressed arrow file": lambda frame, path: frame.write_ipc(path, compression="zstd"),
    "arrow stream": lambda frame, path: in_batches(frame, path, pyarrow.ipc.new_stream),
    "compressed arrow stream": lambda frame, path: frame.write_ipc_stream(path, compression="lz4"),
}


def in_batches(frame: pl.DataFrame, path: object, make: object) -> None:
    """As several record batches."""
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    with make(path, table.schema) as writer:  # type: ignore[operator] # one of two functions
        writer.write_table(table, max_chunksize=17)


def a_frame(queries: int = 30, depth: int = 9) -> pl.DataFrame:
    rng = random.Random(5)
    rows = [
        (str(100 + q), f"d{rng.randrange(10**6)}é{i}", (depth - i // 2) / 4, i + 1)
        for q in range(queries)
        for i in range(rng.randrange(3, depth + 1))
    ]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score", "rank"], orient="row")


def written(frame: pl.DataFrame, kind: str, folder: Path) -> str:
    path = str(folder / "a.typed")
    FORMATS[kind](frame, path)
    return path


def run_of(path: str, kind: str, rows: int = 20, columns: dict[str, str] | None = None) -> TypedRun:
    return TypedRun(path, "parquet" if kind.startswith("parquet") else "arrow", columns, rows)


def whole(path: str, kind: str, columns: dict[str, str] | None = None) -> Block:
    return read_columns(path, Hit, "parquet" if kind.startswith("parquet") else "arrow", columns)


@pytest.mark.parametrize("rows", [1, 7, 20, 1000])
@pytest.mark.parametrize("kind", FORMATS)
def test_blocks_hold_whole_queries_and_every_row_once(tmp_path: Path, kind: str, rows: int) -> None:
    frame = a_frame()
    blocks = list(run_of(written(frame, kind, tmp_path), kind, rows))
    assert pl.concat([block.polars() for block in blocks]).equals(frame)
    seen = [set(block.polars()["query_id"]) for block in blocks]
    assert sum(map(len, seen)) == len(set.union(*seen)) == 30
    if rows < 20:
        assert len(blocks) > 5


@pytest.mark.parametrize("kind", FORMATS)
def test_a_row_is_called_by_its_number_in_the_file(tmp_path: Path, kind: str) -> None:
    frame = a_frame()
    path = written(frame, kind, tmp_path)
    places = [block.place(row) for block in run_of(path, kind) for row in range(len(block))]
    assert places == [f"{path}, row {row}" for row in range(1, frame.height + 1)]


SHAPES = {
    "whole numbers as ids": lambda frame: frame.with_columns(pl.col("query_id").cast(pl.Int64)),
    "categories": lambda frame: frame.with_columns(pl.col("query_id").cast(pl.Categorical)),
    "32-bit scores": lambda frame: frame.with_columns(pl.col("score").cast(pl.Float32)),
    "numbers as text": lambda frame: frame.with_columns(pl.col("score").cast(pl.String)),
    "ranks alone": lambda frame: frame.drop("score"),
    "scores that are all absent": lambda frame: frame.with_columns(score=pl.lit(None, pl.Float64)),
    "further columns": lambda frame: frame.with_columns(title=pl.lit("x"), tag=pl.lit("y")),
    "kinds of rows": lambda frame: frame.with_columns(
        kind=pl.when(pl.int_range(pl.len()) > 100).then(pl.lit("sponsored"))
    ),
    "blanks around ids": lambda frame: frame.with_columns(pl.col("doc_id") + " "),
    "other names": lambda frame: frame.rename({"query_id": "qid", "doc_id": "docno", "score": "sim"}),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream"])
def test_files_of_every_shape_are_read_as_when_read_whole(tmp_path: Path, kind: str, shape: str) -> None:
    path = written(SHAPES[shape](a_frame()), kind, tmp_path)
    expected = whole(path, kind)
    run = run_of(path, kind)
    found = pl.concat([block.polars() for block in run], how="diagonal_relaxed")
    assert found.select(expected.columns).equals(expected.polars())
    assert run.facts == expected.facts


def spoil(rows: list[int], column: str, value: object) -> object:
    def change(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame[column].to_list()
        for row in rows:
            values[row] = value
        return frame.with_columns(pl.Series(column, values, frame.schema[column]))

    return change


FAULTS = {
    "a score that is no number": spoil([40, 110], "score", float("nan")),
    "absent scores": spoil([3, 40, 41, 120], "score", None),
    "scores that end": spoil(list(range(60, 150)), "score", None),
    "scores that begin late": spoil(list(range(60)), "score", None),
    "absent documents": spoil([100], "doc_id", None),
    "an empty query": spoil([77], "query_id", ""),
    "a negative rank": spoil([9, 99], "rank", -1),
    "no documents": lambda frame: frame.drop("doc_id"),
    "neither score nor rank": lambda frame: frame.drop("score", "rank"),
    "no rows": lambda frame: frame.clear(),
    "two columns for one field": lambda frame: frame.rename({"query_id": "qid"}).with_columns(topic_id=pl.lit("1")),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream"])
def test_what_is_wrong_is_said_as_of_a_file_read_whole(tmp_path: Path, kind: str, fault: str) -> None:
    path = written(FAULTS[fault](a_frame()), kind, tmp_path)  # type: ignore[operator] # functions all
    with pytest.raises(InputError) as said:
        whole(path, kind)
    with pytest.raises(InputError) as found:
        list(run_of(path, kind))
    assert str(found.value) == str(said.value)


def test_columns_named_by_the_user_are_taken(tmp_path: Path) -> None:
    frame = a_frame().rename({"doc_id": "sku"})
    path = written(frame, "parquet", tmp_path)
    blocks = list(run_of(path, "parquet", 20, {"doc_id": "sku"}))
    assert pl.concat([block.polars() for block in blocks])["doc_id"].equals(frame["sku"].alias("doc_id"))


# what is not whole

TYPED = {
    "parquet": lambda frame, out: frame.write_parquet(out),
    "arrow file": lambda frame, out: frame.write_ipc(out),
    "arrow stream": lambda frame, out: frame.write_ipc_stream(out),
}


@pytest.mark.parametrize("kind", TYPED)
def test_a_file_that_was_cut_short_anywhere_is_refused_and_stderr_stays_silent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    held = io.BytesIO()
    TYPED[kind](a_frame(), held)
    data = held.getvalue()
    path = tmp_path / "a.typed"
    for end in sorted({*range(8, len(data) - 9, max(1, len(data) // 60)), len(data) - 9, len(data) - 20}):
        path.write_bytes(data[:end])
        for read in (lambda: whole(str(path), kind), lambda: list(run_of(str(path), kind))):
            with pytest.raises(InputError, match="is not a whole"):
                read()
    assert capfd.readouterr().err == ""


def test_a_length_far_too_large_is_found_out_before_memory_is_asked_for() -> None:
    held = io.BytesIO()
    a_frame().write_ipc_stream(held)
    data = bytearray(held.getvalue())
    rows = a_frame().height.to_bytes(8, "little")
    places = [at for at in range(len(data)) if data.startswith(rows, at)]
    assert len(places) >= 2  # rows of the batch, values of its columns
    for at in places:
        data[at + 6] = 64
        with pytest.raises(NotWholeError, match="more rows than fit"):
            check(io.BytesIO(bytes(data)), len(data))
        data[at + 6] = 0
    check(io.BytesIO(bytes(data)), len(data))


def test_flipped_bits_are_refused_or_read_and_never_end_the_process(tmp_path: Path) -> None:
    rng = random.Random(11)
    path = tmp_path / "a.typed"
    for kind, write in TYPED.items():
        held = io.BytesIO()
        write(a_frame(), held)
        for _ in range(40):
            data = bytearray(held.getvalue())
            data[rng.randrange(8, len(data))] ^= 1 << rng.randrange(8)
            path.write_bytes(data)
            try:
                found = sum(len(block) for block in run_of(str(path), kind))
            except InputError:
                continue
            assert found == a_frame().height


def test_a_stream_in_parts_is_the_stream() -> None:
    held = io.BytesIO()
    in_batches(a_frame().with_columns(pl.col("query_id").cast(pl.Categorical)), held, pyarrow.ipc.new_stream)
    data = held.getvalue()
    found = [pl.read_ipc_stream(io.BytesIO(part)) for part in parts(io.BytesIO(data), len(data), 30)]
    assert len(found) > 3
    assert pl.concat(found).with_columns(pl.col("query_id").cast(pl.String)).equals(a_frame())
