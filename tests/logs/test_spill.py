"""A log through a pipe, and what a killed process leaves: put aside, and removed again."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading

import pytest

from assay.errors import InputError
from assay.logs.duck import Duck
from assay.logs.log import Reading, open_log
from assay.logs.spill import remove_stale

TEXT = "search_id,query,doc_id,rank,click\ns1,red,d1,1,1\ns2,red,d1\n"
LINES = b'{"search_id": "s1", "query": "red", "doc_id": "d1", "rank": 1, "click": 1}\n{broken\n'
CELLS = [("red", "d1", 1, 1, 1)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def duck(folder):
    engine = Duck()
    yield engine
    engine.close()
    assert list(folder.glob("assay-spill-*")) == []


class Piped:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)


def cells(log):
    return log.run("cells").select("query_id", "doc_id", "position", "impressions", "clicks").rows()


@pytest.mark.parametrize(
    ("data", "place"),
    [(TEXT.encode(), 3), (TEXT.replace(",", "\t").encode(), 3), (gzip.compress(TEXT.encode(), mtime=0), 3), (LINES, 2)],
    ids=["commas", "tabs", "gzip", "json"],
)
def test_standard_input_is_a_log(duck, monkeypatch, data, place):
    monkeypatch.setattr(sys, "stdin", Piped(data))
    log = open_log("-", Reading(), engine=duck)
    assert cells(log) == CELLS
    assert [one.places for one in log.refused()] == [(f"standard input:{place}",)]


def test_a_named_pipe_is_a_log_and_what_is_wrong_in_it_has_its_name(duck, folder):
    for text, is_log in ((TEXT, True), ("a,b\n1,2\n", False)):
        pipe = folder / f"pipe{is_log}"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=(text,), kwargs={"encoding": "utf-8"})
        writer.start()
        try:
            if is_log:
                assert cells(open_log(pipe, Reading(), engine=duck)) == CELLS
                continue
            with pytest.raises(InputError, match="no column names the document") as error:
                open_log(pipe, Reading(), engine=duck)
            assert str(error.value).startswith(f"{pipe}: ")
        finally:
            writer.join()


def test_nothing_through_a_pipe_is_said(duck, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Piped(b""))
    with pytest.raises(InputError, match="standard input: is empty"):
        open_log("-", Reading(), engine=duck)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_the_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(folder):
    held = (
        "import sys; from assay.logs.duck import Duck; d = Duck(); print(d._spill.name, flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "TMPDIR": str(folder)}
    running = [subprocess.Popen([sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                env=environment) for _ in range(2)]  # fmt: skip
    try:
        killed, living = (one.stdout.readline().strip() for one in running)
        running[0].send_signal(signal.SIGKILL)
        running[0].wait()
        assert os.path.isdir(killed)
        (folder / "assay-spill-elsewhere-1-x").mkdir()
        remove_stale()
        assert not os.path.exists(killed)
        assert os.path.isdir(living)
        assert (folder / "assay-spill-elsewhere-1-x").is_dir()
    finally:
        for one in running:
            one.kill()
            one.communicate()
