from __future__ import annotations

from pathlib import Path

import assay
from assay.example import path
from assay.flows.read_runs import agreement_of
from assay.tables import Block

RUNS = [str(path("bm25.run")), str(path("two-stage.run"))]
RATINGS, QRELS = str(path("ratings.csv")), str(path("judgments.qrels"))


def test_labels_of_several_raters_give_a_floor() -> None:
    found = assay.compare(RUNS, RATINGS, "nDCG@10 P@10").noise
    assert found is not None
    assert (found.method, found.raters, found.votes) == ("raters", 2.0, 0)
    assert len(found.floors) == 2
    assert all(floor.sd is not None and floor.sd > 0 for floor in found.floors)


def test_grades_of_one_rater_hold_more_noise_than_the_mean_of_two() -> None:
    mean = assay.compare(RUNS, RATINGS, "DCG@10").noise
    one = assay.compare(RUNS, RATINGS, "DCG@10", raters="ana").noise
    assert mean is not None
    assert one is not None
    assert one.votes == 1
    assert (one.floors[0].sd or 0) > (mean.floors[0].sd or 0)


def test_one_label_a_pair_has_no_floor_without_a_table_of_agreement(tmp_path: Path) -> None:
    assert assay.compare(RUNS, QRELS, "nDCG@10").noise is None
    table = tmp_path / "agree.csv"
    table.write_text("grade,other,count\n0,0,50\n0,1,10\n1,1,20\n1,2,5\n2,2,30\n3,3,20\n2,3,6\n")
    found = assay.compare(RUNS, QRELS, "nDCG@10", agreement=table).noise
    assert found is not None
    assert found.method == "agreement"
    assert (found.floors[0].sd or 0) > 0


def test_a_table_of_agreement_counts_both_ways_round() -> None:
    """Who is the first rater and who the second means nothing."""
    block = Block({"grade": [0.0, 0.0, 1.0], "other": [0.0, 1.0, 1.0], "count": [4.0, 2.0, 3.0]}, str, "agreement")
    grades, table = agreement_of(block)
    assert grades == [0.0, 1.0]
    assert table.tolist() == [[8.0, 2.0], [2.0, 6.0]]
