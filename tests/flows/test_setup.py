from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.flows.choices import Choices, chosen
from assay.flows.doctor import _is_in, _requirement
from assay.flows.setup import QUESTIONS, Check, Checks, config, doctor, init
from assay.flows.workbench import Workbench
from assay.ranking.conventions import Conventions
from assay.results import dump, load
from assay.workspace import Copies, Paths, Workspace


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("ASSAY_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def write(folder: Path, text: str) -> None:
    (folder / "assay.toml").write_text(text, encoding="utf-8")


def found(checks: Checks, name: str) -> Check:
    return next(check for check in checks.checks if check.name == name)


# init


def test_init_writes_a_file_whose_values_are_the_answers(tmp_path: Path) -> None:
    answers = {
        "k": "8", "primary": "ndcg_cut_8", "guardrails": "R@100, P(rel=2)@k", "gain": "exp", "rel": "2",
        "runs": "out/runs", "unlisted": "not-relevant", "qrels": 'a "b".qrels', "topics": "t.csv",
        "documents": "d.jsonl", "segment": "kind",
    }  # fmt: skip
    path = init(tmp_path / "new", answers)
    assert path == tmp_path / "new" / "assay.toml"
    assert tomllib.loads(path.read_text(encoding="utf-8")) == {
        "measures": {"primary": "nDCG@8", "guardrails": ["R@100", "P(rel=2)@8"], "gain": "exp", "k": 8},
        "conventions": {"rel": 2, "unlisted": "not-relevant"},
        "segments": {"column": "kind"},
        "paths": {"runs": "out/runs", "qrels": 'a "b".qrels', "topics": "t.csv", "documents": "d.jsonl"},
        "store": {},
        "cache": {},
    }


def test_init_without_answers_changes_no_default_but_the_guardrails(tmp_path: Path) -> None:
    init(tmp_path)
    workspace = Workspace.find(tmp_path)
    assert workspace is not None
    choices = chosen(workspace)
    assert choices.conventions == Conventions()
    assert choices.segments == Choices().segments
    assert choices.measures == ("nDCG@10", "R@100", "RR")
    assert workspace.paths == Paths()


def test_the_file_names_every_key_and_the_lines_that_are_commented_out_give_the_defaults(tmp_path: Path) -> None:
    init(tmp_path)
    text = (tmp_path / "assay.toml").read_text(encoding="utf-8")
    given = set(re.findall(r"^(?:# )?(\w+) = ", text, re.MULTILINE))
    expected = {f.name for model in (Conventions, Paths, Copies) for f in fields(model)} | {
        "compat", "primary", "guardrails", "gain", "k", "column", "head", "torso", "known_item", "url",
    }  # fmt: skip
    assert given == expected
    tree = tomllib.loads(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE))
    plain = Conventions()
    for key, value in tree["conventions"].items():
        if key not in ("rel", "compat"):
            assert value == (list(plain.include) if key == "include" else getattr(plain, key)), key
    assert {key: tree["segments"][key] for key in ("head", "torso")} == {"head": 0.5, "torso": 0.8}
    assert {key: tree["paths"][key] for key in ("runs", "results", "cells")} == {
        "runs": "runs", "results": "results", "cells": "cells",
    }  # fmt: skip


