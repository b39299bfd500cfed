"""Logs of User Behavior Insights as a query log."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.formats.ubi_log import is_ubi, read_ubi
from assay.tables import Block

AT = "2026-03-02T10:00:00.000Z"


def query(name: str, text: str | None, hits: list[str] | None = None, **more: Any) -> dict[str, Any]:
    row = {"query_id": name, "client_id": "c", "user_query": text, "timestamp": AT, **more}
    return row if hits is None else row | {"query_response_hit_ids": hits}


def event(name: str, action: str, **more: Any) -> dict[str, Any]:
    place = {"object": {"object_id": "P3"}, "position": {"ordinal": 1}}
    return {"action_name": action, "query_id": name, "timestamp": AT, "event_attributes": place, **more}


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def held(found: Block) -> dict[str, Any]:
    frame: Any = found.frame
    return dict(frame)


def told(source: Any, events: Any = None, application: str = "") -> dict[str, Any]:
    return held(read_ubi(source, events, application))


ROWS = (
    query("1", "rain jacket", ["P3", "P1"]),
    event("1", "impression"),
    event("1", "click"),
    query("2", "ghost", []),
    query("3", "tent", ["P9"]),
    event("3", "view"),
)


def test_searches_have_their_results_and_clicks() -> None:
    found = read_ubi(io.BytesIO(lines(*ROWS)))
    assert held(found) == {
        "text": ["rain jacket", "ghost", "tent"], "asked_at": [AT, AT, AT], "results": [2.0, 0.0, 1.0],
        "clicks": [1.0, 0.0, 0.0],
    }  # fmt: skip
    assert found.facts == ()
    assert found.place(1).endswith(":4")


def test_events_may_stand_in_a_file_of_their_own_and_before_the_queries() -> None:
    queries, events = [row for row in ROWS if "user_query" in row], [row for row in ROWS if "action_name" in row]
    assert told(io.BytesIO(lines(*queries)), io.BytesIO(lines(*events))) == told(io.BytesIO(lines(*ROWS)))
    assert told(io.BytesIO(lines(*events, *queries))) == told(io.BytesIO(lines(*ROWS)))


def test_a_bulk_request_and_a_dump_of_hits_are_read_as_plain_lines() -> None:
    bulk = b"".join(lines({"index": {"_index": "ubi_queries", "_id": str(i)}}, row) for i, row in enumerate(ROWS))
    dump = lines(*({"_index": "ubi", "_id": str(i), "_source": row} for i, row in enumerate(ROWS)))
    for data in (bulk, dump):
        assert is_ubi(io.BytesIO(data))
        assert told(io.BytesIO(data)) == told(io.BytesIO(lines(*ROWS)))


def test_parquet_is_read_by_its_columns(tmp_path: Path) -> None:
    queries = [row | {"query": "{}"} for row in ROWS if "user_query" in row]
    pl.DataFrame(queries).write_parquet(tmp_path / "queries.parquet")
    pl.DataFrame([row for row in ROWS if "action_name" in row]).write_parquet(tmp_path / "events.parquet")
    assert is_ubi(str(tmp_path / "queries.parquet"))
    found = read_ubi(str(tmp_path / "queries.parquet"), str(tmp_path / "events.parquet"))
    assert held(found) == told(io.BytesIO(lines(*ROWS)))
    assert found.place(2).endswith("queries.parquet, row 3")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "queries.parquet").read_bytes()[:-9])
    assert not is_ubi(str(tmp_path / "cut.parquet"))
    with pytest.raises(InputError, match="is not a whole Parquet file"):
        read_ubi(str(tmp_path / "cut.parquet"))


def test_a_table_of_counts_is_no_log_of_ubi_whatever_its_columns_are_called(tmp_path: Path) -> None:
    row = {"query_id": "1", "user_query": "tent", "count": 40}
    assert not is_ubi(io.BytesIO(lines(row)))
    (tmp_path / "log.jsonl").write_bytes(lines(row, row | {"user_query": "lamp", "count": 2}))
    assert assay.sample(str(tmp_path / "log.jsonl"), size=3).traffic == 42.0


def test_pages_and_facets_of_one_search_count_once() -> None:
    rows = (query("1", "tent", []), query("1", "tent", ["a", "b"]), query("1", "tent"), query("1", "tents", ["a"]))
    found = read_ubi(io.BytesIO(lines(*rows, event("1", "click", user_query="tent"), event("1", "click"))))
    assert held(found)["text"] == ["tent", "tents"]
    assert held(found)["results"] == [2.0, 1.0]
    assert held(found)["clicks"] == [1.0, 1.0]  # by its text; without one, the last
    assert "1 query ids stand for several texts" in found.facts[0]


def test_what_is_not_known_is_no_zero() -> None:
    silent = told(io.BytesIO(lines(query("1", "tent"), event("1", "item_click"))))
    assert set(silent) == {"text", "asked_at"}  # neither hits nor an action that says a click
    found = read_ubi(io.BytesIO(lines(query("1", "tent"), event("1", "item_click"))))
    assert found.facts[0].endswith("so nothing says what was clicked; there are item_click 1")
    mixed = told(io.BytesIO(lines(query("1", "tent"), query("2", "lamp", []))))
    assert mixed["results"] == [None, 0.0]


def test_events_alone_tell_the_searches_that_name_their_query() -> None:
    rows = (event("1", "search", user_query="tent"), event("1", "click"), event("2", "click"))
    found = read_ubi(io.BytesIO(lines(*rows)))
    assert held(found) == {"text": ["tent"], "asked_at": [AT], "clicks": [1.0]}
    assert "1 clicks name a query id that no query has" in found.facts[0]


def test_an_application_can_be_chosen() -> None:
    rows = (query("1", "tent", application="shop"), query("1", "visa", application="bank"))
    data = lines(*rows)
    assert told(io.BytesIO(data), application="shop")["text"] == ["tent"]
    assert "records of 2 applications count (bank 1, shop 1)" in read_ubi(io.BytesIO(data)).facts[0]
    with pytest.raises(InputError, match="nothing of the application shp; did you mean shop"):
        told(io.BytesIO(data), application="shp")


def test_times_come_as_text_or_in_milliseconds() -> None:
    rows = [query(str(i), "x" * (i + 1), timestamp=at) for i, at in enumerate((1717527762025, None, "2026-03-01"))]
    found = told(io.BytesIO(lines(*rows)))["asked_at"]
    assert found == ["2024-06-04T19:02:42.025000+00:00", None, "2026-03-01"]  # date -u -d @1717527762.025


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (b'{"query_id": "1", "user_query": "a"}\n{"query_id"\n', ":2: is no JSON object"),
        (b'{"query_id": "1", "user_query": "a"}\n[1]\n', ":2: is no JSON object"),
        (b'{"query_id": "1", "user_query": "\xff"}\n', ":1: is not UTF-8"),
        (lines(query("1", 5)), "user_query is 5"),  # type: ignore[arg-type]
        (lines(query("1", "a", "P1")), "query_response_hit_ids is no list"),  # type: ignore[arg-type]
        (lines(query("1", "a", timestamp=True)), "timestamp is True"),
        (lines(query("1", "a") | {"query_id": ["1"]}), "query_id is"),
        (lines(event("1", "click")), "holds no query of UBI"),
        (b"", "empty"),
    ],
)
def test_bad_lines_have_their_place(row: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_ubi(io.BytesIO(row))


def test_a_set_is_drawn_of_what_ubi_wrote(tmp_path: Path) -> None:
    rows = [query(f"{i}", f"word {i % 7}", ["a"] if i % 7 else []) for i in range(70)]
    (tmp_path / "queries.ndjson").write_bytes(lines(*rows))
    (tmp_path / "events.ndjson").write_bytes(lines(event("1", "click"), event("8", "click")))
    asked: dict[str, int | None] = {"zero-results": 1, "no-click": 2, "head": 1}
    found = assay.sample(
        str(tmp_path / "queries.ndjson"), events=str(tmp_path / "events.ndjson"), strata=asked, size=4,
        first="2026-03-02", last="2026-03-02",
    )  # fmt: skip
    assert [(s.name, s.queries, s.traffic) for s in found.strata][:2] == [
        ("zero-results", 1, 10.0), ("no-click", 6, 60.0),
    ]  # fmt: skip # of word 1 two searches of ten were clicked: most were not
    with pytest.raises(InputError, match="is read from files"):
        assay.sample([{"text": "a"}], events=str(tmp_path / "events.ndjson"), size=1)


@pytest.mark.shared
def test_the_sample_of_opensearch_counts_as_a_plain_loop_counts(shared: Path) -> None:
    import gzip

    path = shared / "data/clicks/ubi/ubi_queries_events.ndjson.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row.get("application") == "Chorus"]
    asked = {(row["query_id"], row["user_query"]) for row in rows if "action_name" not in row}
    full = {(row["query_id"], row["user_query"]) for row in rows if row.get("query_response_hit_ids")}
    found = told(str(path), application="Chorus")
    assert len(found["text"]) == len(asked) == 91
    assert sum(n == 0 for n in found["results"]) == len(asked - full)
    ids = {name for name, _ in asked}
    clicks = [r for r in rows if r.get("action_name") in ("click", "add_to_cart") and r.get("query_id") in ids]
    assert sum(found["clicks"]) == len(clicks)
