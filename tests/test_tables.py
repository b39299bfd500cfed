import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import InputError
from assay.tables import Block, Document, Hit, Judgment, Topic, as_table
from assay.tables.names import columns_of

RUN = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 0.5]}


def from_duckdb():
    return duckdb.sql(
        "SELECT * FROM (VALUES ('q1', 'a', 2.0), ('q1', 'b', 1.0), ('q2', 'a', 0.5)) t(qid, docno, score)"
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: pd.DataFrame(RUN),
        lambda: pd.DataFrame(RUN, index=["x", "y", "z"]),
        lambda: pd.DataFrame(RUN).rename(columns={"query_id": "qid", "doc_id": "docno"}).astype({"qid": "category"}),
        lambda: pl.DataFrame(RUN),
        lambda: pa.table(RUN),
        lambda: pa.table(RUN).to_reader(),
        from_duckdb,
        lambda: RUN,
        lambda: {name: np.array(column) for name, column in RUN.items()},
        lambda: {"q1": {"a": 2, "b": 1.0}, "q2": {"a": np.float32(0.5)}},
        lambda: [Hit("q1", "a", 2.0), Hit("q1", "b", 1.0), Hit("q2", "a", 0.5)],
        lambda: [{"qid": "q1", "doc": "a", "score": 2}, {"qid": "q1", "doc": "b", "score": 1}, Row("q2", "a", 0.5)],
        lambda: iter([Hit("q1", "a", 2.0), Hit("q1", "b", 1.0), Hit("q2", "a", 0.5)]),
        lambda: Block(RUN, lambda row: f"a.run:{row}", "a.run"),
    ],
)
def test_whatever_holds_rows_gives_the_same_frame(make):
    frame = as_table(make(), Hit)
    assert frame.to_dict(as_series=False) == RUN
    assert frame.schema == {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}


def Row(query, doc, score):  # noqa: N802 # a row of another make
    return {"qid": query, "doc": doc, "score": score}


def test_whole_number_ids_become_text_in_full():
    frame = as_table({2**70: {7: 1, np.int64(8): 0}}, Judgment)
    assert frame["query_id"].to_list() == [str(2**70)] * 2
    assert frame["doc_id"].to_list() == ["7", "8"]


