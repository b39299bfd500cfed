"""Two people label a small pool by keyboard, in a real browser against a real server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from web.labelled import DIMENSIONS, project
from web.visiting import PASSWORD, workspace

pytestmark = pytest.mark.browser

CHANGED = (
    "before => document.getElementById('title').textContent !== before || document.getElementById('article').hidden"
)


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    """The address of a server with a project."""
    import uvicorn

    from assay.web.app import create_app

    folder = workspace(tmp_path)
    project(folder, docs=6)
    project(folder, name="dimensions", rubric=DIMENSIONS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_app(str(folder)), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


def opened(browser: Any, base: str, name: str = "rater", to: str = "winter") -> Any:
    """A page of the project, of somebody who signed in, with a document on it."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(f"{base}/")
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name=to, exact=True).click()
    page.wait_for_selector("#article:not([hidden])")
    return page


def seen(page: Any) -> None:
    """Waits until the document was painted: a key counts from then on."""
    page.wait_for_selector("#article[data-seen]")


def press(page: Any, key: str) -> None:
    """A key, and the next document."""
    before = page.text_content("#title")
    seen(page)
    page.keyboard.press(key)
    page.wait_for_function(CHANGED, arg=before)


def told(page: Any, node: str, words: str) -> None:
    """Waits until a line of the page begins so; the page's policy lets functions in, and no text that is evaluated."""
    page.wait_for_function(
        "([node, words]) => document.getElementById(node).textContent.startsWith(words)", arg=[node, words]
    )


def labels(page: Any, base: str) -> int:
    """How many answers of this rater the server has."""
    rows = page.evaluate("() => fetch(document.body.dataset.base + '/v1/projects').then(a => a.json())")
    return next(int(row["given"]) for row in rows if row["name"] == "winter")


def test_two_raters_label_everything_by_keyboard(browser: Any, base: str) -> None:
    for name in ("rater", "lead"):
        page = opened(browser, base, name)
        for i in range(12):
            press(page, str(i % 3))
        told(page, "wait", "Nothing is left")
        assert labels(page, base) == 12
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
    assert labels(page, base) == 1  # the second document had not been painted when the other nine came
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
        shown.append(page.text_content("#title"))
        page.keyboard.press(str(i % 3))
    told(page, "wait", "Nothing is left")
    assert len(set(shown)) == 12  # the list was made before the answers came and arrived after them
    assert labels(page, base) == 12
    page.context.close()


def test_answers_wait_while_there_is_no_connection(browser: Any, base: str) -> None:
    page = opened(browser, base)
    page.context.set_offline(True)
    for key in "012":
        press(page, key)
    told(page, "saved", "3 not saved yet, retrying")
    page.context.set_offline(False)
    told(page, "saved", "saved: grade 2")
    assert labels(page, base) == 3
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
    assert labels(again, base) == 1
    context.close()


def test_undo_goes_back_without_limit_and_reasons_are_asked(browser: Any, base: str) -> None:
    page = opened(browser, base)
    first = page.text_content("#title")
    for key in "012":
        press(page, key)
    told(page, "saved", "saved: grade 2")
    for _ in range(3):
        press(page, "u")
    assert page.text_content("#title") == first
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

    page = opened(browser, base)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    for path in (None, "/", "/sign-in"):
        if path:
            page.goto(base + path)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["impact"]) for one in found] == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.context.close()
