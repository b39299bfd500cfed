"""Worked numbers from outside: measures through `evaluate` or `score`, gains and discounts through `explain`."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

import assay
from golden.reference import GOLDEN

pytestmark = pytest.mark.shared

NOT_A_MEASURE = {
    "ips_weight_pos5": "the weight of one click, from propensities: click models come later",
    "offline_rel_change": "the change between two means: comparing runs comes later",
    "online_rel_change": "the change between two business numbers, no ranking in it",
    "judgment_count": "the number of judgments that a plan asks for",
    "mrr_3q_rounded_inputs": "the mean of three printed numbers; mrr_3q has the reciprocal ranks themselves",
}


def _examples() -> dict[str, dict[str, Any]]:
    path = GOLDEN / "seed_examples.json"
    return {e["name"]: e for e in json.loads(path.read_text(encoding="utf-8"))["examples"]} if path.is_file() else {}


EXAMPLES = _examples()


def _lists(ranks: list[int | None], returned: int, relevant: int) -> tuple[list[str], set[str]]:
    """A list with hits at the given ranks, and the relevant documents, found or not."""
    ranked = [f"hit{rank}" if rank in ranks else f"other{rank}" for rank in range(1, returned + 1)]
    found = {f"hit{rank}" for rank in ranks if rank is not None}
    return ranked, found | {f"unseen{i}" for i in range(relevant - len(found))}


def _hits(inputs: dict[str, Any]) -> tuple[list[str], set[str]]:
    if "hits" in inputs:
        return _lists(list(range(1, inputs["hits"] + 1)), 100, inputs["relevant"])
    ranks = inputs.get("hit_ranks", [])
    return _lists(ranks, inputs.get("returned", 10), inputs.get("relevant", len(ranks)))


def _mean_of_reciprocal_ranks(first: list[int | None]) -> float:
    run, qrels = {}, {}
    for i, rank in enumerate(first):
        ranked, relevant = _lists([rank], 10, 1)
        run[f"q{i}"] = {doc: float(-place) for place, doc in enumerate(ranked)}
        qrels[f"q{i}"] = dict.fromkeys(relevant, 1)
    return float(assay.evaluate(run, qrels, ["RR"]).mean())


def _explained(text: str, inputs: dict[str, Any]) -> float:
    """A discount, or a gain under its discount, as `explain` shows it for one document."""
    rank, grade = inputs["rank"], inputs.get("grade", 1)
    gain = "(gain=exp)" if text.startswith("(2^") else ""
    run = {"q": {f"d{place}": float(-place) for place in range(1, 11)}}
    explanation = assay.explain(run, {"q": {f"d{rank}": grade}}, "q", f"DCG{gain}@10")
    line = explanation.lines[rank - 1]
    assert line.rank == rank
    if text == "1/log2(r+1)":
        return float(line.discount)
    assert math.isclose(line.gain * line.discount, line.adds, rel_tol=1e-12)
    return float(line.adds)


def _explained_ideal(inputs: dict[str, Any]) -> float:
    """A gain under its discount in the best order, as `explain` shows it beside the list."""
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": inputs["grade"], "b": inputs["grade"] + 1}}
    line = assay.explain(run, qrels, "q", "nDCG@10").ideal[inputs["rank"] - 1]
    assert (line.rank, line.grade) == (inputs["rank"], inputs["grade"])
    return float(line.adds)


def _value(example: dict[str, Any]) -> float:
    text, inputs = example["measure"], example["inputs"]
    if "ideal_term" in example["name"]:
        return _explained_ideal(inputs)
    if re.fullmatch(r"(\(2\^\d-1\)|\d)/log2\(.*\)", text):
        return _explained(text, inputs)
    if "first_relevant_rank" in inputs:
        return _mean_of_reciprocal_ranks(inputs["first_relevant_rank"])
    if "verdicts" in inputs:
        return float(assay.score(shown=inputs["verdicts"], judged=inputs["verdicts"], measure=text))
    if "hits" in inputs or "hit_ranks" in inputs or set(inputs) == {"relevant"}:
        ranked, relevant = _hits(inputs)
        return float(assay.score(ranked=ranked, relevant=relevant, measure=text))
    shown = inputs.get("ranked_grades", inputs.get("judged_grades"))
    return float(assay.score(shown=shown, judged=inputs.get("judged_grades", shown), measure=text))


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in NOT_A_MEASURE] or ["none"])
def test_each_worked_number_comes_out(name: str):
    example = EXAMPLES[name]
    assert math.isclose(_value(example), example["expected"], rel_tol=0, abs_tol=example["tolerance"])


def test_what_is_left_out_is_no_measure_and_has_its_reason():
    assert set(NOT_A_MEASURE) <= set(EXAMPLES)
    for name, reason in NOT_A_MEASURE.items():
        assert len(reason) > 20
        assert not re.match(r"(n?DCG|IDCG|CG|P|R|AP|RR|ContextPrecision)\b", EXAMPLES[name]["measure"]), name


def test_graded_lists_score_the_same_through_files_in_memory():
    for example in EXAMPLES.values():
        inputs = example["inputs"]
        if {"ranked_grades", "judged_grades"} <= set(inputs):
            shown, judged = inputs["ranked_grades"], list(inputs["judged_grades"])
            for grade in shown:
                if grade in judged:
                    judged.remove(grade)
            qrels = {"q": {f"s{i}": g for i, g in enumerate(shown)} | {f"u{i}": g for i, g in enumerate(judged) if g}}
            run = {"q": {f"s{i}": float(-i) for i in range(len(shown))}}
            value = assay.evaluate(run, qrels, [example["measure"]]).values[0, 0, 0]
            assert math.isclose(value, example["expected"], rel_tol=0, abs_tol=example["tolerance"]), example["name"]
