from __future__ import annotations

import pytest

import assay
from assay.errors import InputError
from assay.flows.rubric import apply, as_csv
from assay.judgments.graded import Graded
from assay.rubric import Rubric
from judgments.dimensions import ROWS, RUBRIC


def worked(rows: list[dict[str, object]]) -> Graded:
    return apply(rows, Rubric.parse(RUBRIC))


def test_a_grade_for_each_judgment_and_how_many_the_rule_held_down() -> None:
    found = worked(ROWS)
    grades = {(doc, rater): value for _, doc, rater, dimension, value in found.rows if dimension == "relevance"}
    assert grades == {("a", "x"): 1.0, ("a", "y"): 3.0, ("b", "x"): 0.0, ("c", "x"): 3.0}
    assert (found.judgments, found.changed, found.without) == (4, (("stale", 1),), 0)
    assert len(found.rows) == 12


def test_without_the_base_there_is_no_grade() -> None:
    found = worked([*ROWS, {"query_id": "q", "doc_id": "d", "rater": "x", "dimension": "freshness", "grade": 1}])
    assert (found.judgments, found.without, found.notes[0].count) == (4, 1, 1)


def test_a_grade_that_was_there_is_worked_out_anew() -> None:
    old = {"query_id": "q", "doc_id": "c", "rater": "x", "dimension": "relevance", "grade": 0}
    assert worked([*ROWS, old]) == worked(ROWS)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"dimension": "freshnes", "grade": 1}, "the rubric knows no dimension freshnes; did you mean freshness?"),
        ({"dimension": "topicality", "grade": 9, "rater": "z"}, "9 is no value of topicality"),
        ({"dimension": "freshness", "grade": 1}, "x judges freshness of document a for query q twice"),
    ],
)
def test_what_does_not_fit_the_rubric_is_refused(row: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        worked([*ROWS, {"query_id": "q", "doc_id": "a", "rater": "x", **row}])


def test_a_value_that_its_dimension_does_not_mean_is_refused() -> None:
    rubric = Rubric.parse(RUBRIC.replace("[cap.stale]", 'means = { 0 = "old", 1 = "new" }\n[cap.stale]'))
    row = {"query_id": "q", "doc_id": "z", "rater": "x", "dimension": "freshness", "grade": 2}
    assert apply(ROWS, rubric).judgments == 4
    with pytest.raises(InputError, match="2 is no value of freshness") as refused:
        apply([*ROWS, row], rubric)
    assert refused.value.remedy == "the rubric has 0, 1"


def test_the_table_names_the_version() -> None:
    found = worked(ROWS)
    head, first, *_ = as_csv(found).decode().splitlines()
    assert head == "query_id,doc_id,rater,dimension,grade,rubric"
    assert first == f"q,a,x,topicality,3,{found.version}"


def test_raters_by_the_model_of_dawid_and_skene() -> None:
    right = {"a": (1, 1, 0), "b": (0, 0, 1), "c": (1, 1, 0), "d": (0, 0, 1), "e": (1, 1, 1)}
    rows = [
        {"query_id": "q", "doc_id": doc, "rater": who, "grade": grade}
        for doc, grades in right.items()
        for who, grade in zip("xyz", grades, strict=True)
    ]
    run = {"q": {doc: float(-i) for i, doc in enumerate("abcde")}}
    assert assay.evaluate(run, rows, "P@5", raters="dawid-skene").mean() == pytest.approx(3 / 5)
    with pytest.raises(InputError, match="cannot tell from 2 raters who errs"):
        assay.evaluate(run, [row for row in rows if row["rater"] != "z"], "P@5", raters="dawid-skene")
