"""The commands of the guide to a labelling project that need people: a server is started, two raters label, and the
guide's own commands use what they said."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import console  # noqa: E402 # stands in docs/

GUIDE = ROOT / "docs/how-to/run-a-labelling-project.md"
PASSWORD = "correct horse battery"


def commands_of(*words: str, info: str = "") -> list[str]:
    """Commands of the guide's blocks that hold one of the words."""
    blocks = [
        block for block in console.blocks(GUIDE) if info in block.info and any(word in block.text for word in words)
    ]
    return [command for block in blocks for command, _ in console.commands(block.text)]


def labelled(where: str, name: str, turn: int) -> int:
    """One rater signs in and grades all that comes, one in twelve otherwise than the others; how many."""
    n = 0
    with httpx2.Client(base_url=where, timeout=30) as browser:
        form = browser.get("sign-in").text
        csrf = re.search(r'name="csrf" value="([^"]+)"', form)
        assert csrf is not None
        said = browser.post("sign-in", data={"name": name, "password": PASSWORD, "csrf": csrf[1]})
        assert said.status_code == 303, said.text
        project = browser.get("v1/projects").json()[0]["id"]
        token = re.search(r'data-csrf="([^"]+)"', browser.get(f"label/{project}").text)
        assert token is not None
        while items := browser.get(f"v1/projects/{project}/items?n=6").json()["items"]:
            for one in items:
                grade = 3 * (sum(one["document"]["doc_id"].encode()) % 2)
                answer = {"uid": f"answer-{name}-{one['item']}", "item": one["item"],
                          "grade": grade if n % 12 or not turn else 1, "took_ms": 4_000}  # fmt: skip
                given = browser.post("v1/grades", json=answer, headers={"x-csrf-token": token[1]})
                assert given.status_code == 200, given.text
                n += 1
    return n


@pytest.mark.slow
def test_the_guide_runs_from_pool_to_comparison(tmp_path: Path) -> None:
    blocks = list(console.blocks(GUIDE))
    (first,) = [block for block in blocks if "label create" in block.text and block.is_run]
    folder = console.example_folder(tmp_path / "example", first.files)
    for command, _ in console.commands(first.text):
        code, said = console.run(command.replace("invite --role rater", "list"), folder)
        assert code == 0, said
    for name in ("bo", "cy"):
        assert console.run(f"echo '{PASSWORD}' | assay people add {name} --role rater", folder)[0] == 0
    (serve,) = commands_of("assay serve", info="run=no")
    words = [sys.executable, "-m", *serve.split(), "--port", "0"]
    with subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            where = server.stderr.readline().split()[3]
            for _ in range(100):
                try:
                    assert httpx2.get(f"{where}ready").json() == {"status": "ready"}
                    break
                except httpx2.TransportError:
                    time.sleep(0.1)
            assert labelled(where, "bo", 0) == 24  # the pilot; the rest is closed
            # the raters agree, and the queue opens by itself: 92 pairs, and own ones that come again
            assert labelled(where, "cy", 1) >= 92
            assert labelled(where, "bo", 0) >= 92 - 24
        finally:
            server.send_signal(signal.SIGTERM)
    status = " ".join(console.run("assay label status winter", folder)[1].split())
    assert "the queue behind it was opened" in status
    typed = commands_of("assay evaluate", info="run=no")
    assert [command.split()[1] for command in typed] == ["judgments", "agree", "evaluate", "compare"]
    for command in typed:
        code, said = console.run(command, folder)
        assert code == 0, f"$ {command}\n{said}"
    assert (folder / "labels.csv").read_text("utf-8").count("\n") > 100
