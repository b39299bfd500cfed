"""Small files written for this project: by hand, and by the installed peers, where the data folder is absent too."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any

import ir_measures
import pytest

import assay
from assay.errors import InputError
from assay.flows.workbench import Workbench
from golden.reference import from_ir_measures
from golden.witness import pytrec, spelled

SMALL = Path(__file__).parent / "small"
CASES = tomllib.loads((SMALL / "expected.toml").read_text(encoding="utf-8"))["case"]
READING = {"plain": 1 << 40, "stream": 0}
WITNESSED = ("graded", "tied", "absent", "sparse", "negative", "near", "ranked")


def _evaluate(name: str, measures: list[str], small: int = 1 << 40, **options: Any) -> Any:
    bench = Workbench(small=small, hashes=False)
    return assay.evaluate(SMALL / f"{name}.run", SMALL / f"{name}.qrels", measures, bench=bench, **options)


def _table(path: Path, value: int, kind: type) -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split()
        table.setdefault(parts[0], {})[parts[2]] = kind(parts[value])
    return table


@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_worked_by_hand(case: dict[str, Any], reading: str):
    scores = _evaluate(case["of"], list(case["values"]), READING[reading], **case.get("options", {}))
    for j, (measure, expected) in enumerate(case["values"].items()):
        for query, value in zip(scores.queries, scores.values[0, j].tolist(), strict=True):
            if query in expected:
                assert math.isclose(value, expected[query], rel_tol=0, abs_tol=1e-12), (measure, query, value)
            else:
                assert math.isnan(value), (measure, query, value)
    for measure, mean in case.get("mean", {}).items():
        assert math.isclose(scores.mean(measure), mean, rel_tol=0, abs_tol=1e-12)


@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", WITNESSED)
def test_pytrec_eval_says_the_same(name: str, level: int, reading: str):
    theirs = pytrec(_table(SMALL / f"{name}.qrels", 3, int), _table(SMALL / f"{name}.run", 4, float), rel=level)
    names = spelled(next(iter(theirs.values())))
    if level > 1:
        names.pop("num_rel")  # the witness counts these at level 1 whatever it is told
    options = {"rel": level} if level > 1 else {}
    scores = _evaluate(name, list(names.values()), READING[reading], compat="trec_eval-9", **options)
    for j, theirs_name in enumerate(names):
        for query, value in zip(scores.queries, scores.values[0, j].tolist(), strict=True):
            if query in theirs:
                assert abs(value - theirs[query][theirs_name]) <= 1e-12, (theirs_name, query, value)
            else:
                assert math.isnan(value)


IR_MEASURES = ["nDCG", "nDCG@3", "P@1", "P@3", "R@2", "RR", "AP", "AP@2", "Rprec", "Bpref", "Success@1", "P(rel=2)@5",
               "AP(rel=2)", "SetP", "SetR", "SetF", "SetF(beta=2.0)", "nDCG(judged_only=True)@5",
               "AP(judged_only=True)", "NumRet", "NumRet(rel=1)"]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in WITNESSED if name != "negative"])
def test_ir_measures_says_the_same(name: str):
    qrels, run = _table(SMALL / f"{name}.qrels", 3, int), _table(SMALL / f"{name}.run", 4, float)
    texts = [str(from_ir_measures(measure)) for measure in IR_MEASURES]
    options = {"missing": "zero", "no_relevant": "zero", "scores": "32-bit", "negative": "unjudged"}
    scores = _evaluate(name, texts, **options)
    found = 0
    for j, measure in enumerate(IR_MEASURES):
        # One at a time: asked together, NumRet may count judged documents only, as the order of a set has it.
        for metric in ir_measures.iter_calc([ir_measures.parse_measure(measure)], qrels, run):
            ours = scores.values[0, j, scores.queries.index(metric.query_id)]
            assert abs(ours - metric.value) <= 1e-12, metric
            found += 1
    assert found == len(IR_MEASURES) * len(qrels)


def test_a_document_twice_in_a_run_is_refused_with_both_lines():
    for small in READING.values():
        with pytest.raises(InputError) as refused:
            _evaluate("twice", ["AP"], small)
        assert re.search(r"twice\.run:3\b", str(refused.value))
        assert re.search(r"\bline 2\b|twice\.run:2\b", str(refused.value))
        scores = _evaluate("twice", ["AP", "NumRet"], small, duplicates="keep-first")
        assert scores.values[0, :, 0].tolist() == [0.5, 2.0]


def test_a_pair_judged_twice_with_different_grades_is_refused_with_both_lines():
    for small in READING.values():
        with pytest.raises(InputError) as refused:
            _evaluate("disputed", ["AP"], small)
        assert re.search(r"disputed\.qrels:3\b", str(refused.value))
        assert re.search(r"\bline 2\b|disputed\.qrels:2\b", str(refused.value))


def test_every_small_file_is_used():
    used = {case["of"] for case in CASES} | set(WITNESSED) | {"twice", "disputed"}
    assert {path.stem for path in SMALL.glob("*.qrels")} == used == {path.stem for path in SMALL.glob("*.run")}
