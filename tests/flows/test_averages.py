"""Other averages than the mean, and one scale of grades for everything in a result."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import assay
from assay.errors import InputError
from assay.flows.rerun import compared
from assay.flows.results import keep, show
from assay.report.rows import trec_eval

QRELS = {"q1": {"a": 1}, "q2": {"a": 1, "b": 3}, "q3": {"b": 1}}
RUN = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"x": 1.0}}  # AP: 1/2, 1, 0


def test_an_average_is_named_for_all_measures_or_for_one():
    scores = assay.evaluate(RUN, QRELS, "AP RR(average=median) P@1", average="geometric")
    assert [str(measure) for measure in scores.measures] == [
        "AP(average=geometric)",
        "RR(average=median)",
        "P(average=geometric)@1",
    ]
    assert scores.mean("AP(average=geometric)") == pytest.approx((0.5 * 1 * 1e-5) ** (1 / 3))
    assert scores.mean("RR(average=median)") == 0.5
    assert scores.value("AP(average=geometric)").tolist() == [0.5, 1.0, 0.0]
    assert assay.evaluate(RUN, QRELS, "AP(average=mean)", average="median").mean() == pytest.approx(0.5)


def test_the_mean_of_a_result_without_that_choice_is_what_it_was():
    scores = assay.evaluate(RUN, QRELS, "AP gm_map")
    assert scores.mean("AP") == pytest.approx(0.5)
    assert scores.mean("AP(average=geometric)") == pytest.approx((0.5 * 1 * 1e-5) ** (1 / 3))
    assert scores.interval("AP(average=geometric)").method == "log-t"


def test_the_definition_says_the_average_and_its_interval():
    gm, median = assay.parse("gm_map AP(average=median)@10")
    assert gm.foot().endswith(
        "; geometric mean over queries, below 0.00001 counted as that, with the t interval of the logarithms"
    )
    assert median.foot().endswith("; median over queries, with the interval between order statistics")
    assert gm.definition() == "AP(rel=qrels, norm=rel, judged_only=False, average=geometric)"
    assert assay.parse(gm.definition()) == [gm]


def test_trec_eval_prints_one_line_of_a_geometric_mean():
    scores = assay.evaluate(RUN, QRELS, "gm_map gm_bpref 11pt_avg set_map IPrec@0.1 Rprec_mult_0.20")
    lines = [line.split() for line in trec_eval(scores).decode().splitlines()]
    assert [line for line in lines if line[0] == "gm_map"] == [["gm_map", "all", f"{(0.5e-5) ** (1 / 3):.4f}"]]
    names = {line[0] for line in lines}
    assert names >= {"gm_bpref", "11pt_avg", "set_map", "iprec_at_recall_0.10", "Rprec_mult_0.20"}


def test_an_unknown_average_is_named_with_those_that_there_are():
    with pytest.raises(InputError, match="average=harmonic of AP is not mean, geometric or median"):
        assay.evaluate(RUN, QRELS, "AP", average="harmonic")


def test_runs_are_compared_by_means_alone():
    with pytest.raises(InputError, match=r"mean of their differences, and AP\(average=geometric\) is another average"):
        assay.compare({"a": RUN, "b": RUN}, QRELS, "gm_map")


def test_the_highest_grade_is_that_of_all_judgments_and_is_said():
    scores = assay.evaluate(RUN, QRELS, "ERR")
    assert scores.value("ERR").tolist() == [1 / 16, 7 / 8 + 1 / 8 * 1 / 8 / 2, 0.0]
    assert scores.measures[0].foot().endswith("max being the highest grade of the judgments, 3")
    assert scores.summary["definition"].to_list() == ["ERR(max=3, judged_only=False)"]
    assert assay.parse("ERR")[0].definition() == "ERR(max=qrels, judged_only=False)"
    assert assay.parse("ERR(max=4)")[0].foot().endswith("max being grade 4")


def test_a_rater_who_never_gave_the_highest_grade_is_on_the_scale_of_all(tmp_path: Path):
    qrels = tmp_path / "ratings.csv"
    qrels.write_text("query_id,doc_id,grade,rater\nq,a,1,kim\nq,a,3,lee\nq,b,0,kim\nq,b,0,lee\n", "utf-8")
    scores = assay.evaluate({"q": {"a": 2.0, "b": 1.0}}, qrels, "ERR", by="rater")
    assert scores.value("ERR").tolist() == [(2**2 - 1) / 2**3]  # the mean of 1 and 3 on a scale to 3
    assert {part.name: part.scores.mean() for part in scores.parts} == {"kim": 1 / 8, "lee": 7 / 8}


def test_a_grade_above_the_stated_one_is_refused_with_what_to_do():
    with pytest.raises(InputError, match="the judgments have grade 3, above max=2") as refused:
        assay.evaluate(RUN, QRELS, "ERR(max=2)@10")
    assert "write max=3, or leave max out" in str(refused.value)


@pytest.mark.parametrize(
    "choices", [{}, {"negative": "unjudged"}, {"compat": "trec_eval-9"}, {"compat": "trec_eval-10"}]
)
@pytest.mark.parametrize("large", [False, True])
def test_a_grade_below_0_is_a_document_of_the_pool_for_infap_under_any_rule(choices, large: bool):
    """`trec_eval -q -m infAP -m bpref` of 10.0-rc3 prints infAP 0.7500 and 0.3333, bpref 1.0000 and 0.0000."""
    import polars as pl

    qrels = {"q1": {"a": -1, "b": 1}, "q2": {"c": 0, "d": 2, "e": -2}}
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"e": 4.0, "c": 3.0, "d": 2.0}}
    if large:
        qrels = pl.DataFrame([(q, d, g) for q in qrels for d, g in qrels[q].items()],
                             schema=["query_id", "doc_id", "grade"], orient="row")  # fmt: skip
    scores = assay.evaluate(run, qrels, "infAP Bpref", **choices)
    first, second = scores.value("infAP").tolist()
    assert first == 0.5 + 0.5 * 1 * 0.5
    assert second == pytest.approx(1 / 3 + 2 / 3 * (2 / 2) * (0.00001 / 1.00002), abs=1e-12)
    assert scores.value("Bpref").tolist() == ([1.0, 0.0] if choices else [0.0, 0.0])  # judged, and not relevant


def test_infap_is_explained_under_the_rules_of_trec_eval():
    found = assay.explain({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": -1, "b": 1}}, "q", "infAP", compat="trec_eval-9")
    assert found.value == 0.75


def test_a_weighted_average_has_no_interval():
    topics = {"query_id": ["q1", "q2", "q3"], "weight": [1.0, 2.0, 1.0]}
    import polars as pl

    scores = assay.evaluate(RUN, QRELS, "AP(average=median)", topics=pl.DataFrame(topics))
    assert scores.mean(weighted=True) == 0.5  # half of the weight is reached at 1/2
    assert scores.interval(weighted=True) is None
    assert not math.isnan(scores.mean())


def test_a_kept_result_knows_the_scale_that_it_was_computed_on(tmp_path: Path):
    qrels = {"q": {"a": 1, "b": 3}, "p": {"a": 0, "c": 2}}
    scores = assay.evaluate({"q": {"a": 2.0, "b": 1.0}, "p": {"a": 1.0}}, qrels, "ERR@5 INST(T=1) nDCG@5")
    keep(scores, tmp_path / "a.assay")
    again = show(tmp_path / "a.assay")
    definitions = [measure.definition() for measure in again.measures]
    assert definitions == [measure.definition() for measure in scores.measures]
    assert definitions[0].startswith("ERR(max=3")
    assert [measure.scale for measure in again.measures] == [3.0, 3.0, None]
    assert [str(measure) for measure in again.measures] == ["ERR@5", "INST(T=1)", "nDCG@5"]
    assert compared(scores, again).is_same
