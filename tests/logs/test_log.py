"""A team's files as one relation: columns by name and by path, positions, times, what is refused and where."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import polars as pl
import pytest
import zstandard

from assay.errors import InputError
from assay.logs.duck import Duck
from assay.logs.log import Reading, open_log

ROWS = [("s1", "red", "d1", 1, 1), ("s1", "red", "d2", 2, 0), ("s2", "blue", "d1", 1, 0), ("s2", "blue", "d3", 2, 1)]
NAMES = ("search_id", "query", "doc_id", "rank", "click")
CELLS = [("blue", "d1", 1, 1, 0), ("blue", "d3", 2, 1, 1), ("red", "d1", 1, 1, 1), ("red", "d2", 2, 1, 0)]


@pytest.fixture(autouse=True)
def closes(monkeypatch):
    """Ends the engines that a test has begun."""
    engines = []
    monkeypatch.setattr("assay.logs.log._embedded", lambda: engines.append(Duck()) or engines[-1])
    yield
    for engine in engines:
        engine.close()


def cells(log):
    frame = log.run("cells").select("query_id", "doc_id", "position", "impressions", "clicks")
    return sorted(frame.rows())


def refused(log):
    return {one.reason: one.n for one in log.refused()}


def frame(rows=ROWS, names=NAMES):
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows])


def lines(rows=ROWS, names=NAMES):
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


class TestFiles:
    def test_parquet(self, tmp_path):
        frame().write_parquet(tmp_path / "log.parquet")
        assert cells(open_log(tmp_path / "log.parquet", Reading())) == CELLS

    @pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("tsv", "\t")])
    def test_delimited(self, tmp_path, ending, separator):
        frame().write_csv(tmp_path / f"log.{ending}", separator=separator)
        assert cells(open_log(tmp_path / f"log.{ending}", Reading())) == CELLS

    def test_json_lines(self, tmp_path):
        assert cells(open_log(write(tmp_path / "log.jsonl", lines()), Reading())) == CELLS

    def test_compressed(self, tmp_path):
        (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(lines().encode()))
        (tmp_path / "log.csv.zst").write_bytes(zstandard.compress(frame().write_csv().encode()))
        assert cells(open_log(tmp_path / "log.jsonl.gz", Reading())) == CELLS
        assert cells(open_log(tmp_path / "log.csv.zst", Reading())) == CELLS

    def test_a_folder_and_a_glob_are_all_their_files(self, tmp_path):
        (tmp_path / "day=1").mkdir()
        write(tmp_path / "day=1" / "a.jsonl", lines(ROWS[:2]))
        write(tmp_path / "b.jsonl", lines(ROWS[2:]))
        write(tmp_path / "README.md", "about")
        write(tmp_path / ".hidden.jsonl", "no")
        assert cells(open_log(tmp_path, Reading())) == CELLS
        assert cells(open_log(f"{tmp_path}/**/*.jsonl", Reading())) == CELLS

    def test_a_name_with_the_signs_of_patterns_is_a_name(self, tmp_path):
        frame().write_parquet(tmp_path / "log[1]*.parquet")
        assert cells(open_log(tmp_path / "log[1]*.parquet", Reading())) == CELLS

    def test_paths_into_objects(self, tmp_path):
        rows = [{"q": {"id": a, "text": b}, "hit": {"doc.id": 1, "id": c, "at": d}, "c": e} for a, b, c, d, e in ROWS]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        columns = {
            "impression_id": "q.id",
            "query_id": "q.text",
            "doc_id": "hit.id",
            "position": "hit.at",
            "clicked": "c",
        }
        assert cells(open_log(write(tmp_path / "log.jsonl", text), Reading(columns=columns))) == CELLS

    def test_keys_with_dots_are_paths_too(self, tmp_path):
        rows = [
            {"q.id": a, "q": {"text": b}, "hit.doc.id": c, "hit": {"at.place": d}, "c": e} for a, b, c, d, e in ROWS
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        columns = {"impression_id": "q.id", "query_id": "q.text", "doc_id": "hit.doc.id", "position": "hit.at.place",
                   "clicked": "c"}  # fmt: skip
        assert cells(open_log(write(tmp_path / "log.jsonl", text), Reading(columns=columns))) == CELLS

    @pytest.mark.parametrize(("pack", "ending"), [(gzip.compress, ".gz"), (zstandard.compress, ".zst")])
    def test_what_is_compressed_says_so_in_its_name(self, tmp_path, pack, ending):
        (tmp_path / "log.csv").write_bytes(pack(frame().write_csv().encode()))
        with pytest.raises(InputError, match=r"log\.csv: is compressed") as error:
            open_log(tmp_path / "log.csv", Reading())
        assert f"name it log.csv{ending}" in str(error.value)

    def test_one_row_a_search_with_lists(self, tmp_path):
        pl.DataFrame({"search_id": ["s1", "s2"], "query": ["red", "blue"], "docs": [["d1", "d2"], ["d1", "d3"]],
                      "clicks": [[1, 0], [0, 1]]}).write_parquet(tmp_path / "log.parquet")  # fmt: skip
        assert cells(open_log(tmp_path / "log.parquet", Reading())) == CELLS

    def test_events_apart(self, tmp_path):
        frame().drop("click").write_parquet(tmp_path / "shown.parquet")
        write(tmp_path / "clicks.csv", "search_id,doc_id\ns1,d1\ns2,d3\ns2,d3\n")
        assert cells(open_log(tmp_path / "shown.parquet", Reading(), events=tmp_path / "clicks.csv")) == CELLS

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("log.parquet", b"PAR1 no", "cannot be read as a log"),
            ("log.json", b"[{}]", "one JSON list"),
            ("log.jsonl", b"no\n", "none of the first"),
            ("log.xml", b"<a/>", "the ending does not say"),
        ],
    )
    def test_what_is_no_log(self, tmp_path, name, content, message):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=message) as error:
            open_log(tmp_path / name, Reading())
        assert name in str(error.value)

    def test_files_of_a_folder_that_are_not_read_are_counted(self, tmp_path):
        (tmp_path / "days").mkdir()
        for name in ("a.jsonl", "b.jsonl.bz2", "c.log", "README.md", "_SUCCESS", ".hidden"):
            write(tmp_path / "days" / name, lines())
        log = open_log(tmp_path / "days", Reading())
        assert cells(log) == CELLS
        assert [(one.n, one.places) for one in log.refused()] == [
            (2, (f"{tmp_path}/days/b.jsonl.bz2", f"{tmp_path}/days/c.log"))
        ]

    def test_a_folder_without_a_log_is_said(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "other").mkdir()
        write(tmp_path / "other" / "notes.txt", "no")
        for name in ("empty", "other"):
            with pytest.raises(InputError, match=f"{name}: no files of a log are in this folder"):
                open_log(tmp_path / name, Reading())

    def test_no_file_and_no_store(self, tmp_path):
        with pytest.raises(InputError, match="no such log"):
            open_log(tmp_path / "absent.csv", Reading())
        with pytest.raises(InputError, match="that begin with hdfs:// are not read"):
            open_log("hdfs://cluster/log.parquet", Reading())


class TestColumns:
    @pytest.mark.parametrize(
        ("absent", "message"),
        [("doc_id", "no column names the document"), ("rank", "no column gives the position"),
         ("click", "nothing says what was clicked")],
    )  # fmt: skip
    def test_what_is_absent_is_named_with_the_option(self, tmp_path, absent, message):
        frame().drop(absent).write_parquet(tmp_path / "log.parquet")
        with pytest.raises(InputError, match=message) as error:
            open_log(tmp_path / "log.parquet", Reading())
        assert "--columns" in str(error.value)

    def test_the_columns_that_may_be_meant_are_those_that_nothing_else_takes(self, tmp_path):
        frame().rename({"doc_id": "sku"}).write_parquet(tmp_path / "log.parquet")
        with pytest.raises(InputError, match="no column names the document") as error:
            open_log(tmp_path / "log.parquet", Reading())
        offered = str(error.value).split("one of ")[1].split(", ")
        assert "sku" in offered
        assert not {"click", "rank"} & set(offered)

    def test_counts_are_no_log(self, tmp_path):
        counts = {"query_id": ["q"], "doc_id": ["d"], "position": [1], "impressions": [9], "clicks": [2]}
        pl.DataFrame(counts).write_parquet(tmp_path / "cells.parquet")
        with pytest.raises(InputError, match="holds counts, not single searches"):
            open_log(tmp_path / "cells.parquet", Reading())

    def test_a_query_is_needed(self, tmp_path):
        frame().drop("query", "search_id").write_parquet(tmp_path / "log.parquet")
        with pytest.raises(InputError, match="no column names the query"):
            open_log(tmp_path / "log.parquet", Reading())

    def test_a_column_that_is_not_there_and_a_field_that_is_none(self, tmp_path):
        frame().write_parquet(tmp_path / "log.parquet")
        with pytest.raises(InputError, match="did you mean doc_id"):
            open_log(tmp_path / "log.parquet", Reading(columns={"doc_id": "doc_ids"}))
        with pytest.raises(InputError, match="no field 'dok_id'"):
            open_log(tmp_path / "log.parquet", Reading(columns={"dok_id": "doc_id"}))


class TestPositions:
    @pytest.mark.parametrize("base", [0, 1])
    def test_the_smallest_says_where_they_start(self, tmp_path, base):
        rows = [(*row[:3], row[3] - 1 + base, row[4]) for row in ROWS]
        log = open_log(write(tmp_path / "log.jsonl", lines(rows)), Reading())
        assert [(one.app, one.base, one.is_said) for one in log.bases] == [("", base, False)]
        assert cells(log) == CELLS

    @pytest.mark.parametrize(("odd", "why"), [(0, "before the first position"), (-3, "before the first position"),
                                              (10**9, "below position 10,000")])  # fmt: skip
    def test_one_odd_position_moves_no_other(self, tmp_path, odd, why):
        rows = [*ROWS * 5, ("s1", "red", "d9", odd, 0)]
        log = open_log(write(tmp_path / "log.jsonl", lines(rows)), Reading(is_trusted=True))
        assert [one.base for one in log.bases] == [1]
        assert cells(log) == [(*one[:3], one[3] * 5, one[4] * 5) for one in CELLS]
        assert refused(log) == {f"an impression {why}": 1}

    def test_each_application_by_itself_and_forced(self, tmp_path):
        rows = [("a", *ROWS[0][:3], 0, 1), ("a", *ROWS[1][:3], 1, 0), ("b", *ROWS[2]), ("b", *ROWS[3])]
        path = write(tmp_path / "log.jsonl", lines(rows, ("application", *NAMES)))
        assert cells(open_log(path, Reading())) == CELLS
        log = open_log(path, Reading(bases={"b": 0}))
        assert [(one.app, one.base, one.is_said) for one in log.bases] == [("a", 0, False), ("b", 0, True)]
        assert ("blue", "d1", 2, 1, 0) in cells(log)
        with pytest.raises(InputError, match="no application of the log is called 'c'"):
            open_log(path, Reading(bases={"c": 0}))

    def test_only_one_application(self, tmp_path):
        rows = [("a", *row) for row in ROWS[:2]] + [("b", *row) for row in ROWS[2:]]
        path = write(tmp_path / "log.jsonl", lines(rows, ("application", *NAMES)))
        assert cells(open_log(path, Reading(app="b"))) == CELLS[:2]


class TestRefused:
    def test_every_reason_is_counted(self, tmp_path):
        rows = [*ROWS, (None, None, "d1", 1, 0), ("s3", "red", None, 1, 0), ("s3", "red", "d1", None, 0),
                ("s3", "red", "d1", "top", 0), ("s3", "red", "d1", "1.5", 0), ("s3", "red", "d1", 1, "yes"),
                ROWS[0]]  # fmt: skip
        log = open_log(write(tmp_path / "log.jsonl", lines(rows) + "{broken\n"), Reading())
        found = refused(log)
        assert found == {
            "a line that is no JSON object": 1,
            "an impression that names neither query nor search": 1,
            "an impression that names no document": 1,
            "an impression without a position": 1,
            "an impression whose position is no whole number": 2,
            "an impression whose click is neither 0 nor 1": 1,
            "impressions that come again": 1,
        }
        assert next(one.places for one in log.refused() if "JSON" in one.reason) == (f"{tmp_path}/log.jsonl:12",)
        assert cells(log) == CELLS

    @pytest.mark.parametrize(
        ("content", "message"), [(b"", "log.csv: is empty"), ("a,b".encode("utf-16"), "not UTF-8")]
    )
    def test_csv_without_names_of_columns(self, tmp_path, content, message):
        (tmp_path / "log.csv").write_bytes(content)
        with pytest.raises(InputError, match=message):
            open_log(tmp_path / "log.csv", Reading())

    def test_lines_of_csv_in_another_encoding_are_not_called_ragged(self, tmp_path):
        text = "search_id,query,doc_id,rank,click\ns1,red,d1,1,1\ns2,caf\u00e9,d1,1,0\ns3,red,d1,1\n"
        (tmp_path / "log.csv").write_bytes(text.encode("latin-1"))
        found = {one.reason: one.places for one in open_log(tmp_path / "log.csv", Reading()).refused()}
        assert found == {
            "lines that are not UTF-8": (f"{tmp_path}/log.csv:3",),
            "lines with more or fewer columns than the header": (f"{tmp_path}/log.csv:4",),
        }

    @pytest.mark.parametrize("before", [0, 30_000])
    def test_a_quote_that_never_closes_is_an_error_with_its_line(self, tmp_path, before):
        head, row = "search_id,query,doc_id,rank,click\n", "s2,red,d1,1,0\n"
        path = write(tmp_path / "log.csv", head + row * before + 's1,"red,d1,1,1\n' + row * 5)
        with pytest.raises(InputError, match="a quote that does not close takes 6 lines") as error:
            open_log(path, Reading())
        assert str(error.value).startswith(f"{path}:{before + 2}: ")

    def test_what_an_open_quote_takes_with_it_is_counted(self, tmp_path):
        head, row = "search_id,query,doc_id,rank,click\n", "s2,red,d1,1,0\n"
        path = write(tmp_path / "log.csv", head + 's1,"red,d1,1,1\n' + row * 2 + 's3,"red",d1,1,0\n' + row)
        log = open_log(path, Reading(is_trusted=True))
        assert [(one.reason, one.n, one.places) for one in log.refused()] == [
            ("lines with a quote that does not close", 4, (f"{path}:2",))
        ]
        assert cells(log) == [("red", "d1", 1, 1, 0)]

    def test_lines_of_csv_that_end_in_two_ways_are_an_error_with_its_line(self, tmp_path):
        path = tmp_path / "log.csv"
        path.write_bytes(b"search_id,query,doc_id,rank,click\ns1,red,d1,1,1\ns2,red,d1,1,0\r\ns3,red,d1,1,0\n")
        with pytest.raises(InputError, match=r"log\.csv:3: a line ends otherwise than those before it"):
            open_log(path, Reading())

    def test_lines_of_json_end_as_they_like_and_what_is_no_text_is_counted(self, tmp_path):
        ends = [b"\r\n", b"\n", b"\r\n", b"\n"]
        good = b"".join(line.encode() + end for line, end in zip(lines().splitlines(), ends, strict=True))
        bad = b'\r\n{"search_id": "s3", "query": "caf\xe9", "doc_id": "d1", "rank": 1, "click": 0}\n'
        late = b'{"search_id": "s4", "query": "red", "rank": 1, "click": 0}\n{"search_id": "\\ud800"}\n'
        path = tmp_path / "log.jsonl"
        path.write_bytes(good + bad + late)
        log = open_log(path, Reading())
        assert {one.reason: (one.n, one.places) for one in log.refused()} == {
            "a line that is no JSON object": (2, (f"{path}:6", f"{path}:8")),
            "an impression that names no document": (1, (f"{path}:7",)),
        }
        assert cells(log) == CELLS

    def test_a_line_that_cannot_be_read_counts_for_the_application_that_is_asked_for(self, tmp_path):
        path = write(
            tmp_path / "log.jsonl", lines([("a", *row) for row in ROWS], ("application", *NAMES)) + "{broken\n"
        )
        log = open_log(path, Reading(app="a"))
        assert [(one.reason, one.n, one.places) for one in log.refused()] == [
            ("a line that is no JSON object", 1, (f"{path}:5",))
        ]
        assert cells(log) == CELLS

    def test_names_of_columns_come_once(self, tmp_path):
        head = "\ufeffSearch_id,query, doc_id,rank,click,doc_id,,click"
        path = write(tmp_path / "log.csv", f"{head}\ns1,red,d1,1,1,d9,x,0\n")
        assert cells(open_log(path, Reading())) == [("red", "d1", 1, 1, 1)]
        path = write(tmp_path / "open.csv", 'search_id,query,"doc_id,rank,click\ns1,red,d1,1,1\n')
        with pytest.raises(InputError, match=r"open.csv:1: a quote in the names of the columns does not close"):
            open_log(path, Reading())

    def test_what_fits_nothing_and_what_comes_late(self, tmp_path):
        began = pl.lit("2026-03-01T10:00:00Z").alias("timestamp")
        frame().drop("click").with_columns(began).write_parquet(tmp_path / "a.parquet")
        rows = ["search_id,doc_id,timestamp", "s1,d9,2026-03-01T10:01:00Z", "s1,d1,2026-03-03T10:00:00Z",
                "s2,d3,2026-03-01T09:00:00Z", ",d1,2026-03-01T10:00:00Z", "s1,,2026-03-01T10:00:00Z", "s1,d1,noon",
                "s1,d1", "s1,d1,2026-03-01T10:00:00Z,4"]  # fmt: skip
        write(tmp_path / "b.csv", "\n".join(rows) + "\n")
        log = open_log(tmp_path / "a.parquet", Reading(), events=tmp_path / "b.csv")
        assert refused(log) == {
            "an event that names no search": 1,
            "a click that names no document": 1,
            "a time that cannot be read or names no time zone": 1,
            "clicked documents that their search never showed": 1,
            "clicks before their search": 1,
            "clicks long after their search, which count": 1,
            "lines with more or fewer columns than the header": 2,
        }
        places = next(one.places for one in log.refused() if one.reason.startswith("lines"))
        assert places == (f"{tmp_path}/b.csv:8", f"{tmp_path}/b.csv:9")

    def test_sessions_that_nobody_searches_by_hand(self, tmp_path):
        rows = [(f"s{i}", "red", "d1", 1, 1, "robot" if i < 4 else "person") for i in range(5)]
        path = write(tmp_path / "log.jsonl", lines(rows, (*NAMES, "session")))
        log = open_log(path, Reading(most=3))
        assert refused(log) == {"sessions of more than 3 searches, set aside": 1, "impressions of these sessions": 4}
        assert cells(log) == [("red", "d1", 1, 1, 1)]
        assert cells(open_log(path, Reading(most=0))) == [("red", "d1", 1, 5, 5)]

    def test_trusted_rows_are_taken_as_they_are(self, tmp_path):
        path = write(tmp_path / "log.jsonl", lines([*ROWS, ROWS[0]]))
        log = open_log(path, Reading(is_trusted=True))
        assert refused(log) == {}
        assert ("red", "d1", 1, 2, 2) in cells(log)


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


LISTS = [{"search_id": "s1", "query": "red", "docs": ["d1", "d2"], "clicks": [1, 0]},
         {"search_id": "s2", "query": "blue", "docs": ["d1", "d3"], "clicks": [0, 1]}]  # fmt: skip


class TestLists:
    @pytest.mark.parametrize("kind", ["jsonl", "parquet"])
    def test_a_search_a_row(self, tmp_path, kind):
        path = tmp_path / f"log.{kind}"
        table = pl.DataFrame(LISTS)
        table.write_ndjson(path) if kind == "jsonl" else table.write_parquet(path)
        log = open_log(path, Reading())
        assert (cells(log), refused(log)) == (CELLS, {})

    @pytest.mark.parametrize("kind", ["jsonl", "parquet"])
    def test_what_is_wrong_in_a_list_is_counted(self, tmp_path, kind):
        odd = [("s3", ["d1", "d2"], [1]), ("s4", ["d1", "d2"], [0, 7]), ("s5", [], []), ("s6", ["d1"], [0, 1])]
        rows = [{"search_id": s, "query": "green", "docs": docs, "clicks": clicks} for s, docs, clicks in odd]
        path, table = tmp_path / f"log.{kind}", pl.DataFrame([*LISTS, *rows])
        table.write_ndjson(path) if kind == "jsonl" else table.write_parquet(path)
        if kind == "jsonl":
            write(path, path.read_text(encoding="utf-8") + "{broken\n")
        log = open_log(path, Reading())
        assert refused(log) == {
            "an impression whose click is neither 0 nor 1": 2,
            "an impression that names no document": 2,
            **({"a line that is no JSON object": 1} if kind == "jsonl" else {}),
        }
        assert [one for one in cells(log) if one[0] != "green"] == CELLS

    def test_csv_holds_none(self, tmp_path):
        path = write(tmp_path / "log.csv", "search_id,query,docs,clicks\ns1,red,a b,1 0\n")
        with pytest.raises(InputError, match="CSV holds no lists"):
            open_log(path, Reading())


class TestWide:
    HEAD = "search_id,query,D1,D2,D3,C1,C2,C3"

    @pytest.mark.parametrize("columns", [{}, {"doc_id": "D{n}", "clicked": "C{n}"}])
    def test_columns_by_place_are_the_positions(self, tmp_path, columns):
        rows = ["s1,red,d1,d2,,1,0,0", "s2,blue,d1,d3,,0,1,0"]
        log = open_log(write(tmp_path / "log.csv", "\n".join([self.HEAD, *rows]) + "\n"), Reading(columns=columns))
        assert (cells(log), refused(log)) == (CELLS, {})

    def test_an_empty_place_shows_nothing_and_what_is_wrong_has_its_line(self, tmp_path):
        rows = ["s1,red,d1,,d3,0,0,1", "s2,red,,,,0,0,0", "s3,red,d1,,,0,1,0", "s4,red,d1,,,x,0,0"]
        path = write(tmp_path / "log.csv", "\n".join([self.HEAD, *rows]) + "\n")
        log = open_log(path, Reading())
        assert cells(log) == [("red", "d1", 1, 2, 0), ("red", "d3", 3, 1, 1)]
        assert {one.reason: (one.n, one.places) for one in log.refused()} == {
            "an impression that names no document": (2, (f"{path}:3", f"{path}:4")),
            "an impression whose click is neither 0 nor 1": (1, (f"{path}:5",)),
        }

    def test_places_may_count_from_0_and_names_be_others(self, tmp_path):
        head = "search_id,query,shown_0_id,shown_1_id,hit_0,hit_1"
        path = write(tmp_path / "log.csv", f"{head}\ns1,red,d1,d2,1,0\ns2,blue,d1,d3,0,1\n")
        columns = {"doc_id": "shown_{n}_id", "clicked": "hit_{n}"}
        assert cells(open_log(path, Reading(columns=columns))) == CELLS

    @pytest.mark.parametrize(
        ("columns", "message"),
        [({"doc_id": "e{n}", "clicked": "C{n}"}, "the log has no e1"), ({"query_id": "D{n}"}, "query_id stands once"),
         ({"doc_id": "D{n}", "clicked": "B{n}"}, "place 3 has a document or a click, and not both")],
    )  # fmt: skip
    def test_columns_that_do_not_fit(self, tmp_path, columns, message):
        path = write(tmp_path / "log.csv", f"{self.HEAD},B1,B2\ns1,red,d1,d2,d3,1,0,0,1,0\n")
        with pytest.raises(InputError, match=message) as error:
            open_log(path, Reading(columns=columns))
        assert "--columns" in str(error.value)


@pytest.mark.shared
def test_the_sample_of_user_behavior_insights(shared):
    # counts of data/clicks/README.md: 473 queries and 3,448 events of three applications
    log = open_log(shared / "data/clicks/ubi/ubi_queries_events.ndjson.gz", Reading(most=0))
    found = {(one.app, one.kind): one.n for one in log.happened()}
    assert found["esci_ubi_sample", "impression"] == 1000
    assert found["esci_ubi_sample", "click"] == 60
    assert found["esci_ubi_sample", "search"] == 200
    assert found["Chorus", "impression"] == 999
    assert found["Chorus", "click"] == found["Chorus", "cart"] == 227
    assert sum(found.values()) + sum(one.n for one in log.refused() if "names no search" in one.reason) == 473 + 3448
    assert found["Chorus", "search"] == 273 + 506 - 2  # two of them name no search
    assert {one.app: one.base for one in log.bases} == {"esci_ubi_sample": 0, "Chorus": 1}
