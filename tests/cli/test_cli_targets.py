"""Where answers may not go, and what is read that is no plain file."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cli.typed import Shell

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes, links and devices of POSIX systems")
EVALUATE = ("evaluate", "bm25.run", "judgments.qrels", "-m", "P@1", "--format", "csv", "--quiet")


def workspace(folder: Path) -> None:
    (folder / "runs").mkdir()
    (folder / "runs" / "base.run").write_bytes((folder / "bm25.run").read_bytes())
    (folder / "assay.toml").write_text('[paths]\nqrels = "judgments.qrels"\n')


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "bm25.run", "-o", "judgments.qrels", "--format", "csv"),
        ("evaluate", "base", "-o", "runs/base.run", "--format", "csv"),
        ("evaluate", "base", "--html", "link"),
        ("evaluate", "base", "-o", "assay.toml", "--format", "csv"),
        ("evaluate", "base", "-o", "settings"),
        ("config", "show", "-o", "assay.toml", "--format", "csv"),
        ("show", "kept", "-o", "results/kept.assay"),
    ],
    ids=" ".join,
)
def test_what_only_the_settings_name_is_not_written_over(assay: Shell, words: tuple[str, ...]) -> None:
    workspace(assay.folder)
    (assay.folder / "link").symlink_to("judgments.qrels")
    (assay.folder / "settings").symlink_to("assay.toml")
    (assay.folder / "results").mkdir()
    assert assay("evaluate", "base", "-o", "results/kept.assay").code == 0
    before = {file: file.read_bytes() for file in assay.folder.rglob("*") if file.is_file()}
    said = assay(*words)
    assert said.code == 3
    assert "is one of the inputs" in said.err or "holds settings" in said.err
    assert {file: file.read_bytes() for file in assay.folder.rglob("*") if file.is_file()} == before


def test_a_target_without_a_name_or_named_twice_is_refused(assay: Shell) -> None:
    assert assay(*EVALUATE, "-o", "").err.startswith("assay: --output names no file\n")
    assert assay(*EVALUATE, "--html", "").err.startswith("assay: --html names no file\n")
    twice = "assay: the page and the result would be written to the same place\n    mend: name another file\n"
    assert assay(*EVALUATE, "-o", "a.html", "--html", "./a.html").err == twice
    assert assay(*EVALUATE, "--html", "-").err == twice
    assert not (assay.folder / "a.html").exists()


def test_an_empty_list_of_measures_is_not_the_default(assay: Shell) -> None:
    assert assay("evaluate", "bm25.run", "judgments.qrels", "-m", "").err.startswith("assay: no measure was named\n")


def test_a_pipe_is_read_like_a_file(assay: Shell) -> None:
    plain = assay(*EVALUATE)
    os.mkfifo("pipe")
    for words, file in (
        (("evaluate", "pipe", "judgments.qrels"), "bm25.run"),
        (("evaluate", "bm25.run", "pipe"), "judgments.qrels"),
    ):
        content = Path(file).read_bytes()
        writer = threading.Thread(target=Path("pipe").write_bytes, args=(content,), daemon=True)
        writer.start()
        said = assay(*words, *EVALUATE[3:])
        writer.join(30)
        assert (said.code, said.err) == (0, "")
        assert said.out.replace("pipe,", "bm25,") == plain.out


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems take UTF-8 names only")
@pytest.mark.parametrize("kind", ["table", "json", "csv", "jsonl", "parquet", "md", "html", "assay"])
def test_a_name_of_a_file_that_is_not_utf_8_can_be_written(assay: Shell, kind: str) -> None:
    name = os.fsdecode(b"bad\xff.run")
    os.link("bm25.run", name)
    said = assay("evaluate", name, "judgments.qrels", "-m", "P@1", "--format", kind, "-o", "out")
    assert said.code == 0
    if kind == "csv":
        assert Path("out").read_text().splitlines()[1].startswith("bad\\xff,P@1,")
    assert assay("evaluate", os.fsdecode(b"gone\xff"), "judgments.qrels").err.startswith("gone\\xff: no such file")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_disk_names_the_file(assay: Shell) -> None:
    said = assay(*EVALUATE, "-o", "/dev/full")
    assert said.code == 3
    assert said.err.startswith("/dev/full: cannot be written: No space left on device\n    mend: ")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault(assay: Shell, closed: str) -> None:
    line = f'"{sys.executable}" -m assay {" ".join(EVALUATE)} -o out.csv {closed}'
    assert subprocess.run(line, shell=True, check=False).returncode == 0
    assert Path("out.csv").read_text().startswith("run,measure,")
