"""Sums of each person and day: counted by hand, under pseudonyms, and equal to the whole when days are added up."""

from __future__ import annotations

import hashlib
import hmac
import json

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import assay
from assay.errors import InputError
from assay.flows import privacy
from assay.flows.unit_days import GROUPS, SUMS
from assay.flows.workbench import Workbench
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

ANN, BEN = "ann-quite-distinct", "ben-quite-distinct"
FIRST = 1_772_366_400  # 2026-03-01T12:00:00Z
DAY = 86_400
# person, session, search, second, query, kind, document, position, more
EVENTS = [
    (ANN, "session-of-ann", "search-1", 0, "red shoes", "impression", "d1", 1, {}),
    (ANN, "session-of-ann", "search-1", 0, "red shoes", "impression", "d2", 2, {}),
    (ANN, "session-of-ann", "search-2", 30, "red shoe", "impression", "d1", 1, {}),
    (ANN, "session-of-ann", "search-2", 42, None, "click", "d1", 1, {}),
    (ANN, "session-of-ann", "search-2", 90, None, "purchase", "d1", None, {"value": 9.5}),
    (ANN, "later-one", "search-3", DAY, "lamp", "impression", "d3", 1, {}),
    (BEN, "session-of-ben", "search-4", 5, "tent", "impression", "d1", 1, {}),
    (BEN, "session-of-ben", "search-4", 5, "tent", "impression", "d2", 2, {}),
    (BEN, "session-of-ben", "search-4", 7, None, "click", "d2", 2, {}),
]
NAMES = ("user_id", "session_id", "search_id", "at", "query", "action", "doc_id", "rank")


@pytest.fixture
def bench(tmp_path):
    return workspace(tmp_path / "here")


def workspace(folder):
    folder.mkdir()
    (folder / "assay.toml").write_text("", encoding="utf-8")
    return Workbench.open(folder)


@pytest.fixture
def log(tmp_path):
    lines = []
    for *values, more in EVENTS:
        said = {name: value for name, value in zip(NAMES, values, strict=True) if value is not None}
        lines.append(json.dumps({**said, "at": FIRST + said["at"], "application": "shop", **more}))
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def under_key(bench, *parts):
    secret = (bench.workspace.root / ".assay" / "secret").read_bytes().strip()
    framed = b"".join(len(part).to_bytes(8, "little") + part for part in (part.encode() for part in parts))
    return hmac.new(secret, framed, hashlib.sha256).hexdigest()


def test_sums_by_hand_under_names_that_hmac_gives(tmp_path, bench, log):
    out = tmp_path / "units.parquet"
    found = assay.behaviour(log, units=out, bench=bench)
    assert [note.text for note in found.notes if note.code == "units"] == [
        f"3 sums of a person and day written to {out}, under pseudonyms of this workspace"
    ]
    table = pl.read_parquet(out)
    rows = {(row["unit_id"], str(row["day"])): row for row in table.iter_rows(named=True)}
    ann, ben = (under_key(bench, "unit", name)[:32] for name in (ANN, BEN))
    assert set(rows) == {(ann, "2026-03-01"), (ann, "2026-03-02"), (ben, "2026-03-01")}
    want = dict.fromkeys(SUMS, 0.0)
    assert {name: rows[ann, "2026-03-01"][name] for name in SUMS} == want | {
        "searches": 2, "shown": 3, "shown_clicks": 1, "clicks": 1, "clicked": 1, "first_click_rr": 1,
        "to_click_s": 12, "to_click_n": 1, "abandoned": 1, "reformulated": 1, "reformulated_n": 2,
        "purchases": 1, "value": 9.5,
    }  # fmt: skip
    assert {name: rows[ann, "2026-03-02"][name] for name in SUMS} == want | {
        "searches": 1, "shown": 1, "abandoned": 1, "reformulated_n": 1,
    }  # fmt: skip
    assert {name: rows[ben, "2026-03-01"][name] for name in SUMS} == want | {
        "searches": 1, "shown": 2, "shown_clicks": 1, "clicks": 1, "clicked": 1, "first_click_rr": 0.5,
        "to_click_s": 2, "to_click_n": 1,
        "reformulated_n": 1,
    }  # fmt: skip
    assert table.select("app", "unit", "within_s", "zone", "unit_key").unique().rows() == [
        ("shop", "person", 60.0, "UTC", under_key(bench, "key of units")[:8])
    ]


