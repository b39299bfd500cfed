"""Run tables of a lake that Spark scores: the rows of the table, and not those of its folder."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay import evaluate
from assay.errors import InputError
from spark.made import PLAIN, fault, hits, judgments, one_file, unnamed

pytestmark = pytest.mark.spark


def test_a_delta_table_is_read_as_its_files_and_not_as_its_folder(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    table = hits().with_columns(day=pl.lit("2026-01-01"))
    place = str(tmp_path / "run")
    deltalake.write_deltalake(place, table[::2].to_arrow(), partition_by=["day"])
    deltalake.write_deltalake(place, table[1::2].to_arrow(), mode="append")
    asked = evaluate(one_file(tmp_path, table), judgments(), "nDCG@10 AP")
    before = evaluate(place, judgments(), "nDCG@10 AP", on="spark")
    deltalake.write_deltalake(place, table[:40].to_arrow(), mode="overwrite")
    found = evaluate(f"delta:{place}@1", judgments(), "nDCG@10 AP", on="spark")
    newest = evaluate(place, judgments(), "nDCG@10 AP", on="spark")
    for one in (before, found):
        np.testing.assert_equal(unnamed(one)[0], unnamed(asked)[0])
        assert unnamed(one)[1:] == unnamed(asked)[1:]
    assert newest.coverage[0].rows == 40
    assert "whose files are not all its rows" in fault(f"{place}/*/*.parquet")
    assert "have no order for --ties input" in fault(place, ties="input")
    assert "have no order for --duplicates keep-first" in fault(place, duplicates="keep-first")


def test_a_table_whose_partition_is_the_query_has_it_from_the_log(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    table = hits().drop("kind")
    deltalake.write_deltalake(str(tmp_path / "run"), table.to_arrow(), partition_by=["query_id"])
    asked = evaluate(one_file(tmp_path, table), judgments(), "nDCG@10 AP")
    found = evaluate(tmp_path / "run", judgments(), "nDCG@10 AP", on="spark")
    np.testing.assert_equal(unnamed(found)[0], unnamed(asked)[0])


@pytest.mark.parametrize("is_known", [False, True], ids=["files-say-the-columns", "the-table-says-them"])
def test_partitions_that_no_folder_names_are_columns(tmp_path, is_known):
    import pyarrow as pa

    from assay.logs.run_tables import RunFiles, RunTables

    for number in range(3):
        pl.DataFrame({"doc_id": ["a"], "score": [1.0]}).write_parquet(tmp_path / f"{number}.parquet")
    paths = tuple(str(tmp_path / f"{number}.parquet") for number in range(3))
    names = [("doc_id", pa.string()), ("score", pa.float64()), ("query_id", pa.string())]
    files = RunFiles("table", paths, partitions=({"query_id": "it's"}, {"query_id": "007"}, {}),
                     schema=pa.schema(names) if is_known else None)  # fmt: skip
    table = RunTables().open(files)
    assert table.columns == ["doc_id", "score", "query_id"]
    frame, places = table.of_query({"query_id": "query_id", "doc_id": "doc_id"}, "it's")
    assert frame.to_dicts() == [{"query_id": "it's", "doc_id": "a"}]
    assert places == [f"{paths[0]}, row 1"]
    frame, places, count = table.without({"query_id": "query_id", "doc_id": "doc_id"}, "query_id")
    assert (frame["query_id"].to_list()[0], places[0], count) == (None, f"{paths[2]}, row 1", 1)


def test_a_lake_that_only_spark_can_look_at_is_no_folder_of_files(tmp_path):
    from assay.logs.run_tables import RunFiles, RunTables

    (tmp_path / "run" / "_delta_log").mkdir(parents=True)
    PLAIN.write_parquet(tmp_path / "run" / "0.parquet")
    address = f"file://{tmp_path}/run"
    with pytest.raises(InputError, match=r"is a table \(Delta\), whose files are not all its rows"):
        RunTables().open(RunFiles(address, (address,)))
    (tmp_path / "run" / "_delta_log").rmdir()
    assert RunTables().open(RunFiles(address, (address,))).columns == PLAIN.columns
