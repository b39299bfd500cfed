"""Rows of bots are set aside with the reason and their places, by every query, and on each engine."""

from __future__ import annotations

import csv
import json

import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.logs.bots import Bots, read_bots
from assay.logs.duck import Duck
from assay.logs.log import Reading, open_log
from assay.logs.named import named, names
from sparks import begun

COLUMN = "a row of a bot: its column says so"
WORD = "a row of a bot: its user agent says so"
UNIT = "a row of a bot: the list has its unit"
PATTERN = "a row of a bot: the list has its user agent"

PERSON = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
NAMES = ("action", "search_id", "user_id", "query", "doc_id", "rank", "user_agent", "is_bot", "timestamp")
MOMENT = "2026-03-02T10:00:00Z"
ROWS = [
    ("impression", "s1", "ann", "red", "d1", 1, PERSON, 0, MOMENT),
    ("click", "s1", "ann", None, "d1", None, PERSON, 0, MOMENT),
    ("impression", "s2", "ben", "red", "d1", 1, "Googlebot/2.1", 0, MOMENT),
    ("click", "s2", "ben", None, "d1", None, None, None, MOMENT),  # says nothing itself
    ("impression", "s3", "eve", "red", "d1", 1, PERSON, 1, MOMENT),
    ("impression", "s4", "monitor-7", "red", "d1", 1, PERSON, 0, MOMENT),
    ("search", "s5", "gil", "red", None, None, "Pingdom.com probe 3", 0, "2026-02-01T10:00:00Z"),  # before the window
    ("impression", "s5", "gil", None, "d1", 1, None, None, MOMENT),
    ("click", "s1", "zoe", None, "d1", None, None, 1, MOMENT),  # a bot's click on what ann was shown
]
LIST = Bots(("monitor-7",), ("pingdom*probe*",), "bots.txt")
LEFT = {COLUMN: 2, WORD: 2, UNIT: 1, PATTERN: 1}
SINCE = 1_772_323_200_000_000  # 2026-03-01


def write(path, rows=ROWS):
    frame = pl.DataFrame(rows, schema=NAMES, orient="row")
    said = [{name: value for name, value in row.items() if value is not None} for row in frame.iter_rows(named=True)]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in said), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            lines = csv.DictWriter(file, NAMES)
            lines.writeheader()
            lines.writerows(said)
    else:
        frame.write_parquet(path)
    return path


@pytest.fixture
def duck():
    engine = Duck()
    yield engine
    engine.close()


def found(engine, path, bots=LIST, **reading):
    log = open_log(path, Reading(bots=bots, since=SINCE, **reading), engine=engine)
    cells = log.run("cells").select("query_id", "doc_id", "impressions", "clicks").rows()
    return sorted(cells), {one.reason: (one.n, one.places) for one in log.refused()}


def counts(left):
    return {why: n for why, (n, _) in left.items() if why != "before the window"}


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_rows_of_bots_are_counted_by_reason_with_their_places(tmp_path, duck, kind, trusted):
    path = write(tmp_path / f"log.{kind}")
    cells, left = found(duck, path, is_trusted=trusted)
    assert cells == [("red", "d1", 1, 1)]
    assert counts(left) == LEFT
    at = (lambda row: f"{path}, row {row}") if kind == "parquet" else (lambda row: f"{path}:{row + (kind == 'csv')}")
    rows = {COLUMN: (5, 9), WORD: (3, 4), UNIT: (6,), PATTERN: (8,)}
    assert {why: left[why][1] for why in LEFT} == {why: tuple(map(at, there)) for why, there in rows.items()}


def test_without_a_list_words_and_the_column_speak_and_bots_can_be_kept(tmp_path, duck):
    path = write(tmp_path / "log.parquet")
    cells, left = found(duck, path, Bots())
    assert cells == [("red", "d1", 2, 1)]  # what s5 showed names no query within the window
    assert counts(left) == {COLUMN: 2, WORD: 2, "impressions whose search names no query": 1}
    cells, left = found(duck, path, None)
    assert cells == [("red", "d1", 4, 2)]
    assert counts(left) == {"events that come again": 1, "impressions whose search names no query": 1}


