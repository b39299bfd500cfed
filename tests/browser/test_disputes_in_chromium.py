"""An adjudicator settles a dispute by keyboard, in a real browser against a real server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.flows.keeping import TENANT, open_store
from assay.flows.exported import export
from assay.flows.labelling import give, next_items
from assay.flows.people import Person
from assay.flows.workbench import Workbench
from assay.store.judgments import Given
from web.labelled import project
from web.visiting import PASSWORD, workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a server, and its folder, with a project in which two raters dispute two pairs."""
    import uvicorn

    from assay.web.app import create_app

    folder = workspace(tmp_path)
    project(folder, docs=1)
    with open_store(Workbench.open(str(folder))) as store:
        for name, grade in (("rater", 0.0), ("admin", 2.0)):
            who = Person(name, "rater", TENANT)
            for item in next_items(store, who, "winter", 2, b"secret"):
                give(store, who, Given(f"{name}-{item['item']:06}", item["item"], name, grade=grade, note="theirs"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_app(str(folder)), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}", folder
    server.should_exit = True
    thread.join(10)


def signed_in(browser: Any, base: str, name: str) -> Any:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(f"{base}/")
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".projects")
    return page


def test_disputes_are_settled_by_keyboard_alone(browser: Any, place: tuple[str, Path]) -> None:
    base, folder = place
    page = signed_in(browser, base, "adjudicator")
    page.get_by_role("link", name="Disputes of winter").click()
    for left in (1, 0):
        page.wait_for_selector("h1:text('Settle a dispute')")
        assert "theirs" not in page.content()
        page.keyboard.press("9")  # no grade of the rubric: nothing happens
        page.keyboard.press("1")
        page.wait_for_selector("h1:text('Settled')")
        assert page.locator("td:text('theirs')").count() == 2
        page.keyboard.press("Enter")
        page.wait_for_selector("h1:text('Settle a dispute')" if left else "h1:text('No dispute is left for you')")
    with open_store(Workbench.open(str(folder))) as store:
        rows = export(store, TENANT, "winter")
    assert [row["grade"] for row in rows if row["role"] == "adjudicator"] == [1.0, 1.0]


def test_a_digit_in_the_note_is_text(browser: Any, place: tuple[str, Path]) -> None:
    page = signed_in(browser, place[0], "adjudicator")
    page.goto(f"{place[0]}/adjudicate/winter")
    page.fill("textarea", "")
    page.locator("textarea").press("1")
    assert page.input_value("textarea") == "1"
    assert page.text_content("h1") == "Settle a dispute"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_serious(browser: Any, place: tuple[str, Path], scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = signed_in(browser, place[0], "lead")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for path in ("/", "/project/winter", "/adjudicate/winter"):
        page.goto(place[0] + path)
        found = [one for one in axe.run(page).response["violations"] if one["impact"] in ("serious", "critical")]
        assert found == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("1")
    page.wait_for_selector("h1:text('Settled')")
    assert [one for one in axe.run(page).response["violations"] if one["impact"] in ("serious", "critical")] == []
