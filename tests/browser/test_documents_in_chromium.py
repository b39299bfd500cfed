"""Documents beside their grade: markup, fields, a picture, scripts from right to left, long bodies; in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.label_page import opened, press, seen, served, title, told
from web.rich import DOCUMENTS, TOPICS, rich
from web.visiting import workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workspace(tmp_path)


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    """The address of a server with the rich project."""
    rich(folder)
    with served(folder) as address:
        yield address


def marks(page: Any, where: str = "#article") -> list[str]:
    """What is marked below a node."""
    found: list[str] = page.locator(f"{where} mark").all_text_contents()
    return found


def test_a_captured_page_is_shown_without_what_acts_or_fetches(browser: Any, base: str) -> None:
    asked: list[str] = []
    page = opened(browser, base, to="rich")
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    seen(page)
    page.wait_for_function("() => document.querySelector('.picture img')?.naturalWidth > 0")
    assert title(page) == "Rain jacket Trà Vinh"
    assert page.locator(".body h3").text_content() == "About it"  # below the headings of the page
    assert page.locator(".body a, .body script, .body [onerror], .body img").count() == 0
    assert "[picture: a seam]" in str(page.text_content(".body"))
    assert page.title().startswith("Label")
    assert all(url.startswith(base) for url in asked)
    assert page.locator(".picture img").get_attribute("alt") == "Picture: Rain jacket Trà Vinh"
    rows = page.locator(".fields tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [["size", "XL"], ["price", "59.90"], ["brand", "Regen & Söhne"]]
    assert page.locator(".stamp").inner_text().split("\n")[0] == "snapshot 12 November 2026"
    assert marks(page) == ["Rain", "jacket", "rain", "jacket"]
    page.keyboard.press("t")
    assert marks(page) == []
    page.keyboard.press("t")
    assert len(marks(page)) == 4
    assert page.text_content("#need") == "A jacket that keeps a cyclist dry."
    page.context.close()


BOX = """node => {
    const box = node.getBoundingClientRect(), range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getClientRects()[0];
    return { left: text.left - box.left, right: box.right - text.right };
}"""

WANTED = {
    "ar": ("rtl", ["سترة", "مطر", "مَطَر"]), "he": ("rtl", ["מעיל", "גשם", "מעיל", "גשם"]),
    "zh": ("ltr", ["红色", "雨衣", "雨衣", "红色"]), "hi": ("ltr", ["बारिश", "जैकेट", "जैकेट", "बारिश"]),
}  # fmt: skip


def test_scripts_run_their_way_and_marks_stand_in_their_place(browser: Any, base: str) -> None:
    page = opened(browser, base, to="rich")
    documents = {one["doc_id"]: one for one in DOCUMENTS}
    for topic in TOPICS:
        seen(page)
        query = str(topic["query_id"])
        document = documents[f"{query}-1"]
        assert page.text_content("#query") == topic["text"]
        assert title(page) == document["title"]  # letter by letter: no mojibake
        if query in WANTED:
            direction, marked = WANTED[query]
            for node in ("#query", "#need", "#article .title", "#article .body"):
                assert page.get_attribute(node, "lang") == topic["language"], f"{node} of {query}"
                assert page.get_attribute(node, "dir") == direction, f"{node} of {query}"
            for node in ("#query", "#article .title", "#article .body p"):
                gaps = page.locator(node).first.evaluate(BOX)
                near, far = ("right", "left") if direction == "rtl" else ("left", "right")
                assert gaps[near] < 2 < gaps[far], f"{node} of {query}: {gaps}"
            assert marks(page) == marked
        page.keyboard.press("1")
        page.wait_for_timeout(50)
        if query != "emoji":
            page.wait_for_function("before => document.querySelector('.title').textContent !== before",
                                   arg=document["title"])  # fmt: skip
    told(page, "wait", "Nothing is left")
    page.context.close()


def test_an_emoji_is_one_letter_and_a_text_without_a_language_goes_by_its_letters(browser: Any, folder: Path) -> None:
    pairs = [{"query_id": "emoji", "doc_id": "emoji-1"}, {"query_id": "emoji", "doc_id": "ar-2"}]
    rich(folder, pairs=pairs)
    with served(folder) as base:
        page = opened(browser, base, to="rich")
        shown = {}
        for _ in pairs:
            seen(page)
            shown[title(page)] = marks(page)
            assert page.get_attribute("#query", "dir") == "auto"
            assert page.get_attribute("#query", "lang") is None
            if title(page) == "معطف":
                assert page.evaluate("() => getComputedStyle(document.querySelector('.title')).direction") == "rtl"
                assert page.evaluate("() => getComputedStyle(document.querySelector('.body p')).direction") == "ltr"
            page.keyboard.press("1")
            page.wait_for_timeout(100)
        assert shown == {"Laptop for 👩‍💻 and 👩": ["Laptop", "👩‍💻", "laptop"], "معطف": []}
        page.context.close()


def test_a_long_body_is_folded_and_says_what_is_below(browser: Any, folder: Path) -> None:
    rich(folder, pairs=[{"query_id": "en", "doc_id": "en-2"}])
    with served(folder) as base:
        page = opened(browser, base, to="rich")
        seen(page)
        more = page.locator("#article .more")
        assert more.inner_text().startswith("Show all of it: 4,")
        assert more.inner_text().rstrip("m\n ").endswith("letters, 1 more marked")
        assert more.get_attribute("aria-expanded") == "false"
        assert page.locator("mark").last.is_visible()
        high = page.locator("#article .body").bounding_box()["height"]
        page.keyboard.press("m")
        assert more.get_attribute("aria-expanded") == "true"
        assert page.locator("#article .body").bounding_box()["height"] > 3 * high
        page.keyboard.press("m")
        assert page.locator("#article .body").bounding_box()["height"] == high
        page.context.close()


PARTS = [f"Part {n} of it, and rain in it." for n in range(2_000)]
LONGER = f"<div><div>{''.join(f'<p>{part}</p>' for part in PARTS)}</div>The end of rain.</div>"


SHOWN_OR_COUNTED = """(many) => {
    const body = document.querySelector(".body");
    const told = /(\\d[\\d,]*) more marked/.exec(document.querySelector(".more").textContent);
    const shown = [...body.querySelectorAll("mark")].filter((one) => one.offsetTop < body.clientHeight).length;
    return told !== null && Number(told[1].replace(",", "")) + shown === many;
}"""
"""Every mark is in sight, or among those of which the button says how many there are."""


def test_a_very_long_body_is_drawn_when_it_is_asked_for(browser: Any, folder: Path) -> None:
    rich(folder, pairs=[{"query_id": "en", "doc_id": "long"}], documents=[{"doc_id": "long", "html": LONGER}])
    with served(folder) as base:
        page = opened(browser, base, to="rich")
        seen(page)
        assert page.locator(".body p").count() < 300
        page.wait_for_function(SHOWN_OR_COUNTED, arg=2_001)  # words of a long text are marked a part at a time
        page.keyboard.press("m")
        assert page.locator(".body p").all_text_contents() == PARTS
        assert str(page.text_content(".body")).endswith("The end of rain.")
        assert len(marks(page, ".body")) == 2_001
        page.keyboard.press("t")
        assert marks(page) == []
        page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1024, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing_on_any_document(browser: Any, base: str, width: int, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(browser, base, to="rich", viewport={"width": width, "height": 844}, color_scheme=scheme)
    for n in range(len(TOPICS)):
        seen(page)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["impact"]) for one in found] == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        if n < len(TOPICS) - 1:
            press(page, "1")
    page.context.close()
