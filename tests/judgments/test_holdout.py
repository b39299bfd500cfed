"""Judgments from interactions: every count by hand, times in every spelling, and nothing of the log but its ids."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.judgments.holdout import _moment
from assay.report.describe import describe
from assay.report.machine import to_machine
from assay.report.text import to_text

ROWS = [
    # person, item, time, kind
    ("ann", "a", "2026-02-01", "click"),
    ("ann", "b", "2026-02-02", "purchase"),
    ("bob", "c", "2026-02-28T23:59:59", "click"),
    ("cid", "a", "2026-02-03", "click"),
    ("ann", "a", "2026-03-01", "click"),  # met before, and exactly at the moment
    ("ann", "c", "2026-03-02", "click"),
    ("ann", "c", "2026-03-03", "purchase"),
    ("bob", "d", "2026-03-02", "view"),
    ("bob", "e", "2026-03-02", "purchase"),
    ("dan", "a", "2026-03-05", "click"),
]
GRADES = {"purchase": 3.0, "click": 1.0}


def log(rows: list[tuple[Any, ...]] = ROWS, **more: Any) -> list[dict[str, Any]]:
    names = ("user_id", "item_id", "timestamp", "event")
    return [dict(zip(names, row, strict=True)) | more for row in rows]


def judged(found: Any) -> dict[tuple[str, str], float]:
    return {(query, doc): grade for query, doc, grade in found.qrels.rows()}


def test_every_count_by_hand():
    found = assay.qrels_from_interactions(log(), "2026-03-01", grades=GRADES)
    assert judged(found) == {("ann", "c"): 3.0, ("bob", "e"): 3.0}
    assert (found.events, found.people, found.items) == (10, 4, 5)
    assert (found.before, found.after, found.queries, found.pairs) == (4, 6, 2, 2)
    assert found.grades == ((3.0, 2),)
    assert [(one.why, one.events, one.people) for one in found.left_out] == [
        ("events of the kind view, which has no grade", 1, 1),
        ("pairs of person and item that were met before", 1, 1),
        ("pairs of people with fewer than 1 item before", 1, 1),
        ("people of the history who did nothing from then on", 0, 1),
    ]
    assert found.cold == 1  # e
    assert found.history["doc_id"].to_list() == ["a", "b", "c", "a"]
    assert found.split_at == "2026-03-01T00:00:00+00:00"


def test_without_grades_every_event_is_1():
    found = assay.qrels_from_interactions(log(), "2026-03-01", min_history=0)
    assert judged(found) == dict.fromkeys([("ann", "c"), ("bob", "d"), ("bob", "e"), ("dan", "a")], 1.0)


def test_items_met_before_can_be_kept():
    found = assay.qrels_from_interactions(log(), "2026-03-01", grades=GRADES, seen="keep")
    assert judged(found)[("ann", "a")] == 1.0
    assert [note.code for note in found.notes if note.code != "read"] == ["met-before", "cold-items"]


def test_a_history_is_counted_in_distinct_items():
    twice = [
        ("eva", "x", "2026-01-01", "click"),
        ("eva", "x", "2026-01-02", "click"),
        ("eva", "y", "2026-03-01", "click"),
    ]
    with pytest.raises(InputError, match="1 pairs of people with fewer than 2 items before"):
        assay.qrels_from_interactions(log(twice), "2026-03-01", min_history=2)
    assert assay.qrels_from_interactions(log(twice), "2026-03-01", min_history=1).pairs == 1


def test_values_are_grades_on_request():
    rows = [
        {"user": "u", "item": "a", "at": "2026-01-01", "rating": 5},
        {"user": "u", "item": "b", "at": "2026-03-01", "rating": 4.5},
        {"user": "u", "item": "b", "at": "2026-03-02", "rating": 2},
        {"user": "u", "item": "c", "at": "2026-03-02", "rating": None},
    ]
    found = assay.qrels_from_interactions(rows, "2026-03-01", grades="value")
    assert judged(found) == {("u", "b"): 4.5}
    assert found.left_out[0].why == "events without a value"


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-03-01T06:00:00Z", 6),
        ("2026-03-01 06:00:00 UTC", 6),
        ("2026-03-01T06:00+01:00", 5),
        ("2026-03-01T06:00", 5),  # Berlin
        ("20260301", -1),
        ("1772344800", 6),
        ("1772344800000", 6),
        ("1772344800.0", 6),
    ],
)
def test_a_time_is_read_in_every_spelling(text: str, hour: int):
    from assay.flows.interactions import zone_of

    midnight = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    assert _moment(text, zone_of("Europe/Berlin")) == midnight + hour * 3600


def test_the_time_zone_moves_the_moment_and_is_stated():
    rows = log([("u", "a", "2026-02-01", "x"), ("u", "b", "2026-02-28T23:30Z", "x"), ("u", "c", "2026-03-02", "x")])
    assert assay.qrels_from_interactions(rows, "2026-03-01").pairs == 1
    found = assay.qrels_from_interactions(rows, "2026-03-01", timezone="Europe/Berlin")
    assert found.pairs == 2
    assert found.split_at == "2026-02-28T23:00:00+00:00"
    assert "times without a zone are read as Europe/Berlin" in to_text(describe(found), 120)


def test_frames_with_real_times_are_read():
    frame = pl.DataFrame(log()).with_columns(pl.col("timestamp").str.to_datetime(strict=False, time_zone="UTC"))
    frame = frame.filter(pl.col("timestamp").is_not_null())
    assert frame.height > 1
    found = assay.qrels_from_interactions(frame, "2026-02-01", grades=GRADES, min_history=0)
    assert found.events == frame.height


events = st.lists(
    st.tuples(
        st.sampled_from("uvw"), st.sampled_from("abcd"),
        st.integers(1, 28).map(lambda d: f"2026-02-{d:02}"), st.sampled_from(["click", "purchase", "view"]),
    ),
    min_size=1, max_size=20,
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(events, st.integers(1, 28), st.sampled_from(["drop", "keep"]), st.integers(0, 3))
def test_what_is_held_out_is_what_plain_loops_find(rows: list[Any], day: int, seen: Any, least: int):
    moment = f"2026-02-{day:02}"
    before = [row for row in rows if row[2] < moment]
    wanted: dict[tuple[str, str], float] = {}
    for user, item, at, kind in rows:
        met = any((u, i) == (user, item) for u, i, _, _ in before)
        length = len({i for u, i, _, _ in before if u == user})
        if at >= moment and kind in GRADES and not (met and seen == "drop") and length >= least:
            wanted[user, item] = max(GRADES[kind], wanted.get((user, item), 0.0))
    kinds = {row[3] for row in rows}
    grades = {kind: grade for kind, grade in GRADES.items() if kind in kinds}
    if not wanted:
        return
    found = assay.qrels_from_interactions(log(rows), moment, grades=grades, seen=seen, min_history=least)
    assert judged(found) == wanted
    assert found.history.height == len(before) == found.before
    assert found.before + found.after == found.events == len(rows)


def test_files_are_written_in_the_format_of_their_ending(tmp_path: Path):
    source = tmp_path / "log.csv"
    lines = [",".join([*row, f"{row[0]}@example.org"]) for row in ROWS]
    source.write_text("\n".join(["user_id,item_id,timestamp,event,email", *lines]) + "\n", encoding="utf-8")
    found = assay.qrels_from_interactions(
        source, "2026-03-01", grades=GRADES, out=tmp_path / "held.qrels", history=tmp_path / "before.parquet"
    )
    assert (tmp_path / "held.qrels").read_text("utf-8") == "ann 0 c 3\nbob 0 e 3\n"
    assert pl.read_parquet(tmp_path / "before.parquet").columns == ["user_id", "doc_id", "at", "kind"]
    assert b"example.org" not in (tmp_path / "before.parquet").read_bytes()
    assert [(what, Path(file).name) for what, file in found.files] == [
        ("qrels", "held.qrels"), ("history", "before.parquet"),
    ]  # fmt: skip
    scores = assay.evaluate({"ann": {"c": 2, "x": 1}, "bob": {"x": 1}}, tmp_path / "held.qrels", "HitRate@2")
    assert scores.mean() == 0.5


def test_files_that_are_there_are_left_alone_unless_forced(tmp_path: Path):
    out, history = tmp_path / "qrels.csv", tmp_path / "history.csv"
    out.write_text("query_id,doc_id,grade\nann,by hand,3\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        assay.qrels_from_interactions(log(), "2026-03-01", grades=GRADES, out=out, history=history)
    assert str(caught.value) == (
        f"{out}: is there already\n    mend: pass --force to write over it, or --out and --history"
    )
    assert out.read_text("utf-8") == "query_id,doc_id,grade\nann,by hand,3\n"
    assert not history.exists()
    assay.qrels_from_interactions(log(), "2026-03-01", grades=GRADES, out=out, history=history, force=True)
    assert out.read_text("utf-8") == "query_id,doc_id,grade\nann,c,3.0\nbob,e,3.0\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split_at": "1st of March"}, "--split-at '1st of March' is no date"),
        ({"timezone": "Mars/Olympus"}, "no time zone is called 'Mars/Olympus'"),
        ({"timezone": "../../etc/passwd"}, "no time zone is called"),
        ({"seen": "maybe"}, "--seen 'maybe' is not drop or keep"),
        ({"grades": {"purchse": 1}}, "no event of the log is of the kind purchse; did you mean purchase?"),
        ({"grades": "value"}, "the log has no column value to take grades from"),
        ({"grades": "click"}, "--grade 'click' is no list of KIND=GRADE"),
        ({"min_history": -1}, "--min-history -1 is not a whole number from 0"),
        ({"out": "held.xls"}, "held.xls: what to write a qrels file with the ending '.xls' as is not known"),
        ({"out": "a.csv", "history": "a.csv"}, "judgments and history would be one file"),
        ({"split_at": "2027-01-01"}, "the log goes from 2026-02-01T00:00:00+00:00 to 2026-03-05T00:00:00+00:00"),
    ],
)
def test_each_mistake_is_named(options: dict[str, Any], message: str):
    with pytest.raises(InputError) as caught:
        assay.qrels_from_interactions(log(), **({"split_at": "2026-03-01"} | options))
    assert message in str(caught.value)


def test_bad_times_are_refused_with_their_places(tmp_path: Path):
    path = tmp_path / "log.csv"
    path.write_text("user_id,doc_id,at\nu,a,2026-01-01\nu,b,yesterday\nu,c,\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        assay.qrels_from_interactions(path, "2026-03-01")
    assert "log.csv:3: the time 'yesterday' is not ISO 8601" in str(caught.value)
    assert "log.csv:4: has no time" in str(caught.value)
    path.write_text("user_id,doc_id\nu,a\n", encoding="utf-8")
    with pytest.raises(InputError, match="the log does not say when anything happened"):
        assay.qrels_from_interactions(path, "2026-03-01")


def test_it_is_written_for_programs_and_kept(tmp_path: Path):
    found = assay.qrels_from_interactions(log(), "2026-03-01", grades=GRADES)
    document = json.loads(to_machine(found, "json"))
    assert document["pairs"] == 2
    assert '"ann"' not in json.dumps(document)
    found.save(tmp_path / "kept.assay")
    assert assay.show(tmp_path / "kept.assay") == found