@pytest.mark.parametrize(
    ("x", "row", "text"),
    [
        (pd.DataFrame({**RUN, "score": [1, None, 2]}), Hit, "hits, row 2: score is missing\n"),
        (pl.DataFrame({**RUN, "score": [1.0, 2.0, float("nan")]}), Hit, "hits, row 3: score is NaN\n"),
        (pl.DataFrame({**RUN, "score": [1.0, -float("inf"), 1]}), Hit, "hits, row 2: score is infinite\n"),
        (pl.DataFrame({**RUN, "score": [True] * 3}), Hit, "hits, row 1: score is true, not a number\n"),
        (pl.DataFrame({**RUN, "doc_id": [1.0, 2.0, 3.0]}), Hit, "hits, row 1: doc_id 1.0 is a decimal number\n"),
        (pl.DataFrame({**RUN, "doc_id": ["a", None, "b"]}), Hit, "hits, row 2: doc_id is missing\n"),
        (pl.DataFrame({**RUN, "doc_id": [b"a", b"\xff", b"b"]}), Hit, "hits, row 2: doc_id '\\xff' is not UTF-8\n"),
        (pl.DataFrame({**RUN, "rank": [1, 2, -1]}), Hit, "hits, row 3: rank -1 is below 0\n"),
        (pl.DataFrame({**RUN, "rank": [1.0, 2.5, 3.0]}), Hit, "hits, row 2: rank 2.5 is not a whole number\n"),
        (pl.DataFrame({**RUN, "rank": [1.0, 1e19, 3.0]}), Hit, "hits, row 2: rank 1e+19 is too large\n"),
        ({**RUN, "rank": [1, 10**19, 3]}, Hit, "hits, row 2: rank 10000000000000000000 is too large\n"),
        ({**RUN, "rank": [1, 2.5, 3]}, Hit, "hits, row 2: rank 2.5 is not a whole number\n"),
        ({**RUN, "score": [1, 2]}, Hit, "hits: columns of different lengths: [2, 3]\n"),
        ({"q": {"d": float("nan")}}, Hit, "hits, query q, document d: score is NaN\n"),
        ({"q": {"d": "high"}}, Judgment, "hits, query q, document d: grade 'high' is not a number\n"),
        ({"q": {"\ud800": 1}}, Judgment, "hits, query q, document \\ud800: doc_id '\\ud800' is not valid Unicode\n"),
        ({"q": {1.5: 1}}, Judgment, "hits, query q, document 1.5: doc_id 1.5 is a decimal number\n"),
        ({"q": {"d": 1}, "r": 2}, Judgment, "hits: not every query holds a dict, see 'r'\n"),
        ({"q": {"d": 1}}, Topic, "hits: a dict of dicts holds a run or qrels, not Topic rows\n"),
        ({"q": {}}, Hit, "hits: holds no rows\n"),
        ({}, Hit, "hits: holds no rows\n"),
        ([], Hit, "hits: holds no rows\n"),
        (pl.DataFrame(RUN).clear(), Hit, "hits: holds no rows\n"),
        ([Hit("q", "d", 1.0), Hit("q", "e")], Hit, "hits, row 2: score is missing\n"),
        ([Hit("q", "d"), Hit("q", "e")], Hit, "hits: no row has a score or a rank\n"),
        ([Hit("q", "d", 1.0), 7], Hit, "hits, row 2: expected a Hit, found 7\n"),
        (7, Hit, "hits: cannot read rows from 7\n"),
        (
            pd.DataFrame({"qid": ["q"], "dcno": ["d"], "score": [1]}),
            Hit,
            "hits: no column for doc_id among qid, dcno, score",
        ),
        ([{"id": "a"}, {"id": "a"}], Document, "hits, row 2: doc_id a appears twice (first at hits, row 1)\n"),
        (pl.DataFrame({"id": ["a", "a"]}), Document, "hits, row 2: doc_id a appears twice (first at hits, row 1)\n"),
        (pl.DataFrame({"qid": ["a"], "weight": [-0.5]}), Topic, "hits, row 1: weight -0.5 is below 0\n"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(x, row, text):
    with pytest.raises(InputError) as caught:
        as_table(x, row, name="hits")
    assert str(caught.value).startswith(text)


def test_faults_of_a_frame_are_counted_and_the_first_three_shown():
    with pytest.raises(InputError) as caught:
        as_table(pl.DataFrame({"qid": ["q"] * 9, "docid": list("abcdefghi"), "rel": ["1"] * 2 + ["x"] * 7}), Judgment)
    assert str(caught.value) == (
        "qrels, row 3: grade 'x' is not a number\n"
        "    mend: write a number as the grade\n"
        "\n"
        "qrels, row 4: grade 'x' is not a number\n"
        "qrels, row 5: grade 'x' is not a number\n"
        "and 4 more. Nothing was written."
    )


def test_numbers_written_as_text_are_taken_strictly():
    table = {"qid": ["q"] * 3, "docid": list("abc"), "rel": ["1", " 0.5 ", "-2e0"]}
    for x in (table, pl.DataFrame(table)):
        assert as_table(x, Judgment)["grade"].to_list() == [1.0, 0.5, -2.0]
    for odd in ("1_0", "0x1", "1,5", "١"):
        for x in ({**table, "rel": ["1", "2", odd]}, pl.DataFrame({**table, "rel": ["1", "2", odd]})):
            with pytest.raises(InputError, match="qrels, row 3: grade"):
                as_table(x, Judgment)


def test_absent_values_stay_absent_and_empty_columns_go():
    frame = as_table(
        pl.DataFrame({"qid": ["1", "2"], "w": ["", ""], "weight": [None, 2], "intent": [None, None]}), Topic
    )
    assert frame.to_dict(as_series=False) == {
        "query_id": ["1", "2"],
        "weight": [None, 2.0],
        "text": ["", ""],
        "w": [None, None],
    }


def test_a_block_keeps_its_places():
    block = Block({"query_id": ["q"], "doc_id": ["d"], "score": ["high"]}, lambda row: "a.run:7", "a.run")
    with pytest.raises(InputError, match=r"a\.run:7: score 'high' is not a number"):
        as_table(block, Hit)


def test_the_checks_know_every_field_of_every_row():
    kinds = {column.name: (column.kind, column.required, column.low) for column in columns_of(Judgment)}
    assert kinds["query_id"] == ("id", True, None)
    assert kinds["grade"] == ("number", True, None)
    assert kinds["inclusion"] == ("number", False, 0)
    assert kinds["rater"] == ("text", False, None)
    assert {c.name: c.kind for c in columns_of(Hit)}["rank"] == "whole"
    assert {c.name: c.low for c in columns_of(Hit)}["rank"] == 0


FIELDS = {"size": "XL", "price": 1.5, "for": ["rain", None, "snow"], "stock": {"shop": True, "web": None}}
TOLD = '{"size": "XL", "price": "1.5", "for": "rain, snow", "stock.shop": "yes"}'


@pytest.mark.parametrize(
    "x",
    [
        [{"id": "a", "fields": FIELDS}, {"id": "b"}],
        [{"id": "a", "fields": TOLD}, {"id": "b", "fields": ""}],
        pl.DataFrame({"id": ["a", "b"], "fields": [FIELDS, None]}),
        pl.DataFrame({"id": ["a", "b"], "fields": [TOLD, ""]}),
    ],
)
def test_fields_of_a_document_are_names_and_texts_in_their_order(x):
    assert as_table(x, Document)["fields"].to_list() == [TOLD, None]


@pytest.mark.parametrize("make", [list, pl.DataFrame])
def test_fields_that_are_no_json_are_named(make):
    with pytest.raises(InputError, match=r"row 1: fields '{size: 1}' is not JSON.*\n.*mend: write {\"size\""):
        as_table(make([{"id": "a", "fields": "{size: 1}"}]), Document)
