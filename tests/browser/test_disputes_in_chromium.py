"""An adjudicator settles disputes by keyboard, in a real browser against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.flows import pairs
from assay.flows.exported import export
from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import create_project, give, next_items
from assay.flows.people import Person
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.judgments import Given
from browser.label_page import served, signed_in
from web.compared import comparing
from web.labelled import DIMENSIONS, RUBRIC, project
from web.visiting import workspace

pytestmark = pytest.mark.browser

KEY = b"secret"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three projects in which two raters dispute: two pairs by grades, two by dimensions, two by preferences."""
    made = workspace(tmp_path)
    project(made, docs=1)
    project(made, name="dimensions", rubric=DIMENSIONS, docs=1)
    comparing(made, docs=2)
    with open_store(Workbench.open(str(made))) as store:
        for name, grade, wish in (("rater", 0.0, min), ("admin", 2.0, max)):
            who = Person(name, "rater", TENANT)
            for item in next_items(store, who, "winter", 2, KEY):
                give(store, who, Given(f"{name}-w{item['item']:06}", item["item"], name, grade=grade, note="theirs"))
            for item in next_items(store, who, "dimensions", 2, KEY):
                said = Given(f"{name}-d{item['item']:06}", item["item"], name, dimensions={"fit": grade, "fresh": 1.0},
                             note="theirs")  # fmt: skip
                give(store, who, said)
            for item in pairs.next_pairs(store, who, "duel", 2, KEY):
                left, right = (item[side]["doc_id"] for side in ("left", "right"))
                choice = "left" if wish(left, right) == left else "right"
                given = pairs.Choice(
                    f"{name}-p{item['item']:06}", item["item"], name, left, choice=choice, note="theirs"
                )
                pairs.prefer(store, who, given, KEY)
    return made


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


SHUT_AND_ENTER = """() => {
    document.getElementById("help").close();
    const at = document.activeElement; // before the next frame, a button of the dialog still
    at.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
}"""


def blind(page: Any) -> None:
    """Waits for a dispute, which shows no label."""
    page.wait_for_selector("body[data-ready] h1:text('Your answer first')")
    assert "theirs" not in page.content()


def settled(page: Any, words: str) -> None:
    """Waits for what both raters said."""
    page.wait_for_selector(f"body[data-ready] h1:text-is('Settled: {words}')")
    assert page.locator("q:text('theirs')").count() == 2


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """What the adjudicator said."""
    with open_store(Workbench.open(str(folder))) as store:
        said = pairs.export(store, TENANT, name) if name == "duel" else export(store, TENANT, name)
    return [row for row in said if row["role"] == "adjudicator"]


def test_disputes_are_settled_by_keyboard_alone(browser: Any, base: str, folder: Path) -> None:
    page = signed_in(browser, base, "adjudicator")
    page.get_by_role("link", name="Disputes of winter").click()
    for left in (1, 0):
        blind(page)
        page.keyboard.press("9")  # no grade of the rubric: nothing happens
        page.keyboard.press("Enter")
        blind(page)
        page.keyboard.press("2")
        page.keyboard.press("1")  # not saved yet: the last key counts
        page.keyboard.press("n")
        page.keyboard.type("2 of 3 sizes")  # digits in the note are text
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        settled(page, "1 some")
        page.keyboard.press("Enter")
        page.wait_for_selector("h1:text('Your answer first')" if left else "h1:text('No dispute is left for you')")
    assert [(row["grade"], row["note"]) for row in rows(folder, "winter")] == [(1.0, "2 of 3 sizes")] * 2
    page.context.close()


def test_dimensions_are_settled_one_after_the_other(browser: Any, base: str, folder: Path) -> None:
    page = signed_in(browser, base, "adjudicator")
    page.goto(f"{base}/adjudicate/dimensions")
    blind(page)
    assert page.locator("[data-active]").get_attribute("data-dimension") == "fit"
    page.keyboard.press("2")
    assert page.locator("[data-active]").get_attribute("data-dimension") == "fresh"
    page.keyboard.press("2")  # no value of this one
    page.keyboard.press("Enter")
    blind(page)
    page.keyboard.press("1")
    page.keyboard.press("Backspace")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    settled(page, "0 no")  # fit 2, and stale
    said = {row["dimension"]: row["grade"] for row in rows(folder, "dimensions")}
    assert said == {"relevance": 0.0, "fit": 2.0, "fresh": 0.0}
    page.context.close()


def test_pairs_are_settled_on_the_sides_that_the_adjudicator_sees(browser: Any, base: str, folder: Path) -> None:
    page = signed_in(browser, base, "adjudicator")
    page.goto(f"{base}/adjudicate/duel")
    blind(page)
    left = page.locator(".documents .title").first.text_content().removeprefix("Jacket ")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    settled(page, "left is better")
    (row,) = rows(folder, "duel")
    assert row["left_doc_id"] == left
    assert {"first": row["doc_id"], "second": row["other_doc_id"]}[row["preference"]] == left
    page.context.close()


