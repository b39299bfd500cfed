"""The table's ways of trec_eval 9.0.8 and 10.0, plain and with -c and -J, give what those programs printed."""

from __future__ import annotations

import itertools

import pytest

from assay.flows.evaluate import one_grade_a_pair
from assay.formats.recognise import read
from assay.measures.grammar import parse
from assay.measures.reconcile import search
from assay.measures.reconcile.tools import spelled, uses
from assay.ranking.conventions import Conventions
from assay.tables import Hit, Judgment
from golden.reference import GOLDEN, read_output

pytestmark = pytest.mark.shared

INPUTS = ("core", "core_b", "ties", "near_ties", "coverage", "unjudged", "negative", "fractional")
FLAGS = {"trec_eval": "", "trec_eval -c": ".c", "trec_eval -J": ".J"}
NAMES = {
    ("nDCG@5", "ndcg_cut.5"): "ndcg_cut_5", ("nDCG@5", "ndcg"): "ndcg", ("P@5", "P.5"): "P_5",
    ("R@5", "recall.5"): "recall_5", ("AP@5", "map_cut.5"): "map_cut_5", ("AP@5", "map"): "map",
    ("RR", "recip_rank"): "recip_rank", ("Bpref", "bpref"): "bpref", ("HitRate@1", "success.1"): "success_1",
}  # fmt: skip
"""(our measure, the tool's spelling) to the name in its output."""


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(("tool", "version"), list(itertools.product(FLAGS, ("9.0.8", "10.0"))))
def test_trec_eval_printed_this(tool: str, version: str, name: str) -> None:
    output = GOLDEN / "expected" / f"trec_eval-{version}" / f"{name}{FLAGS[tool]}.tsv"
    if not output.exists():  # that program refuses this input
        return
    printed = read_output(output)
    run = read(str(GOLDEN / "inputs" / f"{name}.run"), Hit)
    qrels = read(str(GOLDEN / "inputs" / f"{'core' if name == 'core_b' else name}.qrels"), Judgment)
    compared = 0
    for (ours, call), theirs in NAMES.items():
        (measure,) = parse(ours)
        case = search.case_of(run, one_grade_a_pair(qrels, Conventions()), measure, Conventions())
        for known, use, ways in uses(case.asked, case.base):
            if (known.name, known.version) != (tool, version) or theirs not in printed:
                continue
            if spelled(use, case.asked) != call:
                continue
            (found,) = search.compute(case, [(ways, "tool", ())])
            assert f"{found.value:.4f}" == printed[theirs]["all"], (name, call)
            compared += 1
    assert compared >= 7
