"""Logs of one row a search: lists in one column, or a column for each place."""

from __future__ import annotations

import polars as pl
import pytest

from assay.errors import InputError
from assay.logs.log import Reading, open_log
from logs.made import CELLS, LISTS, cells, refused, write

pytestmark = pytest.mark.usefixtures("closes")


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

    @pytest.mark.parametrize("kind", ["jsonl", "parquet"])
    def test_an_empty_text_names_no_document(self, tmp_path, kind):
        table = pl.DataFrame([*LISTS, {"search_id": "s3", "query": "red", "docs": ["", "d9"], "clicks": [0, 0]}])
        path = tmp_path / f"log.{kind}"
        table.write_ndjson(path) if kind == "jsonl" else table.write_parquet(path)
        log = open_log(path, Reading())
        assert refused(log) == {"an impression that names no document": 1}
        assert sorted(cells(log)) == sorted([*CELLS, ("red", "d9", 2, 1, 0)])

    @pytest.mark.parametrize(
        ("docs", "message"),
        [("d1", "holds no lists but VARCHAR"), ([{"id": "d1"}], "lists of what is no single value"),
         ([["d1"]], "lists of what is no single value")],
    )  # fmt: skip
    def test_columns_that_are_no_lists_of_ids(self, tmp_path, docs, message):
        path = tmp_path / "log.parquet"
        pl.DataFrame({"search_id": ["s1"], "query": ["red"], "docs": [docs], "clicks": [[1]]}).write_parquet(path)
        with pytest.raises(InputError, match=message) as error:
            open_log(path, Reading())
        assert str(error.value).startswith(f"{path}, column docs: ")

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
         ({"doc_id": "D{n}", "clicked": "B{n}"}, "position 3 has a document or a click, and not both")],
    )  # fmt: skip
    def test_columns_that_do_not_fit(self, tmp_path, columns, message):
        path = write(tmp_path / "log.csv", f"{self.HEAD},B1,B2\ns1,red,d1,d2,d3,1,0,0,1,0\n")
        with pytest.raises(InputError, match=message) as error:
            open_log(path, Reading(columns=columns))
        assert "--columns" in str(error.value)
