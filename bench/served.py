"""A server process of its own over a workspace with raters and a project, as a team would have it."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.people import add_person, make_key, named
from assay.flows.workbench import Workbench
from assay.rubric import Rubric

PASSWORD = "a long password"
PROJECT = "bench"

RUBRIC = """\
+++
name = "Bench"
[grade.0]
name = "irrelevant"
definition = "Nobody who asked this wants it."
[grade.1]
name = "marginal"
definition = "It touches the question."
[grade.2]
name = "relevant"
definition = "It answers the question in part."
[grade.3]
name = "perfect"
definition = "It answers the question."
+++
Judge the document against the query, not against other documents.
"""

WORDS = ("rain", "jacket", "winter", "light", "warm", "zip", "hood", "seam", "wind", "water", "proof", "breathable",
         "pocket", "travel", "city", "trail", "fit", "size", "colour", "blue", "green", "black",
         "guide", "care", "wash", "repair", "recycled", "price", "return", "delivery")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Served:
    """A running server.

    Args:
        url: where it listens.
        pid: of its process.
    """

    url: str
    pid: int


def workspace(folder: Path, people: Sequence[str], store: str | None = None) -> None:
    """Makes a workspace with people, each a rater."""
    folder.mkdir(exist_ok=True)
    (folder / "assay.toml").write_text("" if store is None else f'[store]\nurl = "{store}"\n', "utf-8")
    with open_store(Workbench.open(str(folder))) as opened:
        for name in people:
            add_person(opened, name, "rater", PASSWORD, by="bench")


def keys(folder: Path, people: Sequence[str]) -> list[str]:
    """A key for each of these people."""
    with open_store(Workbench.open(str(folder))) as opened:
        return [make_key(opened, f"{name} as rater", named(opened, name), "rater") for name in people]


def project(folder: Path, queries: int, documents: int, raters_each: int = 2, repeat_share: float = 0.05) -> None:
    """A project whose documents have 120 to 400 words, as product and help pages do."""
    bench, rng = Workbench.open(str(folder)), random.Random(5)
    pairs = [{"query_id": f"q{q}", "doc_id": f"q{q}-d{d}"} for q in range(queries) for d in range(documents)]
    topics = [{"query_id": f"q{q}", "text": " ".join(rng.sample(WORDS, 3))} for q in range(queries)]
    texts = [
        {"doc_id": pair["doc_id"], "title": f"{' '.join(rng.sample(WORDS, 4))} {pair['doc_id']}", "text": _text(rng)}
        for pair in pairs
    ]
    with open_store(bench) as store:
        create_project(
            store, bench, name=PROJECT, pairs=pairs, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="bench",
            topics=topics, documents=texts, raters_each=raters_each, repeat_share=repeat_share,
            min_seconds=0.0,  # raters of a load answer faster than anybody reads
        )  # fmt: skip


def _text(rng: random.Random) -> str:
    return "\n\n".join(" ".join(rng.choices(WORDS, k=rng.randrange(40, 100))) for _ in range(rng.randrange(3, 5)))


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """Runs `assay serve` over a workspace.

    Raises:
        RuntimeError: it does not come up, or does not end well.
    """
    with (folder / "server.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "assay", "serve", "--port", "0"], cwd=folder, stderr=log, stdout=subprocess.DEVNULL
        )
        try:
            yield Served(_ready(folder / "server.log", server), server.pid)
        finally:
            server.terminate()
            code = server.wait(60)
        if code:
            raise RuntimeError(f"the server ended with {code}: {(folder / 'server.log').read_text('utf-8')[-500:]}")


def _ready(log: Path, server: subprocess.Popen[bytes]) -> str:
    """Waits until the server has said where it listens and answers there."""
    for _ in range(600):
        said = log.read_text("utf-8").split()
        at = next((word.rstrip("/") for word in said if word.startswith("http://")), None)
        if server.poll() is not None:
            break
        if at is not None:
            try:
                if httpx2.get(f"{at}/ready").status_code == 200:
                    return at
            except httpx2.TransportError:
                time.sleep(0.05)
        time.sleep(0.05)
    raise RuntimeError(f"the server is not ready: {log.read_text('utf-8')[-500:]}")


def resident_mb(pid: int | None = None) -> float:
    """Megabytes that a process holds now; this one when None."""
    for line in Path(f"/proc/{pid or 'self'}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not say how much memory a process holds")
