"""Two documents side by side in the scripts of the world, and undo without limit; in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.flows.keeping import open_store
from assay.flows.pairs import create_project
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from browser.label_page import served, told
from browser.test_pairs_in_chromium import kept, opened, press, seen, shown
from web.labelled import RUBRIC
from web.rich import DOCUMENTS, TOPICS, png
from web.visiting import workspace

pytestmark = pytest.mark.browser

OTHERS = [
    {"doc_id": "ar-3", "title": "حذاء", "text": "حذاء للمطر", "language": "ar"},
    {"doc_id": "zh-3", "title": "红色雨鞋", "text": "雨鞋。", "language": "zh-Hans"},
    {"doc_id": "hi-3", "title": "बारिश के जूते", "text": "जूते।", "language": "hi"},
    {"doc_id": "emoji-3", "title": "👩‍💻 sticker", "text": "For a laptop."},
]
WANTED = {"ar": ("ar", "rtl"), "zh": ("zh-Hans", "ltr"), "hi": ("hi", "ltr"), "emoji": (None, "ltr")}
"""Language of the nodes of each query, and the direction in which they run."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One pair in each of four scripts."""
    made = workspace(tmp_path)
    (made / "jacket.png").write_bytes(png())
    bench = Workbench.open(str(made))
    documents = [one for one in DOCUMENTS if "image" not in one] + OTHERS
    with open_store(bench) as store:
        create_project(
            store, bench, name="duel", by="test", rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, topics=TOPICS,
            pairs=[{"query_id": q, "doc_id": f"{q}-1", "other_doc_id": f"{q}-3"} for q in WANTED], documents=documents,
            repeat_share=0.0, min_seconds=0.0, pilot=0,
        )  # fmt: skip
    return made


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


@pytest.mark.parametrize("width", [1280, 390])
def test_both_documents_run_as_their_script_does(browser: Any, base: str, folder: Path, width: int) -> None:
    titles = {str(one["title"]): str(one["doc_id"]) for one in [*DOCUMENTS, *OTHERS]}
    queries = {str(one["text"]): str(one["query_id"]) for one in TOPICS}
    page = opened(browser, base, width=width)
    met = set()
    for _ in WANTED:
        seen(page)
        query = queries[page.text_content("#query")]
        met.add(query)
        language, direction = WANTED[query]
        left, right = shown(page)  # letter by letter: no mojibake
        assert {titles[left], titles[right]} == {f"{query}-1", f"{query}-3"}
        for node in ("#query", "#left .title", "#right .title", "#left .body", "#right .body"):
            assert page.get_attribute(node, "lang") == language, node
            run = page.locator(node).evaluate("node => getComputedStyle(node).direction")
            assert run == direction, f"{node} of {query}"
        assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        press(page, "=")
    told(page, "wait", "Nothing is left")
    assert met == set(WANTED)
    assert {row["query_id"] for row in kept(folder)} == met
    page.context.close()


def test_undo_goes_back_to_the_first_pair(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    answered = [press(page, "ArrowLeft") for _ in WANTED]
    told(page, "saved", "saved: left")
    page.wait_for_selector("body[data-idle]")
    back = []
    for _ in WANTED:
        page.keyboard.press("u")
        seen(page)
        back.append(shown(page))
    page.wait_for_function("() => !Object.keys(localStorage).length")  # "undone" is told from the first one on
    told(page, "saved", "undone")
    assert back == answered[::-1]  # on the same sides
    page.keyboard.press("u")
    told(page, "saved", "nothing to undo")
    page.wait_for_function("() => !Object.keys(localStorage).length")
    assert kept(folder) == []
    page.context.close()
