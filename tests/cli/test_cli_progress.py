from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.typed import Shell, start

SCRIPT = """
from assay.cli.output import Bars
bars = Bars()
bars.WAIT = {wait}
bars.start("reading a.run", 4000, "bytes")
bars.advance(1000)
bars.stop()
bars.start("scoring", None, "queries")
bars.advance(3)
bars.stop()
"""


def on_a_terminal(script: str) -> str:
    """What a process prints on a terminal of its own."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    words = [sys.executable, "-c", script]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece
    process.wait(timeout=30)
    os.close(ours)
    return said.decode()


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are POSIX")
def test_nothing_is_drawn_before_a_second_has_gone_by() -> None:
    assert on_a_terminal(SCRIPT.format(wait=1.0)) == ""


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are POSIX")
def test_a_bar_says_how_far_it_has_come_and_erases_itself() -> None:
    said = on_a_terminal(SCRIPT.format(wait=0.0))
    assert "reading a.run" in said
    assert "25 %" in said
    assert "scoring" in said
    assert said.rstrip().endswith("\x1b[2K")  # the line is cleared
    assert "\x1b[31m" not in said


def test_without_a_terminal_nothing_is_drawn(tmp_path: Path) -> None:
    script = "from assay.cli.output import progress\nfrom assay.results import QUIET\nassert progress() is QUIET"
    assert start("-c", script, cwd=tmp_path).returncode == 0


STREAMED = """
from assay.cli import output
from assay.cli.main import run
from assay.flows.workbench import SMALL, Workbench
Workbench.__init__.__defaults__ = tuple(0 if value == SMALL else value for value in Workbench.__init__.__defaults__)
output.Bars.WAIT = 0
assert run({line!r}) == 0
"""
"""An evaluation that reads its runs as it reads large ones, and does not wait for a second before it draws."""
LINE = ["evaluate", "bm25.run", "judgments.qrels", "-m", "RR", "-o", "out.csv"]


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are POSIX")
@pytest.mark.parametrize(("more", "is_drawn"), [([], True), (["--quiet"], False), (["--log-json"], False)])
def test_reading_a_large_run_is_drawn_on_a_terminal_unless_told_not_to(
    assay: Shell, more: list[str], is_drawn: bool
) -> None:
    said = on_a_terminal(STREAMED.format(line=[*LINE, *more]))
    assert ("━" in said and "reading bm25.run" in said) is is_drawn


def test_logs_say_when_the_reading_of_a_large_run_begins_and_ends(assay: Shell) -> None:
    done = start("-c", STREAMED.format(line=[*LINE, "--log-json"]), cwd=assay.folder)
    entries = [json.loads(line) for line in done.stderr.splitlines()]
    states = [entry["state"] for entry in entries if entry["kind"] == "progress"]
    assert (states[0], states[-1]) == ("start", "stop")
