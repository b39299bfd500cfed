"""overlap, catalogue and qrels from-interactions, typed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cli.typed import Shell


def test_an_overlap_is_shown_written_and_made_again(assay: Shell) -> None:
    said = assay("overlap", "bm25.run", "dense.run", "--depth", "3,10", "--most", "2", "-o", "kept.assay")
    assert (said.code, said.err) == (0, "")
    shown = assay("show", "kept.assay")
    assert "bm25 and dense share 77 % of the first 3 documents" in " ".join(shown.out.split()).replace("\u202f", " ")
    assert assay("rerun", "kept.assay").code == 0
    found = assay("overlap", "bm25.run", "dense.run", "--p", "0.8", "--rbo-ties", "w", "--format", "json")
    document = json.loads(found.out)
    assert (document["p"], document["ties"], document["only_candidate"]) == (0.8, "w", ["q18"])


def test_a_run_is_the_same_list_as_itself_under_another_name(assay: Shell) -> None:
    (assay.folder / "again.run").write_bytes((assay.folder / "bm25.run").read_bytes())
    said = assay("overlap", "bm25.run", "again.run")
    assert said.out.startswith("bm25 and again return the same lists for all 25 queries of both.")


def test_a_catalogue_is_counted_from_the_files_of_the_example(assay: Shell) -> None:
    said = assay("catalogue", "bm25.run", "--items", "documents.jsonl", "--log", "interactions.csv", "--format", "csv")
    assert said.code == 0
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert (rows[0]["items shown"], rows[0]["coverage"]) == ("63", str(63 / 64))
    assert [row["figure"] for row in rows[1:]] == ["novelty, bits"]  # titles and texts are no numbers


def test_judgments_from_interactions_can_be_scored(assay: Shell) -> None:
    line = ["qrels", "from-interactions", "interactions.csv", "--split-at", "2026-03-01", "--out", "held.qrels",
            "--history", "before.jsonl", "--min-history", "0", "--seen", "keep"]  # fmt: skip
    said = assay(*line)
    assert said.code == 0
    rows = list(csv.DictReader((assay.folder / "interactions.csv").read_text("utf-8").splitlines()))
    later = {(row["user_id"], row["doc_id"]) for row in rows if row["at"] >= "2026-03-01"}
    written = [line.split() for line in (assay.folder / "held.qrels").read_text("utf-8").splitlines()]
    assert {(query, doc) for query, _, doc, _ in written} == later
    assert (assay.folder / "before.jsonl").read_text("utf-8").count("\n") == len(rows) - sum(
        row["at"] >= "2026-03-01" for row in rows
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("overlap bm25.run dense.run --depth 10,x", "--depth '10,x' is no list of whole numbers"),
        ("overlap bm25.run dense.run --p 2", "--p 2 is not between 0 and 1"),
        ("overlap bm25.run dense.run --rbo-ties c", "'c' is not one of a, w, b"),
        ("overlap bm25.run bm25.run", "the run bm25.run is given twice"),
        ("catalogue bm25.run --k 0", "--k"),
        ("catalogue bm25.run --features price", "features are columns of the items, and none were given"),
        ("qrels from-interactions interactions.csv --split-at soon", "--split-at 'soon' is no date"),
        ("qrels from-interactions interactions.csv --split-at 2026-03-01 --grade view=x", "'view=x' is not KIND=GRADE"),
        ("qrels from-interactions interactions.csv --split-at 2026-03-01 --out interactions.csv", "one of the inputs"),
    ],
)
def test_each_mistake_is_named_and_nothing_is_written(assay: Shell, line: str, message: str) -> None:
    before = {path: path.read_bytes() for path in Path(assay.folder).iterdir() if path.is_file()}
    said = assay(*line.split())
    assert said.code == 3
    assert message in said.err
    assert {path: path.read_bytes() for path in Path(assay.folder).iterdir() if path.is_file()} == before
