"""The cases of copies and of formats without text: the same rows, and a copy that is really used."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench.copies import ROOT, WRITERS, _written
from bench.generate import SHAPES, files
from bench.programs import product
from bench.reference import expected


def test_reading_from_a_copy_gives_what_the_text_gives(tmp_path: Path) -> None:
    made = files(replace(SHAPES["S"], name="T", queries=12, depth=40, judged=9), tmp_path)
    run = tmp_path / "big.run"
    lines = made.run.read_text().splitlines()
    run.write_text("\n".join(f"{i}{line}" for i in range(10, 10 + 700) for line in lines) + "\n")  # beyond 10 MB
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "assay.toml").write_text("")
    told = []
    for more in ([], [str(tmp_path / "workspace")], [str(tmp_path / "workspace")]):
        command = [sys.executable, "-m", "bench.copies", str(run), *more]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        told.append(json.loads(done.stdout))
    assert {one["rows"] for one in told} == {700 * len(lines)}
    assert len({json.dumps(one["found"]) for one in told}) == 1
    assert [one["told"] for one in told] == [[], [], []]
    assert len(list((tmp_path / "workspace" / ".assay" / "cache" / "copies").iterdir())) == 1


@pytest.mark.parametrize("ending", WRITERS)
def test_the_same_run_in_other_formats_is_evaluated_to_the_expected_values(tmp_path: Path, ending: str) -> None:
    text = files(replace(SHAPES["S"], name="T", queries=12, depth=40, judged=9), tmp_path)
    assert expected(text).height == 12
    made = replace(text, run=_written(text, ending))
    out = tmp_path / "out"
    with out.open("wb") as file:
        subprocess.run(product(more=["--no-cache"]).command(made), cwd=tmp_path, stdout=file, check=True)
    product().check(out, made)
