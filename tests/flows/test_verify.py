"""Our values beside those of an installed witness: equal, different for a known cause, different without one."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.cli.main import run as command
from assay.errors import MissingExtra
from assay.flows.verify import verified
from assay.measures.grammar import parse
from assay.measures.verified import CAUSES
from assay.measures.witness import call_of
from assay.ranking.conventions import Conventions
from assay.results import dump, load
from assay.tables import Hit, Judgment
from assay.tables.door import block_of

MEASURES = "nDCG@3 nDCG nDCG(gain=exp)@3 P@3 P R@3 R(cap=True)@3 AP AP@3 RR RR@3 HitRate@1 Rprec Bpref F Judged@3"
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "y": 1.0}}
QRELS = {"q1": {"a": 0.0, "b": 3.0, "d": 1.0}, "q2": {"x": 1.0, "y": 2.0}}


def causes(run: Any, qrels: Any, measure: str, **choices: Any) -> dict[str, tuple[str, ...]]:
    """Query to the causes of its difference."""
    scores = assay.evaluate(run, qrels, measure, verify=True, **choices)
    (check,) = scores.verified.checks
    return {one.query_id: one.causes for one in check.differences}


def test_where_both_do_the_same_every_value_agrees() -> None:
    scores = assay.evaluate(RUN, QRELS, MEASURES, verify=True)
    assert scores.verified is not None
    assert scores.verified.without == ()
    assert [check.measure for check in scores.verified.checks] == [str(measure) for measure in scores.measures]
    assert [one for check in scores.verified.checks for one in check.differences] == []
    assert scores.verified.is_fine
    assert all(check.compared == 2 for check in scores.verified.checks)
    assert scores.notes[-1].text == "32 values compared with a witness: 32 equal, 0 differ for a known cause"


def test_nothing_is_verified_unless_asked() -> None:
    assert assay.evaluate(RUN, QRELS, MEASURES).verified is None


def test_a_missing_query() -> None:
    qrels = {**QRELS, "q3": {"z": 1.0}}
    assert causes(RUN, qrels, "nDCG@3") == {"q3": ("missing",)}
    assert causes(RUN, qrels, "nDCG@3", missing="skip") == {}


def test_a_query_without_a_relevant_document() -> None:
    run, qrels = {**RUN, "q3": {"z": 1.0}}, {**QRELS, "q3": {"z": 0.0}}
    assert causes(run, qrels, "AP") == {"q3": ("no-relevant",)}
    assert causes(run, qrels, "AP", no_relevant="one") == {"q3": ("no-relevant",)}
    assert causes(run, qrels, "AP", no_relevant="zero") == {}


def test_ties() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    qrels = {"q1": {"a": 1.0, "b": 0.0, "c": 0.0}}
    assert causes(run, qrels, "RR") == {}
    for ties in ("input", "expected", "best"):
        assert causes(run, qrels, "RR", ties=ties) == {"q1": ("ties",)}
    assert causes(run, qrels, "RR@3") == {"q1": ("ties",)}  # ir_measures has another order for RR@k than for RR


def test_scores_that_are_equal_in_32_bits() -> None:
    run, qrels = {"q1": {"a": 0.90000000005, "b": 0.9}}, {"q1": {"a": 1.0, "b": 0.0}}
    assert causes(run, qrels, "RR") == {"q1": ("scores",)}
    assert causes(run, qrels, "RR", scores="32-bit") == {}


def test_grades_with_fractions() -> None:
    run, qrels = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"a": 0.5, "b": 1.5}}
    assert causes(run, qrels, "nDCG") == {"q1": ("grades",)}
    assert causes(run, qrels, "P@2") == {"q1": ("grades",)}


def test_negative_grades() -> None:
    run, qrels = {"q1": {"a": 3.0, "b": 2.0}}, {"q1": {"a": -1.0, "b": 1.0, "c": 0.0}}
    assert causes(run, qrels, "Bpref") == {"q1": ("negative",)}
    assert causes(run, qrels, "Bpref", negative="unjudged") == {}


def test_infap_reads_negative_grades_as_its_witness_does() -> None:
    run = {**RUN, "q3": {"z": 1.0}}
    qrels = {"q1": {"a": -1.0, "b": 3.0, "c": 0.0, "d": 1.0}, "q2": {"x": 1.0, "y": 2.0}, "q3": {"z": 0.0}}
    scores = assay.evaluate(run, qrels, "infAP nDCG Bpref", verify=True)
    assert scores.verified is not None
    assert scores.verified.is_fine
    infap, ndcg, bpref = scores.verified.checks
    assert {one.query_id: one.causes for one in infap.differences} == {"q3": ("no-relevant",)}
    assert {one.query_id: one.causes for one in ndcg.differences} == {"q3": ("no-relevant",)}
    assert {one.query_id: one.causes for one in bpref.differences}.keys() >= {"q3"}


def test_a_query_with_negative_grades_alone_is_kept_from_the_witness() -> None:
    """trec_eval's ndcg would not end on it."""
    run, qrels = {**RUN, "q3": {"z": 1.0}}, {**QRELS, "q3": {"y": -1.0}}
    assert causes(run, qrels, "nDCG") == {}
    assert causes(run, qrels, "nDCG", no_relevant="zero") == {"q3": ("no-relevant",)}


