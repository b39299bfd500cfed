from __future__ import annotations

import csv
import io
import json
import shlex
from typing import get_args, get_type_hints

import click
import pytest

from assay.cli.main import VERBS
from assay.cli.main import assay as group
from assay.cli.options import CHOICES
from assay.ranking.conventions import Conventions
from cli.typed import Shell

NAMES = [verb for verbs in VERBS.values() for verb in verbs]
FIRST = {"config": "show", "pool": "make", "qrels": "from-interactions", "rubric": "init", "judgments": "stale",
         "label": "create", "simulate": "logs"}  # fmt: skip
"""The verb of a group whose help is looked at."""
WITH_PEOPLE = ("label", "people", "db", "privacy", "serve")
"""Verbs that need a workspace with people in it, or that do not end: tests of their own run them."""
LINE = ("evaluate", "bm25.run", "dense.run", "judgments.qrels", "-m", "nDCG@10,RR")


@pytest.mark.parametrize("verb", NAMES)
def test_every_help_opens_with_the_sentence_of_the_list_and_ends_with_an_example_that_runs(
    assay: Shell, verb: str
) -> None:
    sentence = next(about for verbs in VERBS.values() for name, (_, about) in verbs.items() if name == verb)
    words = [verb, *filter(None, [FIRST.get(verb)])]
    if verb in WITH_PEOPLE and verb not in FIRST and verb != "serve":
        assert sentence in " ".join(assay(verb, "--help").out.split())
        held = group.get_command(click.Context(group), verb)
        assert isinstance(held, click.Group)
        for name in held.commands:
            assert assay(verb, name, "--help").out.rstrip().splitlines()[-1].strip().startswith(f"assay {verb} {name}")
        return
    assert sentence in " ".join(assay(verb, "--help").out.split())  # of a group, where the verb is one
    said = assay(*words, "--help")
    assert said.code == 0
    example = said.out.rstrip().splitlines()[-1].strip()
    assert example.startswith(f"assay {verb}")
    if verb in ("show", "report", "rerun"):
        assert assay(*LINE, "-o", "scores.assay").code == 0
    if verb == "gate":
        assert assay("gate", "init", "--change", "ranking").code == 0
    if verb not in WITH_PEOPLE:
        assert assay(*shlex.split(example)[1:]).code in ((0, 1, 2) if verb == "gate" else (0,))


def test_the_choices_of_the_options_are_those_of_the_conventions() -> None:
    hints = get_type_hints(Conventions)
    for name, (values, _) in CHOICES.items():
        if get_args(hints.get(name)) and name != "include":
            assert tuple(values.split("|")) == get_args(hints[name])
    fields = {name for name in hints if not name.startswith("_")}
    command = group.get_command(click.Context(group), "evaluate")
    assert command
    assert fields <= {param.name for param in command.params}


def test_an_option_that_is_not_given_leaves_the_choice_to_the_settings(assay: Shell) -> None:
    (assay.folder / "assay.toml").write_text('[conventions]\nties = "worst"\n', encoding="utf-8")
    document = json.loads(assay(*LINE, "--format", "json").out)
    assert document["source"]["conventions"]["ties"] == "worst"
    document = json.loads(assay(*LINE, "--format", "json", "--ties", "best").out)
    assert document["source"]["conventions"]["ties"] == "best"


def test_evaluate_prints_the_answer_first(assay: Shell) -> None:
    said = assay(*LINE)
    assert said.code == 0
    assert said.err == ""
    assert said.out.startswith("25 queries, 2 runs. Means with 95 % intervals over queries.\n")
    assert "Counted    25 of 26 judged queries" in said.out


def test_notes_go_to_stderr_where_the_format_has_no_place_for_them(assay: Shell) -> None:
    assert "warning: bm25: 1 of 26 queries are missing" in assay(*LINE, "--format", "csv").err
    assert assay(*LINE, "--format", "csv", "--quiet").err == ""
    entries = [json.loads(line) for line in assay(*LINE, "--format", "csv", "--log-json").err.splitlines()]
    assert {"note", "progress"} >= {entry["kind"] for entry in entries}
    assert any(entry.get("code") == "queries-missing" and entry["run"] == "bm25" for entry in entries)


