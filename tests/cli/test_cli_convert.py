"""import, export, convert, formats and validate as they are typed."""

from __future__ import annotations

import json
import shutil

import polars as pl

from cli.typed import Shell
from formats.outside.harness import sample
from formats.outside.test_letor_esci import DATASET, examples


def test_an_export_comes_back_and_scores_the_same(assay: Shell) -> None:
    said = assay(
        "export", "quepid.csv", "--to", "quepid-ratings", "--qrels", "judgments.qrels", "--topics", "topics.csv"
    )
    assert said.code == 0
    assert "26 queries, 223 judgments to quepid.csv (quepid-ratings)." in said.out
    assert assay("import", "quepid.csv", "--into", "shop", "--ids-from", "topics.csv").code == 0
    ours = assay("evaluate", "bm25.run", "judgments.qrels", "-m", "nDCG@10", "--format", "csv").out
    assert assay("evaluate", "bm25.run", "shop/qrels.csv", "-m", "nDCG@10", "--format", "csv").out == ours


def test_an_import_as_json_has_everything(assay: Shell) -> None:
    shutil.copy(sample("quepid-book.json"), assay.folder / "book.json")
    said = assay("import", "book.json", "--into", "b", "--format", "json")
    held = json.loads(said.out)
    assert (held["kind"], held["format"], held["unlisted"]) == ("conversion", "quepid-book", "unjudged")
    assert {one["what"] for one in held["moved"]} == {"topics", "judgments", "documents"}
    assert held["dropped"][0]["places"] == ["book.json: $.query_doc_pairs[0].position",
                                            "book.json: $.query_doc_pairs[2].position"]  # fmt: skip


def test_what_is_there_already_is_not_written_over(assay: Shell) -> None:
    said = assay("convert", "judgments.qrels", "topics.csv")
    assert (said.code, said.out) == (3, "")
    assert said.err == "topics.csv: is there already\n    mend: pass --force to write over it, or name another\n"


def test_a_wrong_option_is_said(assay: Shell) -> None:
    said = assay("import", "ratings.csv", "--option", "split")
    assert said.code == 3
    assert said.err == "assay: --option 'split' is not NAME=VALUE\n    mend: such as --option split=test\n"


def test_every_command_says_when_a_format_is_not_known(assay: Shell) -> None:
    for line in (("import", "ratings.csv", "--from", "quepid-boook"), ("formats", "quepid-boook"),
                 ("evaluate", "bm25.run", "ratings.csv", "--input-format", "quepid-boook"),
                 ("convert", "ratings.csv", "x", "--to", "quepid-boook")):  # fmt: skip
        said = assay(*line)
        assert said.code == 3
        assert "unknown format quepid-boook; did you mean quepid-book" in said.err, line


def test_validate_fails_where_something_is_wrong(assay: Shell) -> None:
    assert assay("validate", "judgments.qrels").code == 0
    assert assay("validate", "judgments.qrels", "--strict").code == 1  # a query has no relevant document
    assert assay("validate", "judgments.qrels", "--grades", "0,1").code == 1
    assert assay("validate", "nowhere.csv").code == 3
    said = assay("validate", "judgments.qrels", "--annotate", "github", "--junit", "j.xml", "--format", "json")
    assert said.err.startswith("::warning file=judgments.qrels,line=")
    assert "<testsuites" in (assay.folder / "j.xml").read_text("utf-8")
    assert json.loads(said.out)["kind"] == "validation"


def test_labels_go_with_every_verb_that_reads_judgments(assay: Shell) -> None:
    text = (assay.folder / "judgments.qrels").read_text("utf-8")
    words = {"0": "bad", "1": "fair", "2": "good", "3": "perfect"}
    lines = [line.split() for line in text.splitlines()]
    (assay.folder / "words.qrels").write_text(
        "".join(f"{q} {i} {d} {words[g]}\n" for q, i, d, g in lines), encoding="utf-8"
    )
    labels = ("--labels", "{perfect:3,good:2,fair:1,bad:0}")
    for verb in (("evaluate", "bm25.run"), ("compare", "bm25.run", "dense.run")):
        ours = assay(*verb, "judgments.qrels", "-m", "nDCG@10", "--format", "csv")
        assert assay(*verb, "words.qrels", "-m", "nDCG@10", "--format", "csv", *labels).out == ours.out
    assert assay("explain", "bm25.run", "words.qrels", "--query", "q01", "-m", "nDCG@10", *labels).code == 0
    assert "is a word" in assay("evaluate", "bm25.run", "words.qrels").err


def test_what_goes_to_stdout_is_the_file_alone(assay: Shell) -> None:
    said = assay("convert", "ratings.csv", "-", "--to", "jsonl")
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert {"query_id", "doc_id", "grade", "rater"} <= set(lines[0])
    (assay.folder / "r.csv").write_text("query,docid,rating\na b,X,1\na b,Y,\n", encoding="utf-8")
    said = assay("convert", "r.csv", "-", "--to", "trec")
    assert said.out == "a%20b 0 X 1\n"
    assert "note: not carried over: documents without a rating: 1; " in said.err


def test_a_damaged_parquet_file_is_said_in_two_lines(assay: Shell) -> None:
    frame = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "grade": [1.0]})
    frame.write_parquet(assay.folder / "x.parquet")
    (assay.folder / "x.parquet").write_bytes((assay.folder / "x.parquet").read_bytes()[:-20])
    for words in (("evaluate", "bm25.run", "x.parquet"), ("import", "x.parquet", "--into", "shop"),
                  ("validate", "x.parquet"), ("convert", "x.parquet", "y.csv")):  # fmt: skip
        said = assay(*words)
        assert said.code == (1 if words[0] == "validate" else 3)
        assert "is not a whole Parquet file: its footer is missing" in " ".join((said.out + said.err).split())
        assert "Traceback" not in said.err
    (assay.folder / f"{DATASET}_examples.parquet").write_bytes(examples()[:300])
    said = assay("import", f"{DATASET}_examples.parquet", "--into", "shop", "--labels", "esci")
    assert said.err == (
        f"{DATASET}_examples.parquet: is not a whole Parquet file: its footer is missing\n"
        "    mend: write or copy it again\n"
    )
