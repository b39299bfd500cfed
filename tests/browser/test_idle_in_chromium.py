"""Where nothing is on the screen, the page says what comes next, and shows no button that would do nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.flows.keeping import open_store
from assay.flows.people import add_person
from assay.flows.workbench import Workbench
from browser import test_pairs_in_chromium as two
from browser.label_page import labels, opened, press, served, signed_in, told
from web.compared import comparing
from web.labelled import project
from web.visiting import PASSWORD, workspace

pytestmark = pytest.mark.browser

WIDTHS = [(1280, "light"), (390, "dark")]
PILOT = 4


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    """Projects with a pilot of four, of documents and of pairs, and one without; two raters and a lead label."""
    folder = workspace(tmp_path)
    with open_store(Workbench.open(str(folder))) as store:
        add_person(store, "second", "rater", PASSWORD, by="test")
    project(folder, pilot=PILOT, raters_each=1, pilot_limit=-1.0)
    project(folder, name="short", docs=1)
    comparing(folder, docs=3, pilot=PILOT)
    with served(folder) as address:
        yield address


def buttons(page: Any) -> list[str]:
    """The buttons that can be seen, by their words."""
    found = page.get_by_role("button").filter(visible=True).all_inner_texts()
    return sorted(" ".join(text.split()) for text in found)


def rests(page: Any) -> None:
    page.wait_for_selector("body[data-idle]")


def axe(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    return [str(one["id"]) for one in Axe().run(page).response["violations"]]


WAYS = ["Look again", "Read the rubric r"]


@pytest.mark.parametrize(("width", "scheme"), WIDTHS)
def test_who_waits_for_the_pilot_of_others_sees_what_can_be_done_and_nothing_else(
    browser: Any, base: str, width: int, scheme: Any
) -> None:
    page = opened(browser, base, viewport={"width": width, "height": 844}, color_scheme=scheme)
    for n in range(PILOT):
        press(page, str(n % 3))
    rests(page)
    told(page, "wait", "You have labelled the pilot. The rest opens when every rater has, and they agree.")
    keys = ["Keys ?"] if page.locator("[data-help]").is_visible() else []
    assert buttons(page) == sorted([*keys, *WAYS, "Undo the last u"])
    assert not page.get_by_text("The query", exact=True).is_visible()
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    for key in ("0", "Enter", "x", "s", "n", "f", "/"):
        page.keyboard.press(key)
    assert page.locator("dialog[open]").count() == 0
    told(page, "saved", "saved: grade 0")  # the last answer of the pilot
    assert labels(page) == PILOT
    page.keyboard.press("r")
    assert page.locator("#rubric-text .reminder dt").all_text_contents() == ["2 yes", "1 some", "0 no"]
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.keyboard.press("u")
    page.wait_for_selector("#article[data-seen]")
    assert page.locator("body[data-idle]").count() == 0
    assert page.locator("[data-grade='1']").filter(visible=True).count() > 0
    page.context.close()


NEVER_BY_ITSELF = """() => {
    const really = setTimeout;
    window.setTimeout = (act, ms, ...rest) => (act && act.name === "fill" && ms >= 1000 ? 0 : really(act, ms, ...rest));
}"""
"""The page no longer looks by itself, which it may do sooner than the lead is done."""


def test_what_opened_meanwhile_comes_when_one_looks_again(browser: Any, base: str) -> None:
    first = opened(browser, base)
    first.evaluate(NEVER_BY_ITSELF)
    for n in range(PILOT):
        press(first, str(n % 3))
    rests(first)
    told(first, "saved", "saved: grade 0")
    lead = signed_in(browser, base, "lead")
    lead.get_by_role("link", name="Progress of winter").click()
    lead.get_by_label("Why it opens all the same").fill("it is late")
    lead.keyboard.press("Enter")
    lead.wait_for_selector("text=it is late")
    first.get_by_role("button", name="Look again").click()
    first.wait_for_selector("#article[data-seen]")
    assert first.get_by_text("The query", exact=True).is_visible()
    first.context.close()
    lead.context.close()


@pytest.mark.parametrize(("width", "scheme"), WIDTHS)
def test_who_compared_the_pilot_sees_the_same(browser: Any, base: str, width: int, scheme: Any) -> None:
    page = two.opened(browser, base, width=width, scheme=scheme)
    for _ in range(PILOT):
        two.press(page, "ArrowLeft")
    rests(page)
    told(page, "wait", "You have compared the pilot. The rest opens when every rater has, and they agree.")
    keys = ["Keys ?"] if page.locator("[data-help]").is_visible() else []
    assert buttons(page) == sorted([*keys, *WAYS, "Undo the last u"])
    assert not page.get_by_text("The query", exact=True).is_visible()
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    told(page, "saved", "saved: left")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Undo the last").click()
    two.seen(page)
    assert page.locator("[data-choice='left']").filter(visible=True).count() == 1
    page.context.close()


@pytest.mark.parametrize("unit", ["document", "pair"])
def test_at_the_end_nothing_is_left_to_press_either(browser: Any, base: str, unit: str) -> None:
    to, key = ("short", "1") if unit == "document" else ("duel", "=")
    go: Callable[..., Any] = opened if unit == "document" else two.opened
    with_lead = signed_in(browser, base, "lead")
    if unit == "pair":
        with_lead.get_by_role("link", name="Progress of duel").click()
        with_lead.get_by_label("Why it opens all the same").fill("it is late")
        with_lead.keyboard.press("Enter")
        with_lead.wait_for_selector("text=it is late")
    with_lead.context.close()
    page = go(browser, base, to=to) if unit == "document" else go(browser, base)
    move = press if unit == "document" else two.press
    for _ in range(2 if unit == "document" else 6):
        move(page, key)
    rests(page)
    told(page, "wait", "Nothing is left for you here.")
    assert buttons(page) == sorted(["Keys ?", *WAYS, "Undo the last u"])
    page.reload()
    rests(page)
    told(page, "wait", "Nothing is left for you here.")
    assert buttons(page) == sorted(["Keys ?", *WAYS])  # nothing was answered on this page
    page.context.close()


TIMED = """() => {
    const really = setTimeout;
    window.asked = [];
    window.setTimeout = (act, ms, ...rest) => {
        if (!act || act.name !== "fill") return really(act, ms, ...rest);
        window.asked.push(ms);
        return really(act, ms / 20);
    };
}"""
"""How long the page waits before it asks for more is noted, and passes faster."""


@pytest.mark.parametrize("unit", ["document", "pair"])
def test_who_has_answered_all_without_a_connection_asks_less_and_less_often(
    browser: Any, tmp_path: Path, unit: str
) -> None:
    folder = workspace(tmp_path)
    if unit == "document":
        project(folder, docs=6)
    else:
        comparing(folder)
    move, go, seen = (press, opened, "#article") if unit == "document" else (two.press, two.opened, "#main")
    with served(folder) as base:
        page = go(browser, base)
        lists = f"**/v1/projects/*/{'items' if unit == 'document' else 'pairs'}?*"
        page.context.route(lists, lambda route: route.abort())
        page.evaluate(TIMED)
        for _ in range(7):  # of twelve; so many came at first
            move(page, "1" if unit == "document" else "=")
        page.wait_for_function("() => window.asked.includes(3000)")
        waits = [ms for ms in page.evaluate("() => window.asked") if ms != 2000]  # that one while something was shown
        assert waits == sorted(waits)
        assert waits[0] >= 100
        page.context.unroute(lists)
        page.wait_for_selector(f"{seen}[data-seen]")
        page.context.close()