def test_every_format_says_the_same_means(assay: Shell) -> None:
    rows = list(csv.DictReader(io.StringIO(assay(*LINE, "--format", "csv").out)))
    means = [float(row["mean"]) for row in rows]
    document = json.loads(assay(*LINE, "--format", "json").out)
    assert [line["mean"] for line in document["summary"]] == means
    lines = [json.loads(line) for line in assay(*LINE, "--format", "jsonl").out.splitlines()]
    assert [line["mean"] for line in lines] == means
    for kind in ("table", "md", "trec_eval"):
        out = assay(*LINE, "--format", kind).out
        assert all(f"{mean:.4f}" in out for mean in means)
    assert all(f"{mean:.3f}" in assay(*LINE, "--format", "html").out for mean in means)


def test_the_ending_of_the_file_says_the_format(assay: Shell) -> None:
    for name, begins in (("a.csv", b"run,"), ("a.json", b"{"), ("a.md", b"**25"), ("a.html", b"<!doctype"),
                         ("a.parquet", b"PAR1"), ("a.txt", b"25 queries"), ("a.assay", b"PK")):  # fmt: skip
        said = assay(*LINE, "-o", name)
        assert (said.code, said.out) == (0, "")
        assert (assay.folder / name).read_bytes().startswith(begins)


