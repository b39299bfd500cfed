"""`--input-format`: of all inputs, or of one by what it holds or by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.formats.per_input import Wanted, parse
from assay.tables import Hit, Judgment, Topic
from cli.typed import Shell

VALUES = ("-m", "RR", "--format", "csv")


@pytest.fixture
def marco(assay: Shell) -> Shell:
    """The judgments of the example as MS MARCO writes them, the relevant ones alone."""
    lines = (line.split() for line in (assay.folder / "judgments.qrels").read_text("utf-8").splitlines())
    relevant = [f"{query}\t0\t{doc}\t1\n" for query, _, doc, grade in lines if grade != "0"]
    (assay.folder / "qrels.tsv").write_text("".join(relevant), encoding="utf-8")
    return assay


@pytest.mark.parametrize(
    "said",
    [
        ("qrels=msmarco",), ("qrels.tsv=msmarco",), ("./qrels.tsv=msmarco",), ("qrels=msmarco:part=qrels",),
        ("qrels=msmarco", "run=trec"), ("qrels=msmarco", "bm25.run=trec"), ("trec", "qrels.tsv=msmarco"),
    ],
)  # fmt: skip
def test_one_input_has_a_format_of_its_own(said: tuple[str, ...], marco: Shell) -> None:
    plain = marco("evaluate", "bm25.run", "qrels.tsv", *VALUES)
    options = [word for one in said for word in ("--input-format", one)]
    typed = marco("evaluate", "bm25.run", "qrels.tsv", *VALUES, *options)
    assert (typed.code, typed.out) == (0, plain.out)
    assert "qrels.tsv: an absent pair is not relevant; --unlisted unjudged says otherwise" in typed.err
    assert "an absent pair" not in plain.err


def test_a_format_of_all_inputs_that_one_is_not_in_names_an_option_of_this_verb(marco: Shell) -> None:
    said = marco("evaluate", "bm25.run", "qrels.tsv", "--input-format", "msmarco")
    assert (said.code, said.out) == (3, "")
    assert said.err == (
        "bm25.run: has one column\n"
        "    mend: say which it is by --input-format msmarco:part=PART: collection, queries, qrels, run, top1000; "
        "where only another input is in this format, --input-format INPUT=msmarco\n"
    )


def test_two_runs_are_in_two_formats(marco: Shell) -> None:
    how = ("judgments.qrels", "-m", "nDCG@10", "--format", "csv")
    ours = marco("compare", "bm25.run", "dense.run", *how)
    assert marco("export", "dense.json", "--to", "ranx-run", "--run", "dense.run").code == 0
    said = marco("compare", "bm25.run", "dense.json", *how, "--input-format", "dense.json=ranx-run",
                 "--input-format", "bm25.run=trec")  # fmt: skip
    assert (said.code, said.out.replace("dense.json", "dense")) == (ours.code, ours.out)
    wrong = marco("compare", "bm25.run", "dense.json", *how, "--input-format", "run=ranx-run")
    assert wrong.code == 3
    assert wrong.err.startswith("bm25.run")


def test_validate_and_export_take_a_format_of_one_file(marco: Shell) -> None:
    said = marco("validate", "judgments.qrels", "qrels.tsv", "--input-format", "qrels.tsv=msmarco", "--format", "json")
    assert '"format": "msmarco"' in said.out
    assert '"format": "trec"' in said.out
    said = marco("export", "x.json", "--to", "ranx-qrels", "--qrels", "qrels.tsv", "--input-format", "qrels=msmarco")
    assert said.code == 0
    assert "a pair that is absent is taken as not relevant" in " ".join(said.out.split())


def test_what_was_said_of_an_input_that_is_not_there_is_told(marco: Shell) -> None:
    said = marco("evaluate", "bm25.run", "judgments.qrels", "-m", "RR", "--input-format", "documents=csv")
    assert said.code == 0
    assert "note: --input-format says the format of documents, and nothing was read as that\n" in said.err


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (("qrel=msmarco",), "--input-format: qrel is no input; did you mean qrels?\n    mend: write INPUT=FORMAT; an "
         "input is run, qrels, topics, documents, items, log, pairs, or a file that is read\n"),
        (("qrels=msmarko",), "--input-format: unknown format msmarko; did you mean msmarco?\n"),
        (("qrels=msmarco:prt=1",), "assay: msmarco has no option prt; did you mean part?\n"),
        (("qrels=",), "--input-format: 'qrels=' is not INPUT=FORMAT\n    mend: such as --input-format qrels=msmarco\n"),
        (("qrels=trec", "qrels=beir"), "--input-format: the format of qrels is said twice\n"),
        (("trec", "csv"), "--input-format: trec and csv are both for all inputs\n"),
        (("run=quepid-ratings",), "bm25.run"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(said: tuple[str, ...], error: str, marco: Shell) -> None:
    options = [word for one in said for word in ("--input-format", one)]
    answer = marco("evaluate", "bm25.run", "qrels.tsv", *options)
    assert (answer.code, answer.out) == (3, "")
    assert answer.err.startswith(error)


def test_a_format_with_options_is_of_all_inputs_and_a_file_goes_before_what_it_holds(tmp_path: Path) -> None:
    assert parse(["beir:split=test"]) == ("beir:split=test", {})
    assert parse(["C:\\x.tsv=trec", "qrels=beir:split=dev"]) == (None, {"C:\\x.tsv": "trec", "qrels": "beir:split=dev"})
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "b").write_bytes(b"")
    found = Wanted({"qrels": "msmarco", "a": "trec", "run": "csv"}, lambda name: str(tmp_path / name))
    assert found.of(str(tmp_path / "a"), Judgment, "tsv") == "trec"
    assert found.of(str(tmp_path / "b"), Judgment, "tsv") == "msmarco"
    assert found.of(str(tmp_path / "b"), Topic, "tsv") == "tsv"
    assert found.of(str(tmp_path / "b"), Topic, "quepid-snapshot") == "quepid-snapshot"
    assert found.of(str(tmp_path / "b"), Judgment, None) == "msmarco"
    assert found.of(None, Hit, None) is None
    assert found.unread == ("run",)
    plain = Wanted({}, lambda name: None)
    assert plain.of("x", Judgment, "quepid-snapshot") is None  # a snapshot holds no judgments: recognised
    with pytest.raises(InputError, match="nowhere is no input"):
        Wanted({"nowhere": "trec"}, lambda name: None)
