"""The workflows in `examples/ci`: real YAML, whose commands run and write what they hand on."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from cli.typed import Shell

yaml = pytest.importorskip("yaml", reason="no YAML reader is installed")

EXAMPLES = Path(__file__).parents[2] / "examples" / "ci"


def read(name: str) -> Any:
    return yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))


def command_in(steps: list[str]) -> list[str]:
    """The one step that calls the gate, as the shell splits it."""
    (found,) = [step for step in steps if re.match(r"assay gate\b", step)]
    return shlex.split(found)[1:]


@pytest.fixture
def project(assay: Shell) -> Shell:
    """What the workflows expect in the repository and from the team's own scripts."""
    folder = assay.folder
    (folder / "baseline.run").write_bytes((folder / "bm25.run").read_bytes())
    (folder / "candidate.run").write_bytes((folder / "two-stage.run").read_bytes())
    ids = {line.split()[0] for line in (folder / "two-stage.run").read_text("utf-8").splitlines()}
    rows = "".join(f"{query},ok,{20 + i}\n" for i, query in enumerate(sorted(ids)))
    (folder / "status.csv").write_text("query_id,status,latency_ms\n" + rows, encoding="utf-8")
    assert assay("gate", "init", "--change", "live").code == 0
    return assay


def test_the_github_workflow_runs_the_gate_and_keeps_what_it_wrote(project: Shell) -> None:
    job = read("github.yml")["jobs"]["gate"]
    steps = {step.get("name", step.get("uses", step.get("run", ""))): step for step in job["steps"]}
    words = command_in([str(step.get("run", "")).strip() for step in job["steps"]])
    said = project(*words)
    assert said.code in (0, 1, 2), said.err
    assert re.search(r"^::(error|warning|notice)", said.err, re.MULTILINE)
    kept = steps["actions/upload-artifact@v4"]["with"]["path"].split()
    for name in (*kept, "gate.md"):
        assert (project.folder / name).stat().st_size > 0, name
    assert "gate.md" in steps["what the gate said"]["run"]
    assert steps["what the gate said"]["if"].startswith("always()")  # a failed gate is commented on too
    assert read("github.yml")["permissions"]["pull-requests"] == "write"


def test_the_gitlab_job_runs_the_gate_and_hands_on_its_reports(project: Shell) -> None:
    job = read("gitlab.yml")["search-gate"]
    said = project(*command_in([step.strip() for step in job["script"]]))
    assert said.code in (0, 1, 2), said.err
    reports = job["artifacts"]["reports"]
    for name in (*job["artifacts"]["paths"], reports["junit"], reports["codequality"]):
        assert (project.folder / name).stat().st_size > 0, name
    assert job["allow_failure"]["exit_codes"] == 2  # INCONCLUSIVE alone


def test_both_files_are_one_document_without_repeated_keys() -> None:
    for name in ("github.yml", "gitlab.yml"):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        assert len(list(yaml.safe_load_all(text))) == 1
        for node in mappings(yaml.compose(text)):
            keys = [key.value for key, _ in node.value]
            assert len(keys) == len(set(keys)), (name, keys)


def mappings(node: Any) -> list[Any]:
    """Every mapping below a node; a reader keeps the last of two equal keys and says nothing."""
    if isinstance(node, yaml.MappingNode):
        return [node, *(found for _, value in node.value for found in mappings(value))]
    return [found for entry in node.value for found in mappings(entry)] if isinstance(node, yaml.SequenceNode) else []
