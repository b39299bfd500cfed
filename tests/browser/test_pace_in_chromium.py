"""The stop of who answers faster than anybody reads, live pages, and the own page: in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.schema import EVENTS, JUDGMENTS
from browser.label_page import opened, press, seen, served, told
from web.labelled import RUBRIC
from web.visiting import workspace

pytestmark = [pytest.mark.slow, pytest.mark.browser]

FEW, DOCUMENTS = 10, 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project that stops who is faster than a second, and lets live pages be opened."""
    made = workspace(tmp_path)
    bench = Workbench.open(str(made))
    pairs = [{"query_id": f"q{n // 20}", "doc_id": f"d{n:02}"} for n in range(DOCUMENTS)]
    texts = [{"doc_id": pair["doc_id"], "title": f"Jacket {pair['doc_id']}", "text": "For rain.",
              "fields": f'{{"url": "https://live.invalid/{pair["doc_id"]}"}}'} for pair in pairs]  # fmt: skip
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", pairs=pairs, documents=texts, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC,
            by="test", repeat_share=0.0, live_links=True,
        )  # fmt: skip
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
    for _ in range(DOCUMENTS):
        page.wait_for_selector("#article[data-seen]")
        page.keyboard.press("1")
        told(page, "saved", "saved")  # every answer is counted before the next one
        if page.locator("#slow[open]").count():
            return
    raise AssertionError("nobody was stopped")


def axe(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_who_is_too_fast_is_stopped_and_goes_on_by_a_key_that_grades_nothing(
    browser: Any, base: str, folder: Path, width: int, scheme: Any
) -> None:
    page = opened(browser, base, color_scheme=scheme, viewport={"width": width, "height": 844})
    stopped(page)
    n = len(rows(folder, JUDGMENTS))
    assert n >= FEW
    assert page.locator("#slow").get_by_role("heading").inner_text() == "Faster than anybody reads"
    assert page.locator("#slow .reminder dt").all_text_contents() == ["2 yes", "1 some", "0 no"]
    assert "Judge the document." in page.locator("#slow").inner_text()
    assert axe(page) == []
    for key in ("2", "0", "Enter", "Escape", "Escape", "s", "u", " "):
        page.keyboard.press(key)
    assert page.locator("#slow[open]").count() == 1
    assert len(rows(folder, JUDGMENTS)) == n
    page.keyboard.press("c")
    page.wait_for_selector("#slow[open]", state="detached")
    assert [row["kind"] for row in rows(folder, EVENTS)] == ["stopped", "went on"]
    page.wait_for_selector("#article:not([hidden])")
    press(page, "2")
    told(page, "saved", "saved: grade 2")
    given = rows(folder, JUDGMENTS)
    assert [row["grade"] for row in given] == [1.0] * n + [2.0]  # nothing was lost, and no key of the stop was a grade
    assert len({row["item"] for row in given}) == n + 1
    page.context.close()


def test_without_a_connection_the_stop_stays(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    stopped(page)
    page.context.route("**/go-on", lambda route: route.abort())
    page.keyboard.press("c")
    told(page, "slow-says", "no connection")
    page.context.unroute("**/go-on")
    page.get_by_role("button", name="I have read it").click()
    page.wait_for_selector("#slow[open]", state="detached")
    page.context.close()


def test_a_live_page_opens_apart_and_is_noted(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    came: list[dict[str, str]] = []

    def answer(route: Any) -> None:
        came.append(route.request.all_headers() | {"url": route.request.url})
        route.fulfill(body="<title>the live page</title>", content_type="text/html")

    page.context.route("https://live.invalid/**", answer)
    seen(page)
    doc = str(page.text_content("#article .title")).removeprefix("Jacket ")
    link = page.get_by_role("link", name="Open the live page")
    assert link.get_attribute("rel") == "noreferrer noopener"
    with page.context.expect_page() as other:
        link.focus()
        page.keyboard.press("Enter")
    other.value.wait_for_load_state()
    assert other.value.evaluate("() => [window.opener, document.referrer]") == [None, ""]
    assert [one["url"] for one in came] == [f"https://live.invalid/{doc}"]
    assert "referer" not in came[0]
    page.wait_for_function("() => !Object.keys(localStorage).length")
    ((event, judged),) = [(rows(folder, EVENTS), rows(folder, JUDGMENTS))]
    assert ([one["kind"] for one in event], judged) == (["opened"], [])
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_own_page_is_led_to_and_axe_finds_nothing(browser: Any, base: str, width: int, scheme: Any) -> None:
    page = opened(browser, base, color_scheme=scheme, viewport={"width": width, "height": 844})
    press(page, "1")
    told(page, "saved", "saved")
    page.goto(base)
    page.get_by_role("link", name="Your labels in winter").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Your labels in winter"
    assert "1 of 40" in page.locator(".facts").inner_text()
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Go on labelling").click()
    page.wait_for_selector("#article:not([hidden])")
    page.context.close()
