from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.typed import Shell, copy_example, start


def test_an_unknown_verb_names_the_nearest(assay: Shell) -> None:
    said = assay("evalute")
    assert (said.code, said.out) == (3, "")
    assert (
        said.err
        == "assay: unknown command evalute; did you mean evaluate?\n    mend: assay --help shows what it takes\n"
    )


def test_an_unknown_option_names_the_nearest(assay: Shell) -> None:
    said = assay("evaluate", "a", "b", "--mesures", "RR")
    assert said.code == 3
    assert said.err == (
        "assay: unknown option --mesures; did you mean --measures?\n"
        "    mend: assay evaluate --help shows what it takes\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate"], "assay: no run was given\n    mend: pass the runs first and the judgments last\n"),
        (["explain"], "assay: RUN is missing\n    mend: assay explain --help shows what it takes\n"),
        (["explain", "bm25.run", "judgments.qrels", "-m", "RR"],
         "assay: --query is missing\n    mend: assay explain --help shows what it takes\n"),
        (["evaluate", "bm25.run", "judgments.qrels", "-m", "nDGC@10"],
         "assay: unknown measure nDGC@10; did you mean nDCG@10?\n    mend: `assay measures` lists all of them\n"),
        (["evaluate", "bm25.run", "judgments.qrels", "--ties", "doc"],
         "assay: --ties 'doc' is not one of docid, input, expected, best, worst; did you mean docid?\n"
         "    mend: pass --ties docid|input|expected|best|worst\n"),
        (["evaluate", "bm25.run", "judgments.qrels", "--columns", "query_id"],
         "assay: --columns 'query_id' is not a list of NAME=COLUMN\n"
         "    mend: pass --columns query_id=query,doc_id=product,grade=label\n"),
        (["evaluate", "--collection", "a=b"],
         "assay: --collection 'a=b' is not NAME=RUN,QRELS\n    mend: such as --collection fiqa=bm25.run,fiqa.qrels\n"),
        (["evaluate", "bm25.run", "--collection", "a=b,c"],
         "assay: bm25.run belongs to no collection\n    mend: pass --collection NAME=RUN,QRELS for each\n"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_and_how_to_mend_it_and_nothing_on_stdout(
    assay: Shell, words: list[str], message: str
) -> None:
    said = assay(*words)
    assert (said.code, said.out, said.err) == (3, "", message)


def test_a_wrong_word_of_a_few_names_the_nearest(assay: Shell) -> None:
    for option, wrong, right in (("--format", "parqet", "parquet"), ("--interval", "bootstrp", "bootstrap")):
        said = assay("evaluate", "a.run", "a.qrels", option, wrong)
        assert said.code == 3
        assert f"'{wrong}' is not one of " in said.err
        assert f"did you mean {right}?" in said.err


def test_a_fault_in_a_file_names_its_place_without_a_traceback(assay: Shell) -> None:
    (assay.folder / "bad.run").write_text("q01 Q0 LMP-05 1 4.08 bm25\nq01 Q0 LMP-05 2 3.0 bm25\n", encoding="utf-8")
    said = assay("evaluate", "bad.run", "judgments.qrels", "-m", "RR")
    assert said.code == 3
    assert said.err.startswith("bad.run:2: ")
    assert "mend: " in said.err
    assert "Traceback" not in said.err


def test_a_missing_file_is_said_in_one_line(assay: Shell) -> None:
    said = assay("evaluate", "nope.run", "judgments.qrels")
    assert said.code == 3
    assert said.err.startswith("nope.run: ")


def test_errors_are_json_where_logs_are(assay: Shell) -> None:
    said = assay("evaluate", "bm25.run", "judgments.qrels", "-m", "nDGC@10", "--log-json")
    entry = json.loads(said.err)
    assert entry["kind"] == "error"
    assert entry["exit_code"] == 3
    assert entry["text"].startswith("unknown measure nDGC@10")


def test_no_verb_prints_the_help_and_ends_with_three(assay: Shell) -> None:
    said = assay()
    assert said.code == 3
    assert "Measure:" in said.err


def test_a_name_in_an_error_cannot_steer_the_terminal(assay: Shell) -> None:
    said = assay("evaluate", "\x1b[31mx.run", "judgments.qrels")
    assert said.code == 3
    assert "\x1b" not in said.err


def test_an_internal_slip_says_so_and_shows_more_on_request(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    import assay.flows.explain as flow

    monkeypatch.setattr(flow, "measures", lambda name: 1 // 0)
    said = assay("measures")
    assert said.code == 3
    assert said.err.startswith("assay: internal error: ZeroDivisionError")
    assert "Traceback" not in said.err
    said = assay("measures", "-v")
    assert said.code == 3
    assert "Traceback" in said.err


def test_an_input_is_never_overwritten(assay: Shell) -> None:
    before = (assay.folder / "bm25.run").read_bytes()
    (assay.folder / "page.html").hardlink_to(assay.folder / "judgments.qrels")
    for words in (["-o", "bm25.run", "--format", "csv"], ["--html", "./page.html"]):
        said = assay("evaluate", "bm25.run", "judgments.qrels", "-m", "RR", *words)
        assert said.code == 3
        assert "is one of the inputs" in said.err
    assert (assay.folder / "bm25.run").read_bytes() == before


def test_a_target_that_cannot_be_written_is_an_error_with_its_name(assay: Shell) -> None:
    said = assay("evaluate", "bm25.run", "judgments.qrels", "-m", "RR", "-o", "no/such/folder/x.csv")
    assert said.code == 3
    assert "no/such/folder" in said.err


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    copy_example(tmp_path)
    line = f"{sys.executable} -m assay evaluate bm25.run judgments.qrels -m RR --per-query --quiet | head -1"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("25 queries")
    assert done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
def test_an_interrupt_ends_with_130_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    copy_example(tmp_path)
    reading = subprocess.Popen(
        [sys.executable, "-m", "assay", "evaluate", "-", "judgments.qrels", "-m", "RR", "-o", "out.csv"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert reading.stdin
    for rank in range(1, 40_000):  # more than a pipe holds: once all is written, it is reading and waits for the rest
        reading.stdin.write(f"q01 Q0 d{rank} {rank} {-rank} bm25\n")
    reading.stdin.flush()
    reading.send_signal(signal.SIGINT)
    _, err = reading.communicate(timeout=20)
    assert (reading.returncode, err.strip()) == (130, "assay: interrupted. Nothing was written.")
    assert not list(tmp_path.glob("*out.csv*"))


def test_the_module_runs_as_the_command_does(tmp_path: Path) -> None:
    done = start("-m", "assay", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout.split()[0]) == (0, "assay")


def test_a_log_that_is_given_last_is_said_and_no_option_that_the_verb_lacks(assay: Shell) -> None:
    said = assay("counterfactual", "dense.run", "clicks.parquet")
    assert (said.code, said.out) == (3, "")
    assert said.err == (
        "clicks.parquet: is a log, and stands where the ranking is expected\n"
        "    mend: give the log first and the ranking last: assay counterfactual LOG RANKING\n"
    )
    (assay.folder / "twice.csv").write_text("query_id,doc_id,score\nq01,a,3\nq01,b,2\nq01,a,1\n", "utf-8")
    twice = "twice.csv:4: document a of query q01 was already at twice.csv:2\n    mend: remove one of the lines"
    assert assay("counterfactual", "clicks.parquet", "twice.csv").err == f"{twice}\n"
    assert assay("evaluate", "twice.csv", "judgments.qrels").err == f"{twice}, or pass --duplicates keep-first\n"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("propensity", "judgments.qrels"), "judgments.qrels: holds judgments, and is no log of clicks"),
        (("behaviour", "graded.csv"), "graded.csv: holds judgments, and is no log of clicks"),
        (("cells", "dense.run", "--out", "c.parquet"), "dense.run: holds a run, and is no log of clicks"),
        (("counterfactual", "topics.csv", "dense.run"), "topics.csv: holds topics, and is no log of clicks"),
        (("sample", "judgments.qrels", "--size", "3"), "judgments.qrels: holds judgments, and is no log of queries"),
        (("sample", "graded.csv", "--size", "3"), "graded.csv: holds judgments, and is no log of queries"),
        (("pool", "make", "bm25.run", "--log", "graded.csv", "--topics", "topics.csv"),
         "graded.csv: holds judgments, and is no log of clicks"),
        (("behaviour", "shown.csv"), "shown.csv: nothing says what was clicked"),  # a log for all that
        (("propensity", "nameless.csv"), "nameless.csv: no column names the query\n"
         "    mend: pass --columns query_id=COLUMN with one of what\n"),
        (("click-models", "nameless.csv"), "nameless.csv: no column names the query\n"
         "    mend: pass --columns query_id=COLUMN with one of what\n"),
        (("propensity", "bare.csv"), "bare.csv: no column names the query\n"
         "    mend: pass a log that says it: each of its columns is read as something else\n"),
        (("behaviour", "bare.csv", "--by", "segment"), "bare.csv: no column names the segment\n    mend: pass a log "
         "that says it: each of its columns is read as something else, or leave segment out of --by\n"),
        (("behaviour", "nameless.csv", "--by", "day"), "nameless.csv: no column names the time\n"
         "    mend: pass --columns at=COLUMN with one of what, or leave day out of --by\n"),
        (("behaviour", "clicks.parquet", "--by", "device"), "--by: a log is not grouped by 'device'\n"
         "    mend: pass --by segment: a column device is read as one\n"),
        (("behaviour", "clicks.parquet", "--by", "country"), "--by: a log is not grouped by 'country'\n    mend: pass "
         "--by app|day|ranker|segment; segments of another column by --by segment --columns segment=COLUMN\n"),
        (("propensity", "clicks.parquet", "--by", "device"), "assay: propensity has no option --by\n    mend: segments "
         "are told apart without it: a column device or layout is read as one, --columns segment=COLUMN names "),
        (("counterfactual", "clicks.parquet", "judgments.qrels"), "judgments.qrels: holds judgments, and stands where "
         "the ranking is expected\n    mend: name the run that people would have been shown: "),
        (("sample", "asked.csv", "--size", "1", "--columns", "impression_id=id"), "assay: --columns names a field that "
         "no table has: impression_id; did you mean search_id?\n"),
        (("propensity", "clicks.parquet", "--columns", "segment=devic"),
         "clicks.parquet: has no column 'devic' for segment; did you mean device?\n"
         "    mend: pass --columns segment=COLUMN with one of device, at, clicked, doc_id, impression_id, position, "
         "query, query_id, ranker, session_id, swap, unit_id\n"),
        (("propensity", "clicks.parquet", "--columns", "doc=doc_id"),
         "--columns: a log has no field 'doc'; did you mean docs or doc_id?\n"
         "    mend: the fields are docs, doc_id, app, kind, event_id, impression_id, unit_id, "),
        (("sample", "asked.csv", "--size", "1", "--from", "2030-01-01"), "asked.csv: holds no query that can be "
         "sampled\n    mend: widen --from and --to: the log runs from 2026-03-01 to 2026-03-05\n"),
        (("sample", "asked.csv", "--size", "1", "--from", "2026-03-02", "--to", "2026-03-03"), "asked.csv: holds no "
         "query that can be sampled\n    mend: widen --from and --to: the log runs from 2026-03-01 to 2026-03-05\n"),
    ],
    ids=["qrels", "graded", "run", "topics", "sample-qrels", "sample-graded", "pool", "a-log", "no-query",
         "lists-no-query", "none-free", "no-segment", "no-day", "by-device", "by-country", "no-by", "qrels-last",
         "another-name", "no-column", "no-field", "later", "between"],
)  # fmt: skip
def test_what_is_no_log_or_lacks_a_column_is_said_with_what_to_do(
    assay: Shell, typed: tuple[str, ...], said: str
) -> None:
    files = {
        "graded.csv": "query_id,doc_id,grade\nq1,a,1\n",
        "shown.csv": "impression_id,query_id,doc_id,position\n1,q1,a,1\n",
        "nameless.csv": "impression_id,doc_id,position,clicked,what\n1,a,1,1,lamp\n",
        "bare.csv": "impression_id,doc_id,position,clicked\n1,a,1,1\n",
        "asked.csv": "query,asked_at\na,2026-03-01T10:00:00Z\nb,2026-03-05T10:00:00Z\n",
    }
    for name, text in files.items():
        (assay.folder / name).write_text(text, "utf-8")
    found = assay(*typed)
    assert (found.code, found.out) == (3, "")
    assert found.err.startswith(said)
    assert not (assay.folder / "c.parquet").exists()


@pytest.mark.parametrize("typed", [("evaluate", "bm25.run", "clicks.parquet", "-m", "RR"),
                                   ("pool", "make", "bm25.run", "--qrels", "clicks.parquet")],
                         ids=["evaluate", "pool"])  # fmt: skip
def test_a_log_that_is_given_as_judgments_is_said(assay: Shell, typed: tuple[str, ...]) -> None:
    said = assay(*typed)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("clicks.parquet: no column for grade among impression_id, ")
    assert said.err.endswith(
        "    mend: this looks like a log of clicks: `assay qrels from-clicks` makes judgments of it\n"
    )


def test_a_window_outside_the_log_says_its_times(assay: Shell) -> None:
    said = assay("propensity", "clicks.parquet", "--from", "2030-01-01")
    assert (said.code, said.out) == (2, "")
    first, window, mend = said.err.splitlines()
    assert first == "assay: nothing is left in the log to count"
    assert window.endswith(" left out: before the window (2026-01-01T00:26:04Z to 2026-01-28T23:49:54Z)")
    assert mend == "    mend: pass --from and --to inside the times of the log"
    lists = assay("click-models", "clicks.parquet", "--from", "2030-01-01")
    assert (lists.code, lists.err.splitlines()[1:]) == (2, [window, mend])


def test_a_pool_of_conflicting_judgments_says_their_lines(assay: Shell) -> None:
    (assay.folder / "twice.qrels").write_text("q02 0 LCK-03 1\nq01 0 LMP-05 1\nq01 0 LMP-05 2\n", "utf-8")
    said = assay("pool", "make", "bm25.run", "--qrels", "twice.qrels")
    first = "twice.qrels:3: q01 LMP-05 is judged again: grade 2 here, 1 at twice.qrels:2\n"
    assert (said.code, said.err.startswith(first)) == (3, True), said.err
