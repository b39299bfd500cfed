"""A team's files as one relation: columns by name and by path, and positions."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest
import zstandard

from assay.errors import InputError
from assay.logs.log import Reading, open_log
from logs.made import CELLS, NAMES, ROWS, cells, frame, lines, refused, write

pytestmark = pytest.mark.usefixtures("closes")


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
    for most in (0, 50):
        log = open_log(shared / "data/clicks/ubi/ubi_queries_events.ndjson.gz", Reading(most=most))
        left = {one.reason: one.n for one in log.refused()}
        nowhere = [left.get(why, 0) for why in ("impressions that come again", "impressions of these sessions",
                                                "impressions whose search names no query")]  # fmt: skip
        assert log.run("cells")["impressions"].sum() + sum(nowhere) == 1999
        assert nowhere[2] > 0
