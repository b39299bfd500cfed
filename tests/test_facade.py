"""What users import: one list of names, loaded when used, with types that a checker sees."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import assay

SCRIPT = """\
import assay

scores = assay.evaluate("bm25.run", "judgments.qrels", ["nDCG@10", assay.nDCG @ 5])
reveal_type(scores)
reveal_type(scores.mean("nDCG@10"))
reveal_type(assay.nDCG @ 10)
reveal_type(assay.compare(["a.run", "b.run"], "judgments.qrels").difference())
reveal_type(assay.explain("bm25.run", "judgments.qrels", "q1", "RR").value)
"""


def test_type_checkers_see_the_names_that_are_loaded() -> None:
    tree = ast.parse(Path(assay.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {name.asname: node.module for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert seen == assay._HOMES


def test_the_names_are_sorted_and_each_is_there() -> None:
    assert list(assay._HOMES) == sorted(assay._HOMES)
    assert all(hasattr(assay, name) for name in assay.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nDGC'"):
        _ = assay.nDGC


def test_a_verb_and_the_room_of_its_name_are_one_thing_that_can_be_called() -> None:
    import assay.compare.columns as columns
    from assay.flows.compare import compare

    assert callable(assay.compare)
    assert inspect.signature(assay.compare) == inspect.signature(compare)
    assert columns.__name__ == "assay.compare.columns"
    run = {"q": {"d": 1.0}}
    assert assay.compare({"a": run, "b": run}, {"q": {"d": 1}}, "P@1").difference().ties == 1


@pytest.mark.slow
def test_a_script_of_a_user_is_typed(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "script.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False).stdout
    assert [line.partition("is ")[2].strip('"') for line in said.splitlines() if "note:" in line] == [
        "assay.measures.scores.Scores", "float", "assay.measures.measure.Measure",
        "assay.compare.comparison.Difference", "float | None",
    ]  # fmt: skip
    assert "error" not in said.replace("Success", "")
