"""What of a log is refused, set aside or left out: why, how often, and where."""

from __future__ import annotations

import polars as pl
import pytest

from assay.errors import InputError
from assay.logs.log import Reading, open_log
from logs.made import CELLS, NAMES, ROWS, cells, frame, lines, refused, write

pytestmark = pytest.mark.usefixtures("closes")


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
