"""CSV for spreadsheets: what would be calculated is guarded, and reading takes exactly the guard off."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats import delimited
from assay.formats.columns import to_bytes
from assay.formats.recognise import read
from assay.tables import Judgment, Topic, as_table
from assay.tables.formulas import as_csv, guarded, guarded_frame, unguarded, unguarded_frame

OPEN = ("=", "+", "-", "@", "\t", "\r")

texts = st.text(st.sampled_from("'=+-@\t\r a1\n,\""), max_size=6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('=HYPERLINK("x")', '\'=HYPERLINK("x")'),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("'=x", "''=x"),
        ("'tis", "'tis"),
        ("a=b", "a=b"),
        ("", ""),
        (-1.5, -1.5),
        (-3, -3),
        (None, None),
    ],
    ids=repr,
)
def test_texts_that_a_spreadsheet_would_calculate_get_an_apostrophe_and_numbers_never(text, expected):
    assert guarded(text) == expected


@given(st.lists(texts))
def test_every_text_comes_back_and_none_is_left_open(held):
    cells = [guarded(text) for text in held]
    assert not any(cell.startswith(OPEN) for cell in cells)
    assert unguarded(cells)[0] == held
    assert unguarded(cells)[1] == sum(cell != text for cell, text in zip(cells, held, strict=True))


@given(st.lists(texts, min_size=1))
def test_frames_are_guarded_as_cells_are(held):
    frame = pl.DataFrame({"query_id": held, "grade": [-1.0] * len(held)}, schema={"query_id": str, "grade": float})
    safe = guarded_frame(frame)
    assert safe["query_id"].to_list() == [guarded(text) for text in held]
    assert safe["grade"].to_list() == [-1.0] * len(held)
    back, count = unguarded_frame(safe, ["query_id"])
    assert back.equals(frame)
    assert count == sum(guarded(text) != text for text in held)


def test_a_table_is_written_with_guards():
    rows = csv.reader(io.StringIO(as_csv(("query_id", "order"), [["=1+1", -1], [None, 2.5]]).decode()))
    assert list(rows) == [["query_id", "order"], ["'=1+1", "-1"], ["", "2.5"]]


@pytest.mark.parametrize("large", [False, True])
def test_judgments_in_csv_come_back_as_they_were(large: bool, tmp_path, monkeypatch: pytest.MonkeyPatch):
    held = {
        "query_id": ["=q", "-q", "@q", "'+q", "q"],
        "doc_id": ["d", "+d", "d'", "''=d", "-1"],
        "grade": [1.0, -1.0, 0.0, 2.0, 3.0],
        "rater": ["=HYPERLINK(A1)", "ann", "-b", "c", "d"],
    }
    table = as_table(held, Judgment)
    path = tmp_path / "judgments.csv"
    path.write_bytes(to_bytes(table, "csv"))
    monkeypatch.setattr(delimited, "_LARGE", 0 if large else 1 << 30)
    block = read(path, Judgment)
    assert as_table(block, Judgment).to_dict(as_series=False) == table.to_dict(as_series=False)
    fact = (
        "judgments.csv: 9 cells have an apostrophe before = + - @, the guard of CSV against formulas; it is taken off"
    )
    assert [str(said).removeprefix(f"{tmp_path}/") for said in block.facts] == [fact]


def test_further_columns_of_topics_are_guarded_too(tmp_path):
    table = as_table({"query_id": ["1"], "text": ["-cheap"], "owner": ["@team"]}, Topic)
    path = tmp_path / "topics.csv"
    path.write_bytes(to_bytes(table, "csv"))
    assert b"'-cheap" in path.read_bytes()
    assert b"'@team" in path.read_bytes()
    back = as_table(read(path, Topic), Topic)
    assert (back["text"].to_list(), back["owner"].to_list()) == (["-cheap"], ["@team"])


def test_tsv_is_left_as_it_is(tmp_path):
    table = as_table({"query_id": ["=1"], "text": ["'-cheap"]}, Topic)
    path = tmp_path / "topics.tsv"
    path.write_bytes(to_bytes(table, "tsv"))
    assert b"=1\t'-cheap" in path.read_bytes()
    assert as_table(read(path, Topic), Topic)["text"].to_list() == ["'-cheap"]
