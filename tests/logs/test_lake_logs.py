"""Click logs in tables of a lake: the same counts as the same rows in a Parquet file, and no silent loss."""

from __future__ import annotations

import dataclasses
import os
import re
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

pytest.importorskip("deltalake", reason="needs the extra lake")
pytest.importorskip("pyiceberg", reason="needs the extra lake")

import assay
from assay.errors import InputError
from assay.logs.duck import Duck
from assay.logs.log import Reading, open_log
from lakes import as_delta, as_iceberg, delta_by_hand
from sparks import begun

pytestmark = pytest.mark.slow  # ten tables are written


def log_rows(searches=120, seed=5):
    """Five documents a search, of twelve queries, by thirty people over three days; two rankers."""
    rng = np.random.default_rng(seed)
    rows = []
    for search in range(searches):
        at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=36 * search)
        query, shown = int(rng.integers(12)), rng.permutation(7)
        for position in range(1, 6):
            rows.append({
                "impression_id": f"s{search}", "query_id": f"q{query}", "doc_id": f"d{query}-{shown[position]}",
                "position": position, "clicked": int(rng.random() < 0.5 / position), "at": at,
                "unit_id": f"u{search % 30}", "session_id": f"v{search // 3}", "email": f"u{search % 30}@example.org",
                "day": f"{at:%Y-%m-%d}", "ranker": "old" if search < 60 else "new",
                "country": None if search < 60 else "fi",
            })  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"country": pl.String})


