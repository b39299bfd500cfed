"""A split of BEIR outside its folder: the header tells that absent pairs are not relevant, as the folder does."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import assay
from assay.formats.recognise import read
from assay.label_maps import parse_label_map
from assay.tables import Hit, Judgment

HEADER = "query-id\tcorpus-id\tscore\n"
ROWS = "q1\tA\t1\nq1\tB\t2\nq2\tC\t1\n"
FACT = (
    "has the columns of BEIR and no grade of 0, so an absent pair is taken as not relevant where nobody says "
    "otherwise, as BEIR's own tools do; the file cannot say which absent documents somebody looked at"
)


@pytest.mark.parametrize(
    ("text", "unlisted"),
    [
        (HEADER + ROWS, "not-relevant"),
        ("\ufeff" + HEADER.replace("\n", "\r\n") + ROWS, "not-relevant"),
        ("Query-ID\tCorpus-ID\tScore\n" + ROWS, "not-relevant"),
        (HEADER + ROWS + "q2\tD\t0\n", ""),
        (HEADER + ROWS + "q2\tD\t-1\n", ""),
        ("query_id\tdoc_id\tgrade\n" + ROWS, ""),
        (HEADER.replace("corpus-id", "doc-id") + ROWS, ""),
    ],
)
def test_the_header_and_the_grades_say_what_an_absent_pair_means(text: str, unlisted: str, tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_bytes(text.encode("utf-8"))
    block = read(str(path), Judgment)
    assert block.unlisted == unlisted
    assert (f"{path}: {FACT}" in block.facts) == bool(unlisted)
    assert read(str(path), Judgment, labels=parse_label_map("{2:2,1:1,0:0,-1:0}")).unlisted == unlisted


def test_the_mirrors_with_parquet_files_say_the_same(tmp_path: Path) -> None:
    columns = {"query-id": ["q1", "q1"], "corpus-id": ["A", "B"], "score": [1, 1]}
    pl.DataFrame(columns).write_parquet(tmp_path / "test.parquet")
    assert read(str(tmp_path / "test.parquet"), Judgment).unlisted == "not-relevant"
    pl.DataFrame({**columns, "score": [1, 0]}).write_parquet(tmp_path / "dev.parquet")
    assert read(str(tmp_path / "dev.parquet"), Judgment).unlisted == ""


def test_a_value_is_that_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "beir" / "qrels").mkdir(parents=True)
    (tmp_path / "beir/qrels/test.tsv").write_text(HEADER + ROWS, encoding="utf-8")
    (tmp_path / "beir/corpus.jsonl").write_text('{"_id": "A", "title": "", "text": "x"}\n', encoding="utf-8")
    (tmp_path / "beir/queries.jsonl").write_text('{"_id": "q1", "text": "x"}\n{"_id": "q2", "text": "y"}\n')
    run = {"q1": {"X": 3.0, "A": 2.0, "B": 1.0}, "q2": {"C": 1.0}}
    alone = assay.evaluate(run, str(tmp_path / "beir/qrels/test.tsv"), "Judged@3")
    folder = assay.evaluate(run, str(tmp_path / "beir"), "Judged@3", format="beir")
    assert dict(alone.source.conventions)["unlisted"] == dict(folder.source.conventions)["unlisted"] == "not-relevant"
    assert alone.mean() == folder.mean()
    other = assay.evaluate(run, str(tmp_path / "beir/qrels/test.tsv"), "Judged@3", unlisted="unjudged")
    assert dict(other.source.conventions)["unlisted"] == "unjudged"


def test_an_import_takes_it_for_judgments_and_not_for_a_run(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    done = assay.import_file(path, into=tmp_path / "shop")
    assert [(one.what, one.rows) for one in done.moved] == [("judgments", 3)]
    assert done.unlisted == "not-relevant"
    assert done.next[0].endswith("--unlisted not-relevant")
    pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]}).write_parquet(tmp_path / "run.parquet")
    assert [one.what for one in assay.convert(tmp_path / "run.parquet", tmp_path / "run.csv").moved] == ["run run"]
    assert len(read(str(path), Hit)) == 3  # whoever asks for a run gets one
