"""What executors do with the rows of a run, without Spark."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from assay import evaluate
from assay.flows.scored_groups import FAULT, OTHER, Group, Plan, scored, whole_queries
from assay.measures.grammar import parse
from assay.ranking.align import judged
from assay.ranking.conventions import Conventions
from assay.tables import Judgment
from assay.tables.door import block_of

pa = pytest.importorskip("pyarrow")


class Shipped:
    def __init__(self, value):
        self.value = value


def batches(frame, rows):
    return frame.to_arrow().to_batches(max_chunksize=rows)


def plan(qrels, measures, **choices):
    from assay import __version__

    conventions = Conventions(**choices)
    return Plan(__version__, (judged(block_of(qrels, Judgment, "qrels"), conventions),), tuple(parse(measures)),
                conventions, "a")  # fmt: skip


@pytest.mark.parametrize("rows", [1, 2, 7, 100])
@pytest.mark.parametrize("least", [1, 3, 10, 1000])
def test_frames_end_where_the_query_changes(rows, least):
    queries = [f"q{i}" for i, n in enumerate([1, 5, 1, 30, 2, 2, 9]) for _ in range(n)]
    frame = pl.DataFrame({"query_id": queries, "n": range(len(queries))})
    found = list(whole_queries(batches(frame, rows), least))
    assert pl.concat(found).equals(frame)
    names = [set(part["query_id"]) for part in found]
    assert sum(len(one) for one in names) == len(set(queries))
    assert len(found) == 1 or least <= len(frame)
    assert max(len(part) for part in found) < max(least + rows, 2 * 30 + rows)  # 30 rows has the largest query


def test_rows_without_a_query_stay_together_too():
    frame = pl.DataFrame({"query_id": [None, None, "a", "a", "b"]})
    found = [set(one["query_id"]) for one in whole_queries(batches(frame, 1), 1)]
    assert found[0] == {None}
    assert set().union(*found[1:]) == {"a", "b"}


def test_no_rows_give_no_frame():
    assert list(whole_queries([], 1)) == []
    assert list(whole_queries(batches(pl.DataFrame({"query_id": []}, schema={"query_id": pl.String}), 1), 1)) == []


def test_a_part_of_a_run_gives_the_numbers_of_its_queries():
    run = {"a": {"x": 3.0, "y": 2.0}, "b": {"y": 1.0}}
    qrels = {"a": {"y": 1}, "b": {"y": 2, "z": 1}, "c": {"y": 1}}
    frame = pl.DataFrame([{"query_id": q, "doc_id": d, "score": s} for q, row in run.items() for d, s in row.items()])
    (batch,) = scored(batches(frame, 1), Shipped(plan(qrels, "RR nDCG@10").bare()))
    (row,) = batch.to_pylist()
    assert np.frombuffer(row["codes"], np.int64).tolist() == [0, 1]
    assert np.frombuffer(row["returned"], np.int64).tolist() == [2, 1]
    values = np.frombuffer(row["values"]).reshape(2, 2)
    assert values[0].tolist() == [0.5, 1.0]
    asked = evaluate(run, qrels, "nDCG@10").value()
    assert values[1].tolist() == asked[:2].tolist()


def test_faults_of_rows_stand_before_those_of_the_order_and_are_counted():
    made = plan({"a": {"x": 1}}, "RR")
    group = Group(made)
    group.add(pl.DataFrame({"query_id": ["a", "a"], "doc_id": ["x", "x"], "score": [1.0, 1.0]}))  # twice
    group.add(pl.DataFrame({"query_id": ["b", "b"], "doc_id": ["x", None], "score": [1.0, 1.0]}))
    group.add(pl.DataFrame({"query_id": ["c", "c"], "doc_id": [None, None], "score": [1.0, 1.0]}))
    (row,) = group.rows()
    assert row["part"] == FAULT
    said = json.loads(row["fault"])
    assert (said["what"], said["query"], said["count"], said["has_row"]) == ("doc_id is missing", "b", 3, True)


def test_another_version_of_assay_scores_nothing():
    from dataclasses import replace

    from assay import __version__

    made = replace(plan({"a": {"x": 1}}, "RR"), version="0.0.0")
    frame = pl.DataFrame({"query_id": ["a"], "doc_id": ["x"], "score": [1.0]})
    (batch,) = scored(batches(frame, 1), Shipped(made))
    assert [(row["part"], row["fault"]) for row in batch.to_pylist()] == [(OTHER, __version__)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"on": "sparc"}, "no engine is called 'sparc'; did you mean spark?"),
        ({"master": "local[2]"}, "an address of Spark means nothing without it"),
        ({"on": "spark", "verify": True}, "a witness reads the whole run on one machine"),
        ({"on": "spark", "format": "trec"}, "Spark reads runs as Parquet, and not as trec"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, said):
    from assay.errors import InputError

    with pytest.raises(InputError) as caught:
        evaluate({"a": {"x": 1.0}}, {"a": {"x": 1}}, "RR", **options)
    assert said in str(caught.value)
