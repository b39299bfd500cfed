"""What is refused comes with the places of the first rows, looked up only where something was refused."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest

from assay.logs.duck import Duck
from assay.logs.log import Reading, open_log

HEADER = "search_id,query,doc_id,rank,click,timestamp\n"
GOOD = "s1,red,d1,1,1,2026-03-01T12:00:00Z\n"
BAD = {
    "an impression that names no document": "s1,red,,2,0,2026-03-01T12:00:00Z\n",
    "an impression without a position": "s1,red,d3,,0,2026-03-01T12:00:00Z\n",
    "a time that cannot be read or names no time zone": "s1,red,d4,4,0,noon\n",
}


@pytest.fixture
def duck():
    engine = Duck()
    yield engine
    engine.close()


def places(engine, path):
    return {one.reason: one.places for one in open_log(path, Reading(is_trusted=True), engine=engine).refused()}


def rows(text):
    names = HEADER.strip().split(",")
    return [dict(zip(names, line.split(","), strict=True)) for line in text.splitlines()]


def test_lines_of_csv_are_those_of_the_file_with_what_is_left_out_and_what_goes_on(tmp_path, duck):
    lines = ['s0,"red\nshoes",d1,1,0,2026-03-01T12:00:00Z\n', "short\n", "\n", GOOD, *BAD.values(), BAD[min(BAD)] * 3]
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress((HEADER + "".join(lines)).encode()))
    found = places(duck, path)
    assert found == {
        "lines with more or fewer columns than the header": (f"{path}:4",),
        "an impression that names no document": (f"{path}:7",),
        "an impression without a position": (f"{path}:8",),
        "a time that cannot be read or names no time zone": (f"{path}:9", f"{path}:10", f"{path}:11"),
    }


def test_lines_of_json_and_rows_of_parquet_by_file(tmp_path, duck):
    first, second = rows(GOOD * 2 + BAD["an impression without a position"]), rows(GOOD + "".join(BAD.values()))
    text = "".join(json.dumps(row) + "\n" for row in first)
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "a.jsonl").write_text("\n" + text, encoding="utf-8")
    (tmp_path / "lines" / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in second), encoding="utf-8")
    (tmp_path / "frames").mkdir()
    for name, table in (("a", first), ("b", second)):
        frame = pl.DataFrame(table).with_columns(pl.col("rank").cast(pl.Int64, strict=False))
        frame.write_parquet(tmp_path / "frames" / f"{name}.parquet")
    a, b = f"{tmp_path}/lines/a.jsonl", f"{tmp_path}/lines/b.jsonl"
    assert places(duck, tmp_path / "lines") == {
        "an impression that names no document": (f"{b}:2",),
        "an impression without a position": (f"{a}:4", f"{b}:3"),
        "a time that cannot be read or names no time zone": (f"{b}:4",),
    }
    a, b = f"{tmp_path}/frames/a.parquet", f"{tmp_path}/frames/b.parquet"
    assert places(duck, tmp_path / "frames") == {
        "an impression that names no document": (f"{b}, row 2",),
        "an impression without a position": (f"{a}, row 3", f"{b}, row 3"),
        "a time that cannot be read or names no time zone": (f"{b}, row 4",),
    }


def test_the_log_is_as_before_and_a_clean_one_is_not_read_again(tmp_path, duck, monkeypatch):
    path = tmp_path / "log.csv"
    path.write_text(HEADER + GOOD + BAD["an impression without a position"], encoding="utf-8")
    log = open_log(path, Reading(is_trusted=True), engine=duck)
    before = log.run("cells").rows()
    assert log.refused()
    assert log.run("cells").rows() == before
    path.write_text(HEADER + GOOD, encoding="utf-8")
    monkeypatch.setattr(Duck, "refused_places", None)
    assert open_log(path, Reading(is_trusted=True), engine=duck).refused() == []


def test_a_log_whose_columns_are_called_like_ours_has_no_places(tmp_path, duck):
    frame = pl.DataFrame(rows(GOOD + BAD["an impression that names no document"])).with_columns(file_row_number=7)
    frame.write_parquet(tmp_path / "log.parquet")
    assert places(duck, tmp_path / "log.parquet") == {"an impression that names no document": ()}


@pytest.mark.parametrize("apart", [True, False])
def test_a_search_that_names_no_query_is_in_no_cell_and_has_its_places(tmp_path, duck, apart):
    # queries may stand in a file of their own, so that impressions cannot be told by their rows alone
    asked = {"action": "search", "search_id": "s1", "query": "red"}
    shown = [{"action": "impression", "search_id": name, "doc_id": "d1", "rank": rank, "click": 0}
             for name, rank in (("s1", 1), ("s2", 1), ("s2", 2), ("s3", 1))]  # fmt: skip
    folder = tmp_path / "log"
    folder.mkdir()
    files = {"a": [asked], "b": shown} if apart else {"b": [asked, *shown]}
    for name, one in files.items():
        text = "".join(json.dumps(row) + "\n" for row in one)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    log = open_log(folder, Reading(), engine=duck)
    found = {one.reason: (one.n, one.places) for one in log.refused()}
    first = 2 if apart else 3
    assert found == {
        "impressions whose search names no query": (3, tuple(f"{folder}/b.jsonl:{first + n}" for n in range(3)))
    }
    assert log.run("cells")["impressions"].sum() == 1
    assert log.refused(by_query=False) == []