def test_events_and_searches_may_stand_in_files_of_their_own(tmp_path, duck):
    (tmp_path / "log").mkdir()
    first = {"query_id": "s1", "client_id": "u1", "application": "shop", "timestamp": MOMENT}
    asked = [{**first, "user_query": "red", "query_attributes": {"user_agent": "bingbot/2.0"}},
             {**first, "query_id": "s2", "user_query": "red", "query_attributes": {"user_agent": PERSON}}]  # fmt: skip
    shown = {"action_name": "impression", "event_attributes": {"object": {"object_id": "d1"},
                                                              "position": {"ordinal": 1}}}  # fmt: skip
    events = [{**first, "query_id": name, **shown} for name in ("s1", "s2")]
    for name, rows in (("a", asked), ("b", events)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "log" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    cells, left = found(duck, tmp_path / "log", Bots())
    assert cells == [("red", "d1", 1, 0)]
    assert left == {WORD: (2, (f"{tmp_path}/log/a.jsonl:1", f"{tmp_path}/log/b.jsonl:1"))}


@pytest.mark.parametrize("told", ["user_agent", "is_bot", "unit"])
def test_where_only_events_say_who_is_a_bot_its_searches_go_with_its_clicks(tmp_path, told):
    shown = ["search_id,query,doc_id,rank", *(f"s{i},red,d1,1" for i in range(100))]
    events = ["search_id,doc_id,event,user_agent,is_bot,user_id"]
    for i in range(60):  # 20 clicks of people, 40 of a bot; 40 searches without any
        is_bot = i >= 20
        said = {"user_agent": "Googlebot/2.1" if is_bot else PERSON, "is_bot": int(is_bot),
                "unit": "monitor-7" if is_bot else f"u{i}"}  # fmt: skip
        names = ("user_agent", "is_bot", "unit")
        events.append(",".join([f"s{i}", "d1", "click", *(str(said[one]) if one == told else "" for one in names)]))
    (tmp_path / "shown.csv").write_text("\n".join(shown), encoding="utf-8")
    (tmp_path / "events.csv").write_text("\n".join(events), encoding="utf-8")
    (tmp_path / "bots.txt").write_text("monitor-7\n", encoding="utf-8")
    bots = tmp_path / "bots.txt" if told == "unit" else None
    seen = assay.behaviour(tmp_path / "shown.csv", events=tmp_path / "events.csv", bots=bots)
    assert (seen.rate("click rate").value, seen.rate("click rate").n) == (pytest.approx(20 / 60), 60)
    assert seen.rate("abandonment").value == pytest.approx(40 / 60)
    assert [(one.reason, one.n) for one in seen.log.left_out] == [
        ({"user_agent": WORD, "is_bot": COLUMN, "unit": UNIT}[told], 80)
    ]


@pytest.mark.parametrize("said", [{"is_bot": True}, {"query_attributes": {"user_agent": "bingbot/2.0"}}])
def test_what_stands_on_late_rows_of_bots_alone_is_found(tmp_path, duck, said):
    rows = [{"query_id": f"s{i}", "client_id": "u1", "user_query": "red", "action_name": "impression",
             "event_attributes": {"object": {"object_id": "d1"}, "position": {"ordinal": 1}},
             **(said if i >= 2_050 else {})} for i in range(2_100)]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    name = ".".join(["is_bot"] if "is_bot" in said else ["query_attributes", "user_agent"])
    for columns in ({}, {name.split(".")[-1]: name}):
        cells, left = found(duck, path, Bots(), columns=columns)
        assert cells == [("red", "d1", 2_050, 0)]
        assert [n for n, _ in left.values()] == [50]


def test_a_flag_that_is_none_is_told_and_its_row_counts(tmp_path, duck):
    path = write(tmp_path / "log.csv", [(*ROWS[0][:7], "perhaps", MOMENT)])
    cells, left = found(duck, path)
    assert cells == [("red", "d1", 1, 0)]
    assert left == {"rows that count without their is_bot, which cannot be read": (1, (f"{path}:2",))}


def test_each_command_leaves_them_out(tmp_path):
    path = write(tmp_path / "log.parquet")
    bots = tmp_path / "bots.txt"
    bots.write_text("# ours\nmonitor-7\nagent: pingdom*probe*\n", encoding="utf-8")
    options = {"bots": bots, "since": "2026-03-01"}
    seen = assay.behaviour(path, **options)
    assert seen.rate("CTR").n == 1
    assert {one.reason: one.n for one in seen.log.left_out if "bot" in one.reason} == LEFT
    counted = assay.cells(path, out=tmp_path / "cells.parquet", **options)
    assert (counted.impressions, counted.clicks) == (1, 1)
    assert assay.behaviour(path, keep_bots=True).rate("CTR").n == 5
    with pytest.raises(InputError, match="bots are kept, and a list of them is given"):
        assay.behaviour(path, keep_bots=True, bots=bots)


def test_rows_of_a_policy_are_no_bots(tmp_path):
    lines = [{"item_id": doc, "position": 1, "click": click, "propensity": 0.5, "user_agent": agent}
             for doc, click, agent in (*[("a", 1, PERSON), ("b", 0, PERSON)] * 20, ("b", 1, "bot"))]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    (tmp_path / "target.csv").write_text("doc_id,position,chance\na,1,0.5\nb,1,0.5\n", encoding="utf-8")
    seen = assay.counterfactual(path, tmp_path / "target.csv", bandit=True)
    assert seen.searches == 40
    assert [(one.reason, one.n, one.places) for one in seen.log.left_out] == [(WORD, 1, (f"{path}:41",))]


@pytest.mark.parametrize(
    ("agent", "is_one"),
    [
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", True),
        ("Mozilla/5.0 (compatible; bingbot/2.0)", True),
        ("Baiduspider", True),
        ("Mozilla/5.0 (compatible; Yahoo! Slurp)", True),
        ("Mozilla/5.0 (X11) HeadlessChrome/120", True),
        ("Scrapy/2.11", True),
        ("some-BOT", True),
        ("CCBot/2.0", True),
        ("Mozilla/5.0 (Linux; Android 9; CUBOT_X19)", False),
        ("robotics reader 2", False),
        ("curl/8.5.0", False),
        (PERSON, False),
    ],
)
def test_words_by_which_bots_call_themselves(agent, is_one):
    assert (Bots().why(agent) == WORD) is is_one


class TestList:
    def test_ids_and_patterns(self, tmp_path):
        path = tmp_path / "bots.txt"
        path.write_bytes(b"\xef\xbb\xbf# said\n\n  u 1 \r\nagent: *Probe*\nunit: agent:7\nunit: #8\nu 1\n")
        assert read_bots(path) == Bots(("u 1", "agent:7", "#8"), ("*Probe*",), str(path))
        assert read_bots(path).why("the PROBE") == PATTERN
        assert read_bots(path).why("the pro.e") is None

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"u1\nagent:\n", "bots.txt:2: names nobody"),
            (b"agent: *\n", "bots.txt:1: names every user agent"),
            (b"u1\ncaf\xe9\n", "bots.txt:2: is not UTF-8"),
            (b"# nobody\n", "bots.txt: names no bot"),
        ],
    )
    def test_what_is_no_list(self, tmp_path, content, message):
        (tmp_path / "bots.txt").write_bytes(content)
        with pytest.raises(InputError, match=message):
            read_bots(tmp_path / "bots.txt")

    @pytest.mark.parametrize(("bots", "name"), [(Bots(("u1",)), "unit_id"), (Bots((), ("a*",)), "user_agent")])
    def test_a_list_of_what_the_log_does_not_have(self, tmp_path, duck, bots, name):
        path = tmp_path / "log.csv"
        path.write_text("query,doc_id,rank,click\nred,d1,1,0\n", encoding="utf-8")
        with pytest.raises(InputError, match=f"--columns {name}=COLUMN"):
            open_log(path, Reading(bots=bots), engine=duck)


@pytest.mark.spark
def test_spark_leaves_out_the_same(tmp_path, duck):
    from assay.logs.spark import Spark

    session = begun()
    try:
        for kind in ("jsonl", "parquet"):
            path = write(tmp_path / f"log.{kind}")
            cells, left = found(Spark(), path)
            want, told = found(duck, path)
            assert (cells, counts(left)) == (want, counts(told)) == ([("red", "d1", 1, 1)], LEFT)
            assert all(left[why][1] for why in LEFT)
        assert found(Spark(), path, None)[0] == found(duck, path, None)[0] == [("red", "d1", 4, 2)]
    finally:
        session.stop()


def test_whatever_counts_reads_rows_that_know_of_bots():
    plain = {name for name in names() if set(named(name).reads) & {"log", "all_rows"}}
    assert plain == {"known", "known_as_it_is", "bot_searches", "bot_searches_by_events", "user_agents", "outside"}
