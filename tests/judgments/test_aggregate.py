from __future__ import annotations

import statistics
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.judgments.aggregate import aggregate, only, split
from assay.tables import Block

ROWS = [
    # query, doc, grade, rater, source
    ("q1", "d1", 3.0, "ana", "human"),
    ("q1", "d1", 0.0, "bo", "human"),
    ("q1", "d2", 2.0, "ana", "human"),
    ("q2", "d1", 1.0, "bo", "model"),
    ("q1", "d1", 3.0, "cy", "model"),
    ("q1", "d1", 1.0, None, None),
    ("q1", "d2", 1.0, "bo", "human"),
]


def block(
    rows: list[tuple[Any, ...]] = ROWS, small: bool = True, names: str = "query_id doc_id grade rater source"
) -> Block:
    columns = dict(zip(names.split(), (list(cells) for cells in zip(*rows, strict=True)), strict=True))
    text = {name: pl.Float64 if name == "grade" else pl.String for name in columns}
    return Block(
        columns if small else pl.DataFrame(columns, schema=text), lambda i: f"a.csv:{i + 2}", "a.csv", ("read",)
    )


def grades(found: Block) -> dict[tuple[str, str], float]:
    rows = found.polars()
    return dict(zip(zip(rows["query_id"], rows["doc_id"], strict=True), rows["grade"], strict=True))


sizes = pytest.mark.parametrize("small", [True, False], ids=["plain columns", "polars"])


@sizes
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        # q1 d1 has 3, 0, 3, 1; q1 d2 has 2, 1; q2 d1 has 1
        ("mean", (1.75, 1.5, 1.0)),
        ("majority", (3.0, 1.0, 1.0)),
        ("median", (2.0, 1.5, 1.0)),
    ],
)
def test_several_raters_become_one_grade(small: bool, how: str, expected: tuple[float, ...]) -> None:
    found = aggregate(block(small=small), how)
    assert grades(found) == dict(zip([("q1", "d1"), ("q1", "d2"), ("q2", "d1")], expected, strict=True))
    assert list(grades(found)) == [("q1", "d1"), ("q1", "d2"), ("q2", "d1")], "in the order of each pair's first row"


@sizes
def test_a_majority_that_is_a_tie_takes_the_lowest_of_its_grades(small: bool) -> None:
    rows = [("q", "d", g, r, None) for g, r in ((3.0, "a"), (2.0, "b"), (2.0, "c"), (3.0, "d"), (0.0, "e"))]
    assert grades(aggregate(block(rows, small), "majority")) == {("q", "d"): 2.0}


@sizes
def test_one_rater_alone_is_taken_by_name(small: bool) -> None:
    found = aggregate(block(small=small), "bo")
    assert grades(found) == {("q1", "d1"): 0.0, ("q2", "d1"): 1.0, ("q1", "d2"): 1.0}
    assert found.facts == ("read", "the grades of the rater bo alone are taken")


@sizes
def test_a_rater_who_is_not_there_is_refused_with_the_nearest_name(small: bool) -> None:
    with pytest.raises(InputError) as caught:
        aggregate(block(small=small), "anna")
    assert str(caught.value) == (
        "a.csv: --raters 'anna' is no rater of the judgments; did you mean ana?\n"
        "    mend: pass --raters mean|majority|median|dawid-skene|ana|bo|cy"
    )  # fmt: skip


@sizes
def test_the_facts_count_pairs_with_several_raters_and_fractional_grades(small: bool) -> None:
    assert aggregate(block(small=small)).facts == (
        "read",
        "2 of 3 pairs have several raters; their grade is the mean, which is fractional for 2 pairs",
    )


@sizes
def test_one_rater_a_pair_says_nothing(small: bool) -> None:
    assert aggregate(block(ROWS[2:4], small)).facts == ("read",)


@sizes
def test_the_same_grade_of_one_rater_twice_is_one_vote(small: bool) -> None:
    rows = [("q", "d", 3.0, "a", None), ("q", "d", 3.0, "a", None), ("q", "d", 0.0, "b", None)]
    assert grades(aggregate(block(rows, small))) == {("q", "d"): 1.5}


@sizes
def test_two_grades_of_one_rater_for_one_pair_are_refused_with_their_places(small: bool) -> None:
    rows = [*ROWS, ("q1", "d2", 0.0, "ana", "human"), ("q1", "d1", 2.0, None, None)]
    with pytest.raises(InputError) as caught:
        aggregate(block(rows, small))
    assert str(caught.value).splitlines() == [
        "a.csv:9: rater ana gives document d2 for query q1 a second, different grade (0)",
        "    mend: keep one grade for each rater and pair, or pass --duplicates keep-first",
        "",
        "a.csv:10: a rater without a name gives document d1 for query q1 a second, different grade (2)",
    ]


