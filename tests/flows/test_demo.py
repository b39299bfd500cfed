from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from assay import example
from assay.errors import InputError
from assay.flows.demo import RUNS, STORY, copy_files, demo
from assay.flows.workbench import Workbench
from assay.results import Result


def test_the_files_are_copied_byte_for_byte(tmp_path: Path) -> None:
    written = copy_files(tmp_path / "new" / "folder")
    assert [file.name for file in written] == list(example.FILES)
    for file in written:
        assert file.read_bytes() == example.path(file.name).read_bytes()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "dense.run").write_text("mine")
    with pytest.raises(InputError, match=r"dense\.run: the file is there already"):
        copy_files(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["dense.run"]
    assert (tmp_path / "dense.run").read_text() == "mine"


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("")
    with pytest.raises(InputError, match="here is not a folder"):
        copy_files(tmp_path / "here")


@pytest.fixture(scope="module")
def story() -> list[Result]:
    return demo(bench=Workbench())


def expected(measure: str) -> dict[str, dict[str, float]]:
    """Values by another program: run to query to value, without the query that has no relevant document."""
    qrels: dict[str, dict[str, int]] = {}
    for line in example.path("judgments.qrels").read_text("utf-8").splitlines():
        query_id, _, doc_id, grade = line.split()
        qrels.setdefault(query_id, {})[doc_id] = int(grade)
    found = {}
    for name in RUNS:
        run: dict[str, dict[str, float]] = {}
        for line in example.path(name).read_text("utf-8").splitlines():
            query_id, _, doc_id, _, score, _ = line.split()
            run.setdefault(query_id, {})[doc_id] = float(score)
        values = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
        found[name.removesuffix(".run")] = {
            query_id: values.get(query_id, {}).get(measure, 0.0)
            for query_id, grades in qrels.items()
            if max(grades.values()) > 0
        }
    return found


def test_there_is_one_result_a_chapter_and_each_says_how_it_was_asked_for(story: list[Result]) -> None:
    assert [result.source.command for result in story] == [chapter.command for chapter in STORY]


@pytest.mark.parametrize(("ours", "theirs"), [("nDCG@10", "ndcg_cut_10"), ("R@20", "recall_20"), ("RR", "recip_rank")])
def test_the_means_are_those_of_pytrec_eval(story: list[Result], ours: str, theirs: str) -> None:
    for run, values in expected(theirs).items():
        assert story[0].mean(ours, run) == pytest.approx(sum(values.values()) / len(values), abs=1e-12)


def test_what_the_chapters_say_is_so(story: list[Result]) -> None:
    scores, segments, worked, raters, unjudged = story
    found = {run: scores.mean("R@20", run) for run in scores.runs}
    assert min(found, key=found.__getitem__) == "bm25"
    by = {part.name: part.scores for part in segments.parts}
    assert by["tail"].mean(run="dense") > by["tail"].mean(run="bm25")
    assert by["known-item"].mean(run="dense") < by["known-item"].mean(run="bm25")
    assert segments.mean(run="bm25") < segments.mean(run="dense")
    assert segments.mean(run="bm25", weighted=True) > segments.mean(run="dense", weighted=True)
    assert worked.value == pytest.approx(expected("ndcg_cut_10")["dense"]["q06"], abs=1e-12)
    assert worked.worst < worked.value < worked.best
    behind = {}
    for part in raters.parts:
        means = [part.scores.mean(run=run) for run in ("bm25", "dense", "two-stage")]
        assert means == sorted(means)
        behind[part.name] = means[2] - means[1]
    assert behind["ana"] > 2 * behind["bo"]
    shares = {run: np.nanmean(unjudged.judged[i, 0]) for i, run in enumerate(unjudged.runs)}
    assert min(shares, key=shares.__getitem__) == "dense"


def test_the_story_is_told_on_the_copies_when_a_folder_is_given(tmp_path: Path) -> None:
    told = demo(tmp_path / "copies", bench=Workbench())
    assert len(told) == len(STORY)
    assert (tmp_path / "copies" / "dense.run").exists()
