"""What every writer keeps: tables to a file and back, and a file that we wrote to tables, to a file, to tables."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.formats.carried import OUTSIDE, Carried, Wishes
from assay.tables import Block, Document, Hit, Judgment, Topic
from formats.outside import test_label_studio, test_letor_esci, test_rank_eval, test_srw
from formats.outside.harness import block, claimed, read, round_trip, rows, sample, tricky

LONGEST_NAME = 30
PREDICTIONS = '{"mteb_model_meta": {"model_name": "p", "revision": null}, "default": {"test": {"q1": {"d1": 0.5}}}}'


@dataclass(frozen=True)
class Way:
    """How one format goes out and comes back.

    Args:
        format: its name.
        file: what the file is called.
        sample: a file that we wrote after the documented shape: the name of a sample, or its content.
        lost: what the writer says of the sample that it has no place for.
        has_run: whether it holds runs.
        holds: the tables of the hard ones that come back.
        hard: how the hard tables are made.
        without: columns of the hard tables that do not come back.
        writing: options for writing.
        reading: options for reading.
        labels: the map for reading.
        is_claimed: whether the content of what was written tells its format.
    """

    format: str
    file: str
    sample: str | bytes
    lost: dict[str, int] = field(default_factory=dict)
    has_run: bool = False
    holds: tuple[type, ...] = (Topic, Judgment)
    hard: dict[str, bool] = field(default_factory=lambda: {"texts": False})
    without: dict[type, tuple[str, ...]] = field(default_factory=dict)
    writing: dict[str, str] = field(default_factory=dict)
    reading: dict[str, str] = field(default_factory=dict)
    labels: str = ""
    is_claimed: bool = True

    def __str__(self) -> str:
        return self.format


NO_SCORE = {Hit: ("score",)}
WAYS = [
    Way("quaerite", "x.csv", "quaerite.csv", {"queries without judgments": 1}, hard={"texts": True}),
    Way("quepid-judgements", "x.csv", "quepid-judgements.csv", {"queries without judgments": 1},
        without={Judgment: ("rater",)}),
    Way("quepid-general", "x.csv", "quepid-general.csv", holds=(Topic,)),
    Way("quepid-detailed", "x.csv", "quepid-detailed.csv", has_run=True,
        holds=(Topic, Judgment, Hit), without=NO_SCORE),
    Way("quepid-snapshot-json", "x.json", "quepid-snapshot.json", has_run=True, holds=(Topic, Hit), without=NO_SCORE),
    Way("quepid-trec", "x.txt", "quepid-trec.txt", {"queries without judgments": 1},
        hard={"texts": False, "blanks": False},
        reading={"names": "x.txt.topics.csv"}, is_claimed=False),
    Way("rank-eval-answer", "x.json", test_rank_eval.ANSWER, {}, has_run=True, holds=(Hit, Judgment),
        writing={"index": "shop"}, reading={"run": "bm25"}),
    Way("srw-experiment", "x.json", test_srw.PAIRWISE, has_run=True, holds=(Topic, Hit), without=NO_SCORE),
    Way("ubi-judgments", "x.ndjson", test_label_studio.CLICKS, writing={"type": "explicit"},
        without={Judgment: ("source",)}),
    Way("label-studio-min", "x.json", test_label_studio.MIN, hard={"texts": True}, without={Judgment: ("source",)}),
    Way("letor", "x.txt", test_letor_esci.LETOR, holds=(Judgment,), hard={"blanks": False}),
    Way("mteb", "x.json", PREDICTIONS, has_run=True, holds=(Hit,), without={Hit: ("rank",)}, reading={"run": "bm25"}),
    Way("esci", "shopping_queries_dataset_examples.parquet", test_letor_esci.examples(), hard={"texts": True},
        without={Topic: ("locale",)}, writing={"locale": "us"}, labels="esci"),
]  # fmt: skip


def test_no_format_is_only_read() -> None:
    assert [name for name in OUTSIDE.names() if OUTSIDE.find(name).write is None] == []


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_hard_ids_and_texts_go_out_and_come_back(way: Way, tmp_path: Path) -> None:
    made = tricky(run=way.has_run, **way.hard)
    tables = {row: table for row, table in made.tables.items() if row in way.holds}
    reading: dict[str, Any] = {key: str(tmp_path / value) if key == "names" else value
                               for key, value in way.reading.items()}  # fmt: skip
    if way.labels:
        reading["labels"] = way.labels
    runs = dict(made.runs) if Hit in way.holds else {}
    round_trip(way.format, Carried("x", tables, runs), tmp_path / way.file, without=way.without, only=way.holds,
               reading=reading, **way.writing)  # fmt: skip
    assert claimed(tmp_path / way.file) == ([way.format] if way.is_claimed else [])


def put(way: Way, folder: Path) -> Path:
    path = folder / f"first-{way.file}"
    if isinstance(way.sample, str) and len(way.sample) < LONGEST_NAME:
        path.write_bytes(sample(way.sample).read_bytes())
    else:
        path.write_bytes(way.sample.encode("utf-8") if isinstance(way.sample, str) else way.sample)
    return path


def held(carried: Carried) -> dict[str, Any]:
    """Every row and every empty query, whatever the order; runs without their names, which a file may not hold."""

    def sorted_rows(one: Block) -> list[str]:
        return sorted(map(repr, one.polars().to_dicts())) if len(one) else []

    found: dict[str, Any] = {row.__name__: sorted_rows(one) for row, one in carried.tables.items()}
    found["runs"] = [(sorted_rows(one), one.empty) for one in carried.runs.values()]
    return found


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_file_goes_to_tables_and_to_a_file_again(way: Way, tmp_path: Path) -> None:
    first = read(way.format, put(way, tmp_path), labels=way.labels)
    write = OUTSIDE.find(way.format).write
    assert write is not None
    gone = write(first, tmp_path / way.file, Wishes())
    assert {one.what: one.count for one in gone} == way.lost
    again = read(way.format, tmp_path / way.file, labels=way.labels)
    expected = held(first)
    if way.lost:  # a file of pairs cannot name a query without any
        judged = {query for (query,) in rows(first, Judgment, "query_id")}
        expected["Topic"] = [one for one in expected["Topic"] if any(f"'{query}'" in one for query in judged)]
    assert held(again) == expected
    second = tmp_path / f"second-{way.file}"
    write(again, second, Wishes(None, {"type": "implicit"} if way.format == "ubi-judgments" else {}))
    if way.format != "mteb":  # it names the run, which is called as its file is
        assert second.read_bytes() == (tmp_path / way.file).read_bytes()


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_disc_that_is_full_leaves_no_half_file(way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    write = OUTSIDE.find(way.format).write
    assert write is not None
    made = tricky(run=way.has_run, **way.hard)
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="No space left on device"):
        write(made, tmp_path / "out" / way.file, Wishes(None, way.writing))
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("format", OUTSIDE.names())
def test_a_query_and_a_document_that_nothing_is_said_of_come_back_or_are_counted(format: str, tmp_path: Path) -> None:
    outside = OUTSIDE.find(format)
    held = {
        Topic: block(Topic, {"query_id": "1", "text": "1"}, {"query_id": "22", "text": "22"}),
        Judgment: block(Judgment, {"query_id": "1", "doc_id": "d", "grade": 1, "subtopic": "1", "inclusion": 1.0}),
        Document: block(Document, {"doc_id": "d", "text": "x"}, {"doc_id": "e", "text": "y"}),
    }
    runs = (
        {"bm25": block(Hit, {"query_id": "1", "doc_id": "d", "score": 1.0, "rank": 1})} if Hit in outside.holds else {}
    )
    given = Carried("x", {row: table for row, table in held.items() if row in outside.holds}, runs)
    options = {key: value for key, value in {"index": "shop", "locale": "us", "type": "explicit"}.items()
               if key in outside.options and format != "srw-experiment"}  # fmt: skip
    assert outside.write is not None
    gone = {one.what for one in outside.write(given, tmp_path / "x", Wishes(None, options))}
    again = read(format, tmp_path / "x", labels="esci" if format == "esci" else "")
    counted = ("queries without", "queries that", "documents without", "documents that", "documents of")
    for row, key in ((Topic, "22"), (Document, "e")):
        if row in given.tables and key not in [one for pair in _ids(again, row) for one in pair]:
            word = "quer" if row is Topic else "documents"
            assert any(what.startswith(counted) and what.startswith(word) for what in gone), gone


def _ids(carried: Carried, row: type) -> list[tuple[Any, ...]]:
    return rows(carried, row, "query_id" if row is Topic else "doc_id") if row in carried.tables else []
