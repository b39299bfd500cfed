"""Pairs of documents are compared by keyboard, in a real browser against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.flows import pairs
from assay.flows.keeping import TENANT, open_store
from assay.flows.workbench import Workbench
from browser.label_page import served, told
from web.compared import comparing
from web.visiting import PASSWORD, workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a project of twelve pairs."""
    made = workspace(tmp_path)
    comparing(made)
    return made


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


def opened(browser: Any, base: str, name: str = "rater", width: int = 1280, scheme: Any = "light") -> Any:
    """The page of the project, of somebody who signed in, with two documents on it."""
    page = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme).new_page()
    page.goto(f"{base}/")
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="duel", exact=True).click()
    seen(page)
    return page


def seen(page: Any) -> None:
    """Waits until both documents were painted: a key counts from then on."""
    page.wait_for_selector("#main[data-seen]")


def shown(page: Any) -> tuple[str, str]:
    """The titles on the left and on the right."""
    left, right = (page.text_content(f"#{side} .title") for side in ("left", "right"))
    return left, right


def press(page: Any, key: str) -> tuple[str, str]:
    """A key on two documents that were seen; which they were."""
    seen(page)
    before = shown(page)
    page.keyboard.press(key)
    page.wait_for_function(
        "([left, right]) => document.querySelector('#left article').hidden || left !== "
        "document.querySelector('#left .title').textContent || right !== "
        "document.querySelector('#right .title').textContent",
        arg=list(before),
    )
    return before


def kept(folder: Path) -> list[dict[str, Any]]:
    with open_store(Workbench.open(str(folder))) as store:
        return pairs.export(store, TENANT, "duel")


def test_all_pairs_are_compared_by_keyboard_alone(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    keys = ["ArrowLeft", "ArrowRight", "=", "b"] * 3
    answered = [(press(page, key), key) for key in keys]
    told(page, "wait", "Nothing is left")
    told(page, "saved", "saved: neither serves")
    assert page.title().startswith("Compare")  # the hostile texts did not run
    rows = kept(folder)
    assert len(rows) == 12
    for row, ((left, right), key) in zip(rows, answered, strict=True):
        assert row["left_doc_id"] == left.removeprefix("Jacket ")
        winner = {"first": row["doc_id"], "second": row["other_doc_id"]}.get(row["preference"], row["preference"])
        wanted = {"ArrowLeft": left.removeprefix("Jacket "), "ArrowRight": right.removeprefix("Jacket "), "=": "tie",
                  "b": "both-bad"}  # fmt: skip
        assert winner == wanted[key]
        assert row["took_ms"] is not None
    page.context.close()


def test_keys_without_a_pause_are_about_what_was_seen(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    page.evaluate(
        """() => { for (let i = 0; i < 10; i += 1)
             document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true })); }"""
    )
    told(page, "saved", "saved: left")
    page.wait_for_timeout(300)
    assert len(kept(folder)) == 1  # the second pair had not been painted when the other nine came
    page.context.close()


def test_undo_skip_note_reason_flag_and_help(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    first = press(page, "ArrowLeft")
    press(page, "=")
    told(page, "saved", "saved: both alike")
    press(page, "u")
    press(page, "u")
    assert shown(page) == first  # on the same sides
    told(page, "saved", "undone")
    assert page.text_content("#given") == "0"
    seen(page)
    page.keyboard.press("n")
    page.keyboard.type("both = thin, b")  # letters in the note are text
    page.get_by_role("button", name="Keep it").press("Enter")
    press(page, "ArrowRight")
    told(page, "saved", "saved: right")
    assert [row["note"] for row in kept(folder)] == ["both = thin, b"]
    put_off = press(page, "s")
    told(page, "saved", "skipped")
    seen(page)
    page.keyboard.press("f")
    told(page, "saved", "the query is flagged")
    page.keyboard.press("x")
    page.keyboard.press("2")
    told(page, "saved", "saved: can't tell")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("ArrowLeft")  # nothing is chosen behind a dialog
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    left = 0
    while page.locator("#left article").is_visible() and left < 12:
        last = press(page, "ArrowLeft")
        left += 1
    assert (left, last) == (10, put_off)
    told(page, "wait", "Nothing is left")  # which is known when all is saved
    assert len(kept(folder)) == 11
    page.context.close()


def test_answers_wait_while_there_is_no_connection(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    page.context.set_offline(True)
    for key in ("ArrowLeft", "b", "="):
        press(page, key)
    told(page, "saved", "3 not saved yet, retrying")
    press(page, "u")  # the last one has not been sent: it goes without a trace
    page.context.set_offline(False)
    told(page, "saved", "saved: neither serves")
    assert [row["preference"] for row in kept(folder)][1:] == ["both-bad"]
    page.context.close()


LATE = """
const fetched = window.fetch;
window.fetch = async (...what) => {
  const answer = await fetched(...what);
  if (String(what[0]).includes("/pairs?")) await new Promise((done) => setTimeout(done, 300));
  return answer;
};
"""


def test_a_late_list_never_brings_back_what_was_answered(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    page.add_init_script(LATE)
    page.reload()
    answered = {frozenset(press(page, "ArrowLeft")) for _ in range(12)}
    told(page, "wait", "Nothing is left")
    assert len(answered) == len(kept(folder)) == 12
    page.context.close()


def test_answers_outlive_the_page(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    context = page.context
    context.route("**/v1/preferences", lambda route: route.abort())
    press(page, "ArrowRight")
    told(page, "saved", "1 not saved yet")
    page.close(run_before_unload=False)
    context.unroute("**/v1/preferences")
    again = context.new_page()
    again.goto(f"{base}/label/duel")
    told(again, "saved", "saved: right")
    assert len(kept(folder)) == 1
    context.close()


def test_own_pairs_come_again_with_swapped_sides(browser: Any, tmp_path: Path) -> None:
    made = workspace(tmp_path)
    comparing(made, docs=7, repeat_share=0.5)
    with served(made) as base:
        page = opened(browser, base)
        sides: dict[frozenset[str], list[tuple[str, str]]] = {}
        for _ in range(45):
            pair = press(page, "ArrowLeft")
            sides.setdefault(frozenset(pair), []).append(pair)
        told(page, "saved", "saved: left")
        again = [both for both in sides.values() if len(both) == 2]
        assert again
        assert all(first == second[::-1] for first, second in again)
        page.context.close()


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (900, "light"), (390, "light"), (390, "dark")]
)
def test_axe_finds_nothing(browser: Any, base: str, width: int, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(browser, base, width=width, scheme=scheme)
    for key in (None, "?", "n", "x", "r"):
        if key:
            page.keyboard.press(key)
            page.wait_for_selector("dialog[open]")
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["impact"]) for one in found] == []
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")  # a key before that is the dialog's
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    if width == 390:
        page.get_by_role("button", name="Flag").click()  # by thumb as by key
        told(page, "saved", "the query is flagged")
        page.get_by_role("button", name="Right is better").click()
        told(page, "saved", "saved: right")
    page.context.close()


def test_each_control_says_what_it_is(browser: Any, base: str) -> None:
    page = opened(browser, base)
    for role, name in (
        ("region", "Document on the left"), ("region", "Document on the right"), ("group", "Choice"),
        ("button", "← Left"), ("button", "Right →"), ("button", "= Both alike"), ("button", "b Neither"),
    ):  # fmt: skip
        assert page.get_by_role(role, name=name, exact=True).count() == 1, name
    assert page.get_by_role("status").count() == 1  # what was saved is said
    page.context.close()
