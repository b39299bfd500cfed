"""Two people label a small pool by keyboard, in a real browser against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.label_page import labels, opened, press, seen, served, title, told
from web.labelled import DIMENSIONS, project
from web.visiting import workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    """The address of a server with two projects."""
    folder = workspace(tmp_path)
    project(folder, docs=6)
    project(folder, name="dimensions", rubric=DIMENSIONS)
    with served(folder) as address:
        yield address


def test_two_raters_label_everything_by_keyboard(browser: Any, base: str) -> None:
    for name in ("rater", "lead"):
        page = opened(browser, base, name)
        for i in range(12):
            press(page, str(i % 3))
        told(page, "wait", "Nothing is left")
        assert labels(page) == 12
        assert page.title().startswith("Label")  # the hostile texts did not run
        page.context.close()


def test_keys_without_a_pause_grade_only_what_was_seen(browser: Any, base: str) -> None:
    page = opened(browser, base)
    seen(page)
    page.evaluate(
        """() => { for (let i = 0; i < 10; i += 1)
             document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true })); }"""
    )
    page.wait_for_timeout(800)
    assert labels(page) == 1  # the second document had not been painted when the other nine came
    page.context.close()


LATE = """
const fetched = window.fetch;
window.fetch = async (...what) => {
  const answer = await fetched(...what);
  if (String(what[0]).includes("/items")) await new Promise((done) => setTimeout(done, 300));
  return answer;
};
"""


def test_a_late_list_never_brings_back_what_was_answered(browser: Any, base: str) -> None:
    page = opened(browser, base)
    page.add_init_script(LATE)
    page.reload()
    shown = []
    for i in range(12):
        seen(page)
        shown.append(title(page))
        page.keyboard.press(str(i % 3))
    told(page, "wait", "Nothing is left")
    assert len(set(shown)) == 12  # the list was made before the answers came and arrived after them
    assert labels(page) == 12
    page.context.close()


def test_answers_wait_while_there_is_no_connection(browser: Any, base: str) -> None:
    page = opened(browser, base)
    page.context.set_offline(True)
    for key in "012":
        press(page, key)
    told(page, "saved", "3 not saved yet, retrying")
    page.context.set_offline(False)
    told(page, "saved", "saved: grade 2")
    assert labels(page) == 3
    page.context.close()


def test_answers_outlive_the_page(browser: Any, base: str) -> None:
    page = opened(browser, base)
    context = page.context
    context.route("**/v1/grades", lambda route: route.abort())
    press(page, "2")
    told(page, "saved", "1 not saved yet")
    page.once("dialog", lambda dialog: dialog.accept())
    page.close(run_before_unload=False)
    context.unroute("**/v1/grades")
    again = context.new_page()
    again.goto(f"{base}/")
    again.get_by_role("link", name="winter", exact=True).click()
    told(again, "saved", "saved: grade 2")
    assert labels(again) == 1
    context.close()


def test_undo_goes_back_without_limit_and_reasons_are_asked(browser: Any, base: str) -> None:
    page = opened(browser, base)
    first = title(page)
    for key in "012":
        press(page, key)
    told(page, "saved", "saved: grade 2")
    for _ in range(3):
        press(page, "u")
    assert title(page) == first
    seen(page)
    page.keyboard.press("x")
    page.keyboard.press("2")
    told(page, "saved", "saved: can't tell")
    page.context.close()


def test_dimensions_are_said_one_after_the_other(browser: Any, base: str) -> None:
    page = opened(browser, base, to="dimensions")
    seen(page)
    page.keyboard.press("2")
    assert page.locator("[data-dimension=fresh][data-active]").count() == 1
    page.keyboard.press("0")
    told(page, "saved", "saved: grade 0")
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing(browser: Any, base: str, width: int, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # From the start: while colours change from one scheme to the other, their contrast is that of neither.
    page = opened(browser, base, color_scheme=scheme, viewport={"width": width, "height": 844})
    for path in (None, "/", "/sign-in"):
        if path:
            page.goto(base + path)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["impact"]) for one in found] == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.context.close()
