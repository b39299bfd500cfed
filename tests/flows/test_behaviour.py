"""Behaviour of small logs, counted by hand; cells that add up; a simulated log with known truth."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import assay
from assay.clicks.alike import are_alike
from assay.errors import InputError, NotEnoughEvidence
from assay.flows.cells import cells_of
from assay.flows.click_logs import LogChoices
from assay.logs.zones import offsets
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

# person, session, search, minute, query, kind, document, position, more
EVENTS = [
    ("u1", "a", "s1", 0, "red shoes", "search", None, None, {"results": 2}),
    ("u1", "a", "s1", 0, "red shoes", "impression", "d1", 1, {}),
    ("u1", "a", "s1", 0, "red shoes", "impression", "d2", 2, {}),
    ("u1", "a", "s2", 0.5, "red shoe", "search", None, None, {"results": 1}),
    ("u1", "a", "s2", 0.5, "red shoe", "impression", "d1", 1, {}),
    ("u1", "a", "s2", 0.75, None, "click", "d1", 1, {}),
    ("u1", "a", "s2", 2, None, "add_to_cart", "d1", None, {}),
    ("u1", "a", "s2", 3, None, "order", "d1", None, {"value": 9.5}),
    ("u1", "a", "s3", 4.75, "lamp", "search", None, None, {"results": 0}),
    ("u2", "b", "s4", 1, "tent", "search", None, None, {"results": 3}),
    ("u2", "b", "s4", 1, "tent", "impression", "d1", 1, {}),
    ("u2", "b", "s4", 1, "tent", "impression", "d2", 2, {}),
    ("u2", "b", "s4", 1, "tent", "impression", "d3", 3, {}),
    ("u2", "b", "s4", 1.5, None, "click", "d3", 3, {"dwell_s": 40.0}),
    ("u2", "b", "s4", 1.6, None, "click", "d2", 2, {"dwell_s": 4.0}),
    ("u2", "b", "s4", 1.7, None, "click", "d2", 2, {"dwell_s": 6.0}),
    ("u3", "c", "s5", 1500, "opening hours", "search", None, None, {"results": 1}),
    ("u3", "c", "s5", 1500, "opening hours", "impression", "d7", 1, {}),
    ("u3", "c", "s5", 1500, None, "instant_answer", None, None, {}),
]


@pytest.fixture
def log(tmp_path):
    names = ("unit_id", "session_id", "impression_id", "minute", "query", "action", "doc_id", "position")
    lines = []
    for row in EVENTS:
        *values, more = row
        said = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        said["at"] = 1_772_366_400 + round(said.pop("minute") * 60)  # 2026-03-01T12:00:00Z
        lines.append(json.dumps({**said, **more}))
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def found(log, **options):
    return assay.behaviour(log, kinds={"instant_answer": "satisfied"}, **options)


def test_every_measure_by_hand(log):
    result = found(log)
    values = {rate.measure: rate.value for rate in result.rates}
    assert values == pytest.approx({
        "CTR": 3 / 7,  # d1 of s2, d3 and d2 of s4, of 2 + 1 + 3 + 1 shown
        "click rate": 2 / 5, "clicks a search": 3 / 5,
        "first-click RR": (1 + 1 / 2) / 5,  # the highest click of s4 stands at 2
        "time to click": (15 + 30) / 2, "zero results": 1 / 5,
        "abandonment": 2 / 5,  # s1 and s3; s5 was answered
        "good abandonment": 1 / 5,
        "reformulation": 1 / 5,  # s1 by s2; s3 came too late, and asks for something else
        "carts a search": 1 / 5, "purchases a search": 1 / 5, "value a search": 9.5 / 5,
    })  # fmt: skip
    assert {rate.units for rate in result.rates} == {3}
    assert result.unit == "person"


def test_clicks_on_what_was_never_shown_are_counted_apart_and_no_click_rate_is_above_1(tmp_path):
    shown = {"unit_id": "u1", "session_id": "a", "impression_id": "s1", "query": "lamp", "action": "impression",
             "doc_id": "d1", "position": 1, "at": 1_772_366_400}  # fmt: skip
    clicks = [{"unit_id": "u1", "session_id": "a", "impression_id": "s1", "action": "click", "doc_id": doc,
               "at": 1_772_366_430} for doc in ("d1", "d8", "d9")]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (shown, *clicks)), encoding="utf-8")
    result = assay.behaviour(path)
    assert result.rate("CTR").value == 1  # d1, of d1
    assert result.rate("clicks a search").value == 3
    assert [(one.reason, one.n) for one in result.log.left_out] == [
        ("clicked documents that their search never showed", 2)]  # fmt: skip


def test_a_next_query_that_is_not_alike_is_no_reformulation(tmp_path):
    asked = [("a", "s1", "red shoes", 0), ("a", "s2", "red boots", 30), ("b", "s3", "lamp", 0), ("b", "s4", "tent", 30)]
    rows = [{"session_id": session, "impression_id": search, "query": text, "action": "impression", "doc_id": "d1",
             "position": 1, "at": 1_772_366_400 + after} for session, search, text, after in asked]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert assay.behaviour(path).rate("reformulation").value == pytest.approx(1 / 4)  # s1, of four searches


def test_intervals_are_over_people(log):
    # value a search: (y, x) of the people are (9.5, 3), (0, 1), (0, 1): R = 1.9, residuals y - R x are 3.8, -1.9, -1.9
    # of variance (14.44 + 3.61 + 3.61) / 2 = 10.83; over n mean(x)^2 = 3 * 25/9 gives 1.2996; t(0.975, 2) = 4.30265
    rate = found(log).rate("value a search")
    assert list(rate.interval) == pytest.approx([1.9 - 4.302653 * 1.14, 1.9 + 4.302653 * 1.14], abs=1e-5)


def test_dwell_recorded_and_derived(log):
    derived, recorded = sorted(found(log).dwells, key=lambda dwell: dwell.n)
    assert (derived.is_derived, derived.n) == (True, 1)
    assert derived.median == pytest.approx(240)  # from 0:45 to the next search at 4:45; cart and order do not end it
    assert (recorded.n, recorded.lower, recorded.median, recorded.upper) == (3, 4.0, 6.0, 40.0)
    assert recorded.long_share == pytest.approx(1 / 3)


def test_positions_and_queries(log):
    result = found(log)
    assert [(one.position, one.impressions, one.clicks) for one in result.positions] == [
        (1, 4, 1),
        (2, 2, 1),
        (3, 1, 1),
    ]
    assert {rate.group[0][1] for rate in result.queries} == {"red shoes", "red shoe", "lamp", "tent", "opening hours"}


def test_days_are_those_of_the_zone(log):
    days = {rate.group for rate in found(log, by="day", time_zone="Asia/Tokyo").rates if rate.group}
    assert days == {(("day", "2026-03-01"),), (("day", "2026-03-02"),)}  # 12:00 and a day later, 21:00 in Tokyo
    assert found(log, by="day", time_zone="UTC").rate("click rate", day="2026-03-02").n == 1


def test_a_log_that_is_read_twice_changes_nothing(log):
    once = found(log)
    (log.parent / "again.jsonl").write_bytes(log.read_bytes())
    twice = found([log, log.parent / "again.jsonl"])
    assert twice.rates == once.rates
    assert twice.positions == once.positions
    assert {one.reason: one.n for one in twice.log.left_out} == {
        "impressions that come again": 7, "events that come again": 7, "searches that come again": 5,
    }  # fmt: skip


def test_what_the_log_cannot_say_is_said(tmp_path):
    table = pl.DataFrame({"impression_id": ["s1"], "query_id": ["q"], "doc_id": ["d"], "position": [1], "clicked": [0]})
    table.write_parquet(tmp_path / "log.parquet")
    result = assay.behaviour(tmp_path / "log.parquet")
    assert set(dict(result.missing)) == {
        "time to click", "zero results", "good abandonment", "reformulation", "carts a search", "purchases a search",
        "value a search",
    }  # fmt: skip
    assert result.rate("click rate").interval is None
    assert result.rate("click rate").why == "one search only"
    with pytest.raises(KeyError):
        result.rate("reformulation")


def test_rankers_are_compared_with_a_caution(tmp_path):
    world = World.make(3, queries=5)
    frame(world, clicks(world, 50, np.random.default_rng(1)), 1).write_parquet(tmp_path / "log.parquet")
    codes = {note.code for note in assay.behaviour(tmp_path / "log.parquet", by="ranker").notes}
    assert "clicks-by-ranker" in codes
    assert "clicks-by-ranker" not in {note.code for note in assay.behaviour(tmp_path / "log.parquet").notes}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "phase"}, "not grouped by 'phase'"),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "--to: the window ends before it begins"),
        ({"since": "soon"}, "--from: 'soon' is no date"),
        ({"memory": "much"}, "--memory: 'much' is no size"),
        ({"app": "shop"}, "log.jsonl: no column names the application"),
        ({"ordinal_base": {"": 2}}, "start at 0 or 1"),
        ({"on": "duck"}, "no log engine"),
        ({"master": "local"}, "means nothing to the embedded engine"),
        ({"time_zone": "Mars/North"}, "no time zone"),
    ],
)
def test_options_that_mean_nothing(log, options, message):
    with pytest.raises(InputError, match=message):
        assay.behaviour(log, **options)


def test_no_interval_of_times_begins_before_the_search(tmp_path):
    # two people, 1 s and 100 s to their click: the mean is 50.5 s, and t with 1 degree of freedom goes far below 0
    rows = []
    for who, after in (("u1", 1), ("u2", 100)):
        began = {"search_id": who, "user_id": who, "at": 1_772_366_400}
        rows += [{**began, "event": "impression", "query": "red", "doc_id": "d1", "rank": 1},
                 {**began, "event": "click", "doc_id": "d1", "at": began["at"] + after}]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    rate = next(one for one in assay.behaviour(path).rates if one.measure == "time to click")
    assert rate.value == pytest.approx(50.5)
    # 50.5 +- 12.706 x 99 / 2
    assert (rate.interval.low, rate.interval.high) == (0.0, pytest.approx(50.5 + 12.7062047 * 49.5))


def test_rows_that_count_are_not_told_as_left_out(tmp_path):
    first = {"search_id": "s1", "query": "red", "at": "2026-03-01T10:00:00Z"}
    rows = [{**first, "event": "impression", "doc_id": "d1", "rank": 1},
            {**first, "event": "click", "doc_id": "d1", "at": "2026-03-03T10:00:00Z", "dwell": "12,50"},
            {**first, "event": "click", "doc_id": "d9"}]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = {(note.code, note.text) for note in assay.behaviour(path).notes}
    assert told >= {
        ("counted-without", f"1 rows that count without their dwell_s, which cannot be read ({path}:2)"),
        ("counted-without", "1 clicks long after their search, which count"),
        ("left-out", "1 left out: clicked documents that their search never showed"),
    }


def test_nothing_left_is_not_an_answer(log):
    with pytest.raises(NotEnoughEvidence, match=r"no search is left in the log\n.* left out: before the window"):
        assay.behaviour(log, since="2027-01-01")


class TestCells:
    def test_days_add_up_to_the_whole(self, tmp_path):
        world = World.make(5, queries=20)
        table = frame(world, clicks(world, 400, np.random.default_rng(2), swaps=0.3), 2)
        days = table.with_columns(day=pl.col("at").dt.date()).partition_by("day", include_key=False)
        table.write_parquet(tmp_path / "all.parquet")
        files = []
        for place, day in enumerate(days):
            day.write_parquet(tmp_path / "day.parquet")
            assay.cells(tmp_path / "day.parquet", out=tmp_path / f"c{place}.parquet")
            files.append(tmp_path / f"c{place}.parquet")
        added, read = cells_of(files, LogChoices())
        whole, read_whole = cells_of(tmp_path / "all.parquet", LogChoices())
        assert read is None
        assert read_whole is not None
        order = ["query_id", "doc_id", "position", "ranker", "segment"]
        assert added.frame().sort(order).equals(whole.frame().sort(order))
        assert int(whole.clicks.sum()) == table["clicked"].sum()

    def test_a_day_named_twice_is_refused(self, tmp_path, log):
        assay.cells(log, out=tmp_path / "c.parquet")
        with pytest.raises(InputError, match="added twice"):
            cells_of([tmp_path / "c.parquet", tmp_path / "c.parquet"], LogChoices())

    @pytest.mark.parametrize(
        ("kind", "columns"),
        [("cascade", {"to_first", "to_last", "last_clicks", "without_click"}), ("last-click", {"click_above"})],
    )
    def test_other_counts(self, tmp_path, log, kind, columns):
        result = assay.cells(log, out=tmp_path / "c.parquet", kind=kind)
        assert columns <= set(pl.read_parquet_schema(tmp_path / "c.parquet"))
        assert result.impressions == 7
        assert result.clicks == 3

    @pytest.mark.parametrize(("out", "kind"), [("c.csv", "position"), ("c.parquet", "list")])
    def test_what_is_not_written(self, tmp_path, log, out, kind):
        with pytest.raises(InputError):
            assay.cells(log, out=tmp_path / out, kind=kind)
        assert not (tmp_path / out).exists()

    def test_no_person_stands_in_cells(self, tmp_path, log):
        assay.cells(log, out=tmp_path / "c.parquet")
        table = pl.read_parquet(tmp_path / "c.parquet")
        assert set(table.columns) == {"query_id", "doc_id", "position", "ranker", "segment", "impressions", "clicks"}


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ("red shoes", "shoes for kids", True),  # a word
        ("accomodation", "accommodation", True),  # a slip
        ("Café", "cafe", False),  # typed otherwise, asked the same
        ("lamp", "tent", False),
        ("自行车灯", "自行车前灯", True),
        ("自行车灯", "帐篷", False),
        ("दो पहिया साइकिल", "साइकिल ताला", True),
        ("", "tent", False),
    ],
)
def test_alike_in_any_script(first, second, answer):
    assert are_alike(first, second) is answer


def test_offsets_follow_the_clock():
    from zoneinfo import ZoneInfo

    hour = 3_600_000_000
    march = 1_774_659_600_000_000  # 2026-03-28T01:00Z; summer begins on the 29th at 01:00Z
    spans = offsets(ZoneInfo("Europe/Berlin"), march, march + 48 * hour)
    assert [ahead for _, _, ahead in spans] == [hour, 2 * hour]
    assert spans[0][1] == spans[1][0] == march + 24 * hour


def test_click_rates_of_a_simulated_log_are_those_of_its_law():
    world = World.make(11, queries=4)
    found = clicks(world, 40_000, np.random.default_rng(4), eta=1.0)
    expected = np.take_along_axis(world.attraction[found.query], found.shown, axis=1) / np.arange(1, 11)
    gap = found.clicked.mean(axis=0) - expected.mean(axis=0)
    assert (np.abs(gap) < 4 * np.sqrt(expected.mean(axis=0) / 40_000)).all()