def test_a_page_can_be_written_beside_the_table(assay: Shell) -> None:
    said = assay(*LINE, "--html", "page.html")
    assert said.out.startswith("25 queries")
    assert (assay.folder / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_saved_result_is_shown_again_without_its_runs(assay: Shell) -> None:
    first = assay(*LINE, "-o", "x.assay")
    assert first.code == 0
    for name in ("bm25.run", "dense.run", "judgments.qrels"):
        (assay.folder / name).rename(assay.folder / f"{name}.gone")
    again = assay("show", "x.assay", "--per-query")
    assert again.code == 0
    assert "Every query" in again.out


def test_judgments_may_be_named_apart_and_read_from_stdin(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    both = assay("evaluate", "bm25.run", "judgments.qrels", "-m", "RR", "--format", "csv", "--quiet").out
    assert (
        assay("evaluate", "bm25.run", "--qrels", "judgments.qrels", "-m", "RR", "--format", "csv", "--quiet").out
        == both
    )


def test_parts_by_segment_and_by_rater(assay: Shell) -> None:
    said = assay(*LINE, "--topics", "topics.csv", "--by", "segment")
    assert said.code == 0
    assert "By segment" in said.out
    assert "weighted" in said.out
    said = assay("evaluate", "two-stage.run", "ratings.csv", "-m", "nDCG@10", "--by", "rater")
    assert said.code == 0
    assert "By rater" in said.out


def test_segments_stand_beside_the_total_where_topics_are_known(assay: Shell) -> None:
    parts = [
        part["name"] for part in json.loads(assay(*LINE, "--topics", "topics.csv", "--format", "json").out)["parts"]
    ]
    assert parts == ["head", "torso", "tail", "known-item"]
    (assay.folder / "assay.toml").write_text('[paths]\ntopics = "topics.csv"\n', encoding="utf-8")
    assert "By segment" in assay(*LINE).out
    assert "By segment" not in assay(*LINE, "--by", "intent").out
    (assay.folder / "texts.csv").write_text("query_id,text\nq01,chair\n", encoding="utf-8")
    assert "By segment" not in assay(*LINE, "--topics", "texts.csv").out


def test_what_the_consumer_reads_is_the_cutoff_where_no_measure_is_named(assay: Shell) -> None:
    runs = [word for word in LINE if word.endswith((".run", ".qrels")) or word == "evaluate"]
    document = json.loads(assay(*runs, "--k", "3", "--format", "json").out)
    assert [measure["name"] for measure in document["measures"]] == ["nDCG@3", "P@3", "R@100", "RR"]
    assert assay(*runs, "--k", "0").err.startswith("assay: --k counts results and is at least 1")


def test_collections_are_read_side_by_side(assay: Shell) -> None:
    both = ("--collection", "a=bm25.run,judgments.qrels", "--collection", "b=dense.run,judgments.qrels")
    said = assay("evaluate", *both, "-m", "nDCG@10")
    assert said.code == 0
    assert said.out.startswith("2 collections.")


def test_explain_prints_the_arithmetic(assay: Shell) -> None:
    said = assay("explain", "dense.run", "judgments.qrels", "--query", "q19", "--measure", "nDCG@10",
                 "--documents", "documents.jsonl")  # fmt: skip
    assert said.code == 0
    assert "log2(rank + 1)" in said.out
    assert "unjudged" in said.out
    assert "  nDCG@10 = 4.7619 / 4.7619 = 1.0000" in said.out


def test_measures_are_listed_and_one_is_explained(assay: Shell) -> None:
    assert assay("measures").out.partition(".")[0].endswith("measures")
    said = assay("measures", "nDCG").out
    assert said.startswith("nDCG(gain=linear, discount=log2, ideal=judged, judged_only=False)@cutoff\n")
    assert "  nDCG@3 = 4.2619 / 5.8928 = 0.7232" in said


def test_the_settings_say_where_they_come_from(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (assay.folder / "assay.toml").write_text('[measures]\nprimary = "RR"\n', encoding="utf-8")
    monkeypatch.setenv("ASSAY_TIES", "expected")
    out = assay("config", "show", "--missing", "skip").out
    assert out.startswith("3 of ")
    origins = [
        line.split()[-1] for line in out.splitlines() if any(name in line for name in ("primary", "ties ", "missing"))
    ]
    assert origins == ["assay.toml:2", "ASSAY_TIES", "--missing"]


def test_init_says_where_the_primary_measure_has_another_cutoff(assay: Shell) -> None:
    said = assay("init", "--folder", "one", "--k", "5", "--primary", "nDCG@10").err
    assert said == "warning: nDCG@10, and the consumer reads 5; measure what is read: nDCG@5, or set k = 10\n"
    assert assay("init", "--folder", "two", "--k", "5", "--quiet", "--primary", "nDCG@10").err == ""
    entry = json.loads(assay("init", "--folder", "three", "--k", "5", "--log-json", "--primary", "nDCG@10").err)
    assert (entry["kind"], entry["level"]) == ("note", "warning")
    assert assay("init", "--folder", "four", "--k", "5").err == ""


VOICES = ("-v", "--quiet", "--log-json", "--no-color")
SAID = (
    ("evaluate", "bm25.run", "judgments.qrels"),
    ("explain", "bm25.run", "judgments.qrels", "--query", "q19", "-m", "RR"),
    ("measures", "RR"), ("show", "kept.assay"), ("demo",), ("config", "show"), ("doctor",), ("init", "--folder"),
)  # fmt: skip


@pytest.mark.parametrize("line", SAID, ids=lambda line: line[0])
def test_every_verb_takes_the_options_of_the_voice_before_and_behind_it(assay: Shell, line: tuple[str, ...]) -> None:
    assay("evaluate", "bm25.run", "judgments.qrels", "-o", "kept.assay")
    for n, voice in enumerate(VOICES):
        for words in ((voice, *line), (*line, voice)):
            folder = [f"new{n}{words[0]}"] if line[0] == "init" else []
            place = words.index("--folder") + 1 if folder else len(words)
            said = assay(*words[:place], *folder, *words[place:])
            assert said.code == 0, (words, said.err)
            if voice == "--quiet":
                assert said.err == ""
            if voice == "--log-json":
                assert all(json.loads(entry)["kind"] == "note" for entry in said.err.splitlines())


def test_how_a_result_was_made_is_said_on_request_in_every_format(assay: Shell) -> None:
    short = ("evaluate", "bm25.run", "judgments.qrels", "-m", "P@5")
    plain, more = assay(*short).out, assay(*short, "-v").out
    assert more.startswith(plain)
    assert "Conventions  order auto, ties docid" in more[len(plain) :]
    assert assay(*short, "--format", "csv", "--quiet").err == ""
    said = assay(*short, "--format", "csv", "--quiet", "-v")
    assert said.out == assay(*short, "--format", "csv").out
    assert said.err.startswith("command: assay evaluate bm25.run judgments.qrels -m P@5")
    assert "conventions: order auto, ties docid" in said.err
    logged = [json.loads(line) for line in assay(*short, "--format", "csv", "-v", "--log-json").err.splitlines()]
    assert [entry["name"] for entry in logged if entry["kind"] == "made"] == ["command", "conventions", "versions"]


def test_the_summary_in_python_has_the_names_of_the_csv(assay: Shell) -> None:
    import assay as package

    head = assay("evaluate", "bm25.run", "judgments.qrels", "-m", "P@5", "--format", "csv").out.splitlines()[0]
    columns = package.evaluate("bm25.run", "judgments.qrels", ["P@5"]).summary.columns
    assert set(head.split(",")) - set(columns) == {"part", "share"}
    assert set(columns) - set(head.split(",")) == {"no_interval_because"}


@pytest.mark.parametrize(
    ("typed", "depth", "called"),
    [
        ("/somewhere/.venv/bin/assay", "", "/somewhere/.venv/bin/assay"),  # as `make demo` calls it
        ("/somewhere/.venv/bin/assay", "1", "uv run assay"),
        ("/somewhere/assay/__main__.py", "", "assay"),
    ],
)
def test_the_demo_says_how_to_run_its_commands_from_where_it_was_called(
    assay: Shell, monkeypatch: pytest.MonkeyPatch, typed: str, depth: str, called: str
) -> None:
    monkeypatch.setattr("sys.argv", [typed])
    monkeypatch.setenv("UV_RUN_RECURSION_DEPTH", depth)
    monkeypatch.setenv("PATH", "/nowhere")
    assert assay("demo").out.endswith(f"To run them yourself:\n  {called} demo --folder example\n  cd example\n")


def test_the_demo_says_how_its_path_can_be_left_out(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (assay.folder / "activate").write_text("", "utf-8")
    monkeypatch.setattr("sys.argv", [str(assay.folder / "assay")])
    monkeypatch.delenv("UV_RUN_RECURSION_DEPTH", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert assay("demo").out.endswith(
        f"cd example\n  (after `. {assay.folder / 'activate'}` the word `assay` is enough)\n"
    )


def test_init_writes_what_was_asked_and_never_overwrites(assay: Shell) -> None:
    assert assay("init", "--folder", "shop", "--primary", "nDCG@10", "--gain", "exp").code == 0
    assert 'gain = "exp"' in (assay.folder / "shop" / "assay.toml").read_text(encoding="utf-8")
    said = assay("init", "--folder", "shop")
    assert said.code == 3
    assert "is there already" in said.err


def test_doctor_ends_with_one_when_a_command_would_fail(assay: Shell) -> None:
    assert assay("doctor").code == 0
    (assay.folder / "assay.toml").write_text('[measures]\nprimry = "RR"\n', encoding="utf-8")
    said = assay("doctor")
    assert said.code == 1
    assert said.out.startswith("✖ 1 problem")


def test_plain_terminals_get_ascii_and_colour_is_only_for_terminals(
    assay: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in assay(*LINE).out
    monkeypatch.setenv("LANG", "C")
    assert assay(*LINE).out.isascii()
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "dumb")
    assert assay(*LINE).out.isascii()


def test_the_width_of_the_terminal_is_kept(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (45, 70, 90):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, assay(*LINE).out.splitlines())) <= columns


def test_csv_says_which_intervals_are_no_ground_for_a_claim(assay: Shell) -> None:
    text = assay(
        "evaluate", "bm25.run", "judgments.qrels", "-m", "P@5", "--topics", "topics.csv", "--format", "csv"
    ).out
    rows = {row["part"]: row for row in csv.DictReader(text.splitlines())}
    assert {part: (row["n"], row["claim"]) for part, row in rows.items()} == {
        "all": ("25", "True"),
        "segment=head": ("6", "False"),
        "segment=torso": ("7", "False"),
        "segment=tail": ("7", "False"),
        "segment=known-item": ("5", "False"),
    }
    assert rows["segment=head"]["low"]  # the number is there
