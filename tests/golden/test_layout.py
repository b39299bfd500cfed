"""`--format trec_eval`, line by line as trec_eval -q writes it, so that scripts keep working."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from golden.reference import COLLECTIONS, Output, text_of, wanted

pytestmark = pytest.mark.shared

FOLDER = COLLECTIONS / "trec_eval_tests"
CASES = {
    "out.test.aq.gz": ("results.test.gz", "qrels.test.gz", []),
    "out.test.aqc.gz": ("results.trunc.gz", "qrels.test.gz", ["--missing", "zero"]),
    "out.test.aql.gz": ("results.test.gz", "qrels.rel_level.gz", ["--rel", "2"]),
    "out.test.meas_params.gz": ("results.test.gz", "qrels.test.gz", []),
}
ELSEWHERE = {
    "Rprec_mult_1.00": "is Rprec by another name; one measure is printed once, and its line is compared",
}
"""Lines of trec_eval that do not come in one command with all others."""


def _printed(run: Path, qrels: Path, names: list[str], options: list[str]) -> list[str]:
    asked = [part for name in names for part in ("-m", name)]
    command = [sys.executable, "-m", "assay", "evaluate", str(run), str(qrels), *asked, *options, "--quiet"]
    done = subprocess.run(
        [*command, "--compat", "trec_eval-10", "--format", "trec_eval"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", CASES)
def test_lines_are_those_of_trec_eval(name: str):
    run, qrels, options = CASES[name]
    names = {one for one in wanted(Output("trec_eval", FOLDER / name, 4)) if one not in ELSEWHERE}
    ours = _printed(FOLDER / run, FOLDER / qrels, list(names), options)
    theirs = [line for line in text_of(FOLDER / name).splitlines() if line.split("\t")[0].strip() in names]
    assert sorted(line for line in ours if line.split("\t")[0].strip() in names) == sorted(theirs)
    assert [line for line in ours if line.split("\t")[0].strip() == "num_q"] == [f"{'num_q':<22}\tall\t3"]
    queries = [line.split("\t")[1] for line in ours]
    assert queries == sorted(queries, key=["301", "302", "303", "all"].index)
