"""The commands that the reference programs refused, and what assay says in their place."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

import assay
from assay.errors import InputError
from golden.reference import GOLDEN

pytestmark = pytest.mark.shared

INPUTS = GOLDEN / "inputs"


def _refused() -> list[dict[str, Any]]:
    """Commands of the manifest that ended in an error."""
    if not (GOLDEN / "manifest.json").is_file():
        return []
    manifest = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
    return [command for command in manifest["runs"] if command["exit_code"] != 0]


def _kind(command: dict[str, Any]) -> str:
    """Why a command failed, in one word."""
    told = command["stderr"]
    if "form_res_qrels: duplicate docs" in told:
        return "run twice"
    if "form_res_rels: duplicate docs" in told:
        return "qrels twice"
    if "not found in qrels" in told:
        return "missing query"
    if "Unsupported measures" in told:
        return "unsupported measure"
    if "ZeroDivisionError" in told:
        return "no hit at all"
    if "topic id must be a number" in told:
        return "topic id"
    return "unknown"


ANSWERS = {
    "run twice": "refused with both lines",
    "qrels twice": "refused with both lines",
    "missing query": "an error on demand, counted otherwise",
    "unsupported measure": "RBP without a level: the judgments say it",
    "no hit at all": "Accuracy, not to be copied",
    "topic id": "any id will do",
}


def test_every_refused_command_has_an_answer_here():
    kinds = {_kind(command) for command in _refused()}
    assert kinds == set(ANSWERS)


def test_a_document_twice_in_a_run_is_refused_with_both_lines():
    with pytest.raises(InputError) as refused:
        assay.evaluate(INPUTS / "dup_run.run", INPUTS / "dup_run.qrels", ["AP"])
    assert re.search(r"dup_run\.run:2\b", str(refused.value))
    assert re.search(r"\bline 1\b|dup_run\.run:1\b", str(refused.value))
    assert "--duplicates keep-first" in str(refused.value)


def test_a_pair_judged_twice_with_different_grades_is_refused_with_both_lines():
    with pytest.raises(InputError) as refused:
        assay.evaluate(INPUTS / "dup_qrels.run", INPUTS / "dup_qrels.qrels", ["AP"])
    assert re.search(r"dup_qrels\.qrels:2\b", str(refused.value))
    assert re.search(r"\bline 1\b|dup_qrels\.qrels:1\b", str(refused.value))


def test_the_first_of_two_rows_is_kept_when_asked_for():
    scores = assay.evaluate(INPUTS / "dup_run.run", INPUTS / "dup_run.qrels", ["AP", "NumRet"], duplicates="keep-first")
    assert scores.values[0, :, 0].tolist() == [0.5, 2.0]  # a, c: one of the two relevant at rank 1


def test_a_missing_query_stops_when_asked_to_and_counts_as_zero_otherwise():
    with pytest.raises(InputError, match="c2"):
        assay.evaluate(INPUTS / "coverage.run", INPUTS / "coverage.qrels", ["AP"], missing="error")
    scores = assay.evaluate(INPUTS / "coverage.run", INPUTS / "coverage.qrels", ["AP"])
    assert scores.mean("AP") == pytest.approx(1 / 3)  # c1 is right, c2 and c4 are missing, c3 has nothing relevant
    assert math.isnan(scores.values[0, 0, list(scores.queries).index("c3")])


def test_exponential_gain_needs_no_numeric_query_ids():
    text = assay.evaluate(INPUTS / "core.run", INPUTS / "core.qrels", ["nDCG(gain=exp)@10"])
    numbers = assay.evaluate(INPUTS / "core_num.run", INPUTS / "core_num.qrels", ["nDCG(gain=exp)@10"])
    assert text.values.tolist() == numbers.values.tolist()


def test_rbp_without_a_level_takes_that_of_the_judgments():
    stated, implied = assay.evaluate(INPUTS / "core.run", INPUTS / "core.qrels", "RBP(p=0.8,rel=1) RBP(p=0.8)").values[
        0
    ]
    assert stated.tolist() == implied.tolist()


def test_a_measure_that_is_not_there_is_refused_by_name():
    with pytest.raises(InputError, match="unknown measure"):
        assay.evaluate(INPUTS / "core.run", INPUTS / "core.qrels", ["Accuracy"])
