"""A pilot in a real browser: two raters label it by keyboard, the lead sees why the queue is closed, and it opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.people import add_person
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from browser.label_page import opened, press, seen, served, signed_in, told
from web.labelled import RUBRIC
from web.visiting import PASSWORD, workspace

pytestmark = pytest.mark.browser

WORDS = RUBRIC.replace(
    'name = "some"', 'name = "some"\ndefinition = "part of what was asked"\nborderline = "a jacket of another size"'
).replace('name = "yes"', 'name = "yes"\ndefinition = "all that was asked"')
QUERIES = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose pilot is one document of each of twelve queries, and a second rater."""
    made = workspace(tmp_path)
    bench = Workbench.open(str(made))
    pairs = [{"query_id": f"q{i:02}", "doc_id": f"d{i:02}"} for i in range(QUERIES + 2)]
    documents = [{"doc_id": pair["doc_id"], "title": f"Jacket {pair['doc_id']}", "text": "For rain."} for pair in pairs]
    with open_store(bench) as store:
        add_person(store, "second", "rater", PASSWORD, by="test")
        create_project(
            store, bench, name="winter", pairs=pairs, documents=documents, rubric=Rubric.parse(WORDS), by="test",
            rubric_text=WORDS, pilot=QUERIES, repeat_share=0.0, min_seconds=0.0,
        )  # fmt: skip
    return made


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


def label(page: Any, key: Any, n: int = QUERIES) -> None:
    """Answers so many documents by keyboard; `key` says which digit a title gets."""
    for _ in range(n):
        seen(page)
        press(page, key(str(page.text_content("#article .title"))))


def alike(title: str) -> str:
    return "2" if int(title[-2:]) % 2 else "0"


def test_raters_who_agree_open_the_queue_by_their_last_key(browser: Any, base: str) -> None:
    first = opened(browser, base)
    label(first, alike)
    told(first, "wait", "You have labelled the pilot. The rest opens when every rater has")
    second = opened(browser, base, "second")
    label(second, alike)
    second.wait_for_selector("#article:not([hidden])")  # what lies behind the pilot comes at once
    first.reload()
    first.wait_for_selector("#article:not([hidden])")
    lead = signed_in(browser, base, "lead")
    lead.get_by_role("link", name="Progress of winter").click()
    lead.wait_for_selector("text=by itself")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_the_lead_sees_the_lines_and_opens_it_for_a_reason(
    browser: Any, base: str, width: int, scheme: Literal["light", "dark"], tmp_path: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    label(opened(browser, base), alike)
    label(opened(browser, base, "second"), lambda title: "1")
    lead = signed_in(browser, base, "lead", viewport={"width": width, "height": 900}, color_scheme=scheme)
    lead.get_by_role("link", name="Progress of winter").click()
    lead.wait_for_selector("text=mend the rubric")
    table = lead.get_by_role("table", name="Lines of the rubric on which raters differ")
    assert "part of what was asked" in table.text_content()
    assert "borderline: a jacket of another size" in table.text_content()
    apart = [int(row.locator("td").last.text_content()) for row in table.locator("tbody tr").all()]
    assert sum(apart) == QUERIES  # each pair lies across one line: 0 against 1, or 1 against 2
    assert apart == sorted(apart, reverse=True)
    assert lead.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Axe().run(lead).response["violations"] == []
    lead.screenshot(path=str(tmp_path / f"pilot-{width}-{scheme}.png"), full_page=True)
    lead.get_by_label("Why it opens all the same").fill("the two sat together")
    lead.keyboard.press("Enter")
    lead.wait_for_selector("text=the two sat together")
    assert lead.get_by_role("button", name="Open the queue").count() == 0
