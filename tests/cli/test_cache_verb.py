"""--cache and --no-cache, and `assay cache`: what is made, shown, removed and said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.typed import Shell, start

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions and signals")
LINE = ("evaluate", "bm25.run", "judgments.qrels", "-m", "nDCG@10", "--format", "json")


@pytest.fixture
def large(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The example, its run taken for a large one."""
    monkeypatch.setattr("assay.flows.workbench._is_larger", lambda source, small: True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(assay.folder / "of-the-user"))
    for name in ("ASSAY_CACHE_ON", "ASSAY_CACHE_FOLDER", "ASSAY_CACHE_LIMIT_GB"):
        monkeypatch.delenv(name, raising=False)
    return assay


def copies(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)).split("/copies/")[0] for path in folder.rglob("manifest.json")]


def test_in_a_workspace_a_copy_is_made_unless_no_cache_is_said(large: Shell) -> None:
    (large.folder / "assay.toml").write_text("")
    without = large(*LINE, "--no-cache")
    assert without.code == 0
    assert copies(large.folder) == []
    first, again = large(*LINE), large(*LINE)
    assert copies(large.folder) == [".assay/cache"]
    assert first.err == again.err == ""
    assert first.out == again.out == without.out.replace(" --no-cache", "")


def test_elsewhere_cache_asks_for_one(large: Shell) -> None:
    assert large(*LINE).code == 0
    assert copies(large.folder) == []
    assert large(*LINE, "--cache").code == 0
    assert copies(large.folder) == ["of-the-user/assay/runs"]


def test_a_folder_that_cannot_be_used_is_noted_on_stderr_and_the_numbers_stand(large: Shell) -> None:
    (large.folder / "assay.toml").write_text("")
    expected = large(*LINE, "--no-cache").out.replace(" --no-cache", "")
    (large.folder / ".assay").write_text("a file")
    said = large(*LINE)
    assert said.code == 0
    assert said.out == expected
    assert said.err == f"note: no copy of a run is kept in {large.folder}/.assay/cache: File exists\n"
    assert large(*LINE, "--quiet").err == ""
    assert '"code": "cache"' in large(*LINE, "--log-json").err


def test_the_room_of_copies_is_shown_and_given_back(large: Shell) -> None:
    (large.folder / "assay.toml").write_text("[cache]\nlimit_gb = 2\n")
    place = large.folder / ".assay" / "cache"
    assert large("cache").out.startswith("0 copies, 0 MB of 2 GB.\n")
    large(*LINE)
    said = large("cache").out
    assert said.startswith("1 copy, 0 MB of 2 GB.\n")
    assert str(place) in said.replace("\n           ", "")  # where it is long, it goes on below
    told = json.loads(large("cache", "--format", "json").out)
    assert (told["folder"], told["copies"], told["limit_bytes"]) == (str(place), 1, 2_000_000_000)
    assert told["size_bytes"] == sum(file.stat().st_size for file in place.rglob("*.parquet"))
    assert told["is_on"]
    assert not told["are_removed"]
    assert f"{place}: 1 copy, 0 MB of 2 GB" in " ".join(large("doctor", "--format", "csv").out.split())
    said = large("cache", "--clear")
    assert said.code == 0
    assert said.out.startswith("Removed 1 copy, 0 MB.\n")
    assert copies(large.folder) == []


def test_where_no_copies_are_made_that_is_said(large: Shell) -> None:
    assert "No more are made here unless a command has --cache.\n" in large("cache").out
    (large.folder / "assay.toml").write_text("[cache]\non = false\n")
    assert "No more are made here unless a command has --cache.\n" in large("cache").out
    assert "off: large runs are parsed every time" in large("doctor", "--format", "csv").out


@POSIX
def test_doctor_warns_of_a_folder_that_others_may_write_to(large: Shell) -> None:
    (large.folder / "assay.toml").write_text("")
    large(*LINE)
    (large.folder / ".assay" / "cache").chmod(0o777)
    said = large("doctor", "--format", "csv")
    assert said.code == 0
    assert "warning" in said.out
    assert "others may write into it" in said.out


@pytest.fixture
def large_file(tmp_path: Path) -> Path:
    """A workspace with a run of 12 MB and its judgments."""
    rows = [f"q{q} Q0 document-{q * 7 % 1000:04}-{i} {i + 1} {1000 - i} tag\n" for q in range(3000) for i in range(100)]
    (tmp_path / "a.run").write_text("".join(rows))
    (tmp_path / "qrels").write_text("".join(f"q{q} 0 document-{q * 7 % 1000:04}-{q % 9} 1\n" for q in range(3000)))
    (tmp_path / "assay.toml").write_text("")
    return tmp_path


TYPED = ("-m", "assay", "evaluate", "a.run", "qrels", "-m", "RR", "--format", "csv")


def test_a_disk_without_room_ends_the_copy_and_not_the_command(large_file: Path) -> None:
    resource = pytest.importorskip("resource")
    expected = start(*TYPED, "--no-cache", cwd=large_file)
    limit = 400_000  # a block is larger
    said = start(*TYPED, cwd=large_file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert said.returncode == expected.returncode == 0, said.stderr
    assert said.stdout == expected.stdout != ""
    assert "no copy of a run is kept" in said.stderr
    assert copies(large_file) == []


@POSIX
def test_a_command_that_is_killed_while_it_copies_leaves_no_copy(large_file: Path) -> None:
    process = subprocess.Popen([sys.executable, *TYPED], cwd=large_file, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not list(large_file.glob(".assay/cache/copies/.*/*.parquet")) and time.monotonic() < until:
            if process.poll() is not None:
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    finally:
        process.wait()
    if process.returncode == -signal.SIGKILL:  # else it was quicker
        assert copies(large_file) == []
    expected, said = start(*TYPED, "--no-cache", cwd=large_file), start(*TYPED, cwd=large_file)
    assert said.stdout == expected.stdout != ""
    assert said.stderr == expected.stderr
    assert copies(large_file) == [".assay/cache"]
