"""Cells in folders: written by the executors of Spark or by one machine, read as one file is; whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import assay
from assay.errors import EngineError, InputError, NotEnoughEvidence
from assay.flows.cells import cells_of, holds_cells
from assay.flows.click_logs import LogChoices
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World
from sparks import begun

KEYS = ["query_id", "doc_id", "position", "ranker", "segment"]


@pytest.fixture(scope="module")
def rows():
    world = World.make(5, queries=20)
    return frame(world, clicks(world, 400, np.random.default_rng(2), swaps=0.3), 2)


@pytest.fixture
def log(tmp_path, rows):
    (tmp_path / "in").mkdir()
    rows.write_parquet(tmp_path / "in" / "log.parquet")
    return tmp_path / "in" / "log.parquet"


@contextmanager
def settings(session, name, value):
    before = session.conf.get(name)
    session.conf.set(name, value)
    try:
        yield
    finally:
        session.conf.set(name, before)


def at(folder):
    return sorted(path.name for path in folder.iterdir())


def test_folders_of_days_add_up_to_the_whole(tmp_path, rows, log):
    for number, day in enumerate(rows.with_columns(day=pl.col("at").dt.date()).partition_by("day", include_key=False)):
        day.write_parquet(tmp_path / "in" / "day.parquet")
        out = f"{tmp_path}/days/{number}/"
        (tmp_path / "days").mkdir(exist_ok=True)
        assert assay.cells(tmp_path / "in" / "day.parquet", out=out).file == out
    added, read = cells_of(tmp_path / "days", LogChoices())
    assert read is None
    whole, _ = cells_of(log, LogChoices())
    assert_frame_equal(added.frame(), whole.frame())
    assert not holds_cells(tmp_path / "in")
    with pytest.raises(InputError, match="added twice"):
        cells_of([tmp_path / "days", tmp_path / "days" / "0"], LogChoices())


def test_a_folder_that_holds_files_is_not_written_into(tmp_path, log):
    with pytest.raises(InputError, match="is not empty"):
        assay.cells(log, out=tmp_path / "in")
    with pytest.raises(InputError, match=r"or the folder a / at its end"):
        assay.cells(log, out=tmp_path / "days")
    with pytest.raises(InputError, match="no addresses"):
        assay.cells(log, out="s3://bucket/cells/")
    with pytest.raises(NotEnoughEvidence):
        assay.cells(log, out=f"{tmp_path}/days/", since="2030-01-01")
    assert at(tmp_path) == ["in"]


@pytest.fixture(scope="module")
def session():
    session = begun(cores=2, parts=3, more={"spark.driver.maxResultSize": "20k"})
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.mark.spark
class TestSpark:
    def test_executors_write_what_one_machine_writes(self, tmp_path, log, session):
        asked = assay.cells(log, out=tmp_path / "duck.parquet")
        want = pl.read_parquet(tmp_path / "duck.parquet")
        with pytest.raises(EngineError, match=r"bigger than spark\.driver\.maxResultSize \(20"):
            cells_of(log, LogChoices(on="spark"))  # all of them on the driver
        for out in ("one.parquet", "many/"):
            found = assay.cells(log, out=f"{tmp_path}/{out}", on="spark")
            assert (found.cells, found.impressions, found.clicks, found.queries, found.pairs) == (
                asked.cells, asked.impressions, asked.clicks, asked.queries, asked.pairs,
            )  # fmt: skip
            assert_frame_equal(pl.read_parquet(f"{tmp_path}/{out}").sort(KEYS), want.sort(KEYS))
        assert len(at(tmp_path / "many")) > 1
        assert all(name.startswith("part-") and name.endswith(".parquet") for name in at(tmp_path / "many"))
        curves = [assay.propensity(tmp_path / one).theta for one in ("duck.parquet", "one.parquet", "many")]
        assert curves[1] == pytest.approx(curves[0], rel=1e-12)
        assert curves[2] == pytest.approx(curves[0], rel=1e-12)
        for out, adapts in (("none.parquet", "true"), ("none/", "true"), ("none/", "false")):
            with pytest.raises(NotEnoughEvidence), settings(session, "spark.sql.adaptive.enabled", adapts):
                assay.cells(log, out=f"{tmp_path}/{out}", on="spark", since="2030-01-01")
        assert at(tmp_path) == ["duck.parquet", "in", "many", "one.parquet"]

    def test_personal_queries_go_by_another_name_in_parts_too(self, tmp_path, rows, session):
        some = pl.when(pl.col("query_id") < "q005").then("ann@example.com " + pl.col("query_id")).otherwise("query")
        rows.with_columns(query=some).drop("query_id").write_parquet(tmp_path / "log.parquet")
        assay.cells(tmp_path / "log.parquet", out=tmp_path / "duck.parquet")
        found = assay.cells(tmp_path / "log.parquet", out=f"{tmp_path}/many/", on="spark")
        want = pl.read_parquet(tmp_path / "duck.parquet")
        assert found.log.hidden == rows.filter(pl.col("query_id") < "q005")["query_id"].n_unique() > 1
        assert not want["query_id"].str.contains("@").any()
        assert_frame_equal(pl.read_parquet(tmp_path / "many").sort(KEYS), want.sort(KEYS))

    def test_what_the_executors_cannot_write_leaves_nothing(self, tmp_path, log, session, monkeypatch):
        from assay.logs import spark_parts

        monkeypatch.setattr(spark_parts, "part_files", lambda folder: [])  # as if their disks were others
        for out in ("one.parquet", "many/"):
            with pytest.raises(InputError, match="executors wrote, 0 are on a disk"):
                assay.cells(log, out=f"{tmp_path}/{out}", on="spark")
        assert at(tmp_path) == ["in"]
