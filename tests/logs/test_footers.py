"""What footers say of a log changes how fast it is read, and nothing else: rows of every kind, against plain Python."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import logs.reference_bots  # noqa: F401 # it registers its queries
from assay.flows.cells import cells as write_cells
from assay.logs.duck import Duck, listed
from assay.logs.footers import filled
from assay.logs.found_files import LogFiles
from assay.logs.log import EVER, Reading, open_log
from logs.reference import Tables

NAMES = ("search_id", "query", "doc_id", "rank", "click")
SCHEMA = {"search_id": pl.String, "query": pl.String, "doc_id": pl.String, "rank": pl.Int32, "click": pl.Int8}
GOOD = [(f"s{i // 3}", f"q{i // 3 % 4}", f"d{i % 5}", i % 3 + 1, int(i % 7 == 0)) for i in range(60)]

ODD = {
    "nothing odd": [],
    "an empty document": [("s1", "q1", "", 9, 0)],
    "a document that is null": [("s1", "q1", None, 9, 0)],
    "an empty query and search": [("", "", "d1", 9, 0)],
    "an empty search, as its query is there": [("", "q1", "d1", 9, 1), ("", "q1", "d1", 9, 1)],
    "a query that other rows of its search name": [("s1", "", "d9", 9, 1)],
    "no click": [("s1", "q1", "d9", 9, None)],
    "a click that is none": [("s1", "q1", "d9", 9, 2), ("s1", "q1", "d9", 9, -1)],
    "positions out of range": [("s1", "q1", "d9", place, 0) for place in (0, -4, 10_000, 10_001, None)],
    "a row again": [GOOD[7]],
    "a row three times": [GOOD[7], GOOD[7]],
    "a row again with another click": [(*GOOD[7][:4], 0), (*GOOD[8][:4], 1)],
    "a row again far down": [("s1", "q1", "d9", 500, 0), ("s1", "q1", "d9", 500, 1)],
    "two documents at one position": [(*GOOD[7][:2], "other", *GOOD[7][3:])],
    "a refused row again": [("s1", "q1", "d9", 9, 2), ("s1", "q1", "d9", 9, 0)],
    "one document at many positions": [("s1", "q1", "d9", place, 0) for place in (61, 62, 200)],
}


def in_one_file(table, folder):
    table.write_parquet(folder / "log.parquet")


def in_groups_of_rows(table, folder):
    table.write_parquet(folder / "log.parquet", row_group_size=16)


def in_files(table, folder):
    for place in range(0, len(table), 20):
        table[place : place + 20].write_parquet(folder / f"{place:02}.parquet")


def without_statistics(table, folder):
    table.write_parquet(folder / "log.parquet", statistics=False)


def as_lines(table, folder):
    table.write_csv(folder / "log.csv")


WAYS = (in_one_file, in_groups_of_rows, in_files, without_statistics, as_lines)


def reference(rows):
    """The cells of rows, and why others do not count, in plain Python."""
    log = []
    for search, query, doc, place, click in rows:
        is_bad = click not in (None, 0, 1)
        log.append({
            **dict.fromkeys(("app", "event_id", "unit_id", "session_id", "query_text", "moment", "dwell_s", "value",
                             "results", "ranker", "swap", "propensity", "segment", "is_bot", "user_agent", "unread")),
            "kind": "impression", "impression_id": search or None, "query_id": query or None, "doc_id": doc or None,
            "position": place, "position_is_bad": False, "moment_is_bad": False, "clicked": click,
            "clicked_is_bad": is_bad, "line_is_bad": False,
        })  # fmt: skip
    tables = Tables({"since": EVER[0], "until": EVER[1]}, log=log, aside=[])
    found = {row["refused"]: row["n"] for row in tables["tally"] if row["refused"] is not None}
    again = tables["repeated"][0]["impressions"]
    return tables, {**found, **({"impressions that come again": again} if again else {})}


COUNTS = ("to_first", "to_last", "first_clicks", "last_clicks", "without_click")


def plain(cells, counts=()):
    names = ("query_id", "doc_id", "position", "impressions", "clicks", *counts)
    return sorted(tuple(cell[name] for name in names) for cell in cells)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("odd", ODD)
def test_a_log_gives_the_reference_however_it_is_stored(tmp_path, odd, way):
    rows = [*GOOD[:30], *ODD[odd][:1], *GOOD[30:], *ODD[odd][1:]]
    (tmp_path / "log").mkdir()
    way(pl.DataFrame(rows, schema=SCHEMA, orient="row"), tmp_path / "log")
    done = write_cells(tmp_path / "log", out=tmp_path / "cells.parquet")
    tables, left = reference(rows)
    assert plain(pl.read_parquet(tmp_path / "cells.parquet").iter_rows(named=True)) == plain(tables["cells"])
    assert {one.reason: one.n for one in done.log.left_out} == left


@pytest.mark.parametrize("way", [in_groups_of_rows, as_lines])
@pytest.mark.parametrize("odd", ODD)
def test_cascade_counts_are_those_of_the_reference(tmp_path, odd, way):
    rows = [*GOOD[:30], *ODD[odd][:1], *GOOD[30:], *ODD[odd][1:]]
    (tmp_path / "log").mkdir()
    way(pl.DataFrame(rows, schema=SCHEMA, orient="row"), tmp_path / "log")
    write_cells(tmp_path / "log", out=tmp_path / "cells.parquet", kind="cascade")
    found = pl.read_parquet(tmp_path / "cells.parquet").iter_rows(named=True)
    assert plain(found, COUNTS) == plain(reference(rows)[0]["cascade"], COUNTS)


@pytest.mark.parametrize("seed", range(4))
def test_logs_by_chance_give_the_reference(tmp_path, seed):
    rng = np.random.default_rng(seed)
    shares = rng.choice([0, 0.03], 5)  # so that any of the columns can be whole
    odd = ("", None, "", None, 2)
    rows = [tuple(o if rng.random() < share else v for v, o, share in zip(row, odd, shares, strict=True))
            for row in GOOD for _ in range(rng.choice([0, 1, 1, 2]))]  # fmt: skip
    tables, left = reference(rows)
    for way in WAYS:
        folder = tmp_path / way.__name__
        folder.mkdir()
        way(pl.DataFrame(rows, schema=SCHEMA, orient="row"), folder)
        done = write_cells(folder, out=tmp_path / "cells.parquet")
        assert plain(pl.read_parquet(tmp_path / "cells.parquet").iter_rows(named=True)) == plain(tables["cells"]), way
        assert {one.reason: one.n for one in done.log.left_out} == left, way


@pytest.fixture
def duck():
    engine = Duck()
    yield engine
    engine.close()


def known(duck, *paths):
    files = LogFiles("parquet", tuple(map(str, paths)))
    return filled(files, listed(files), lambda statement: duck._connection.execute(statement).fetchall())


class TestFilled:
    def test_nulls_are_no_empty_text(self, tmp_path, duck):
        pl.DataFrame({"a": ["x", "y"], "b": ["x", None], "c": ["x", ""], "d": [None, ""], "n": [1, 2],
                      "Long": ["u" * 5000, "v"]}).with_columns(e=pl.lit(None, pl.String)).write_parquet(
            tmp_path / "a.parquet"
        )  # fmt: skip
        assert known(duck, tmp_path / "a.parquet") == {"a", "b", "e", "long"}

    def test_one_group_of_rows_is_enough_and_one_file(self, tmp_path, duck):
        pl.DataFrame({"a": ["x"] * 9 + [""], "b": ["x"] * 10}).write_parquet(tmp_path / "a.parquet", row_group_size=2)
        pl.DataFrame({"a": ["x"], "b": [""], "c": ["x"]}).write_parquet(tmp_path / "b.parquet")
        assert known(duck, tmp_path / "a.parquet") == {"b"}
        assert known(duck, tmp_path / "a.parquet", tmp_path / "b.parquet") == {"c"}

    def test_without_statistics_nothing_is_known(self, tmp_path, duck):
        pl.DataFrame({"a": ["x"]}).write_parquet(tmp_path / "a.parquet", statistics=False)
        assert known(duck, tmp_path / "a.parquet") == set()

    def test_what_a_folder_may_say_and_what_is_inside_another_column_is_not_known(self, tmp_path, duck):
        folder = tmp_path / "Query=red"
        folder.mkdir()
        pl.DataFrame({"query": ["x"], "doc": ["x"], "s": [{"e": "x"}], "l": [["x"]], "t.u": ["x"]}).write_parquet(
            folder / "a.parquet"
        )
        assert known(duck, folder / "a.parquet") == {"doc"}

    def test_other_files_have_no_footers(self, duck):
        assert filled(LogFiles("csv", ("a.csv",)), "", None) == set()
        assert filled(LogFiles("parquet", ("s3://a/b.parquet",)), "", None) == set()
        assert filled(LogFiles("parquet", ("a",), is_table=True), "", None) == set()


def test_a_log_without_odd_rows_is_not_read_for_them(tmp_path):
    pl.DataFrame(GOOD, schema=SCHEMA, orient="row").write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path / "log.parquet", Reading())
    try:
        assert (
            "NULLIF"
            not in log.engine._connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'log'").fetchall()[
                0
            ][0]
        )
        assert not log.may_repeat
    finally:
        log.engine.close()
