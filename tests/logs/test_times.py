"""Times of a log: how they may be spelled, their zones, and the window."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from assay.errors import InputError
from assay.logs.log import Reading, open_log
from logs.made import NAMES, cells, frame, lines, refused, write

pytestmark = pytest.mark.usefixtures("closes")


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


TWICE = [
    ("Europe/Berlin", "2026-10-25 02:30:00", "2026-10-25T00:30:00+00:00"),  # again at 01:30 UTC
    ("Europe/Berlin", "2026-10-25 01:59:59", "2026-10-24T23:59:59+00:00"),
    ("Europe/Berlin", "2026-10-25 03:00:00", "2026-10-25T02:00:00+00:00"),
    ("Europe/Berlin", "2026-03-29 02:30:00", "2026-03-29T01:30:00+00:00"),  # that no clock shows
    ("Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04T14:45:00+00:00"),  # put back by half an hour
    ("Australia/Lord_Howe", "2026-04-05 02:15:00", "2026-04-04T15:45:00+00:00"),
]
"""Moments from the rules of the zones, as `zdump -v` prints them: the first of two, as Spark and Python have it."""


class TestTimes:
    @pytest.mark.parametrize(
        "spelled",
        ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2026-03-01 12:00:00.000", int(NOON.timestamp()),
         int(NOON.timestamp() * 1e3), int(NOON.timestamp() * 1e6)],
    )  # fmt: skip
    @pytest.mark.parametrize("kind", ["jsonl", "parquet"])
    def test_every_spelling_is_one_moment(self, tmp_path, spelled, kind):
        table = frame().with_columns(pl.lit(spelled).alias("timestamp"))
        path = tmp_path / f"log.{kind}"
        if kind == "jsonl":
            table.write_ndjson(path)
        else:
            table.write_parquet(path)
        log = open_log(path, Reading(zone="UTC"))
        assert {one.first for one in log.happened()} == {int(NOON.timestamp() * 1e6)}

    @pytest.mark.parametrize("zoned", [True, False])
    def test_time_stamps_of_parquet(self, tmp_path, zoned):
        value = NOON if zoned else datetime(2026, 3, 1, 13)  # a clock on the wall of Berlin
        frame().with_columns(timestamp=pl.lit(value)).write_parquet(tmp_path / "log.parquet")
        log = open_log(tmp_path / "log.parquet", Reading(zone="Europe/Berlin"))
        assert {one.first for one in log.happened()} == {int(NOON.timestamp() * 1e6)}

    @pytest.mark.parametrize("value", ["2026-03-01 12:00:00", datetime(2026, 3, 1, 12)])  # without a zone
    def test_a_time_without_zone_needs_one(self, tmp_path, value):
        frame().with_columns(timestamp=pl.lit(value)).write_parquet(tmp_path / "log.parquet")
        with pytest.raises(InputError, match="time zone") as error:
            open_log(tmp_path / "log.parquet", Reading())
        assert "--time-zone" in str(error.value)

    @pytest.mark.parametrize("machine", ["UTC", "America/New_York"])
    def test_a_time_without_zone_further_down_is_refused_wherever_it_is_read(self, tmp_path, monkeypatch, machine):
        monkeypatch.setenv("TZ", machine)
        rows = [(f"s{at}", "red", "d1", 1, 0, "2026-03-01T12:00:00+00:00") for at in range(2100)]
        rows.append(("t1", "blue", "d1", 1, 1, "2026-03-01T12:00:00"))
        path = write(tmp_path / "log.jsonl", lines(rows, (*NAMES, "timestamp")))
        log = open_log(path, Reading())
        assert refused(log) == {"a time that cannot be read or names no time zone": 1}
        assert cells(log) == [("red", "d1", 1, 2100, 0)]
        assert refused(open_log(path, Reading(zone="UTC"))) == {}

    @pytest.mark.parametrize("kind", ["jsonl", "parquet"])
    @pytest.mark.parametrize(("zone", "clock", "moment"), TWICE)
    def test_an_hour_that_a_clock_shows_twice_is_the_first(self, tmp_path, kind, zone, clock, moment):
        table = frame().with_columns(timestamp=pl.lit(clock))
        if kind == "parquet":
            table.with_columns(pl.col("timestamp").str.to_datetime()).write_parquet(tmp_path / "log.parquet")
        else:
            table.write_ndjson(tmp_path / "log.jsonl")
        log = open_log(tmp_path / f"log.{kind}", Reading(zone=zone))
        assert {one.first for one in log.happened()} == {int(datetime.fromisoformat(moment).timestamp() * 1e6)}

    @pytest.mark.parametrize("value", ["noon", 12, 99.5])
    def test_what_is_no_time(self, tmp_path, value):
        frame().with_columns(timestamp=pl.lit(value)).write_parquet(tmp_path / "log.parquet")
        with pytest.raises(InputError, match="no time"):
            open_log(tmp_path / "log.parquet", Reading())

    def test_the_window(self, tmp_path):
        hours = pl.Series("timestamp", [f"2026-03-01T{hour:02}:00:00Z" for hour in (9, 10, 11, 12)])
        frame().with_columns(hours).write_parquet(tmp_path / "log.parquet")
        ten, twelve = (int(datetime(2026, 3, 1, hour, tzinfo=UTC).timestamp() * 1e6) for hour in (10, 12))
        log = open_log(tmp_path / "log.parquet", Reading(since=ten, until=twelve))
        assert refused(log) == {"before the window": 1, "after the window": 1}
        assert cells(log) == [("blue", "d1", 1, 1, 0), ("red", "d2", 2, 1, 0)]
