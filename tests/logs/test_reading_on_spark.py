"""Files are read on Spark as they are on one machine: the same rows, and the same ones left out, with their places."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from itertools import zip_longest

import polars as pl
import pytest

from assay.errors import InputError
from assay.logs.duck import Duck
from assay.logs.log import Reading, open_log
from sparks import begun

pytestmark = pytest.mark.spark

HEADER = "search_id,query,doc_id,rank,click\n"
RAGGED = "lines with more or fewer columns than the header"


@pytest.fixture(scope="module")
def spark():
    from assay.logs.spark import Spark

    session = begun()
    yield Spark()
    session.stop()


@pytest.fixture
def duck():
    engine = Duck()
    yield engine
    engine.close()


def found(engine, path, **reading):
    log = open_log(path, Reading(**reading), engine=engine)
    cells = log.run("cells").select("query_id", "doc_id", "position", "impressions", "clicks").rows()
    return sorted(cells), {one.reason: (one.n, one.places) for one in log.refused()}


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


class TestDelimited:
    def test_lines_that_are_short_or_long_are_left_out_with_their_places(self, tmp_path, spark, duck):
        lines = 's1,red,d1,1,1\ns2,red,d1\n\ns3,red,d1,1,0,9\ns4,"a, ""b""",d2,2,0\ns5,red\ns6\n'
        path = write(tmp_path / "log.csv", HEADER + lines)
        cells = [('a, "b"', "d2", 2, 1, 0), ("red", "d1", 1, 1, 1)]
        left = {RAGGED: (4, (f"{path}:3", f"{path}:5", f"{path}:7"))}
        assert found(spark, path) == found(duck, path) == (cells, left)

    def test_tabs_and_other_ends_of_lines(self, tmp_path, spark, duck):
        lines = (HEADER + "s1,red,d1,1,1\ns2,red,d1\n").replace(",", "\t").replace("\n", "\r\n")
        path = write(tmp_path / "log 1.tsv", "\ufeff" + lines)
        assert found(spark, path) == found(duck, path) == ([("red", "d1", 1, 1, 1)], {RAGGED: (1, (f"{path}:3",))})

    def test_what_is_not_utf8_and_quotes_in_the_wrong_place(self, tmp_path, spark, duck):
        lines = "s1,caf\u00e9,d1,1,1\n".encode("latin-1") + b's2,27" tv,d1,1,0\ns3,"27"tv,d1,1,0\n'
        path = write(tmp_path / "log.csv", HEADER.encode() + lines)
        assert found(spark, path) == found(duck, path) == (
            [('27" tv', "d1", 1, 1, 0)],
            {"lines that are not UTF-8": (1, (f"{path}:2",)),
             "lines with a quote that does not close": (1, (f"{path}:4",))},
        )  # fmt: skip

    def test_places_are_those_of_the_file_that_has_them(self, tmp_path, spark, duck):
        (tmp_path / "log").mkdir()
        write(tmp_path / "log" / "a.csv", HEADER + "s1,red,d1,1,1\n")
        write(tmp_path / "log" / "b.csv", HEADER + "s2,red,d1,1,0\ns3,red\n")
        left = {RAGGED: (1, (f"{tmp_path}/log/b.csv:3",))}
        assert found(spark, tmp_path / "log") == found(duck, tmp_path / "log") == ([("red", "d1", 1, 2, 1)], left)

    def test_a_value_over_two_lines_is_refused_where_it_cannot_be_followed(self, tmp_path, spark, duck):
        path = write(tmp_path / "log.csv", HEADER + 's1,red,d1,1,1\ns2,"red\nshoes",d1,1,0\n')
        assert found(duck, path)[0] == [("red", "d1", 1, 1, 1), ("red\nshoes", "d1", 1, 1, 0)]
        with pytest.raises(InputError, match="goes on in the next line") as error:
            found(spark, path)
        assert str(error.value).startswith(f"{path}:3: ")


class TestPlaces:
    def test_rows_of_parquet_and_files_of_texts(self, tmp_path, spark, duck):
        (tmp_path / "a b").mkdir()
        for name, ranks in (("a", [1, 2, None]), ("b", [None, 3])):
            rows = pl.DataFrame({"search_id": "s1", "query": "red", "doc_id": ["d1", "d2", "d3"][: len(ranks)],
                                 "rank": ranks, "click": 0})  # fmt: skip
            rows.write_parquet(tmp_path / "a b" / f"{name}.parquet")
            rows.write_ndjson(tmp_path / f"{name}.jsonl")
        place = f"{tmp_path}/a b/"
        left = {"an impression without a position": (2, (f"{place}a.parquet, row 3", f"{place}b.parquet, row 1"))}
        assert found(spark, tmp_path / "a b")[1] == found(duck, tmp_path / "a b")[1] == left
        texts = f"{tmp_path}/*.jsonl"
        assert found(spark, texts)[0] == found(duck, texts)[0]
        files = (f"{tmp_path}/a.jsonl", f"{tmp_path}/b.jsonl")
        assert found(spark, texts)[1] == {"an impression without a position": (2, files)}


