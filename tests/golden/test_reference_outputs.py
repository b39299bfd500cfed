"""Every stored output of trec_eval and ir_measures, value by value, on both ways a run is read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.flows.workbench import Workbench
from golden.reference import (
    ABOUT_LENGTH,
    COLLECTIONS,
    GOLDEN,
    Output,
    differences,
    outputs,
    read_output,
    run_values,
    shown,
    wanted,
)

pytestmark = pytest.mark.shared

HALF_OF_THE_LAST_DIGIT = {4: 5e-5 + 1e-9, 5: 5e-6 + 1e-9, 12: 1e-12}
READING = {"plain": 1 << 40, "stream": 0}
"""Below how many bytes a file is read in plain Python: the one way or the other for all of them."""

OUTPUTS = {output.label: output for output in outputs()}


def _inputs(output: Output) -> tuple[Path, Path, dict[str, Any]]:
    """The run, the qrels and the conventions that an output was made with."""
    folder = output.path.parent
    if output.path.is_relative_to(GOLDEN):
        case, _, variant = output.path.name.removesuffix(".tsv").partition(".")
        run, qrels = GOLDEN / "inputs" / f"{case}.run", GOLDEN / "inputs" / f"{case.replace('core_b', 'core')}.qrels"
        if output.tool == "ir_measures":
            wide = "64-bit" if variant == "gdeval" else "32-bit"
            return run, qrels, {"missing": "zero", "no_relevant": "zero", "negative": "unjudged", "scores": wide}
        options: dict[str, Any] = {"compat": folder.name.partition(".")[0]}
        return run, qrels, options | {"c": {"missing": "zero"}, "l2": {"rel": 2}}.get(variant, {})
    if folder.name == "trec_eval":
        collection = folder.parent
        qrels = next(collection.glob("qrels.txt*"))
        name = output.path.name.removesuffix(".q.c.all_trec.txt.gz")
        return collection / "runs" / f"{name}.run.gz", qrels, {"compat": "trec_eval-10", "missing": "zero"}
    runs = {"out.test.aqc.gz": "results.trunc.gz", "out.comment.test.gz": "results.comment.test.gz"}
    judgments = {"out.test.aql.gz": "qrels.rel_level.gz", "out.comment.test.gz": "qrels.comment.test.gz"}
    run = folder / runs.get(output.path.name, "results.test.gz")
    qrels = folder / judgments.get(output.path.name, "qrels.test.gz")
    options = {"out.test.aqc.gz": {"missing": "zero"}, "out.test.aql.gz": {"rel": 2}}.get(output.path.name, {})
    return run, qrels, {"compat": "trec_eval-10"} | options


def _evaluate(output: Output, texts: list[str], reading: str, **others: Any) -> dict[str, dict[str, float]]:
    run, qrels, options = _inputs(output)
    if output.path.parent.name == "trec_eval":
        scores = _evaluate_all(run.parent, qrels, tuple(texts), reading, tuple(options.items()))
        return run_values(scores, texts, scores.runs.index(run.name))
    bench = Workbench(small=READING[reading], hashes=False)
    return run_values(assay.evaluate(run, qrels, texts, bench=bench, **(options | others)), texts)


@cache
def _evaluate_all(folder: Path, qrels: Path, texts: tuple[str, ...], reading: str, options: Any) -> Any:
    """Every run of a collection at once: its judgments are read once."""
    bench = Workbench(small=READING[reading], hashes=False)
    runs = {path.name: path for path in sorted(folder.glob("*.run.gz"))}
    return assay.evaluate(runs, qrels, list(texts), bench=bench, **dict(options))


def _compare(output: Output, chosen: dict[str, str], ours: dict[str, dict[str, float]]) -> list[str]:
    theirs, wrong = read_output(output.path), []
    has_queries = any(len(rows) > 1 for rows in theirs.values())
    for name, text in chosen.items():
        # an average over queries that is no mean has no line of a query
        values = ours[text] if has_queries and len(theirs[name]) > 1 else {"all": ours[text]["all"]}
        wrong += differences(values, theirs[name], HALF_OF_THE_LAST_DIGIT[output.decimals], label=name)
    return wrong


TREC_EVAL = [name for name, output in OUTPUTS.items() if output.tool == "trec_eval" and wanted(output)] or ["none"]
LABELS = [
    pytest.param(name, marks=pytest.mark.slow if name.startswith(("robust03/", "vaswani/")) else ())
    for name in TREC_EVAL
]
"""The runs of whole collections take a minute; the marked suite has them."""
CONDENSED = [name for name in TREC_EVAL if name.endswith(".J.tsv")] or ["none"]


@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("label", LABELS)
def test_trec_eval_says_the_same(label: str, reading: str):
    output = OUTPUTS[label]
    chosen = wanted(output, judged_only=label in CONDENSED)
    if label in CONDENSED:
        chosen = {name: text for name, text in chosen.items() if not text.startswith(ABOUT_LENGTH)}
    ours = _evaluate(output, list(dict.fromkeys(chosen.values())), reading)
    if label == "trec_eval-9.0.8/coverage.c.tsv":
        # It averages over queries that the run lacks and prints no line for them (usnistgov/trec_eval#18).
        for text, values in ours.items():
            for query in ("c2", "c4"):
                assert values.pop(query) == 0 or text == "NumRel"
    wrong = _compare(output, chosen, ours)
    assert not wrong, shown(wrong)
    if label != "trec_eval-9.0.8/coverage.c.tsv":
        assert len(next(iter(ours.values()))) - 1 == _queries(output)


@pytest.mark.parametrize("label", CONDENSED)
def test_lists_condensed_beforehand_score_as_trec_eval_says_of_judged_documents(label: str):
    output = OUTPUTS[label]
    chosen = wanted(output)
    run, qrels, options = _inputs(output)
    rows = [line.split() for line in qrels.read_text(encoding="utf-8").splitlines()]
    judged = {(query, doc) for query, _, doc, grade in rows if int(grade) >= 0}  # to trec_eval the others are unjudged
    condensed: dict[str, dict[str, float]] = {}
    for line in run.read_text(encoding="utf-8").splitlines():
        query, _, doc, _, score, _ = line.split()
        condensed.setdefault(query, {}).update({doc: float(score)} if (query, doc) in judged else {})
    texts = list(dict.fromkeys(chosen.values()))
    values = run_values(assay.evaluate(condensed, qrels, texts, **options), texts)
    wrong = _compare(output, chosen, values)
    assert not wrong, shown(wrong)
    assert any(text.startswith(ABOUT_LENGTH) for text in texts)


WIDE = ("RBP", "Compat", "SDCG", "BPM", "INST", "INSQ", "NERR")
"""Measures of ir_measures that go to programs which compare scores in 64 bits."""


def _queries(output: Output) -> int:
    """How many queries the output averages over."""
    theirs = read_output(output.path)
    return int(theirs["num_q"]["all"]) if "num_q" in theirs else len(theirs["P_5"]) - 1


@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("label", [n for n, output in OUTPUTS.items() if output.tool == "ir_measures"] or ["none"])
def test_ir_measures_says_the_same(label: str, reading: str):
    output = OUTPUTS[label]
    chosen = wanted(output)
    groups: dict[str, dict[str, str]] = {"": {}, "Judged": {}, "RR@": {}, "NumRel": {}, "wide": {}}
    for name, text in chosen.items():
        key = "RR@" if name.startswith("RR") and "@" in name else name.partition("@")[0]
        key = "wide" if name.startswith(WIDE) else key
        groups[key if key in groups else ""][name] = text
    # One program, several rankings and averages: each group of its measures goes to another library.
    others = {
        "Judged": {"negative": "judged"},  # counts every line of the qrels
        "RR@": {"scores": "64-bit"},
        "wide": {"scores": "64-bit"},
        "NumRel": {"missing": "skip"},  # 0 for a query that the run lacks, whatever the qrels say
    }
    wrong = []
    for key, group in groups.items():
        if group:
            ours = _evaluate(output, list(dict.fromkeys(group.values())), reading, **others.get(key, {}))
            if key == "NumRel":
                lacking = {query for query in read_output(output.path)["NumRel"] if query not in ours["NumRel"]}
                assert all(float(read_output(output.path)["NumRel"][query]) == 0 for query in lacking)
                ours["NumRel"] |= dict.fromkeys(lacking, 0.0)
            wrong += _compare(output, group, ours)
    assert not wrong, shown(wrong)


def test_only_the_outputs_on_fractional_grades_are_left_out_whole():
    left_out = {label.partition("/")[2] for label, output in OUTPUTS.items() if not wanted(output)}
    assert left_out == {f"fractional{variant}.tsv" for variant in ("", ".c", ".J", ".l2")}


def test_condensed_lists_keep_documents_of_negative_grade_unless_trec_eval_is_asked_for():
    run, qrels = GOLDEN / "inputs" / "negative.run", GOLDEN / "inputs" / "negative.qrels"
    ours = assay.evaluate(run, qrels, ["RR(judged_only=True)"], no_relevant="zero")
    theirs = assay.evaluate(run, qrels, ["RR(judged_only=True)"], compat="trec_eval-10")
    assert ours.values[0, 0].tolist() == [0.5, 0.0, 0.5]  # b is judged and stands first in g1 and g3
    assert theirs.values[0, 0].tolist() == [1.0, 0.0, 1.0]


def test_every_stored_output_is_read():
    assert sum(output.tool == "ir_measures" for output in OUTPUTS.values()) == 16
    assert sum("trec_eval-9.0.8" in label for label in OUTPUTS) == 36
    assert sum("trec_eval-10.0" in label for label in OUTPUTS) == 33
    assert sum(label.startswith("robust03/") for label in OUTPUTS) == 17
    assert sum(label.startswith("vaswani/") for label in OUTPUTS) == 27
    assert sum(label.startswith("trec_eval_tests/") for label in OUTPUTS) == 7
    assert all((COLLECTIONS / label).is_file() or (GOLDEN / "expected" / label).is_file() for label in OUTPUTS)