@sizes
def test_the_first_of_two_grades_of_one_rater_is_kept_on_request(small: bool) -> None:
    rows = [("q", "d", 3.0, "a", None), ("q", "d", 0.0, "a", None), ("q", "d", 1.0, "b", None)]
    found = aggregate(block(rows, small), duplicates="keep-first")
    assert grades(found) == {("q", "d"): 2.0}
    assert found.facts[-1] == "1 second grades of one rater for one pair are left out"


@sizes
def test_a_grade_keeps_the_place_of_its_first_row(small: bool) -> None:
    found = aggregate(block(small=small), "bo")
    assert [found.place(i) for i in range(3)] == ["a.csv:3", "a.csv:5", "a.csv:8"]


@sizes
def test_judgments_without_raters_come_back_as_they_are(small: bool) -> None:
    plain = block([("q", "d", 1.0), ("q", "d", 2.0)], small, "query_id doc_id grade")
    assert aggregate(plain) is plain


@sizes
def test_other_dimensions_are_left_out_and_counted(small: bool) -> None:
    rows = [("q", "d", 3.0, "a", "relevance"), ("q", "d", 0.0, "a", "freshness"), ("q", "e", 1.0, "a", None)]
    found = aggregate(block(rows, small, "query_id doc_id grade rater dimension"))
    assert grades(found) == {("q", "d"): 3.0, ("q", "e"): 1.0}
    assert found.facts[1] == "1 judgments of other dimensions than relevance are left out"


@sizes
def test_the_rows_are_split_by_rater_and_those_without_come_last(small: bool) -> None:
    parts = split(block(small=small), "rater")
    assert [(name, len(rows)) for name, rows in parts] == [("ana", 2), ("bo", 3), ("cy", 1), ("(not named)", 1)]
    assert [parts[1][1].place(i) for i in range(3)] == ["a.csv:3", "a.csv:5", "a.csv:8"]


@sizes
def test_the_rows_are_split_by_source(small: bool) -> None:
    parts = split(block(small=small), "source")
    assert [(name, len(rows)) for name, rows in parts] == [("human", 4), ("model", 2), ("(not named)", 1)]


@sizes
def test_a_split_by_a_column_that_is_not_there_is_refused(small: bool) -> None:
    with pytest.raises(InputError, match=r"a\.csv: the judgments have no column rater"):
        split(block([("q", "d", 1.0)], small, "query_id doc_id grade"), "rater")


@sizes
def test_only_some_sources_are_taken(small: bool) -> None:
    assert [only(block(small=small), ["model"]).place(i) for i in range(2)] == ["a.csv:5", "a.csv:6"]
    with pytest.raises(InputError, match="no judgment comes from the source modle; did you mean model"):
        only(block(small=small), ["modle"])


@sizes
def test_no_rows_give_no_rows(small: bool) -> None:
    empty = Block({name: [] for name in ("query_id", "doc_id", "grade", "rater")}, str, "a.csv")
    if not small:
        text = {"query_id": pl.String, "doc_id": pl.String, "grade": pl.Float64, "rater": pl.String}
        empty = Block(pl.DataFrame(schema=text), str, "a.csv")
    assert len(aggregate(empty)) == 0
    assert split(empty, "rater") == []


votes = st.lists(
    st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(["d1", "d2"]), st.sampled_from([None, "a", "b", "c", "d"]),
              st.sampled_from([-1.0, 0.0, 0.1, 0.2, 0.7, 1.0, 2.0, 3.0])),
    min_size=1, unique_by=lambda row: row[:3],
)  # fmt: skip


@given(votes, st.sampled_from(["mean", "majority", "median"]))
def test_both_ways_agree_with_the_statistics_of_the_standard_library(rows: list[Any], how: str) -> None:
    table = [(query, doc, grade, rater, None) for query, doc, rater, grade in rows]
    expected: dict[tuple[str, str], list[float]] = {}
    for query, doc, grade, _, _ in table:
        expected.setdefault((query, doc), []).append(grade)
    by: Any = {
        "mean": statistics.fmean,
        "median": statistics.median,
        "majority": lambda given: min(statistics.multimode(given)),
    }[how]
    for small in (True, False):
        found = grades(aggregate(block(table, small), how))
        assert found == pytest.approx({pair: by(given) for pair, given in expected.items()}, abs=1e-15)
        assert list(found) == list(expected)


def test_plain_columns_need_no_polars() -> None:
    import subprocess
    import sys

    code = """
import sys
from assay.judgments.aggregate import aggregate, split
from assay.tables import Block
block = Block({"query_id": ["q", "q"], "doc_id": ["d", "d"], "grade": [1.0, 2.0], "rater": ["a", "b"]}, str)
assert aggregate(block).frame["grade"] == [1.5]
assert len(split(block, "rater")) == 2
print(sorted({"polars", "numpy"} & set(sys.modules)))
"""
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert there.stdout == "[]\n", there.stderr
