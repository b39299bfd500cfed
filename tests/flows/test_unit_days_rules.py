"""Sums of days that were counted otherwise are not added up, and what some days could not know is told."""

from __future__ import annotations

import json

import pytest

import assay
from assay.errors import InputError
from assay.flows.workbench import Workbench


@pytest.fixture
def bench(tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "assay.toml").write_text("", encoding="utf-8")
    return Workbench.open(folder)


def day(tmp_path, name, action="acquire"):
    """One search of one person, with a click, and something bought."""
    first = {"user_id": f"u{name}", "session_id": f"t{name}", "search_id": f"s{name}", "application": "shop"}
    rows = [{**first, "action": "impression", "query": "red", "doc_id": "d1", "rank": 1},
            {**first, "action": "click", "doc_id": "d1"}, {**first, "action": action, "doc_id": "d1"}]  # fmt: skip
    path = tmp_path / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def counted(tmp_path, bench, name, action="acquire", **options):
    out = tmp_path / f"{name}.parquet"
    assay.behaviour(day(tmp_path, name, action), units=out, bench=bench, **options)
    return out


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"kinds": {"acquire": "purchase"}}, "kinds"),
        ({"columns": {"segment": "application"}}, "columns"),
        ({"ordinal_base": {"": 1}}, "ordinal_base"),
        ({"app": "shop"}, "only_app"),
        ({"session_limit": 9}, "session_limit"),
        ({"keep_bots": True}, "bots"),
        ({"bots": "one.txt"}, "bots"),
    ],
)
def test_days_that_were_read_otherwise_are_not_added_up(tmp_path, bench, monkeypatch, options, rule):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "other"):
        (tmp_path / f"{name}.txt").write_text(f"{name}\n", encoding="utf-8")
    days = [counted(tmp_path, bench, "1", **options), counted(tmp_path, bench, "2")]
    with pytest.raises(InputError, match=rf"2\.parquet: was made with another {rule} than"):
        assay.behaviour(days)
    alike = [days[0], counted(tmp_path, bench, "3", **options)]
    assert assay.behaviour(alike).rate("click rate").n == 2


def test_lists_of_bots_are_told_apart_by_what_they_hold(tmp_path, bench):
    bots = tmp_path / "bots.txt"
    days = []
    for name, said in (("1", "x\ny\n"), ("2", "# the same\ny\nx\n"), ("3", "x\nz\n")):
        bots.write_text(said, encoding="utf-8")
        days.append(counted(tmp_path, bench, name, bots=bots))
    assert assay.behaviour(days[:2]).rate("click rate").n == 2
    with pytest.raises(InputError, match="another bots"):
        assay.behaviour(days)


def test_a_measure_that_only_some_days_could_know_is_told(tmp_path, bench):
    days = [counted(tmp_path, bench, "1", "purchase"), counted(tmp_path, bench, "2", "hover")]
    found = assay.behaviour(days)
    assert found.rate("purchases a search").value == 0.5
    assert {(note.text.partition(":")[0], note.count) for note in found.notes if note.code == "known-in-part"} == {
        ("purchases a search", 1), ("value a search", 1),
    }  # fmt: skip
    assert "carts a search" in dict(found.missing)
    assert not [note for note in assay.behaviour(days[0]).notes if note.code == "known-in-part"]