def test_skip_undo_change_and_reasons(browser: Any, base: str, folder: Path) -> None:
    page = signed_in(browser, base, "adjudicator")
    page.goto(f"{base}/adjudicate/winter")
    blind(page)
    first = page.locator("#answer [name=item]").input_value()
    page.keyboard.press("s")
    page.wait_for_function("first => document.querySelector('#answer [name=item]').value !== first", arg=first)
    blind(page)
    assert page.locator(".queue li").last.text_content().endswith("put off")
    page.keyboard.press("j")  # round the list of two
    page.wait_for_function("first => document.querySelector('#answer [name=item]').value === first", arg=first)
    blind(page)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    settled(page, "2 yes")
    page.keyboard.press("0")  # nothing: the answer is given
    page.keyboard.press("c")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    settled(page, "0 no")
    page.keyboard.press("u")
    settled(page, "2 yes")  # what was corrected stands again
    page.keyboard.press("u")
    blind(page)
    assert page.locator("#answer [name=item]").input_value() == first
    assert rows(folder, "winter") == []
    page.keyboard.press("x")
    page.keyboard.press("3")
    page.wait_for_selector('body[data-ready] h1:text("You can\'t tell")')
    assert page.locator('p:text("can\'t tell: language")').count() == 1
    page.keyboard.press("?")
    page.wait_for_selector("#help")
    page.evaluate(SHUT_AND_ENTER)
    blind(page)
    assert page.locator("#answer [name=item]").input_value() != first
    page.context.close()


def test_a_long_document_and_the_rubric_open_by_a_key(browser: Any, base: str, folder: Path) -> None:
    bench = Workbench.open(str(folder))
    documents = [{"doc_id": "long", "title": "Long", "html": "<p>rain</p>" + "<p>A long line of text.</p>" * 300}]
    with open_store(bench) as store:
        create_project(store, bench, name="long", pairs=[{"query_id": "q", "doc_id": "long"}], documents=documents,
                       rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="test")  # fmt: skip
        for name, grade in (("rater", 0.0), ("admin", 2.0)):
            (one,) = next_items(store, Person(name, "rater", TENANT), "long", 1, KEY)
            give(store, Person(name, "rater", TENANT), Given(f"{name}-long-01", one["item"], name, grade=grade))
    page = signed_in(browser, base, "adjudicator")
    page.goto(f"{base}/adjudicate/long")
    blind(page)
    body = page.locator(".documents .body")
    height = body.evaluate("node => node.clientHeight")
    assert height < body.evaluate("node => node.scrollHeight") / 4
    page.keyboard.press("m")
    page.wait_for_selector("details.whole[open]")
    assert body.evaluate("node => node.clientHeight") == body.evaluate("node => node.scrollHeight")
    page.keyboard.press("m")
    page.wait_for_selector("details.whole:not([open])")
    assert body.evaluate("node => node.clientHeight") == height
    page.keyboard.press("r")
    page.wait_for_selector("#rubric-text[open] p:text('Judge the document.')")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-ready] h2:text('The lines that the raters read in two ways')")
    assert page.locator(".between b").all_text_contents() == ["0 no", "1 some", "2 yes"]
    page.context.close()


def test_a_dispute_is_settled_by_thumb(browser: Any, base: str, folder: Path) -> None:
    page = signed_in(browser, base, "adjudicator", viewport={"width": 390, "height": 800}, has_touch=True)
    page.goto(f"{base}/adjudicate/winter")
    blind(page)
    page.locator(".option:has([value='1'])").tap()
    page.get_by_role("button", name="Save and compare").tap()
    settled(page, "1 some")
    page.get_by_role("link", name="Next dispute").tap()
    blind(page)
    assert [row["grade"] for row in rows(folder, "winter")] == [1.0]
    page.context.close()


def test_two_keys_at_once_answer_one_dispute(browser: Any, base: str, folder: Path) -> None:
    page = signed_in(browser, base, "adjudicator")
    page.goto(f"{base}/adjudicate/winter")
    blind(page)
    page.evaluate(
        """() => { for (const key of ["1", "Enter", "Enter", "2", "Enter"])
             document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); }"""
    )
    settled(page, "1 some")
    assert [row["grade"] for row in rows(folder, "winter")] == [1.0]
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing(browser: Any, base: str, width: int, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = signed_in(browser, base, "lead", viewport={"width": width, "height": 800}, color_scheme=scheme)

    def clean() -> None:
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["impact"]) for one in found] == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")

    for path in ("/", "/project/winter", "/project/duel", "/adjudicate/dimensions", "/adjudicate/duel"):
        page.goto(base + path)
        clean()
    page.goto(f"{base}/adjudicate/winter")
    page.keyboard.press("1")
    page.keyboard.press("x")
    clean()
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    settled(page, "1 some")
    clean()
    page.keyboard.press("c")
    clean()
    page.context.close()
