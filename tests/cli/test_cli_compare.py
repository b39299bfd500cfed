"""assay compare, assay power, assay pool audit as they are typed."""

from __future__ import annotations

import csv
import json

import pytest

from cli.typed import Shell

LINE = ("compare", "bm25.run", "two-stage.run", "judgments.qrels", "-m", "nDCG@10,P@10")


def test_the_verdict_is_no_exit_code(assay: Shell) -> None:
    said = assay(*LINE)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0].startswith("◆ CANNOT TELL")
    assert "nDCG@10 +0.0685 (−0.0214 to +0.1585), p 0.0869" in said.out  # 2^12 sign patterns; scipy's t interval


def test_programs_get_every_number(assay: Shell) -> None:
    document = json.loads(assay(*LINE, "--format", "json").out)
    assert document["kind"] == "comparison"
    first = document["differences"][0]
    assert (first["measure"], first["queries"], first["claim"]) == ("nDCG@10", 25, True)
    assert first["tests"]["randomisation"]["method"] == "exact"
    rows = list(csv.DictReader(assay(*LINE, "--format", "csv").out.splitlines()))
    assert float(rows[0]["difference"]) == pytest.approx(first["difference"])


def test_kept_scores_and_kept_comparisons_are_read_again(assay: Shell) -> None:
    for run in ("bm25", "two-stage"):
        assert assay("evaluate", f"{run}.run", "judgments.qrels", "-m", "nDCG@10,P@10", "-o", f"{run}.assay").code == 0
    runs, scores = assay(*LINE, "--format", "csv"), assay("compare", "bm25.assay", "two-stage.assay", "--format", "csv")
    of_runs, of_scores = (list(csv.DictReader(said.out.splitlines())) for said in (runs, scores))
    known = [name for name, value in of_scores[0].items() if value]  # the documents are not in scores: no ranges
    assert [[row[name] for name in known] for row in of_scores] == [[row[name] for name in known] for row in of_runs]
    assert {"difference", "p", "wins", "outcome"} <= set(known)
    assert assay(*LINE, "-o", "made.assay").code == 0
    assert assay("show", "made.assay", "--format", "csv").out == runs.out
    assert assay("compare", "made.assay", "--format", "csv").out == runs.out


def test_an_input_is_never_written_over(assay: Shell) -> None:
    said = assay(*LINE, "-o", "bm25.run")
    assert said.code == 3
    assert (assay.folder / "bm25.run").read_text("utf-8").startswith("q01 Q0")
    said = assay(*LINE, "--to-label", "judgments.qrels")
    assert said.code == 3
    assert (assay.folder / "judgments.qrels").read_text("utf-8").startswith("q01 0")


def test_segments_and_stages_come_by_option(assay: Shell) -> None:
    said = assay(*LINE, "--topics", "topics.csv", "--by", "intent", "--stages", "candidate=first.run:10,two-stage.run")
    assert said.code == 0
    assert "browse" in said.out
    assert "final list of two-stage" in said.out


def test_the_pairs_that_decide_are_written_as_a_table(assay: Shell) -> None:
    said = assay("compare", "bm25.run", "dense.run", "judgments.qrels", "-m", "nDCG@10", "--to-label", "none.csv")
    assert "none.csv has no rows: the sign of no difference was found to hang on unjudged documents" in said.err
    assert (assay.folder / "none.csv").read_text("utf-8") == "query_id,doc_id,order,reason\n"
    said = assay("compare", "two-stage.run", "dense.run", "ratings.csv", "-m", "nDCG@5", "--to-label", "to-label.csv")
    assert "has no rows" not in said.err
    assert said.code == 0
    rows = list(csv.DictReader((assay.folder / "to-label.csv").read_text("utf-8").splitlines()))
    assert rows
    assert [row["order"] for row in rows] == [str(i) for i in range(1, len(rows) + 1)]
    assert list(rows[0]) == ["query_id", "doc_id", "order", "reason"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("compare", "bm25.run", "judgments.qrels"), "there is one run, bm25, and nothing to compare it with"),
        (("compare",), "no run was given"),
        ((*LINE, "--stages", "dens=first.run:10"), "--stages names dens, which is no run here"),
        ((*LINE, "--baseline", "bm52"), "no run bm52; did you mean bm25?"),
        ((*LINE, "--topics", "topics.csv", "--by", "segmnt"), "did you mean segment?"),
        ((*LINE, "--flips", "0"), "--flips"),
        ((*LINE, "--interval", "bcaa"), "bca"),
        (("compare", "one.assay", "two.assay"), "one.assay: cannot be read"),
        (("power", "bm25.run", "judgments.qrels"), "the spread of a difference needs two runs"),
        (("pool", "audit", "judgments.qrels", "nothing.run"), "nothing.run"),
        (("pool", "audti"), "audit"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error_with_the_nearest(
    assay: Shell, words: tuple[str, ...], text: str
) -> None:
    said = assay(*words)
    assert said.code == 3
    assert text in said.err
    assert said.out == ""


def test_power_says_first_what_the_query_set_can_show(assay: Shell) -> None:
    said = assay("power", "bm25.run", "dense.run", "judgments.qrels", "-m", "P@10", "--difference", "0.02")
    assert said.code == 0
    assert said.out.splitlines()[0] == (
        "25 queries show a difference of 0.0498 in P@10 with 80 % power; 145 queries show 0.0200."
    )
    (row,) = json.loads(
        assay(
            "power",
            "bm25.run",
            "dense.run",
            "judgments.qrels",
            "-m",
            "P@10",
            "--difference",
            "0.02",
            "--format",
            "json",
        ).out
    )["rows"]
    assert row["queries"] == 145


def test_a_pool_audit_puts_the_judgments_first_as_its_help_says(assay: Shell) -> None:
    said = assay("pool", "audit", "judgments.qrels", "bm25.run", "dense.run", "two-stage.run", "-m", "nDCG@10")
    assert said.code == 0
    assert said.out.splitlines()[0] == (
        "Without the judgments that it alone brought, dense falls from 0.8888 to 0.8838 on nDCG@10."
    )


def test_the_recall_of_each_retriever_of_a_fusion_is_said_beside_that_of_all(assay: Shell) -> None:
    """a, b, c and d are relevant; one retriever finds a and b, the other b and c: 0.5, 0.5 and 0.75 together."""
    queries = [f"q{i:02d}" for i in range(12)]
    files = {
        "left.run": [(q, doc) for q in queries for doc in "abxy"],
        "right.run": [(q, doc) for q in queries for doc in "bcyz"],
        "fused.run": [(q, doc) for q in queries for doc in "bacxyz"],
    }
    for name, rows in files.items():
        lines = [f"{q} Q0 {doc} {i} {-i} t" for i, (q, doc) in enumerate(rows)]
        (assay.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    graded = [f"{q} 0 {doc} {int(doc in 'abcd')}" for q in queries for doc in "abcdxyz"]
    (assay.folder / "all.qrels").write_text("\n".join(graded) + "\n", encoding="utf-8")
    said = assay("compare", "left.run", "fused.run", "all.qrels", "-m", "nDCG@10",
                 "--stages", "fused=left.run:4,right.run:4,fused.run")  # fmt: skip
    assert said.code == 0, said.err
    assert "Retrievers fused: recall left 0.5000, right 0.5000; 0.7500 together" in " ".join(said.out.split())