def test_no_id_of_a_person_session_or_search_is_in_the_file(tmp_path, bench, log):
    out = tmp_path / "units.parquet"
    assay.behaviour(log, units=out, bench=bench)
    pl.read_parquet(out).write_parquet(tmp_path / "plain.parquet", compression="uncompressed")
    for written in (out, tmp_path / "plain.parquet"):
        assert not [id_ for row in EVENTS for id_ in row[:3] if id_.encode() in written.read_bytes()]
    assert b"shop" in (tmp_path / "plain.parquet").read_bytes()


def test_another_workspace_has_other_names_and_its_sums_are_not_added(tmp_path, bench, log):
    other = workspace(tmp_path / "there")
    outs = [tmp_path / f"{name}.parquet" for name in "abc"]
    for out, one in zip(outs, (bench, bench, other), strict=True):
        assay.behaviour(log, units=out, bench=one)
    here, again, there = (set(pl.read_parquet(out)["unit_id"]) for out in outs)
    assert here == again
    assert not here & there
    with pytest.raises(InputError, match="names people by another key"):
        assay.behaviour([outs[0], outs[2]])


def simulated():
    """A log of several days of which no session goes over midnight."""
    world = World.make(5, queries=20)
    table = frame(world, clicks(world, 500, np.random.default_rng(2)), 2).with_columns(date=pl.col("at").dt.date())
    return table.filter(pl.col("date").n_unique().over("session_id") == 1)


def test_days_add_up_to_the_whole(tmp_path, bench):
    table = simulated()
    days = table.partition_by("date", include_key=False)
    (tmp_path / "days").mkdir()
    for place, day in enumerate(days):
        day.write_parquet(tmp_path / "day.parquet")
        assay.behaviour(tmp_path / "day.parquet", units=tmp_path / "days" / f"{place:02}.parquet", bench=bench)
    table.drop("date").write_parquet(tmp_path / "log.parquet")
    by = ("day", "ranker")
    whole = assay.behaviour(tmp_path / "log.parquet", by=by, units=tmp_path / "whole.parquet", bench=bench)
    parts = pl.read_parquet(tmp_path / "days")
    order = ["unit_id", *GROUPS]
    assert len(days) > 3
    assert parts["unit_id"].n_unique() < parts.height  # some came on several days
    assert_frame_equal(parts.sort(order), pl.read_parquet(tmp_path / "whole.parquet").sort(order), rel_tol=1e-12)
    added = assay.behaviour(tmp_path / "days", by=by)
    assert (added.unit, added.by, added.positions) == ("person", by, ())
    assert not [note for note in added.notes if note.code == "again"]
    assert len(added.rates) == len(whole.rates)
    for one, other in zip(added.rates, whole.rates, strict=True):
        assert (one.measure, one.group, one.n, one.units, one.why) == (
            other.measure, other.group, other.n, other.units, other.why,
        )  # fmt: skip
        assert one.value == pytest.approx(other.value, rel=1e-12, abs=1e-12)
        if other.interval is not None:
            ends = (other.interval.low, other.interval.high)
            assert (one.interval.low, one.interval.high) == pytest.approx(ends, rel=1e-9, abs=1e-9)


def test_parts_of_one_day_are_added_with_a_word_and_a_day_that_comes_again_is_refused(tmp_path, bench, log):
    out = tmp_path / "units.parquet"
    assay.behaviour(log, units=out, bench=bench)
    with pytest.raises(InputError, match="the same file as another one"):
        assay.behaviour([out, out])
    pl.read_parquet(out).write_parquet(tmp_path / "copy.parquet")
    with pytest.raises(InputError, match="the same sums as"):
        assay.behaviour([out, tmp_path / "copy.parquet"])
    part = pl.read_parquet(out).with_columns(searches=pl.col("searches") + 1)
    part.write_parquet(tmp_path / "part.parquet")
    found = assay.behaviour([out, tmp_path / "part.parquet"])
    assert [note.count for note in found.notes if note.code == "again"] == [3]
    assert found.rate("click rate").n == 4 + 7
    assert found.rate("click rate").units == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"app": "shop"}, "hold sums of a log that was read"),
        ({"units": "again.parquet"}, "hold sums of a log that was read"),
        ({"within": 30.0}, "count reformulations within 60 s"),
        ({"by": "phase"}, "not grouped by 'phase'"),
    ],
)
def test_what_means_nothing_for_sums(tmp_path, bench, log, options, message):
    assay.behaviour(log, units=tmp_path / "units.parquet", bench=bench)
    with pytest.raises(InputError, match=message):
        assay.behaviour(tmp_path / "units.parquet", **options)