WIDE = [("s1", "red", "d1", "d2", None, 1, 0, 0), ("s2", "blue", "d1", None, "d3", 0, 0, 1),
        ("s3", "blue", None, None, None, 0, 0, 0), ("s4", "blue", None, "d2", None, 1, 0, 0)]  # fmt: skip


class TestWide:
    @pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
    def test_a_search_a_row_with_columns_by_place(self, tmp_path, spark, duck, kind):
        names = ("search_id", "query", "d1", "d2", "d3", "c1", "c2", "c3")
        rows, path = pl.DataFrame(WIDE, schema=names, orient="row"), tmp_path / f"log.{kind}"
        {"csv": rows.write_csv, "parquet": rows.write_parquet, "jsonl": rows.write_ndjson}[kind](path)
        cells, left = found(spark, path)
        assert cells == [("blue", "d1", 1, 1, 0), ("blue", "d2", 2, 1, 0), ("blue", "d3", 3, 1, 1),
                         ("red", "d1", 1, 1, 1), ("red", "d2", 2, 1, 0)]  # fmt: skip
        assert {why: n for why, (n, _) in left.items()} == {"an impression that names no document": 2}
        assert found(duck, path)[0] == cells
        assert found(duck, path)[1].keys() == left.keys()


def listed(seed, n=60):
    """Searches with lists of 0 to 4 documents, some of them twice, null, or of another length than their clicks."""
    draw = random.Random(seed)
    for at in range(n):
        docs = None if draw.random() < 0.1 else draw.choices(["d1", "d2", "d3", "", None], k=draw.randint(0, 4))
        long = max(0, len(docs or ()) + draw.choice([0, 0, 0, -1, 1]))
        clicks = None if draw.random() < 0.1 else draw.choices([0, 0, 1, 1, None, 7], k=long)
        yield {"search_id": f"s{at:02}", "query": draw.choice(["red", "blue"]), "docs": docs, "clicks": clicks}


def by_hand(searches):
    """The cells of such searches and the counts of what they refuse, in plain Python."""
    cells, left = Counter(), Counter()
    for one in searches:
        docs = one["docs"] if isinstance(one["docs"], list) and one["docs"] else [None]
        clicks = one["clicks"] if isinstance(one["clicks"], list) else []
        for place, (doc, click) in enumerate(zip_longest(docs, clicks), start=1):
            if not doc:
                left["an impression that names no document"] += 1
            elif click not in (0, 1):
                left["an impression whose click is neither 0 nor 1"] += 1
            else:
                cells[one["query"], doc, place] += 1
    return cells, left


class TestLists:
    ODD = ("d1", {"id": "d1"}, "[1, 2]", 7, True, [[]], [{}, "d4"], ['\u00e9\n"', None], [1, 2.50])

    @pytest.mark.parametrize("kind", ["parquet", "jsonl"])
    def test_a_row_a_search_with_lists(self, tmp_path, spark, duck, kind):
        searches, path = list(listed(7)), tmp_path / f"log.{kind}"
        rows = pl.DataFrame(searches)
        rows.write_ndjson(path) if kind == "jsonl" else rows.write_parquet(path)
        cells, left = found(spark, path)
        shown, refused = by_hand(searches)
        assert {why: n for why, (n, _) in left.items()} == refused
        assert {one[:3]: one[3] for one in cells} == shown
        assert found(duck, path)[0] == cells
        assert {why: n for why, (n, _) in found(duck, path)[1].items()} == refused
        if kind == "parquet":
            assert found(duck, path)[1] == left

    def test_values_that_are_no_lists_or_no_plain_texts(self, tmp_path, spark, duck):
        lines = [
            {"search_id": f"s{n}", "query": "red", "r": {"a.b": odd, "c": [0, 1]}} for n, odd in enumerate(self.ODD)
        ]
        path = write(tmp_path / "log.jsonl", "".join(json.dumps(line) + "\n" for line in lines) + "{broken\n")
        columns = {"docs": "r.a.b", "clicks": "r.c"}
        cells, left = found(duck, path, columns=columns)
        assert {one[1] for one in cells} == {"[]", "{}", "d4", '\u00e9\n"', "1", "2.5"}
        told, refused = found(spark, path, columns=columns)
        assert told == cells
        assert {why: n for why, (n, _) in refused.items()} == {why: n for why, (n, _) in left.items()}

    @pytest.mark.parametrize(("docs", "message"), [("d1", "holds no lists"), ([{"id": "d1"}], "no single value")])
    def test_columns_that_are_no_lists_of_ids(self, tmp_path, spark, docs, message):
        path = tmp_path / "log.parquet"
        pl.DataFrame({"search_id": ["s1"], "query": ["red"], "docs": [docs], "clicks": [[1]]}).write_parquet(path)
        with pytest.raises(InputError, match=message) as error:
            found(spark, path)
        assert str(error.value).startswith(f"{path}, column docs: ")

    def test_csv_holds_none(self, tmp_path, spark):
        path = write(tmp_path / "log.csv", "search_id,query,docs,clicks\ns1,red,a b,1 0\n")
        with pytest.raises(InputError, match="CSV holds no lists"):
            found(spark, path)


