"""What may be loaded on the way: names, never seconds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.typed import copy_example, start

HEAVY = {"numpy", "polars", "scipy", "rich", "pydantic", "zstandard", "pandas", "pyarrow"}


def imported(folder: Path, *words: str) -> set[str]:
    done = start("-X", "importtime", "-m", "assay", *words, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return {name.strip() for name in re.findall(r"^import time:.*\|\s*(\S+)\s*$", done.stderr, re.MULTILINE)}


def roots(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["-h"]])
def test_help_and_version_load_click_and_our_own_words_alone(tmp_path: Path, words: list[str]) -> None:
    names = imported(tmp_path, *words)
    assert not roots(names) & HEAVY
    ours = {name for name in names if name.startswith("assay")}
    assert ours <= {"assay", "assay.__main__", "assay.cli", "assay.cli.main", "assay.cli.verb", "assay.errors"}


@pytest.mark.parametrize("verb", ["evaluate", "explain", "measures", "show"])
def test_the_help_of_a_verb_computes_nothing(tmp_path: Path, verb: str) -> None:
    assert not roots(imported(tmp_path, verb, "--help")) & HEAVY


def test_a_small_evaluation_loads_numpy_alone(tmp_path: Path) -> None:
    copy_example(tmp_path)
    line = ["evaluate", "bm25.run", "judgments.qrels", "-m", "nDCG@10,P@10,RR,AP"]
    for more in (["--format", "csv", "--per-query", "--interval", "none"], ["--format", "trec_eval"]):
        names = imported(tmp_path, *line, *more)
        assert roots(names) & HEAVY == {"numpy"}
        assert not {"numpy.random", "importlib.metadata"} & names


def test_a_small_evaluation_with_interval_loads_no_scipy_stats(tmp_path: Path) -> None:
    copy_example(tmp_path)
    names = imported(tmp_path, "evaluate", "bm25.run", "judgments.qrels", "-m", "nDCG@10")
    assert not {"scipy.stats", "polars", "rich", "pydantic", "zstandard", "pandas"} & names
