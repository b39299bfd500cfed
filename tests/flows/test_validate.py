"""The linter: every fault in its own file, with its line, its code and what mends it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import assay
from assay.errors import InputError
from assay.report.lint import annotated, junit

Q = "query_id,doc_id,grade\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return name


def found(content: str | bytes, name: str = "q.csv", **options: object) -> list[tuple[str, str, int | None, int]]:
    """(severity, code, line, count) of every finding in one file."""
    done = assay.validate(put(name, content), **options)  # type: ignore[arg-type] # options of several kinds
    return [(one.severity, one.code, one.line, one.count) for one in done.findings]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (Q + "q1,A,1\nq1,B,0\n", []),
        (Q + "q1,A,1\nq1,A,1\nq1,A,1\n", [("warning", "duplicate", 3, 2)]),
        (Q + "q1,A,1\nq1,A,2\n", [("error", "conflict", 3, 1)]),
        ("query_id,doc_id,grade,rater\nq1,A,1,ann\nq1,A,2,bo\n", []),
        (Q + "q1,A,NaN\n", [("error", "refused", 2, 1)]),
        (Q + "q1,A\n", [("error", "refused", 2, 1)]),
        (Q + "q1,A,good\n", [("error", "refused", 2, 1)]),
        (Q + "q1,A,1\nq2,A,0\nq3,B,-1\n", [("warning", "no-relevant", 3, 2), ("warning", "negative-grade", 4, 1)]),
        (Q + "q1,A,1\nq1,B,0.5\nq1,C,2\n", [("warning", "odd-grade", 3, 1)]),
        (Q + "q1,A,1\nq1,B,0\nq1,C,2\nq1,D,30\n", [("warning", "odd-grade", 5, 1)]),
        (Q + "q1,A ,1\nq1,B,1\n q2,A,1\n", [("warning", "blanks-around-ids", 2, 2)]),
        (Q + "q1,cafe\u0301,1\nq1,caf\u00e9,1\n", [("error", "normal-forms", 3, 1)]),
        (Q + "q1,cafe\u0301,1\n", [("warning", "normal-form", 2, 1)]),
        (Q + "q1,A\u200bB,1\n", [("warning", "invisible-characters", 2, 1)]),
        ("\ufeff" + Q + "q1,A,1\n", [("warning", "byte-order-mark", 1, 1)]),
        ((Q + "q1,A,1\n").replace("\n", "\r\n"), [("warning", "windows-line-ends", 1, 2)]),
        (Q + "q1,A,1\r\nq1,B,1\n", [("warning", "mixed-line-ends", 2, 1)]),
        (Q + "q1,A,1", [("warning", "no-last-line-end", 2, 1)]),
        ((Q + "q1,café,1\n").encode("windows-1252"), [("warning", "encoding", 1, 1)]),
        (Q.encode() + "q1,é,1\n".encode() + "q1,é,1\n".encode("latin-1"), [("error", "refused", 3, 1)]),
        (b"PAR1 no", [("error", "refused", None, 1)]),
    ],
)
def test_judgments(folder: Path, content: str | bytes, expected: list[tuple[str, str, int | None, int]]) -> None:
    assert found(content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("q1 Q0 A 1 2.0 t\nq1 Q0 B 2 1.0 t\n", []),
        ("q1 Q0 A 1 2.0 t\nq1 Q0 A 2 1.0 t\n", [("error", "duplicate", 2, 1)]),
        ("q1 Q0 A 1 1.0 t\nq1 Q0 B 2 2.0 t\n", [("warning", "rank-against-score", 2, 1)]),
        ("q1 Q0 A 1 1.0 t\nq1 Q0 B 1 1.0 t\n", [("warning", "rank-against-score", 2, 1)]),
        ("q1 Q0 A 1 nan t\n", [("error", "refused", 1, 1)]),
    ],
)
def test_runs(folder: Path, content: str, expected: list[tuple[str, str, int | None, int]]) -> None:
    assert found(content, "a.run") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('[primary]\nrule = "improvement"\nmeasure = "nDCG@10"\nplan = 0.02\n\n[guardrail.recall]\n'
         'rule = "non_inferiority"\nmeasure = "R@100"\nmargin = 0.01\n', []),
        ('[primary]\nrule = "improvment"\n[guardrail.x]\nrule = "judged"\n', [("error", "refused", 2, 1)]),
        ('[primary]\nrule = "improvement"\nmeasure = "nDGC@10"\nplan = 0.02\n[guardrail.x]\nrule = "judged"\n'
         'at_least = 0.8\n',
         [("error", "refused", None, 1)]),
        ("no toml", [("error", "refused", 1, 1)]),
    ],
)  # fmt: skip
def test_rule_files(folder: Path, content: str, expected: list[tuple[str, str, int | None, int]]) -> None:
    got = found(content, "gate.toml")
    assert [(one[0], one[1]) for one in got] == [(one[0], one[1]) for one in expected]


def test_the_settings_of_a_workspace_are_looked_at_too(folder: Path) -> None:
    assert found('[conventions]\nties = "docid"\n', "assay.toml") == []
    assert found('[conventions]\ntyes = "docid"\n', "assay.toml") == [("error", "refused", 2, 1)]


def test_a_stated_scale_makes_an_odd_grade_an_error(folder: Path) -> None:
    text = Q + "q1,A,1\nq1,B,4\nq1,C,0.5\n"
    assert found(text, grades=[0, 1, 2, 3]) == [("error", "off-scale", 3, 2)]


def test_labels_take_a_map_and_an_unknown_one_is_an_error(folder: Path) -> None:
    assert found(Q + "q1,A,E\nq1,B,I\n", labels="esci") == []
    assert found(Q + "q1,A,E\nq1,B,X\n", labels="esci") == [("error", "refused", 3, 1)]


def test_rows_out_of_order_are_said_when_asked(folder: Path) -> None:
    text = Q + "q1,A,1\nq1,C,1\nq1,B,1\n"
    assert found(text) == []
    assert found(text, sorted=True) == [("warning", "not-sorted", 4, 1)]


def test_files_that_are_given_together_are_held_against_one_another(folder: Path) -> None:
    put("q.csv", Q + "q1,A,1\nq2,A,1\n")
    put("a.run", "q1 Q0 A 1 2 t\nq3 Q0 A 1 2 t\n")
    put("b.run", "x Q0 A 1 2 t\n")
    put("t.csv", "query_id,text\nq1,boots\n")
    done = assay.validate("q.csv", "a.run", "b.run", "t.csv")
    assert [(one.place, one.severity, one.code) for one in done.findings] == [
        ("a.run:2", "warning", "unknown-query"), ("a.run", "warning", "missing-query"),
        ("b.run:1", "error", "no-common-query"), ("q.csv:3", "warning", "unknown-topic"),
    ]  # fmt: skip
    assert [(one.holds, one.format, one.rows) for one in done.files] == [
        ("judgments", "csv", 2), ("run", "trec", 2), ("run", "trec", 1), ("topics", "csv", 1)
    ]  # fmt: skip


def test_a_file_of_another_tool_says_what_assay_cannot_hold(folder: Path) -> None:
    text = "query,docid,rating\nboots,A,1\nboots,B,\n"
    assert found(text, "r.csv") == [("warning", "not-carried-over", None, 1)]


def test_errors_fail_and_warnings_do_when_strict(folder: Path) -> None:
    put("warned.csv", Q + "q1,A,1\nq1,A,1\n")
    put("wrong.csv", Q + "q1,A,1\nq1,A,2\n")
    assert assay.validate("warned.csv").exit_code == 0
    assert assay.validate("warned.csv", strict=True).exit_code == 1
    assert assay.validate("wrong.csv").exit_code == 1


def test_without_files_those_of_the_workspace_are_looked_at(folder: Path) -> None:
    put("assay.toml", '[paths]\nqrels = "q.csv"\n')
    put("q.csv", Q + "q1,A,1\n")
    (folder / "runs").mkdir()
    put("runs/a.run", "q1 Q0 A 1 2 t\n")
    assert [one.file for one in assay.validate().files] == ["assay.toml", "q.csv", "runs/a.run"]


def test_what_cannot_be_run_is_said(folder: Path) -> None:
    with pytest.raises(InputError, match="no file was given"):
        assay.validate()
    with pytest.raises(InputError, match=r"nowhere\.csv: there is no such file"):
        assay.validate("nowhere.csv")


def test_several_faults_of_one_kind_keep_their_lines(folder: Path) -> None:
    done = assay.validate(put("q.csv", Q + "q1,A,x1\nq1,B,1\nq1,C,x2\nq1,D,x3\nq1,E,x4\n"))
    assert [(one.line, one.count) for one in done.findings] == [(2, 2), (4, 1), (5, 1)]


def test_ci_hosts_get_the_file_the_line_and_nothing_that_ends_their_line(folder: Path) -> None:
    done = assay.validate(put("q,1%.csv", Q + "q1,A,1\nq1,A,2\n"))
    assert annotated(done, "github") == (
        "::error file=q%2C1%25.csv,line=3,title=assay validate%3A conflict::document A of query q1 is judged 2, and 1 "
        "at q,1%25.csv:2; keep one of the two\n"
    )
    assert annotated(done, "azure").startswith(
        "##vso[task.logissue type=error;sourcepath=q,1%AZP25.csv;linenumber=3;code="
    )
    assert annotated(done, "teamcity").startswith("##teamcity[buildProblem description='q,1%.csv:3: document A")
    (issue,) = json.loads(annotated(done, "gitlab"))
    assert issue["location"] == {"path": "q,1%.csv", "lines": {"begin": 3}}
    assert issue["severity"] == "blocker"


def test_junit_has_a_test_for_each_file(folder: Path) -> None:
    put("warned.csv", Q + "q1,A<b>,1\nq1,A<b>,1\n")
    put("wrong.csv", Q + "q1,A,1\nq1,A,2\n")
    put("sound.csv", Q + "q1,A,1\n")
    root = ET.fromstring(junit(assay.validate("warned.csv", "wrong.csv", "sound.csv")))
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {"warned.csv": ["system-out"], "wrong.csv": ["failure"], "sound.csv": []}
    assert "A<b>" in (root.findtext(".//system-out") or "")
