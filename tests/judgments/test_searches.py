"""Logs whose rows are the documents that searches showed: a query was asked as often as there are searches of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.judgments.sample import sample
from assay.judgments.traffic import Traffic, Window, day, traffic, zone
from assay.tables import LoggedQuery
from assay.tables.door import block_of


def log(*rows: dict[str, Any], **options: Any) -> Traffic:
    return traffic(block_of(list(rows), LoggedQuery, "log.csv"), **options)


def shown(search: str | None, text: str, *docs: str | None, **rest: Any) -> list[dict[str, Any]]:
    return [{"search_id": search, "text": text, "doc_id": doc, **rest} for doc in docs]


def counts(found: Traffic) -> dict[str, float]:
    return dict(zip(found.texts, found.count.tolist(), strict=True))


def test_rows_of_one_search_are_one_search() -> None:
    # red: s1 with three documents and s2 with one; blue: s3 with two
    found = log(*shown("s1", "red", "a", "b", "c"), *shown("s3", "blue", "a", "d"), *shown("s2", "red", "a"))
    assert counts(found) == {"red": 2.0, "blue": 1.0}
    assert found.rows == 6


def test_a_search_is_one_of_id_and_text() -> None:
    # ids of pages of a session: what was typed differs, so these are two searches
    assert counts(log(*shown("s1", "red", "a", "b"), *shown("s1", "blue", "a"))) == {"red": 1.0, "blue": 1.0}


def test_outcomes_are_of_the_whole_search() -> None:
    rows = [
        {"search_id": "s1", "text": "red", "doc_id": "a", "clicks": 0.0, "escalated": "no"},
        {"search_id": "s1", "text": "red", "doc_id": "b", "clicks": 1.0, "escalated": None},
        {"search_id": "s2", "text": "red", "doc_id": "a", "clicks": 0.0, "escalated": "no"},
        {"search_id": "s2", "text": "red", "doc_id": "b", "clicks": None, "escalated": "yes"},
        {"search_id": "s2", "text": "red", "doc_id": "c", "clicks": 0.0, "escalated": "no"},
        {"search_id": "s3", "text": "red", "doc_id": None, "clicks": 0.0, "escalated": None},
    ]
    for order in (rows, rows[::-1]):
        outcomes = log(*order).outcomes
        # s1 was clicked, s2 was not and went on to a person, s3 showed nothing: that is no failure to click
        assert {name: x.tolist() for name, x in outcomes.items()} == {
            "zero-results": [1.0], "no-click": [1.0], "escalated": [1.0]
        }  # fmt: skip


def test_the_results_that_rows_name_are_those_of_the_search() -> None:
    # rows for pages, some without the number: s1 had 40 results, s2 none
    pages = [("s1", None), ("s1", 40.0), ("s1", 0.0), ("s2", 0.0), ("s2", None)]
    found = log(*({"search_id": s, "text": "red", "doc_id": "a", "results": n, "clicks": 0.0} for s, n in pages))
    assert {name: x.tolist() for name, x in found.outcomes.items()} == {"zero-results": [1.0], "no-click": [1.0]}


def test_a_log_of_shown_documents_alone_cannot_tell_of_searches_without_any() -> None:
    found = log(*shown("s1", "red", "a", "b"))
    assert "zero-results" not in found.outcomes
    with pytest.raises(InputError, match="the log does not tell zero-results"):
        sample(found, strata={"zero-results": 1})


def test_counts_are_of_the_search_and_not_of_its_rows() -> None:
    assert counts(log(*shown("s1", "red", "a", "b", count=7.0), *shown("s2", "red", "a", count=2.0))) == {"red": 9.0}


def test_a_search_belongs_to_the_day_of_its_first_row() -> None:
    rows = [
        {"search_id": "s1", "text": "red", "doc_id": "a", "asked_at": "2026-03-01T23:59:59"},
        {"search_id": "s1", "text": "red", "doc_id": "b", "asked_at": "2026-03-02T00:00:01"},
        {"search_id": "s2", "text": "red", "doc_id": "a", "asked_at": "2026-03-02T00:00:02"},
        {"search_id": "s2", "text": "red", "doc_id": "b", "asked_at": "2026-03-02T00:00:02"},
    ]
    for first, expected in (("2026-03-02", 1.0), ("2026-03-01", 2.0)):
        window = Window(day(first, "--from"), None, zone("Europe/Berlin"))
        assert counts(log(*rows, window=window)) == {"red": expected}
    assert log(*rows, window=Window(day("2026-03-02", "--from"), None, zone("UTC"))).outside == 1.0


def test_rows_that_name_no_search_are_left_out_and_told() -> None:
    found = log(*shown("s1", "red", "a"), *shown(None, "red", "a", "b"), *shown(" ", "blue", "a"))
    assert counts(found) == {"red": 1.0}
    assert found.unnamed == 3
    notes = sample(found, size=3).notes
    assert [note.text for note in notes if note.code == "unnamed"] == ["3 rows name no search, and are left out"]


@pytest.mark.parametrize("column", ["doc_id", "position"])
def test_shown_documents_of_unknown_searches_are_refused(column: str) -> None:
    with pytest.raises(InputError) as error:
        log({"text": "red", column: "1"})
    assert str(error.value) == (
        f"log.csv: has a {column} in each row, and no column says which rows are of one search\n"
        "    mend: name its column by --columns search_id=COLUMN, or pass a table with one row a search"
    )


def test_an_answer_that_is_neither_is_refused_in_any_row() -> None:
    with pytest.raises(InputError, match="escalated is 'maybe'"):
        log(*shown("s1", "red", "a", escalated="no"), *shown("s1", "red", "b", escalated="maybe"))


ROWS = [("i1", "red", "a", True), ("i1", "red", "b", False), ("i2", "red", "a", False), ("i3", "blue", "a", False)]


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_logs_of_shown_documents_are_read_from_files(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"log.{kind}"
    frame = pl.DataFrame(ROWS, schema=["impression_id", "query", "doc_id", "is_click"], orient="row")
    frame = frame.with_columns(clicked=pl.col("is_click").cast(pl.Int64)).drop("is_click")
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}
    write[kind](path)
    found = assay.sample(str(path), size=3)
    assert {query.text: query.weight for query in found.queries} == {"red": 2.0, "blue": 1.0}
    assert any(note.text.endswith("rows with the same search id and query are one search") for note in found.notes)


def test_counts_of_documents_are_taken_as_the_queries_and_told(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("query,doc_id,count\nred,a,3\nred,b,2\n")
    found = assay.sample(str(path), size=3)
    assert found.queries[0].weight == 5.0
    assert any("rows name documents; their counts are taken" in note.text for note in found.notes)