def test_the_written_file_is_read_back_when_every_line_is_taken_in(tmp_path: Path) -> None:
    path = init(tmp_path)
    path.write_text(
        re.sub(r"^# (\w+ = )", r"\1", path.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8"
    )
    choices = chosen(Workspace.find(tmp_path))
    assert choices.conventions.scores == "64-bit"
    assert choices.segments.known_item == "intent=item"


def test_init_never_overwrites(tmp_path: Path) -> None:
    write(tmp_path, "# mine\n")
    with pytest.raises(InputError, match="is there already"):
        init(tmp_path)
    assert (tmp_path / "assay.toml").read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"gain": "exponential"}, "--gain: 'exponential' is not one of linear, exp"),
        ({"k": "ten"}, "--k: 'ten' is not a whole number from 1"),
        ({"k": "0"}, "--k: '0' is not a whole number from 1"),
        ({"rel": "high"}, "--rel: 'high' is not a grade"),
        ({"rel": "nan"}, "--rel: 'nan' is not a grade"),
        ({"primary": "nDCG@10 P@10"}, "--primary: 2 measures are given"),
        ({"primary": ""}, "--primary: 0 measures are given"),
        ({"primary": "nDGC@10"}, "unknown measure nDGC"),
        ({"gian": "exp"}, "unknown answer gian; did you mean gain?"),
    ],
)
def test_an_answer_that_is_not_allowed_is_refused_and_nothing_is_written(
    tmp_path: Path, answers: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        init(tmp_path / "new", answers)
    assert str(caught.value).startswith(message)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("odd", ['a"b\\c', "täglich/läufe", "a\x7fb", "tab\there", "{k}", "😀"])
def test_any_text_may_be_a_path(tmp_path: Path, odd: str) -> None:
    init(tmp_path, qrels=odd)
    workspace = Workspace.find(tmp_path)
    assert workspace is not None
    assert workspace.paths.qrels == odd


def test_every_question_has_an_allowed_default_and_says_why() -> None:
    for question in QUESTIONS:
        assert question.text.endswith("?")
        assert question.why.endswith(".")
        assert not question.choices or question.default in question.choices


# config


def test_config_tells_every_value_with_its_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "[measures]\ngain = { 1 = 1, 2 = 5 }\n[conventions]\nmissing = 'skip'\n[paths]\nruns = 'r'\n")
    monkeypatch.setenv("ASSAY_NO_RELEVANT", "zero")
    monkeypatch.setenv("ASSAY_STORE_URL", "postgresql://u:pw@h/d")
    shown = config(Workbench.open(tmp_path), {"ties": "expected"})
    rows = {(s.section, s.key): (s.value, s.origin) for s in shown.settings}
    assert rows["measures", "gain"] == ("{ 1 = 1, 2 = 5 }", "assay.toml:2")
    assert rows["conventions", "missing"] == ('"skip"', "assay.toml:4")
    assert rows["conventions", "no_relevant"] == ('"zero"', "ASSAY_NO_RELEVANT")
    assert rows["conventions", "ties"] == ('"expected"', "--ties")
    assert rows["conventions", "order"] == ('"auto"', "default")
    assert rows["conventions", "rel"] == ("", "default")
    assert rows["paths", "runs"] == ('"r"', "assay.toml:6")
    assert rows["store", "url"] == ("(secret)", "ASSAY_STORE_URL")
    assert shown.file == "assay.toml"
    assert b"pw" not in dump(shown)
    assert load(dump(shown)) == shown


def test_config_works_without_a_file(tmp_path: Path) -> None:
    shown = config()
    assert shown.file == ""
    assert {s.origin for s in shown.settings} == {"default"}


# doctor


def test_doctor_finds_the_installed_packages_in_range(tmp_path: Path) -> None:
    checks = doctor()
    import numpy as np

    assert found(checks, "numpy") == Check("packages", "numpy", "ok", np.__version__)
    assert found(checks, "Python").state == "ok"
    assert {check.group for check in checks.checks} >= {"packages", "extras", "workspace", "terminal"}
    assert (checks.problems, checks.exit_code) == (0, 0), [c for c in checks.checks if c.state == "problem"]
    assert load(dump(checks)) == checks


def test_doctor_says_what_each_optional_package_is_for() -> None:
    text = found(doctor(), "pyspark").found
    assert "Spark" in text
    assert found(doctor(), "pyspark").state == "ok"


def test_doctor_works_without_a_workspace() -> None:
    assert found(doctor(), "assay.toml").found == "none here or above: the defaults hold"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[conventions]\nteis = 1\n", "assay.toml:2: unknown key teis in [conventions]; did you mean ties or raters?"),
        ("[conventions\n", "assay.toml:1: is not TOML: expected ']' at the end of a table declaration"),
        ("[paths]\nruns = 3\n", "assay.toml:2: runs: input should be a valid string"),
    ],
)
def test_doctor_names_what_is_wrong_with_the_file(tmp_path: Path, text: str, what: str) -> None:
    write(tmp_path, text)
    checks = doctor()
    problem = next(check for check in checks.checks if check.state == "problem")
    assert problem.found == what
    assert problem.remedy
    assert checks.exit_code == 1


def test_doctor_checks_the_measures_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, "[measures]\nprimary = 'nDGC@10'\nguardrails = ['P@10', 'R@5 RR']\n")
    checks = doctor()
    assert found(checks, "primary").state == "problem"
    assert found(checks, "primary").found.startswith("assay.toml:2: unknown measure nDGC")
    assert found(checks, "guardrails").found == "P@10, R@5, RR (assay.toml:3)"