class TestSpelling:
    def test_keys_with_dots_and_files_that_are_compressed(self, tmp_path, spark, duck):
        (tmp_path / "log").mkdir()
        line = b'{"search_id": "s1", "query": "red", "hit.id": "d1", "hit": {"rank": 1}, "click": 1}\n'
        for name, pack in (("a.jsonl.gz", gzip.compress), ("b.jsonl", bytes)):
            (tmp_path / "log" / name).write_bytes(pack(line))
        columns = {"doc_id": "hit.id", "position": "hit.rank"}
        told = [found(engine, tmp_path / "log", columns=columns) for engine in (spark, duck)]
        assert told[0] == told[1] == ([("red", "d1", 1, 1, 1)], {"impressions that come again": (1, ())})

    def test_lines_of_json_that_are_no_text_are_no_objects(self, tmp_path, spark, duck):
        good = b'{"search_id": "s1", "query": "red", "doc_id": "d1", "rank": 1, "click": 1}\r\n'
        path = write(tmp_path / "log.jsonl", good + good.replace(b"red", b"caf\xe9") + b"\r\n[1]\n")
        cells = [("red", "d1", 1, 1, 1)]
        left = {"a line that is no JSON object": (2, (f"{path}:2", f"{path}:4"))}
        assert found(duck, path) == (cells, left)
        assert found(spark, path) == (cells, left)

    def test_half_a_sign_is_no_text_and_what_cannot_be_read_is_told(self, tmp_path, spark, duck):
        line = (
            '{"app": "a", "search_id": "s%s", "query": "red", "doc_id": "d1", "rank": 1, "click": 1, "value": "%s"}\n'
        )
        pair, half, turned, low, spelled = r"\ud83d\ude00", r"\ud83d", r"\ude00\ud83d", r"x\ude00", r"\\ud83d"
        texts = [pair, half, turned, low, spelled, r"\\\ud83d"]
        lines = [line % (n, text) for n, text in enumerate(texts)] + [(line % (9, "12,50")).replace('"a"', '"b"')]
        path = write(tmp_path / "log.jsonl", "".join(lines))
        cells, left = found(duck, path, app="a")
        bad = (4, (f"{path}:2", f"{path}:3", f"{path}:4"))
        odd = "rows that count without their value, which cannot be read"
        assert (cells, left) == ([("red", "d1", 1, 2, 2)], {
            "a line that is no JSON object": bad, odd: (2, (f"{path}:1", f"{path}:5")),
            "rows of other applications": (1, (f"{path}:7",)),
        })  # fmt: skip
        assert found(spark, path, app="a") == (cells, {
            "a line that is no JSON object": bad, odd: (2, (str(path),)),
            "rows of other applications": (1, (str(path),)),
        })  # fmt: skip

    @pytest.mark.parametrize(("zone", "clock"), [("Europe/Berlin", "2026-10-25 02:30:00"),
                                                 ("Australia/Lord_Howe", "2026-04-05 01:45:00")])  # fmt: skip
    def test_an_hour_that_a_clock_shows_twice(self, tmp_path, spark, duck, zone, clock):
        text = "".join(f"s{n},red,d1,1,0,{clock}\n" for n in range(2))
        path = write(tmp_path / "log.csv", HEADER.strip() + ",timestamp\n" + text)
        one, other = (open_log(path, Reading(zone=zone), engine=engine).happened() for engine in (spark, duck))
        assert one == other
        assert one[0].n == 2
