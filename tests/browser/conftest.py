"""A real Chromium for every test of this folder."""

import os
import shutil
from collections.abc import Iterator

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

SHELL = "chromium-headless-shell"
"""Chromium without its window, toolbars and tabs, which a test does not see and each new page would load."""


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = (os.environ.get("CHROMIUM", SHELL), "chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("no Chromium on this machine")  # the marked suite of .ci/run installs it
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()
