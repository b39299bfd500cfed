"""The next document is on the screen at once, however far the server is; the figures are in the benchmarks."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.label_page import opened, seen, served, told
from web.labelled import project
from web.visiting import workspace

pytestmark = pytest.mark.browser

LATENCY_MS = 1_000
PRESSES = 8

TIMES = """() => {
  const article = document.getElementById("article");
  window.times = [];
  addEventListener("keydown", (event) => { window.pressed = event.timeStamp; }, true);
  new MutationObserver(() => {
    if ("seen" in article.dataset && window.pressed !== undefined) {
      window.times.push(performance.now() - window.pressed);
      window.pressed = undefined;
    }
  }).observe(article, { attributes: true, attributeFilter: ["data-seen"] });
}"""


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    folder = workspace(tmp_path)
    project(folder, docs=30)
    with served(folder) as address:
        yield address


def test_the_next_document_does_not_wait_for_the_server(browser: Any, base: str) -> None:
    page = opened(browser, base)
    page.evaluate(TIMES)
    seen(page)
    page.wait_for_timeout(1_500)  # the list of what comes is there
    session = page.context.new_cdp_session(page)
    session.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": LATENCY_MS, "downloadThroughput": -1, "uploadThroughput": -1,
    })  # fmt: skip
    for i in range(PRESSES):
        page.wait_for_timeout(600)  # so that what is asked for after each answer arrives in time
        seen(page)
        page.keyboard.press(str(i % 3))
        page.wait_for_function("n => window.times.length === n", arg=i + 1)
    times = page.evaluate("window.times")
    assert statistics.median(times) < LATENCY_MS / 4, times
    told(page, "saved", "saved")
    page.context.close()
