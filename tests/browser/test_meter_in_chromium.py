"""The foot of the labelling page says how far the rater has come, and how long the rest takes, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.label_page import go, opened, press, seen, served, told
from web.labelled import project
from web.visiting import workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    """The address of a server with a project of two queries with six documents each."""
    folder = workspace(tmp_path)
    project(folder, docs=6)
    with served(folder) as address:
        yield address


def shown(page: Any) -> tuple[str, str]:
    """At the left and at the foot."""
    return str(page.text_content("#place")), str(page.text_content("#progress"))


def test_the_page_counts_answers_undoings_and_what_is_put_off(browser: Any, base: str) -> None:
    page = opened(browser, base)
    told(page, "given-of", "of 12")
    assert shown(page) == ("document 1 of 6", "0 of 12")
    for i in range(4):
        press(page, "1")
        assert shown(page) == (f"document {i + 2} of 6", f"{i + 1} of 12")
    assert page.text_content("#pace") == ""  # four answers are no pace
    press(page, "s")
    assert shown(page) == ("document 5 of 6", "4 of 12")
    press(page, "1")
    assert page.text_content("#pace") == "less than a minute left at your pace"
    assert shown(page) == ("document 1 of 6", "5 of 12")  # the next query; the document that was put off comes later
    meter = page.get_by_role("progressbar", name="Documents labelled")
    assert meter.get_attribute("aria-valuetext") == "5 of 12 documents, less than a minute left at your pace"
    assert [meter.get_attribute(f"aria-value{name}") for name in ("min", "now", "max")] == ["0", "5", "12"]
    assert float(page.get_attribute("#filled", "width")) == pytest.approx(100 * 5 / 12)
    seen(page)
    page.keyboard.press("u")
    told(page, "place", "document 5 of 6")
    assert shown(page)[1] == "4 of 12"
    told(page, "saved", "undone")
    page.goto(f"{base}/")
    go(page)
    told(page, "given-of", "of 12")
    assert shown(page) == ("document 1 of 6", "4 of 12")  # as the server counts; what was held longest comes first
    for _ in range(8):
        press(page, "2")
    told(page, "wait", "Nothing is left")
    assert page.text_content("#progress") == "12 of 12"
    assert page.is_hidden("#place-block")
    page.context.close()


def test_a_narrow_window_shows_it_whole_and_axe_finds_nothing(browser: Any, base: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(browser, base, "lead", viewport={"width": 390, "height": 844})
    told(page, "given-of", "of 12")
    press(page, "1")
    assert shown(page) == ("document 2 of 6", "1 of 12")
    assert page.is_visible("#meter")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert [found["id"] for found in Axe().run(page).response["violations"]] == []
    page.context.close()


PACES = """async ([left, seconds]) => {
  const { rest } = await import(document.body.dataset.base + "/static/meter.js");
  return rest(left, seconds);
}"""


def test_the_pace_is_the_median_of_the_last_answers(browser: Any, base: str) -> None:
    page = opened(browser, base)
    for left, seconds, says in (
        (26, [30, 31, 33, 35, 900], "about 14 minutes left at your pace"),  # 26 times 33 s; one break says nothing
        (26, [30, 31, 33, 35], ""),
        (2, [30, 30, 30, 30, 30, 30], "about 1 minute left at your pace"),
        (1_000, [10, 20, 40, 50, 50, 10], "about 8 hours left at your pace"),  # 30 s, 500 minutes
        (0, [10, 10, 10, 10, 10], ""),
    ):
        assert page.evaluate(PACES, [left, seconds]) == says
    page.context.close()