def test_sums_of_other_rules_are_not_added(tmp_path, bench, log):
    for name, within in (("a", 60.0), ("b", 30.0)):
        assay.behaviour(log, units=tmp_path / f"{name}.parquet", within=within, bench=bench)
    with pytest.raises(InputError, match=r"b\.parquet: was made with another within_s"):
        assay.behaviour([tmp_path / "a.parquet", tmp_path / "b.parquet"])


def test_what_is_not_written(tmp_path, bench, log):
    with pytest.raises(InputError, match="to a file of Parquet"):
        assay.behaviour(log, units=tmp_path / "units.csv", bench=bench)
    with pytest.raises(InputError, match="keyed by a workspace, and there is none"):
        assay.behaviour(log, units=tmp_path / "units.parquet", bench=Workbench())
    with pytest.raises(InputError):
        assay.behaviour(log, units=tmp_path / "units.parquet", bench=bench, columns={"doc_id": "nothing"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "log.jsonl"]


def test_measures_that_the_sums_do_not_give(tmp_path, bench, log):
    assay.behaviour(log, units=tmp_path / "units.parquet", bench=bench)
    found = assay.behaviour(tmp_path / "units.parquet")
    assert {name for name, _ in found.missing} == {"zero results", "good abandonment", "carts a search"}
    assert found.rate("value a search").value == pytest.approx(9.5 / 4)
    assert [(one.app, one.kinds, one.first, one.last) for one in found.log.recorded] == [
        ("shop", (("search", 4),), "2026-03-01", "2026-03-02")
    ]


class TestPrivacy:
    def test_a_person_is_found_by_id_in_sums_under_pseudonyms(self, bench, log):
        assay.behaviour(log, units=bench.workspace.root / "units.parquet", bench=bench)
        assert privacy.find(bench, ANN).files == ("units.parquet",)
        assert privacy.find(bench, "ann-quite-distinc").files == ()

    def test_an_erase_tells_them_and_gives_them_the_name_of_nobody_where_that_is_asked_for(self, bench, log):
        folder = bench.workspace.root / "days"
        folder.mkdir()
        for name, options in (("1", {"until": "2026-03-02"}), ("2", {"since": "2026-03-02"})):
            assay.behaviour(log, units=folder / f"{name}.parquet", bench=bench, **options)
        before = pl.read_parquet(folder)
        told = privacy.erase(bench, ANN)
        assert (told.files, told.renamed) == (("days/1.parquet", "days/2.parquet"), ())
        done = privacy.erase(bench, ANN, remove=True)
        assert (done.files, done.renamed) == ((), ("days/1.parquet", "days/2.parquet"))
        after = pl.read_parquet(folder)
        ann, ben = (under_key(bench, "unit", name)[:32] for name in (ANN, BEN))
        assert ann not in after["unit_id"]
        assert after["unit_id"].to_list().count(ben) == 1
        assert after["unit_id"].n_unique() == 2  # the days of one person stay together
        assert after.drop("unit_id").sort(SUMS).equals(before.drop("unit_id").sort(SUMS))
        assert privacy.find(bench, ANN).files == ()

    @pytest.mark.parametrize("letter", ["0", "f"])  # one of them sorts apart from the pseudonym, whatever the secret
    def test_after_an_erase_the_place_of_a_row_does_not_tell_who_it_was(self, bench, log, letter, monkeypatch):
        path = bench.workspace.root / "units.parquet"
        assay.behaviour(log, units=path, bench=bench)
        before = pl.read_parquet(path)
        monkeypatch.setattr("assay.flows.pseudonyms.nobody", lambda: letter * 32)
        for name in (ANN, BEN):  # whoever stood first, and whoever stood last
            before.write_parquet(path)
            assert privacy.erase(bench, name, remove=True).renamed == ("units.parquet",)
            after = pl.read_parquet(path)
            assert letter * 32 in after["unit_id"]
            assert after.equals(after.sort("unit_id", *GROUPS))
            assert after.height == before.height

    def test_looking_for_somebody_makes_no_secret(self, bench):
        privacy.find(bench, ANN)
        assert not (bench.workspace.root / ".assay" / "secret").exists()


@pytest.mark.spark
def test_spark_gives_the_same_sums(tmp_path, bench, log):
    from sparks import begun

    session = begun()
    try:
        for engine in ("duckdb", "spark"):
            assay.behaviour(log, units=tmp_path / f"{engine}.parquet", bench=bench, on=engine)
        want, found = (pl.read_parquet(tmp_path / f"{engine}.parquet") for engine in ("duckdb", "spark"))
        assert_frame_equal(found, want, rel_tol=1e-12)
    finally:
        session.stop()