def test_doctor_warns_where_the_primary_measure_does_not_end_where_the_reader_does(tmp_path: Path) -> None:
    write(tmp_path, "[measures]\nprimary = 'nDCG@100'\nk = 8\n")
    check = found(doctor(), "primary")
    assert (check.state, check.found) == ("warning", "nDCG@100, and the consumer reads 8")
    assert check.remedy == "measure what is read: nDCG@8, or set k = 100"


def test_doctor_reads_the_files_that_the_workspace_names(tmp_path: Path) -> None:
    write(tmp_path, "[paths]\nqrels = 'j.qrels'\ntopics = 't.csv'\ndocuments = 'none.jsonl'\n")
    (tmp_path / "j.qrels").write_text("q1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("query_id,text\nq1,boots\n", encoding="utf-8")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text("q1 Q0 d1 1 2.0 a\n", encoding="utf-8")
    (tmp_path / "runs" / "b.run").write_bytes(b"\x00\x01\x02binary\x00" * 20)
    (tmp_path / "runs" / ".hidden").write_text("x", encoding="utf-8")
    checks = doctor()
    assert found(checks, "qrels").found == f"{tmp_path / 'j.qrels'}: trec"
    assert found(checks, "topics").found == f"{tmp_path / 't.csv'}: csv"
    assert found(checks, "documents").state == "problem"
    assert found(checks, "documents").remedy
    assert found(checks, "runs").found == f"1 of 2 files in {tmp_path / 'runs'} are runs"
    assert found(checks, "b.run").state == "warning"


def test_doctor_warns_of_variables_that_assay_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SERVICE_HOST", "10.0.0.1")
    assert found(doctor(), "ASSAY_SERVICE_HOST").state == "warning"
    assert doctor().exit_code == 0


def test_doctor_warns_of_a_terminal_that_is_not_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        encoding = "cp1252"

        def write(self, text: str) -> int:
            return len(text)

        def flush(self) -> None:
            return

    monkeypatch.setattr(sys, "stdout", Terminal())
    check = found(doctor(), "encoding")
    assert check.state == "warning"
    assert "PYTHONUTF8=1" in check.remedy


def test_doctor_names_a_package_that_is_missing_or_out_of_range(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    monkeypatch.setattr(
        metadata, "requires", lambda name: ["numpy>=99", "unheard-of>=1", "duckdb>=99; extra == 'logs'"]
    )
    checks = doctor()
    numpy = found(checks, "numpy")
    assert numpy.state == "problem"
    assert numpy.found.endswith(", needs >=99")
    assert found(checks, "unheard-of").found == "not installed, needs >=1"
    assert [check.name for check in checks.checks if check.state == "problem"] == ["numpy", "unheard-of"]
    assert checks.exit_code == 1


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("2.4.6", ">=2.1", True), ("2.0.9", ">=2.1", False), ("2.10", ">=2.9", True), ("2", ">=2.0.0", True),
        ("3.0rc1", ">=3", True), ("1.9", ">=1,<2", True), ("2.0", ">=1,<2", False), ("2.0", "<2.0.1", True),
        ("2.1.5", "==2.1.*", True), ("2.2", "==2.1.*", False), ("2.2", "!=2.2", False), ("2.2.1", "~=2.1", True),
        ("3.0", "~=2.1", False), ("2.1.9", "~=2.1.4", True), ("2.2", "~=2.1.4", False), ("1.0", "", True),
        ("2.0", ">2", False), ("2.0.1", ">2", True), ("2.0", "<=2", True),
    ],
)  # fmt: skip
def test_versions_are_compared_number_by_number(version: str, wanted: str, fits: bool) -> None:
    assert _is_in(version, wanted) is fits


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("numpy>=2.1", ("numpy", ">=2.1", "")),
        ("rich >= 14, <16", ("rich", ">=14,<16", "")),
        ("uvicorn[standard]>=0.3; extra == 'web'", ("uvicorn", ">=0.3", "extra == 'web'")),
        ("click (>=8.3)", ("click", ">=8.3", "")),
        ("polars", ("polars", "", "")),
    ],
)
def test_requirements_are_taken_apart(line: str, parts: tuple[Any, ...]) -> None:
    assert _requirement(line) == parts
