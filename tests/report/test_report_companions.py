"""Every test of a comparison beside the others, with what each supposes: on a page, in a report, in files."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest
import scipy.stats

from assay.compare.asked import Asked
from assay.compare.comparison import Comparison
from assay.flows.compare import compared
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Scores
from assay.report.describe import describe
from assay.report.machine import to_machine
from assay.report.sheet import to_document
from assay.report.text import to_text

NDCG, P = Measure("nDCG") @ 10, Measure("P") @ 10
D = np.random.default_rng(0).normal(0.03, 0.1, 60)
STEPS = np.round(D, 1)


@pytest.fixture(scope="module")
def made() -> Comparison:
    """Differences of one measure that are continuous, of another that are steps of 0.1."""
    array = np.array([np.zeros((2, 60)), [D, STEPS]])
    scores = Scores(
        runs=("old", "new"),
        measures=(NDCG, P),
        queries=tuple(f"q{i:02d}" for i in range(60)),
        values=array,
        judged=np.full(array.shape, np.nan),
        coverage=(Coverage(60, 60),) * 2,
    )
    return compared(scores, "old", False, Asked(seed=1, flips=20_000))


def four(p: float) -> str:
    return f"{p:.4f}"


def test_the_table_has_the_p_of_scipy_beside_each_other(made: Comparison) -> None:
    text = to_text(describe(made, tests=True), 110)
    row = next(line for line in text.split("p, none corrected")[1].splitlines() if line.startswith("nDCG@10"))
    t = scipy.stats.ttest_1samp(D, 0).pvalue
    wilcoxon = scipy.stats.wilcoxon(D, correction=False, method="asymptotic").pvalue
    sign = scipy.stats.binomtest(int((D > 0).sum()), 60).pvalue
    assert row.split()[2:5] == [four(t), four(wilcoxon), four(sign)]
    assert float(row.split()[1]) == pytest.approx(t, abs=0.01)
    assert row.split()[5] == f"{D.mean() / D.std(ddof=1):+.4f}"


def test_what_each_test_supposes_stands_below_it(made: Comparison) -> None:
    text = " ".join(to_text(describe(made, tests=True), 110).split())
    for said in (
        "sign flips: each difference is as likely positive as negative (symmetric about 0)",
        "t: the mean difference is 0",
        "Wilcoxon: the differences are symmetric about 0",
        "sign: a win is as likely as a loss",
    ):
        assert said in text
    assert re.search(
        r"nDCG@10: 20,000 patterns drawn, 99 % interval 0\.\d{4} to 0\.\d{4}, p is at least 0\.00005", text
    )
    assert "P@10: exact: values lie on equal steps" in text


def test_the_terminal_names_no_companions_unless_asked_and_the_report_does(made: Comparison) -> None:
    assert "Wilcoxon" not in to_text(describe(made), 110)
    html = to_document(made)
    assert "Wilcoxon: the differences are symmetric about 0" in html
    assert "none of these p is corrected" in html


def test_json_names_the_null_of_every_test_and_of_the_family(made: Comparison) -> None:
    document = json.loads(to_machine(made, "json"))
    found = document["differences"][0]["tests"]
    assert {name: found[name]["null"] for name in ("randomisation", "t", "wilcoxon")} | {
        "sign": found["sign_null"]
    } == {
        "randomisation": "each difference is as likely positive as negative (symmetric about 0)",
        "t": "the mean difference is 0",
        "wilcoxon": "the differences are symmetric about 0",
        "sign": "a win is as likely as a loss",
    }
    assert document["family"]["null"] == found["randomisation"]["null"]
    (row,) = (r for r in csv.DictReader(io.StringIO(to_machine(made, "csv").decode())) if r["measure"] == "nDCG@10")
    assert float(row["t_p"]) == pytest.approx(scipy.stats.ttest_1samp(D, 0).pvalue, abs=1e-12)
    assert float(row["d_z"]) == pytest.approx(D.mean() / D.std(ddof=1), abs=1e-12)
