from __future__ import annotations

from pathlib import Path

import pytest

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


ROLES = "query_id,doc_id,grade,rater,role"
SETTLED = f"""{ROLES}
q,d1,0,ana,rater
q,d1,2,bo,rater
q,d1,2,cy,adjudicator
q,d2,1,ana,rater
q,d2,1,bo,rater
q,d3,2,ana,rater
q,d3,2,bo,rater
"""
SHOWN = [{"q": {"d2": 2.0, "d1": 1.0}}, {"q": {"d1": 2.0, "d2": 1.0}}]


@pytest.mark.parametrize(
    ("raters", "difference", "sd", "said"),
    [
        # d1 is worth 2, as settled, and d2 1. The settled grade is drawn by what raters say beside a 2: the pairs of
        # labels are (0, 2), (2, 0) of d1 and (2, 2) twice of d3, so 0 with 1/3 and 2 with 2/3: variance 8/9, and the
        # variance of a query with two labels a pair is divided by (2 - 1) / 2.
        ("adjudicated", 1.0, (8 / 9 * 2) ** 0.5, ["noise-settled"]),
        # d1 is worth the mean of 0 and 2. Two labels drawn from these: 0, 1, 2 with 1/4, 1/2, 1/4: variance 1/2.
        ("mean", 0.0, 1.0, []),
    ],
)
def test_the_floor_of_settled_disputes_by_hand(
    raters: str, difference: float, sd: float, said: list[str], tmp_path: Path
) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text(SETTLED, "utf-8")
    runs = {"before": SHOWN[0], "after": SHOWN[1]}
    found = assay.compare(runs, labels, "DCG@1", raters=raters).noise
    assert found is not None
    (floor,) = found.floors
    assert floor.difference == difference
    assert floor.sd == pytest.approx(sd, rel=0.05)  # 2,000 draws
    assert [note.code for note in found.notes if note.code in ("noise-settled", "noise-single")] == said


def test_settled_disputes_decide_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text(SETTLED, "utf-8")
    found = assay.evaluate(SHOWN[1], labels, "DCG@1")
    assert found.mean() == 2.0
    assert dict(found.source.conventions)["raters"] == "adjudicated"
    assert any("disputes were settled; --raters mean leaves adjudicators out" in note.text for note in found.notes)
    assert assay.evaluate(SHOWN[1], labels, "DCG@1", raters="mean").mean() == 1.0
    assert assay.evaluate(SHOWN[1], labels, "DCG@1", raters="cy").mean() == 2.0


def test_the_floor_is_of_the_dimension_that_is_scored(tmp_path: Path) -> None:
    rows = "query_id,doc_id,rater,dimension,grade\n"
    for rater, value in (("ana", 0), ("bo", 2)):
        rows += f"q,d1,{rater},topicality,{value}\nq,d1,{rater},relevance,1\nq,d2,{rater},relevance,2\n"
    labels = tmp_path / "labels.csv"
    labels.write_text(rows, "utf-8")
    found = assay.compare({"before": SHOWN[0], "after": SHOWN[1]}, labels, "DCG@1").noise
    assert found is not None
    assert found.floors[0].sd == 0.0  # both raters say the same of relevance, whatever they say of topicality
