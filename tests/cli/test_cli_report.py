"""A saved result as a report, and made again."""

from __future__ import annotations

import json

import pytest

import assay as library
from assay.errors import InputError
from assay.flows.rerun import arguments, compared
from assay.results import Source
from cli.typed import Shell

LINE = ("compare", "bm25.run", "two-stage.run", "judgments.qrels", "-m", "nDCG@10,RR", "--topics", "topics.csv")


def test_a_saved_comparison_gives_the_report_that_compare_wrote(assay: Shell) -> None:
    assert assay(*LINE, "--documents", "documents.jsonl", "-o", "c.assay", "--html", "first.html").code == 0
    said = assay("report", "c.assay", "-o", "second.html")
    assert (said.code, said.out) == (0, "Wrote second.html.\n")
    first, second = ((assay.folder / name).read_text("utf-8") for name in ("first.html", "second.html"))
    assert first == second
    assert "Winter gloves" in first or "gloves" in first


def test_charts_are_written_as_files_and_a_redacted_report_hides_the_words(assay: Shell) -> None:
    assert assay(*LINE, "-o", "c.assay").code == 0
    assert assay("report", "c.assay", "--redact", "--charts", "drawn").code == 0
    assert {file.name for file in (assay.folder / "drawn").iterdir()} >= {"difference.svg", "queries.svg"}
    text = (assay.folder / "report.html").read_text("utf-8")
    assert "gloves for cold rain" not in text
    assert "Cannot tell." in text


def test_compare_writes_charts_and_redacts_whatever_it_prints(assay: Shell) -> None:
    said = assay(*LINE, "--redact", "--format", "json", "--per-query", "--charts", "drawn")
    assert said.code == 0
    document = json.loads(said.out)
    assert all(entry["query_id"].startswith("q0") for entry in document["per_query"])
    assert document["source"]["command"] == ""
    assert (assay.folder / "drawn" / "segments.svg").exists()
    said = assay(*LINE, "--charts", "bm25.run")
    assert said.code == 3
    assert "bm25.run: is a file, and charts are written into a folder" in said.err


def test_scores_cannot_be_redacted_or_drawn_and_an_input_is_not_overwritten(assay: Shell) -> None:
    assert assay("evaluate", "bm25.run", "judgments.qrels", "-o", "s.assay").code == 0
    said = assay("report", "s.assay", "--redact")
    assert said.code == 3
    assert "only a comparison or a gate can be redacted" in said.err
    assert "only a comparison can be drawn" in assay("report", "s.assay", "--charts", "drawn").err
    assert assay("report", "s.assay", "-o", "s.assay").code == 3
    assert assay("report", "s.assay").code == 0


def test_a_rerun_of_the_same_files_is_the_same(assay: Shell) -> None:
    assert assay(*LINE, "-o", "c.assay", "--html", "page.html").code == 0
    (assay.folder / "page.html").unlink()
    said = assay("rerun", "c.assay")
    assert said.code == 0
    assert said.out.startswith("✔ SAME")
    assert "all as they were" in said.out
    assert not (assay.folder / "page.html").exists()  # it writes nothing but its answer


def test_a_rerun_shows_which_input_and_which_numbers_changed(assay: Shell) -> None:
    assert assay(*LINE, "-o", "c.assay").code == 0
    run = assay.folder / "two-stage.run"
    lines = run.read_text("utf-8").splitlines()
    run.write_text("\n".join(lines[40:]) + "\n", encoding="utf-8")
    said = assay("rerun", "c.assay", "--format", "json")
    assert said.code == 1
    document = json.loads(said.out)
    assert [name for name, _, _ in document["inputs"]] == ["two-stage.run"]
    assert any(entry["where"] == "differences[0].candidate_mean" for entry in document["changed"])


def test_a_rerun_of_a_gate_gives_its_own_exit_code_not_the_verdict(assay: Shell) -> None:
    assert assay("gate", "init", "--change", "ranking").code == 0
    gated = assay("gate", "bm25.run", "two-stage.run", "judgments.qrels", "--topics", "topics.csv", "-o", "g.assay")
    assert gated.code in (0, 1, 2)
    assert assay("rerun", "g.assay").code == 0


@pytest.mark.parametrize("command", ["", "assay", "python script.py"])
def test_a_result_of_no_command_line_cannot_be_made_again(command: str) -> None:
    scores = library.evaluate({"q": {"d": 1.0}}, {"q": {"d": 1}}, "RR")
    from dataclasses import replace

    with pytest.raises(InputError, match="does not say by which command"):
        arguments(replace(scores, source=Source(command=command), _cache={}))


def test_what_a_command_wrote_is_left_out_and_a_pipe_is_refused() -> None:
    from dataclasses import replace

    scores = library.evaluate({"q": {"d": 1.0}}, {"q": {"d": 1}}, "RR")
    line = "assay compare a.run b.run q.qrels -o x.assay --html=p.html --charts c --per-query -m RR"
    assert arguments(replace(scores, source=Source(command=line), _cache={})) == [
        "compare", "a.run", "b.run", "q.qrels", "-m", "RR",
    ]  # fmt: skip
    with pytest.raises(InputError, match="pipe"):
        arguments(replace(scores, source=Source(command="assay evaluate - q.qrels"), _cache={}))
    assert compared(scores, scores).is_same


def test_ids_that_are_query_texts_and_addresses_are_redacted_too(assay: Shell) -> None:
    """Search logs name a query by its text, and web search names a document by its address."""
    docs = [f"https://shop.example/p({i})" for i in range(4)]
    rows: dict[str, list[str]] = {"old.csv": [], "new.csv": [], "graded.csv": []}
    for i in range(30):
        rows["old.csv"] += [f"bike lights {i},{doc},{at}" for at, doc in enumerate(docs[:3], 1)]
        rows["new.csv"] += [f"bike lights {i},{doc},{at}" for at, doc in enumerate(docs[: i % 3 : -1], 1)]
        rows["graded.csv"] += [f"bike lights {i},{doc},{(i + at) % 3}" for at, doc in enumerate(docs[:3])]
    for name, lines in rows.items():
        head = "query_id,doc_id,grade" if name == "graded.csv" else "query_id,doc_id,rank"
        (assay.folder / name).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    (assay.folder / "gate.toml").write_text(
        '[primary]\nrule = "improvement"\nmeasure = "nDCG@10"\nplan = 0.02\n[guardrail.named]\nmeasure = "nDCG@10"\n'
        'rule = "protected_queries"\nmargin = 0.01\nqueries = ["bike lights 1", "bike lights 2"]\n', encoding="utf-8"
    )  # fmt: skip
    for verb in (("compare", "--per-query"), ("gate",)):
        for name in ("said.json", "said.md", "said.html"):
            said = assay(verb[0], "old.csv", "new.csv", "graded.csv", *verb[1:], "--redact", "-o", name)
            assert said.code < 3, said.err
            text = (assay.folder / name).read_text("utf-8")
            assert "bike lights" not in text, (verb, name)
            assert "shop.example" not in text, (verb, name)
