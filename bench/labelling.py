"""`python -m bench.labelling`: from a key press to the next document on the screen, in a real Chromium.

The server is a process of its own; so is the load of simulated raters, who think for 1 to 5 seconds before each answer
(3 on average; people take longer). The rater who is measured answers 0.2 seconds after a document was painted, which is
faster than anybody reads. A time runs from the moment at which the browser took the key to the start of the frame after
the one that shows the next document. Latency is put before each answer of the server by Chromium itself.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.served import PASSWORD, PROJECT, Served, keys, project, resident_mb, served, workspace
from bench.store import told

THINKING_S = (1.0, 5.0)
PAUSE_MS = 200

WATCH = """
addEventListener("keydown", (event) => { window.pressed = event.timeStamp; }, true);
document.addEventListener("DOMContentLoaded", () => {
  const article = document.getElementById("article");
  if (!article) return;
  window.times = [];
  new MutationObserver(() => {
    if (!("seen" in article.dataset) || window.pressed === undefined) return;
    window.times.push(performance.now() - window.pressed);
    window.pressed = undefined;
  }).observe(article, { attributes: true, attributeFilter: ["data-seen"] });
});
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement: how many others label, the latency that is added, and the goal."""

    others: int
    latency_ms: int
    goal_ms: float

    @property
    def name(self) -> str:
        """As the table has it."""
        others = f"{self.others} others label" if self.others else "alone"
        return f"{others}, {self.latency_ms} ms of latency" if self.latency_ms else others


CASES = (Case(0, 0, 60), Case(0, 120, 60), Case(50, 0, 150), Case(50, 120, 150))


def main() -> int:
    """Prints each figure beside its goal; 1 when one is missed, 3 when there is no Chromium."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=100, help="key presses of each measurement")
    parser.add_argument("--others", type=int, default=50, help="simulated raters of the loaded measurements")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium on the path", file=sys.stderr)
        return 3
    met: list[bool] = []
    with tempfile.TemporaryDirectory(prefix="assay-label-", dir=".") as scratch:
        folder = Path(scratch)
        people = [f"rater {i}" for i in range(options.others)]
        workspace(folder, ["measured", *people])
        project(folder, 200, 50)
        tokens = keys(folder, people)
        with served(folder) as server, browser(chromium) as opened:
            for case in CASES:
                with raters(server, tokens if case.others else []):
                    met += one(opened, server, case, options.presses)
            print(f"the server holds {resident_mb(server.pid):.0f} MB")
    return 0 if all(met) else 1


def one(opened: Any, server: Served, case: Case, presses: int) -> Iterator[bool]:
    """One measurement; what the server has afterwards is what was pressed."""
    page = labelling(opened, server)
    before = given(page)
    if case.latency_ms:
        session = page.context.new_cdp_session(page)
        session.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": case.latency_ms, "downloadThroughput": -1, "uploadThroughput": -1,
        })  # fmt: skip
    times = pressed(page, presses)
    saved(page)
    if (there := given(page) - before) != presses:
        raise RuntimeError(f"{presses} keys were pressed and the server has {there} answers")
    page.context.close()
    times.sort()
    p50, p95 = times[len(times) // 2], times[int(0.95 * len(times))]
    yield told(f"{case.name}: p50, p95, most", f"{p50:.0f} / {p95:.0f} / {times[-1]:.0f} ms", p95 < case.goal_ms,
               f"p95 under {case.goal_ms:.0f} ms")  # fmt: skip


def labelling(opened: Any, server: Served, name: str = "measured") -> Any:
    """The page of the project, of somebody who signed in, with a document on it."""
    page = opened.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(WATCH)
    page.goto(f"{server.url}/")
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name=PROJECT, exact=True).click()
    page.wait_for_selector("#article[data-seen]")
    return page


def pressed(page: Any, presses: int) -> list[float]:
    """Milliseconds of each press; each shows another document."""
    seen = page.text_content("#article")
    for i in range(presses):
        page.wait_for_timeout(PAUSE_MS)
        page.keyboard.press(str(i % 4))
        page.wait_for_function("n => window.times.length === n", arg=i + 1)
        shown = page.text_content("#article")
        if shown == seen:
            raise RuntimeError(f"key press {i + 1} left the same document on the screen")
        seen = shown
    times: list[float] = page.evaluate("window.times")
    return times


def saved(page: Any) -> None:
    """Waits until the server has all that was pressed."""
    page.wait_for_function(
        "() => Object.entries(localStorage).every(([name, text]) => !name.includes('outbox') || text === '[]')"
    )


def given(page: Any) -> int:
    """How many answers of this rater the server has."""
    rows = page.evaluate("() => fetch(document.body.dataset.base + '/v1/projects').then(a => a.json())")
    return int(next(row["given"] for row in rows if row["name"] == PROJECT))


@contextmanager
def browser(chromium: str) -> Iterator[Any]:
    """A Chromium without a screen."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run"]  # fmt: skip
    with sync_playwright() as running:
        opened = running.chromium.launch(executable_path=chromium, args=flags)
        yield opened
        opened.close()


@contextmanager
def raters(server: Served, tokens: list[str]) -> Iterator[None]:
    """Simulated raters label meanwhile, in a process of their own; what they met is printed at the end."""
    if not tokens:
        yield
        return
    low, high = THINKING_S
    command = [sys.executable, "-m", "bench.raters", server.url, str(low), str(high), str(len(tokens))]
    load = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert load.stdin is not None
    load.stdin.write("".join(f"{token}\n" for token in tokens))
    load.stdin.flush()
    time.sleep(high)  # until everybody has begun
    began = time.perf_counter()
    try:
        yield
    finally:
        said, _ = load.communicate(timeout=60)
    if load.returncode:
        raise RuntimeError(f"the simulated raters ended with {load.returncode}")
    seconds = time.perf_counter() - began + high
    found: dict[str, list[float]] = json.loads(said)
    for kind, times in found.items():
        times.sort()
        print(f"  {len(tokens)} others: {len(times) / seconds:.0f} {kind} a second; p50 {times[len(times) // 2]:.0f}, "
              f"p95 {times[int(0.95 * len(times))]:.0f} ms")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
