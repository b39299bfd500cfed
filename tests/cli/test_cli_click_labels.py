"""qrels from-clicks and simulate loop, typed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from cli.typed import Shell

LINE = ("qrels", "from-clicks", "clicks.parquet", "--qrels", "judgments.qrels")


def test_labels_are_written_and_can_be_compared_by(assay: Shell) -> None:
    said = assay(*LINE, "--out", "labels.csv", "--pairs", "pairs.jsonl", "--query", "q02", "--html", "trap.html")
    assert said.code == 0
    rows = list(csv.DictReader((assay.folder / "labels.csv").read_text("utf-8").splitlines()))
    assert said.out.startswith(f"{len(rows)} pairs of 276")
    assert all(row["source"] == "clicks" and row["grade"] for row in rows)
    pairs = [json.loads(line) for line in (assay.folder / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert (len(pairs), sum(pair["grade"] is not None for pair in pairs)) == (276, len(rows))
    assert "<svg" in (assay.folder / "trap.html").read_text("utf-8")
    said = assay("compare", "bm25.run", "dense.run", "labels.csv", "-m", "nDCG@10")
    assert said.code == 0
    assert "unjudged" in said.out


def test_labels_are_kept_as_a_project_and_used_by_its_name(assay: Shell) -> None:
    assert assay("init").code == 0
    said = assay(*LINE, "--project", "January", "--out", "labels.csv", "--documents", "documents.jsonl")
    assert said.code == 0
    line = ("-m", "nDCG@10", "--format", "csv")
    kept, written = (assay("evaluate", "bm25.run", one, *line).out for one in ("project:January", "labels.csv"))
    assert kept == written
    again = assay(*LINE, "--project", "January", "--out", "again.csv")
    assert (again.code, (assay.folder / "again.csv").exists()) == (3, False)
    assert "there is a project January already" in again.err


@pytest.mark.parametrize("kind", ["json", "csv", "jsonl", "md", "html"])
def test_every_format_has_the_documents_of_the_query(assay: Shell, kind: str) -> None:
    said = assay(*LINE, "--format", kind)
    assert said.code == 0
    assert "LMP-01" in said.out
    loop = assay("simulate", "loop", "--rounds", "2", "--searches", "300", "--queries", "10", "--format", kind)
    assert loop.code == 0
    assert "corrected" in loop.out


def test_a_log_that_does_not_fit_ends_with_2_and_the_reason_to_go_on_is_kept(assay: Shell) -> None:
    assay("simulate", "logs", "bm25.run", "dense.run", "judgments.qrels", "--searches", "20000", "--law", "dbn",
          "--swaps", "0.2", "--out", "made.parquet")  # fmt: skip
    line = ("qrels", "from-clicks", "made.parquet", "--cuts", "0.2,0.4", "--out", "labels.csv")
    said = assay(*line)
    assert (said.code, said.out) == (2, "")
    assert "the position-based model does not fit" in said.err
    assert not (assay.folder / "labels.csv").exists()
    said = assay(*line, "--despite-misfit", "a rehearsal")
    assert said.code == 0
    assert "THE POSITION MODEL DOES NOT FIT" in said.out
    assert "a rehearsal" in (assay.folder / "labels.csv").read_text("utf-8").splitlines()[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("qrels from-clicks clicks.parquet --out l.csv", "nothing says which attraction is which grade"),
        ("qrels from-clicks clicks.parquet --cuts 0.1;0.2 --out l.csv", "--cuts '0.1;0.2' is no list of numbers"),
        ("qrels from-clicks clicks.parquet --cuts 0.1 --out l.qrels", "does not hold where each label comes from"),
        ("qrels from-clicks clicks.parquet --cuts 0.1 --out clicks.parquet", "one of the inputs"),
        ("qrels from-clicks clicks.parquet --cuts 0.1 --out l.csv --pairs l.csv", "one of the inputs"),
        ("qrels from-clicks clicks.parquet --cuts 0.1 --query q1 --out l.csv", "the log has no query 'q1'"),
        ("simulate loop --documents 1", "--documents"),
    ],
)
def test_each_mistake_is_named_and_nothing_is_written(assay: Shell, line: str, message: str) -> None:
    before = {path: path.read_bytes() for path in Path(assay.folder).iterdir() if path.is_file()}
    said = assay(*line.split())
    assert said.code == 3
    assert message in said.err
    assert {path: path.read_bytes() for path in Path(assay.folder).iterdir() if path.is_file()} == before
