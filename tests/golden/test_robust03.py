"""The 17 systems of the TREC 2003 Robust track against what trec_eval 10.0 says of them."""

from __future__ import annotations

import pytest

import assay
from assay.flows.workbench import Workbench
from assay.tables import Block, Judgment
from golden.reference import COLLECTIONS, differences, read_output, run_values, shown

pytestmark = pytest.mark.shared

FOLDER = COLLECTIONS / "robust03"
RUNS = [path.name.removesuffix(".run.gz") for path in sorted((FOLDER / "runs").glob("*.run.gz"))]

HALF = 5e-5 + 1e-9
"""Half of the last of four decimals."""

FIRST = {
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "P@5": "P_5",
    "P@10": "P_10",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "AP": "map",
    "AP@10": "map_cut_10",
}


def test_all_17_runs_are_there():
    assert len(RUNS) == 17


@pytest.fixture(scope="module")
def judgments() -> Block:
    """The judgments, read once for all runs."""
    return Workbench().table(FOLDER / "qrels.txt.gz", Judgment)


@pytest.mark.parametrize("run", RUNS or ["none"])
def test_every_run_scores_as_the_reference_says(run: str, judgments: Block):
    path = FOLDER / "runs" / f"{run}.run.gz"
    scores = assay.evaluate(path, judgments, list(FIRST), compat="trec_eval-10", missing="zero")
    ours, theirs = run_values(scores, FIRST), read_output(FOLDER / "trec_eval" / f"{run}.q.c.all_trec.txt.gz")
    wrong = [line for text, name in FIRST.items() for line in differences(ours[text], theirs[name], HALF, label=name)]
    assert not wrong, shown(wrong)
    assert len(theirs["map"]) == 101


def test_all_runs_side_by_side_score_as_each_alone():
    scores = assay.evaluate(
        {run: FOLDER / "runs" / f"{run}.run.gz" for run in RUNS},
        FOLDER / "qrels.txt.gz",
        list(FIRST),
        compat="trec_eval-10",
        missing="zero",
    )
    assert list(scores.runs) == RUNS
    for i, run in enumerate(RUNS):
        ours, theirs = run_values(scores, FIRST, i), read_output(FOLDER / "trec_eval" / f"{run}.q.c.all_trec.txt.gz")
        wrong = [line for text, name in FIRST.items() for line in differences(ours[text], theirs[name], HALF)]
        assert not wrong, run + shown(wrong)
