"""`assay gate`, `gate init` and `gate plan` on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from cli.typed import Shell

RULES = """\
[primary]
rule = "improvement"
measure = "nDCG@10"
plan = 0.05

[guardrail.recall]
rule = "non_inferiority"
measure = "R@20"
margin = 0.02
"""
FILES = ("bm25.run", "two-stage.run", "judgments.qrels")
N = 40


@pytest.fixture
def gated(assay: Shell) -> Shell:
    """A folder with a rule file, and runs of forty queries that decide it."""
    (assay.folder / "gate.toml").write_text(RULES, encoding="utf-8")
    runs: dict[str, list[str]] = {"bad.run": [], "good.run": []}
    qrels = []
    for q in range(N):
        order = list(range(10))
        qrels += [f"q{q} 0 q{q}d{d} {int(d < 3)}" for d in order]
        for name, docs in (("good.run", order), ("bad.run", order[q % 3 + 2 :] + order[: q % 3 + 2])):
            runs[name] += [f"q{q} Q0 q{q}d{d} {rank} {100 - rank} x" for rank, d in enumerate(docs, 1)]
    for name, lines in {**runs, "all.qrels": qrels}.items():
        (assay.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return assay


@pytest.mark.parametrize(("files", "code", "word"), [
    (("bad.run", "good.run", "all.qrels"), 0, "✔ PASS"),
    (("good.run", "bad.run", "all.qrels"), 1, "✖ FAIL"),
    (("good.run", "good.run", "all.qrels"), 3, ""),
    (FILES, 2, "◆ INCONCLUSIVE"),
])  # fmt: skip
def test_the_verdict_is_the_first_word_and_the_exit_code(gated: Shell, files: Any, code: int, word: str) -> None:
    said = gated("gate", *files)
    assert said.code == code, said.err
    assert said.out.startswith(word)


PROTECTED = """
[guardrail.important]
rule = "protected_queries"
measure = "nDCG@10"
margin = 0.0
queries = ["7", "gloves"]
"""


def test_a_redacted_gate_names_no_query_document_person_file_or_command_in_any_output(assay: Shell) -> None:
    """Query ids that are numbers too: in a rule about named queries they are no counts."""
    folder, ids = assay.folder, ["7", "gloves", *(f"query-{i}" for i in range(30))]
    qrels, old, new = [], [], []
    for q in ids:
        qrels += [f"{q} 0 SKU-{q}-a 2", f"{q} 0 SKU-{q}-b 0"]
        old += [f"{q} Q0 SKU-{q}-a 1 3 x", f"{q} Q0 SKU-{q}-b 2 2 x"]
        new += [f"{q} Q0 SKU-{q}-open 1 3 x", f"{q} Q0 SKU-{q}-a 2 2 x"]
    for name, lines in (("old.run", old), ("new.run", new), ("all.qrels", qrels)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "gate.toml").write_text(RULES + PROTECTED, encoding="utf-8")
    said = assay("gate", "old.run", "new.run", "all.qrels", "--redact", "--override", "Ada", "--reason", "7 is fine",
                 "-o", "v.json", "--html", "v.html", "--markdown", "v.md", "--junit", "v.xml", "--to-label", "l.csv",
                 "--annotate", "github")  # fmt: skip
    assert said.code == 0, said.err
    plain = assay("gate", "old.run", "new.run", "all.qrels", "-o", "plain.assay")
    assert plain.code == 2, plain.err
    assert assay("report", "plain.assay", "--redact", "-o", "later.html").code == 0
    texts = {name: (folder / name).read_text("utf-8") for name in ("v.json", "v.html", "v.md", "v.xml", "later.html")}
    for name, text in {**texts, "stdout": said.out, "stderr": said.err}.items():
        for word in ("gloves", "query-", "SKU-", "Ada", "all.qrels", "nDCG@10, 7<", '"nDCG@10, 7"', "7 may", "7 hangs"):
            assert word not in text, (name, word)
    document = json.loads(texts["v.json"])
    assert document["override"] == {"name": "a person", "reason": "7 is fine"}
    important = next(rule for rule in document["rules"] if rule["name"] == "important")
    assert {check["on"].split(", ")[1][0] for check in important["checks"]} == {"q"}
    assert document["source"]["inputs"] == []
    assert "SKU-" in (folder / "l.csv").read_text("utf-8")  # raters need the ids


def test_a_plan_needs_no_runs(assay: Shell) -> None:
    (assay.folder / "gate.toml").write_text(RULES, encoding="utf-8")
    said = assay("gate", "plan", "--sd", "0.15", "--queries", "200")
    assert said.code == 0, said.err
    assert said.out.startswith("1 of 2 checks pass in 80 % of cases")  # 0.05 is a third of 0.15: 200 are plenty
    assert assay("gate", "plan", "--sd", "0.15", *FILES, "--queries", "9").code == 3


def test_every_output_is_written_at_once(gated: Shell) -> None:
    said = gated("gate", "bad.run", "good.run", "all.qrels", "-o", "gate.assay", "--html", "gate.html", "--markdown",
                 "gate.md", "--junit", "junit.xml", "--annotate", "github", "--to-label", "label.csv")  # fmt: skip
    assert said.code == 0
    assert said.err.startswith("::notice title=assay gate%3A PASS,file=gate.toml::nDCG@10 is better")
    assert "PASS" in (gated.folder / "gate.md").read_text("utf-8")
    suite = ET.parse(gated.folder / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")
    assert (gated.folder / "label.csv").read_text("utf-8") == "query_id,doc_id,order,reason\n"
    again = gated("show", "gate.assay", "--format", "json")
    found = json.loads(again.out)
    assert (found["kind"], found["status"]) == ("gate", "PASS")
    assert "gate bad.run good.run all.qrels" in json.dumps(found)
    inputs = {one["name"] for one in found["source"]["inputs"]}
    assert {"bad.run", "good.run", "all.qrels", "gate.toml"} <= inputs


def test_the_pairs_that_could_decide_are_a_table_for_labelling(gated: Shell) -> None:
    run = (gated.folder / "bad.run").read_text("utf-8").replace("d9 ", "new ")
    (gated.folder / "new.run").write_text(run, encoding="utf-8")
    said = gated("gate", "new.run", "good.run", "all.qrels", "--to-label", "label.csv", "-o", "x.json")
    head, *rows = (gated.folder / "label.csv").read_text("utf-8").splitlines()
    assert head == "query_id,doc_id,order,reason"
    assert said.code in (0, 2)
    assert [int(row.split(",")[2]) for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(("words", "said"), [
    (("--rules", "gaet.toml"), "gaet.toml: cannot be read: No such file or directory; did you mean gate.toml?"),
    (("--annotate", "githb"), "assay: --annotate 'githb' is no CI host that is known; did you mean github"),
    (("--annotate", "gitlab"), "assay: gitlab reads a file"),
    (("--junit", "qrels.xml"), "assay: qrels.xml is one of the inputs"),
    (("--junit", "rules.xml"), "assay: rules.xml is one of the inputs"),
    (("--junit", "made", "--markdown", "made"), "assay: two things would be written to made"),
    (("--junit", "a.pdf"), "a.pdf: --junit is written as XML, and the ending .pdf says another format"),
    (("--markdown", "a.pdf"), "a.pdf: --markdown is written as Markdown, and the ending .pdf says another format"),
    (("--to-label", "a.xlsx"), "a.xlsx: --to-label is written as CSV, and the ending .xlsx says another format"),
    (("--markdown", "-"), "assay: only the result itself goes to stdout"),
    (("--override", "search lead"), "assay: an override needs a name and a reason, and has no reason"),
    (("--ruls", "x"), "assay: unknown option --ruls; did you mean --rules?"),
    (("--topics", "nowhere.csv"), "nowhere.csv: "),
    (("--status", "all.qrels"), "all.qrels:"),
])  # fmt: skip
def test_what_is_refused_is_exit_code_3_and_leaves_nothing_behind(gated: Shell, words: Any, said: str) -> None:
    (gated.folder / "qrels.xml").hardlink_to(gated.folder / "all.qrels")
    (gated.folder / "rules.xml").hardlink_to(gated.folder / "gate.toml")
    before = {path: path.read_bytes() for path in gated.folder.iterdir()}
    found = gated("gate", "bad.run", "good.run", "all.qrels", *words)
    assert found.code == 3
    assert found.err.startswith(said), found.err
    assert {path: path.read_bytes() for path in gated.folder.iterdir()} == before


def test_runs_without_a_common_query_say_so(gated: Shell) -> None:
    run = (gated.folder / "good.run").read_text("utf-8").replace("q", "topic")
    (gated.folder / "other.run").write_text(run, encoding="utf-8")
    said = gated("gate", "bad.run", "other.run", "all.qrels")
    assert said.code == 3
    assert "no query in common" in said.err


def test_one_run_or_three_are_no_change(gated: Shell) -> None:
    for files in (["bad.run"], ["bad.run", "good.run", "bm25.run", "all.qrels"]):
        said = gated("gate", *files)
        assert said.code == 3
        assert "a gate compares two runs" in said.err


@pytest.mark.parametrize("change", ["retrieval", "ranking", "rag", "live"])
def test_init_writes_rules_that_plan_reads(gated: Shell, change: str) -> None:
    (gated.folder / "gate.toml").unlink()
    assert gated("gate", "init", "--change", change).code == 0
    again = gated("gate", "init", "--change", change)
    assert (again.code, "is there already" in again.err) == (3, True)
    planned = gated("gate", "plan", *FILES, "--topics", "topics.csv")
    assert planned.code == 0, planned.err
    assert "INCONCLUSIVE" in planned.out


def test_init_knows_four_changes(gated: Shell) -> None:
    said = gated("gate", "init", "--change", "rankng", "-o", "other.toml")
    assert (said.code, "did you mean ranking" in said.err) == (3, True)
    assert not (gated.folder / "other.toml").exists()
    assert gated("gate", "init", "--change", "rag", "-o", "-").out.startswith("# What a rag change is held to.")


def test_a_mistyped_command_is_no_file(gated: Shell) -> None:
    said = gated("gate", "plann", "bad.run", "good.run", "all.qrels")
    assert (said.code, "did you mean plan?" in said.err) == (3, True)


def test_help_names_what_comes_before_the_first_gate(gated: Shell) -> None:
    said = gated("gate", "--help")
    assert said.out.startswith("Usage: assay gate [OPTIONS] BASELINE CANDIDATE QRELS")
    assert "assay gate init" in said.out
    assert "assay gate plan" in said.out


def test_the_examples_for_ci_type_options_that_exist(gated: Shell) -> None:
    options = {word for word in gated("gate", "--help").out.split() if word.startswith("--")}
    for path in (Path(__file__).parents[2] / "examples" / "ci").iterdir():
        text = path.read_text("utf-8")
        start = text.index("assay gate")
        command = text[start : text.index("\n\n", start) if "\n\n" in text[start:] else None].split("artifacts")[0]
        used = {word.rstrip(":,") for word in command.split() if word.startswith("--") and "/" not in word}
        assert used - {"--edit-last", "--create-if-none", "--body-file"} <= options, path


def test_a_fixed_threshold_is_warned_about_where_the_verdict_is_read(gated: Shell) -> None:
    floor = '\n[guardrail.floor]\nrule = "at_least"\nmeasure = "nDCG@10"\nlimit = 0.3\n'
    (gated.folder / "gate.toml").write_text(RULES + floor, encoding="utf-8")
    said = gated("gate", "bad.run", "good.run", "all.qrels")
    assert said.code == 0
    assert "no value of nDCG@10 is good by itself" in " ".join(said.out.split())


def test_a_kept_comparison_is_gated_without_its_runs(gated: Shell) -> None:
    assert gated("compare", "bad.run", "good.run", "all.qrels", "-m", "nDCG@10,R@20", "-o", "kept.assay").code == 0
    said = gated("gate", "kept.assay")
    assert (said.code, said.out[:6]) == (0, "✔ PASS")
    assert gated("gate", "kept.assay", "kept.assay", "kept.assay").code == 3


@pytest.mark.slow
def test_the_script_for_any_ci_host_prints_markdown_and_ends_as_the_gate_does(gated: Shell) -> None:
    script = Path(__file__).parents[2] / "examples" / "ci" / "gate.sh"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    for files, code, word in ((("bad.run", "good.run"), 0, "PASS"), (("good.run", "bad.run"), 1, "FAIL"),
                              (("good.run", "nowhere.run"), 3, "")):  # fmt: skip
        done = subprocess.run(
            ["sh", str(script), *files, "all.qrels"], cwd=gated.folder, env={**os.environ, "PATH": path},
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert word in done.stdout.partition("\n\n")[0] + done.stdout
    assert {"gate.assay", "gate.html", "gate.md", "junit.xml"} <= {path.name for path in gated.folder.iterdir()}
