"""In a real browser: who compares faster than anybody reads is stopped, and the own page of a project of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.flows.keeping import open_store
from assay.flows.pace import LAST
from assay.flows.workbench import Workbench
from assay.store.schema import EVENTS, JUDGMENTS
from browser.label_page import served, told
from browser.test_pairs_in_chromium import opened, press, seen
from web.compared import comparing
from web.visiting import workspace

pytestmark = pytest.mark.browser

LOOKS = [(1280, "light"), (390, "dark")]
LEAST_S = 60.0
"""No answer of a test takes so long: each is too fast, on any machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Forty-two pairs, in a project that stops whoever takes less than a minute."""
    made = workspace(tmp_path)
    comparing(made, docs=7, min_seconds=LEAST_S)
    return made


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


def rows(folder: Path, table: Any) -> list[dict[str, Any]]:
    with open_store(Workbench.open(str(folder))) as store:
        return store.rows(sa.select(table).order_by(table.c.id))


def stopped(page: Any) -> None:
    """Answers until the page stops who answers."""
    for _ in range(42):
        seen(page)
        page.keyboard.press("ArrowLeft")
        told(page, "saved", "saved: left")  # every answer is counted before the next one
        if page.locator("#slow[open]").count():
            return
    raise AssertionError("nobody was stopped")


def axe(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_who_is_too_fast_is_stopped_and_goes_on_by_a_key_that_chooses_nothing(
    browser: Any, base: str, folder: Path, width: int, scheme: Any
) -> None:
    page = opened(browser, base, width=width, scheme=scheme)
    stopped(page)
    n = len(rows(folder, JUDGMENTS))
    assert n >= LAST
    assert page.locator("#slow").get_by_role("heading").inner_text() == "Faster than anybody reads"
    assert page.locator("#slow .reminder dt").all_text_contents() == ["2 yes", "1 some", "0 no"]
    assert axe(page) == []
    for key in ("ArrowLeft", "ArrowRight", "=", "e", "b", "s", "u", "x", "f", "Enter", "Escape", "Escape", " "):
        page.keyboard.press(key)
    assert page.locator("dialog[open]").count() == 1
    assert page.locator("#slow[open]").count() == 1
    assert len(rows(folder, JUDGMENTS)) == n
    page.keyboard.press("c")
    page.wait_for_selector("#slow[open]", state="detached")
    assert [row["kind"] for row in rows(folder, EVENTS)] == ["stopped", "went on"]
    page.wait_for_selector("#left article:not([hidden])")
    press(page, "b")
    told(page, "saved", "saved: neither serves")
    given = rows(folder, JUDGMENTS)
    assert [row["preference"] for row in given][n:] == ["both-bad"]  # no key of the stop was a choice
    assert len({row["item"] for row in given}) == n + 1  # and none was lost
    page.context.close()


def test_without_a_connection_the_stop_of_pairs_stays(browser: Any, base: str) -> None:
    page = opened(browser, base)
    stopped(page)
    page.context.route("**/go-on", lambda route: route.abort())
    page.keyboard.press("c")
    told(page, "slow-says", "no connection")
    page.context.unroute("**/go-on")
    page.get_by_role("button", name="I have read it").click()
    page.wait_for_selector("#slow[open]", state="detached")
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_own_page_of_pairs_is_led_to_and_axe_finds_nothing(
    browser: Any, base: str, width: int, scheme: Any
) -> None:
    page = opened(browser, base, width=width, scheme=scheme)
    for key, words in (("ArrowLeft", "left"), ("ArrowLeft", "left"), ("=", "both alike")):
        press(page, key)
        told(page, "saved", f"saved: {words}")
    page.goto(base)
    page.get_by_role("link", name="Your labels in duel").click()
    sides = page.get_by_role("region", name="Left and right")
    assert sides.locator("dd").all_inner_texts() == ["2", "0", "1", "0"]
    assert "Of 2 choices of one document you made 2 for the left one." in sides.inner_text()
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Go on labelling").click()
    seen(page)
    page.context.close()