def test_absent_pairs_that_mean_not_relevant() -> None:
    run, qrels = {"q1": {"u": 3.0, "a": 2.0}}, {"q1": {"a": 1.0, "b": 0.0}}
    assert causes(run, qrels, "Bpref", unlisted="not-relevant") == {"q1": ("unlisted",)}


def test_two_causes_at_once() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 0.5}}
    qrels = {"q1": {"a": 1.7, "b": 0.4, "c": 2.0}}
    assert causes(run, qrels, "nDCG", ties="input") == {"q1": ("ties", "grades")}


def test_a_run_in_the_order_of_its_ranks() -> None:
    """The witness is given falling scores, so that it sees the same order."""
    rows = {"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [1.0, 2.0], "rank": [1, 2]}
    run = block_of(_frame(rows), Hit, "run")
    assert causes(run, {"q1": {"a": 1.0, "b": 0.0}}, "RR", order="rank") == {}
    assert assay.evaluate(run, {"q1": {"a": 1.0, "b": 0.0}}, "RR", order="rank").mean() == 1


def _frame(rows: dict[str, list[Any]]) -> Any:
    import polars as pl

    return pl.DataFrame(rows)


def test_measures_that_no_witness_has_are_named() -> None:
    scores = assay.evaluate(RUN, QRELS, "nDCG@3 ERR@3 P(short=list)@3 P(rel=1.5)@3", verify=True)
    assert scores.verified is not None
    assert scores.verified.without == ("ERR@3", "P(short=list)@3", "P(rel=1.5)@3")
    assert [check.measure for check in scores.verified.checks] == ["nDCG@3"]


def test_levels_and_condensed_lists_are_passed_on() -> None:
    scores = assay.evaluate(RUN, QRELS, "P(rel=2)@3 RR(rel=2)@3 AP(judged_only=True) R@3", rel=2, verify=True)
    assert scores.verified is not None
    assert scores.verified.without == ()
    assert [one for check in scores.verified.checks for one in check.differences] == []


def test_a_wrong_value_has_no_known_cause() -> None:
    scores = assay.evaluate(RUN, QRELS, "nDCG@3 P@3")
    wrong = replace(scores, values=scores.values + np.array([[[0.0, 0.0], [0.01, 0.0]]]), _cache={})
    blocks = block_of(RUN, Hit, "run"), block_of(QRELS, Judgment, "qrels")
    found = verified(wrong, {"run": blocks[0]}, blocks[1], Conventions())
    assert not found.is_fine
    ndcg, p = found.checks
    assert ndcg.differences == ()
    (difference,) = p.unexplained
    assert (difference.query_id, difference.causes) == ("q1", ())
    assert difference.ours == pytest.approx(1 / 3 + 0.01)
    assert difference.theirs == pytest.approx(1 / 3)


def test_every_cause_is_explained_in_words() -> None:
    assert set(CAUSES) == {"ties", "scores", "grades", "negative", "unlisted", "no-relevant", "missing"}


def test_what_was_verified_is_kept() -> None:
    scores = assay.evaluate(RUN, {**QRELS, "q3": {"z": 1.0}}, "nDCG@3", verify=True)
    again = load(dump(scores))
    assert again.verified == scores.verified


@pytest.mark.parametrize("text", ["nDCG@10", "RR@10", "P(rel=2)@5", "R(cap=True)@5", "nDCG(gain={1:3,2:9})"])
def test_a_witness_is_asked_by_its_own_name(text: str) -> None:
    (measure,) = parse(text)
    call = call_of(measure, None)
    assert call is not None
    expected = {"nDCG@10": ("ndcg_cut_10", None), "RR@10": ("RR@10", None), "P(rel=2)@5": ("P_5", 2),
                "R(cap=True)@5": ("relative_P_5", 1), "nDCG(gain={1:3,2:9})": ("ndcg", None)}  # fmt: skip
    assert (call.name, call.level) == expected[text]


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    with pytest.raises(MissingExtra) as error:
        assay.evaluate(RUN, QRELS, "nDCG@3", verify=True)
    assert str(error.value) == ("--verify needs pytrec-eval-terrier\n    mend: pip install 'assay[verify]'")


class Wrong(pytrec_eval.RelevanceEvaluator):  # type: ignore[misc, no-any-unimported] # a compiled class
    """A witness that is off by a hundredth."""

    def evaluate(self, run: Any) -> Any:
        found = super().evaluate(run)
        return {query: {name: value + 0.01 for name, value in values.items()} for query, values in found.items()}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq2 Q0 c 1 1 x\n", encoding="utf-8")
    qrels.write_text("q1 0 a 0\nq1 0 b 2\nq2 0 c 1\nq3 0 d 1\n", encoding="utf-8")
    return str(run), str(qrels)


def test_the_command_ends_well_when_every_difference_has_a_cause(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(["evaluate", *files, "-m", "nDCG@3", "--verify"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Verified" in said
    assert "missing 1" in said
    assert "3 values compared with a witness: 2 equal, 1 differ for a known cause" in said


def test_the_command_ends_with_1_when_one_has_none(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", Wrong)
    assert command(["evaluate", *files, "-m", "nDCG@3", "--verify", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verified"]["is_fine"] is False
    assert document["verified"]["checks"][0]["unexplained"] == 2
    assert document["notes"][-1]["level"] == "warning"
    assert command(["evaluate", *files, "-m", "nDCG@3", "--verify"]) == 1
    assert "2 without a known cause" in capsys.readouterr().out


@settings(max_examples=120, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-1.0, 0.0, 0.4, 1.0, 1.6, 2.0, 3.0]), min_size=1),
        min_size=1,
    ),
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q9"]),
        st.dictionaries(st.sampled_from("abcde"), st.sampled_from([1.0, 2.0, 2.0 + 1e-9, 3.0]), min_size=1),
        min_size=1,
    ),
    st.sampled_from(["docid", "input", "expected", "best", "worst"]),
    st.sampled_from(["zero", "skip"]),
    st.sampled_from(["drop", "zero", "one"]),
    st.sampled_from(["judged", "unjudged"]),
    st.sampled_from(["unjudged", "not-relevant"]),
)
def test_no_difference_is_without_a_cause_whatever_the_input_and_the_conventions(
    qrels: Any, run: Any, ties: str, missing: str, no_relevant: str, negative: str, unlisted: str
) -> None:
    if not run.keys() & qrels.keys():
        return
    if negative == "unjudged" and all(
        grade < 0 for query in run.keys() & qrels.keys() for grade in qrels[query].values()
    ):
        return  # then nothing is judged that the run has
    chosen = {"ties": ties, "missing": missing, "no_relevant": no_relevant, "negative": negative, "unlisted": unlisted}
    scores = assay.evaluate(run, qrels, MEASURES, verify=True, **chosen)
    assert scores.verified is not None
    assert [(check.measure, check.unexplained) for check in scores.verified.checks if check.unexplained] == []


def test_each_of_several_collections_is_verified_and_shown() -> None:
    from assay.flows.evaluate import evaluate_collections
    from assay.report.describe import describe
    from assay.report.text import to_text

    other = {"q9": {"a": 1.5, "b": 1.0}}, {"q9": {"a": 1.0, "b": 2.5}}
    found = evaluate_collections({"fiqa": (RUN, QRELS), "scidocs": other}, "nDCG ERR", verify=True)
    first, second = (scores.verified for scores in found.scores)
    assert first is not None
    assert second is not None
    assert [one.causes for check in second.checks for one in check.differences] == [("grades",)]
    said = to_text(describe(found))
    assert said.index("Verified fiqa") < said.index("Verified scidocs")
    assert "pytrec-eval-terrier" in said[said.index("Verified fiqa") :]
    assert "no installed peer computes ERR" in said