ROWS = log_rows()


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The log as a Parquet file, as Delta and as Iceberg, each also in folders by day."""
    folder = tmp_path_factory.mktemp("logs")
    ROWS.write_parquet(folder / "log.parquet")
    by_folder, by_name = as_iceberg(ROWS, folder / "iceberg")
    return {
        "parquet": str(folder / "log.parquet"),
        "delta": as_delta(ROWS, folder / "delta"),
        "delta by day": as_delta(ROWS, folder / "delta-days", by="day"),
        "iceberg": by_folder,
        "iceberg by day": as_iceberg(ROWS, folder / "iceberg-days", by="day")[0],
        "iceberg of a catalogue": by_name,
    }


TABLES = ["delta", "delta by day", "iceberg", "iceberg by day", "iceberg of a catalogue"]


@pytest.fixture
def engine():
    engine = Duck()
    yield engine
    engine.close()


def told(found):
    """A result without where it came from, as text: numbers to 12 digits, since sums of other orders differ behind."""
    bare = dataclasses.replace(found, source=None, log=dataclasses.replace(found.log, columns=()))
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda number: f"{float(number[0]):.12g}", repr(bare))


class TestOnOneMachine:
    @pytest.mark.parametrize("table", TABLES)
    def test_behaviour_is_that_of_the_same_rows(self, places, table):
        wanted = assay.behaviour(places["parquet"], by=["day", "ranker"])
        assert told(assay.behaviour(places[table], by=["day", "ranker"])) == told(wanted)
        assert wanted.rate("clicks a search").value > 0

    @pytest.mark.parametrize("table", TABLES)
    def test_cells_are_those_of_the_same_rows(self, places, table, tmp_path):
        keys = ["query_id", "doc_id", "position", "ranker"]
        for name in ("parquet", table):
            assay.cells(places[name], out=tmp_path / f"{name}.parquet")
        wanted, found = (pl.read_parquet(tmp_path / f"{name}.parquet").sort(keys) for name in ("parquet", table))
        assert_frame_equal(found, wanted)
        assert int(found["impressions"].sum()) == ROWS.height

    def test_propensities_are_those_of_the_same_rows(self, places):
        wanted, found = (assay.propensity(places[name]) for name in ("parquet", "delta by day"))
        np.testing.assert_allclose(found.theta, wanted.theta, rtol=1e-9)

    def test_a_table_of_searches_and_one_of_events(self, places, tmp_path):
        shown = ROWS.drop("clicked")
        clicks = ROWS.filter(pl.col("clicked") == 1).select("impression_id", "query_id", "doc_id", "at")
        shown.write_parquet(tmp_path / "shown.parquet")
        clicks.with_columns(kind=pl.lit("click")).write_parquet(tmp_path / "clicks.parquet")
        tables = [
            as_delta(shown, tmp_path / "shown"),
            as_delta(clicks.with_columns(kind=pl.lit("click")), tmp_path / "clicks"),
        ]
        wanted = assay.behaviour(tmp_path / "shown.parquet", events=tmp_path / "clicks.parquet")
        assert told(assay.behaviour(tables[0], events=tables[1])) == told(wanted)

    def test_the_window_cuts_a_table_too(self, places):
        wanted, found = (assay.behaviour(places[name], since="2026-03-02") for name in ("parquet", "iceberg by day"))
        assert told(found) == told(wanted)

    def test_only_what_is_counted_is_asked_of_the_table(self, places, engine, monkeypatch):
        from assay.files.delta import DeltaRows

        asked = set()
        stream = DeltaRows.stream
        monkeypatch.setattr(
            DeltaRows, "stream", lambda self, columns: asked.add(tuple(columns)) or stream(self, columns)
        )
        log = open_log(places["delta"], Reading(), engine=engine)
        before = set(asked)
        log.run("cells")
        assert asked - before == set() or all("email" not in columns for columns in asked - before)
        assert any("email" not in columns for columns in asked)

    def test_no_extension_is_loaded_or_looked_for(self, places, tmp_path, monkeypatch):
        monkeypatch.setenv("HOME", str(tmp_path))
        engine = Duck()
        try:
            for table in TABLES:
                open_log(places[table], Reading(), engine=engine).run("cells")
            settings = engine._connection.execute(
                "SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
            ).fetchone()
            held = engine._connection.execute(
                "SELECT extension_name FROM duckdb_extensions() WHERE loaded AND install_mode <> 'STATICALLY_LINKED'"
            ).fetchall()
        finally:
            engine.close()
        assert settings == (False, False)
        assert held == []
        assert not (tmp_path / ".duckdb").exists()


class TestFaults:
    def test_a_missing_column_names_the_address(self, places, tmp_path):
        address = as_delta(ROWS.drop("doc_id").with_columns(late=None), tmp_path / "table")
        with pytest.raises(InputError, match="no column names the document that was shown") as error:
            assay.behaviour(address)
        assert error.value.where == address

    def test_a_file_that_is_gone_names_the_address(self, places, tmp_path):
        from assay.files.lake import data_files

        address = as_delta(ROWS, tmp_path / "delta")
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse")
        for table in (address, folder):
            gone = data_files(table).paths[0].removeprefix("file://")
            os.remove(gone)
            with pytest.raises(InputError, match="cannot be read as a log") as error:
                assay.behaviour(table)
            assert error.value.where == table
            assert os.path.basename(gone) in str(error.value)

    def test_rows_that_deletion_vectors_take_out_do_not_count(self, tmp_path):
        rows = ROWS.select("impression_id", "query_id", "doc_id", "position", "clicked")
        rows.with_row_index().filter(pl.col("index") != 3).drop("index").write_parquet(tmp_path / "log.parquet")
        address = delta_by_hand(rows, tmp_path / "table", deleted=[3])
        wanted, found = assay.behaviour(tmp_path / "log.parquet"), assay.behaviour(address)
        assert told(found) == told(wanted)

    def test_rows_that_do_not_count_are_counted(self, tmp_path):
        position = pl.when(pl.col("position") == 3).then(None).otherwise(pl.col("position"))
        address = as_delta(ROWS.with_columns(position=position), tmp_path / "table")
        (left,) = assay.behaviour(address).log.left_out
        assert (left.reason, left.n) == ("an impression without a position", 120)

    def test_a_folder_that_holds_a_table_is_refused(self, places, tmp_path):
        for kind, make in (("delta", as_delta), ("iceberg", lambda *given: as_iceberg(*given)[0])):
            table = make(ROWS, tmp_path / kind)
            for source in (tmp_path / kind if kind == "iceberg" else tmp_path, f"{table}/**/*.parquet"):
                with pytest.raises(InputError, match="whose files are not all its rows") as error:
                    assay.behaviour(source)
                assert error.value.remedy == f"name the table: {kind}:{table}"

    def test_lists_of_a_table(self, tmp_path, engine):
        lists = ROWS.group_by("impression_id", "query_id", maintain_order=True).agg(docs="doc_id", clicks="clicked")
        address = as_delta(lists.with_columns(late=None), tmp_path / "table")
        log = open_log(address, Reading(columns={"docs": "docs", "clicks": "clicks"}), engine=engine)
        assert int(log.run("cells")["impressions"].sum()) == ROWS.height


@pytest.fixture(scope="module")
def spark():
    from assay.logs.spark import Spark

    session = begun()
    yield Spark()
    session.stop()


def cells_of(address, engine):
    keys = ["query_id", "doc_id", "position", "ranker"]
    return open_log(address, Reading(), engine=engine).run("cells").select(*keys, "impressions", "clicks").sort(keys)


@pytest.mark.spark
class TestOnSpark:
    @pytest.mark.parametrize("table", ["delta by day", "iceberg by day"])
    def test_cells_are_those_of_the_same_rows(self, places, spark, engine, table):
        assert_frame_equal(cells_of(places[table], spark), cells_of(places["parquet"], engine))

    @pytest.mark.parametrize("ranker", ["007", "ü: b/2"])  # no number, and no letters of another alphabet
    def test_folders_that_spark_would_read_as_something_else(self, tmp_path, spark, engine, ranker):
        first = pl.col("impression_id").str.slice(1).cast(pl.Int64) < 60
        rows = ROWS.with_columns(ranker=pl.when(first).then(None).otherwise(pl.lit(ranker)))
        rows.write_parquet(tmp_path / "log.parquet")
        found = cells_of(as_delta(rows, tmp_path / "table", by="ranker"), spark)
        assert_frame_equal(found, cells_of(tmp_path / "log.parquet", engine))
        assert set(found["ranker"]) == {ranker, None}

    def test_rows_that_deletion_vectors_take_out_are_refused(self, tmp_path, spark):
        address = delta_by_hand(ROWS.select("impression_id", "query_id", "doc_id", "position", "clicked"),
                                tmp_path / "table", deleted=[3])  # fmt: skip
        with pytest.raises(InputError, match="rows of its files are deleted by deletion vectors") as error:
            open_log(address, Reading(), engine=spark)
        assert error.value.where == address

    @pytest.mark.parametrize("kind", ["delta", "iceberg"])
    def test_an_address_that_is_a_table_is_not_read_as_files(self, places, spark, kind):
        from assay.logs.found_files import LogFiles

        address = f"file://{places[kind]}"  # as Spark sees an address of a store
        with pytest.raises(InputError, match="whose files are not all its rows") as error:
            spark.columns(LogFiles("parquet", (address,)))
        assert error.value.remedy == f"name the table: {kind}:{address}"
