"""Texts that break tables, out of the store and back in every format; both databases' rows come the same way."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.flows.exported import as_csv, export
from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import create_project, next_items
from assay.flows.people import Person
from assay.flows.takeout import take_out
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.judgments import Given
from assay.tables import Judgment
from assay.tables.formulas import unguarded
from flows.settled import give
from web.labelled import DIMENSIONS, RUBRIC, project

DOCS = ("=1+1", "+49", "-5", "@sum", 'say "x"', "a,b;c", "'quoted", "'=twice", "عربي", "👩‍🔧", "naïve", "a\u2028b")
NOTES = ('=LINK("http://x.example")', "\tafter a tab", "line one\r\nline, \"two\"\n", "'=guarded already", "-3",
         "@me", "+1", "plain", "", "שלום", '""', ",;|")  # fmt: skip
RATERS = ("=cmd()|' /C calc'!A0", 'o"brien, ann')


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A project whose ids, raters and notes are all traps."""
    (tmp_path / "assay.toml").touch()
    bench = Workbench.open(str(tmp_path))
    pairs = [{"query_id": "=q", "doc_id": doc} for doc in DOCS]
    with open_store(bench) as store:
        create_project(store, bench, name="winter", pairs=pairs, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC,
                       by="test", repeat_share=0.0)  # fmt: skip
        for rater in RATERS:
            for one in next_items(store, Person(rater, "rater", TENANT), "winter", 12, b"secret"):
                at = DOCS.index(one["document"]["doc_id"])
                given = Given(f"{RATERS.index(rater)}-{at}", one["item"], rater, grade=at % 3.0, note=NOTES[at])
                give(store, given)
    return bench


def rows_of(bench: Workbench) -> list[dict[str, Any]]:
    with open_store(bench) as store:
        return export(store, TENANT, "winter")


def test_csv_is_safe_in_a_spreadsheet_and_says_the_same(bench: Workbench, tmp_path: Path) -> None:
    take_out(bench, "winter", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        held = list(csv.DictReader(file))
    for row in held:
        for name, cell in row.items():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")), (name, cell)
    for name in ("query_id", "doc_id", "rater", "note"):
        texts, _ = unguarded([row[name] for row in held])
        assert texts == [row[name] or "" for row in rows_of(bench)], name
    assert [float(row["grade"]) for row in held] == [row["grade"] for row in rows_of(bench)]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
def test_what_is_read_back_is_what_was_given(bench: Workbench, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    take_out(bench, "winter", path)
    read = bench.table(str(path), Judgment).polars().to_dicts()
    want = rows_of(bench)
    assert len(want) == 2 * len(DOCS)
    for name in ("query_id", "doc_id", "rater", "role", "grade", "rubric", "judged_at", "doc_hash"):
        assert [row[name] for row in read] == [row[name] for row in want], name


def test_typed_files_hold_every_letter_of_a_note(bench: Workbench, tmp_path: Path) -> None:
    want = [row["note"] for row in rows_of(bench)]
    for ending, reader in (("jsonl", pl.read_ndjson), ("parquet", pl.read_parquet)):
        take_out(bench, "winter", tmp_path / f"out.{ending}")
        assert reader(tmp_path / f"out.{ending}")["note"].to_list() == want


def test_ids_that_break_qrels_are_coded_and_said(bench: Workbench, tmp_path: Path) -> None:
    done = take_out(bench, "winter", tmp_path / "out.qrels")
    lines = (tmp_path / "out.qrels").read_text("utf-8").splitlines()
    assert len(lines) == done.rows == len(DOCS)
    assert all(len(line.split()) == 4 for line in lines)
    assert any("white space" in note for note in done.notes)


def test_a_dimension_has_a_row_and_the_note_stands_with_the_grade(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").touch()
    bench = Workbench.open(str(tmp_path))
    project(tmp_path, rubric=DIMENSIONS, docs=1)
    with open_store(bench) as store:
        one = next_items(store, Person("ann", "rater", TENANT), "winter", 1, b"secret")[0]
        give(store, Given("one", one["item"], "ann", grade=0.0, dimensions={"fit": 2.0, "fresh": 0.0}, note="old",
                          took_ms=900))  # fmt: skip
    assert [(row["dimension"], row["grade"], row["note"], row["took_ms"]) for row in rows_of(bench)] == [
        ("relevance", 0.0, "old", 900), ("fit", 2.0, None, None), ("fresh", 0.0, None, None),
    ]  # fmt: skip
    assert len(as_csv(rows_of(bench)).decode().splitlines()) == 4


def test_a_file_that_cannot_be_written_leaves_what_was_there(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("mine", "utf-8")
    with pytest.raises(Exception, match="there is no project none"):
        take_out(bench, "none", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text("utf-8") == "mine"
