"""Every key of the labelling page, and its search, by keyboard alone and for screen readers; in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.flows.keeping import open_store
from assay.flows.workbench import Workbench
from assay.store.schema import FLAGS, ITEMS, JUDGMENTS
from browser.label_page import go, labels, opened, press, seen, served, shut, title, told
from web.labelled import project
from web.rich import rich
from web.visiting import workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = workspace(tmp_path)
    project(made, docs=3)
    project(made, name="by enter", needs_enter=True, docs=3)
    rich(made)
    return made


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


def rows(folder: Path, table: Any = JUDGMENTS) -> list[Any]:
    """What the store has, in the order in which it was written."""
    import sqlalchemy as sa

    with open_store(Workbench.open(str(folder))) as store:
        return store.rows(sa.select(table).order_by(table.c.id))


def axe(page: Any) -> list[Any]:
    """What axe finds on the page as it is."""
    from axe_playwright_python.sync_playwright import Axe

    return [(one["id"], one["impact"]) for one in Axe().run(page).response["violations"]]


def test_what_is_skipped_comes_back_when_nothing_else_is_left(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    seen(page)
    put_off = title(page)
    assert page.text_content("#shows") == f"Next document: {put_off}"  # said to whoever does not see it
    press(page, "s")
    told(page, "saved", "skipped: it comes back later")
    shown = []
    for _ in range(5):
        seen(page)
        shown.append(title(page))
        press(page, "1")
    assert put_off not in shown
    seen(page)
    assert title(page) == put_off
    page.keyboard.press("2")
    told(page, "wait", "Nothing is left")
    assert labels(page) == 6
    page.context.close()


def test_a_note_goes_with_the_next_answer_and_with_a_flag(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    seen(page)
    page.keyboard.press("n")
    page.keyboard.type("0 is not typed as a grade, nor s")
    assert axe(page) == []
    shut(page)
    told(page, "says", "the note goes with your next grade or flag")
    page.keyboard.press("f")
    told(page, "saved", "the query is flagged")
    press(page, "2")
    told(page, "saved", "saved: grade 2")
    press(page, "1")
    told(page, "saved", "saved: grade 1")
    assert [row["note"] for row in rows(folder)] == ["0 is not typed as a grade, nor s", ""]
    assert [row["why"] for row in rows(folder, FLAGS)] == ["0 is not typed as a grade, nor s"]
    page.context.close()


def test_who_cannot_tell_says_why(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    seen(page)
    page.keyboard.press("x")
    assert page.locator("#why").get_attribute("open") is not None
    assert axe(page) == []
    shut(page)
    assert rows(folder) == []
    page.keyboard.press("x")
    before = title(page)
    page.keyboard.press("3")  # the third reason, and no grade
    told(page, "saved", "saved: can't tell")
    assert title(page) != before
    assert [(row["grade"], row["cannot_tell"]) for row in rows(folder)] == [(None, "language")]
    page.context.close()


def test_with_enter_a_grade_is_chosen_and_then_saved(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base, to="by enter")
    seen(page)
    first = title(page)
    save = page.locator(".confirm [data-confirm]")
    assert save.is_disabled()
    page.keyboard.press("Enter")  # nothing is chosen
    box = page.locator(".grades").bounding_box()
    page.keyboard.press("1")
    page.keyboard.press("2")
    told(page, "says", "grade 2 is chosen: Enter saves it")
    assert page.locator(".grades [aria-pressed=true]").get_attribute("data-grade") == "2"
    assert page.locator(".grades").bounding_box() == box  # choosing moves nothing
    assert title(page) == first
    assert rows(folder) == []
    press(page, "Enter")
    told(page, "says", "saved: grade 2")
    assert save.is_disabled()
    assert [row["grade"] for row in rows(folder)] == [2.0]
    page.context.close()


def test_with_enter_the_same_number_again_saves_too(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base, to="by enter")
    seen(page)
    page.keyboard.press("1")
    page.keyboard.press("2")
    assert rows(folder) == []
    press(page, "2")
    told(page, "saved", "saved: grade 2")
    seen(page)
    page.keyboard.press("2")  # of the next document it is the first time
    told(page, "says", "grade 2 is chosen")
    assert [row["grade"] for row in rows(folder)] == [2.0]
    page.context.close()


def test_a_decision_needs_no_scrolling_and_the_rubric_is_open(browser: Any, base: str) -> None:
    page = opened(browser, base)
    seen(page)
    for one in ("#query", "#article .title", "#article .body", *(f".grades [data-grade='{n}']" for n in range(3)),
                "#cannot", "#skip", "#note", ".confirm [data-undo]", "#saved"):  # fmt: skip
        box = page.locator(one).first.bounding_box()
        assert box is not None, one
        assert box["y"] >= 0, one
        assert box["y"] + box["height"] <= 800, one
        assert page.locator(one).first.is_visible(), one
    assert page.locator(".grades b").all_inner_texts() == ["yes", "some", "no"]
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    page.context.close()


def test_help_lists_every_key_and_the_page_takes_none_meanwhile(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    seen(page)
    before = title(page)
    page.keyboard.press("?")
    listed = {key for text in page.locator("#help li > span:first-child").all_inner_texts() for key in text.split()}
    nodes = page.locator("main [aria-keyshortcuts]").all()
    written = {key for node in nodes if not (key := str(node.get_attribute("aria-keyshortcuts"))).isdigit()}
    assert written - listed == set()
    assert {"u", "s", "x", "n", "f", "t", "r", "m", "/", "?", "Esc", "0", "2"} <= listed
    for key in "12us":
        page.keyboard.press(key)
    assert title(page) == before
    shut(page)
    page.keyboard.press("r")
    assert "Judge the document." in page.locator("#rubric-text").inner_text()
    shut(page)
    assert rows(folder) == []
    page.context.close()


def test_a_document_is_found_and_added_by_keyboard(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base, to="rich")
    seen(page)
    first = title(page)
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.id") == "find-words"
    assert page.text_content("#find-query") == "rain jackets"
    page.keyboard.type("long 1")  # no grade is given by a digit here
    page.keyboard.press("Enter")
    told(page, "find-says", "1 document")
    assert page.locator("#found h3").all_text_contents() == ["Long rain text"]
    assert axe(page) == []
    page.keyboard.press("ArrowDown")
    focused = page.evaluate(
        "() => [document.activeElement.textContent, "
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent]"
    )
    assert focused == ["Add to my list", "Long rain text"]
    page.keyboard.press("Enter")
    told(page, "find-says", "added: it comes next in your list")
    shut(page)
    assert title(page) == first  # it comes next, and not in place of what is on the screen
    press(page, "1")
    assert title(page) == "Long rain text"
    press(page, "0")
    told(page, "saved", "saved: grade 0")
    (found,) = [row for row in rows(folder, ITEMS) if row["is_found"]]
    assert (found["query_id"], found["doc_id"], found["taken"]) == ("en", "en-2", 1)
    assert [row["grade"] for row in rows(folder) if row["item"] == found["id"]] == [0.0]
    page.context.close()


def test_a_search_that_finds_nothing_or_has_no_connection_says_so(browser: Any, base: str) -> None:
    page = opened(browser, base, to="rich", viewport={"width": 390, "height": 844}, color_scheme="dark")
    seen(page)
    page.locator("button.beside[data-find]").click()
    for words, said in (("nothing so", "no document holds all these words"), ("سترة", "2 documents")):
        page.fill("#find-words", words)
        page.keyboard.press("Enter")
        told(page, "find-says", said)
    assert axe(page) == []
    titles = page.locator("#found h3")
    assert [titles.nth(n).get_attribute("dir") for n in range(2)] == ["rtl", "auto"]
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    told(page, "find-says", "no connection: try again")
    page.context.close()


def test_what_was_added_without_a_connection_is_added_later(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base, to="rich")
    seen(page)
    page.keyboard.press("/")
    page.keyboard.type("Long")
    page.keyboard.press("Enter")
    told(page, "find-says", "1 document")
    page.context.set_offline(True)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    told(page, "saved", "1 not saved yet")
    page.context.set_offline(False)
    told(page, "find-says", "added: it comes next in your list")
    assert [row["doc_id"] for row in rows(folder, ITEMS) if row["is_found"]] == ["en-2"]
    page.keyboard.press("Escape")
    page.goto(f"{base}/")
    go(page, "rich")  # it is with the server now, and comes again
    shown = [title(page)]
    for _ in range(6):
        press(page, "1")
        shown.append(title(page))
    assert "Long rain text" in shown
    page.context.close()


def test_everything_is_at_hand_on_a_phone(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base, to="by enter", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    seen(page)
    first = title(page)
    page.locator(".thumb [data-grade='2']").tap()
    page.locator(".thumb [data-confirm]").tap()
    told(page, "saved", "saved: grade 2")
    seen(page)
    page.locator(".thumb [data-undo]").tap()
    told(page, "saved", "undone")
    assert title(page) == first
    for name in ("cannot", "skip", "note"):
        assert page.locator(f"#{name}").is_visible()
    for what in ("find", "flag"):
        assert page.locator(f".beside[data-{what}]").is_visible()
    sizes = [node.bounding_box() for node in page.locator(".thumb button, .rubric .side-keys button").all()]
    assert [box for box in sizes if min(box["height"], box["width"]) < 44] == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.context.close()
